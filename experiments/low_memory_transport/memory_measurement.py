"""What a process has in memory after each has sent to each, on this machine."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ayatori.base.compiled import PROGRAMS
from ayatori.base.errors import Error
from ayatori.processes import Ended, run_to_end

SOURCE = Path(__file__).parent.parent.parent / "bench" / "tasks" / "memory" / "mpi.c"
LONGEST_S = 120.0
OPENMPI = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")

KINDS = ("Open MPI, tcp", "Open MPI, shared memory", "MPICH, shared memory", "ours, udp", "ours, shared memory")
_LAUNCHERS = {
    "Open MPI, tcp": (*OPENMPI, "--mca", "pml", "ob1", "--mca", "btl", "self,tcp"),
    "Open MPI, shared memory": OPENMPI,
    "MPICH, shared memory": ("mpiexec.hydra",),
}
_WIRES = {"ours, udp": "udp", "ours, shared memory": "shm"}


def is_there(kind: str) -> bool:
    if kind in _WIRES:
        return (PROGRAMS / "memory_ours").exists()
    return shutil.which(_compiler(kind)) is not None and shutil.which(_LAUNCHERS[kind][0]) is not None


def measure(kind: str, counts: Sequence[int]) -> list[dict[str, Any]]:
    """For each number of processes: bytes of a process, means; see bench/tasks/memory/mpi.c."""
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        folder = Path(name)
        if kind in _WIRES:
            runs = [_run(folder, [PROGRAMS / "memory_ours", _WIRES[kind], str(count)]) for count in counts]
        else:
            program = folder / "alltoall"
            _run(folder, [_compiler(kind), "-O2", SOURCE, "-o", program])
            runs = [_run(folder, [*_LAUNCHERS[kind], "-n", str(count), program]) for count in counts]
    return [run.objects()[-1] for run in runs]


def _compiler(kind: str) -> str:
    return "mpicc.openmpi" if kind.startswith("Open MPI") else "mpicc.mpich"


def _run(folder: Path, command: list[str | Path]) -> Ended:
    ended = run_to_end(command, folder=folder, environment=os.environ, timeout=LONGEST_S)
    if ended.status != 0:
        raise Error(f"{Path(command[0]).name} failed", cause=ended.reason, internal=True)
    return ended
