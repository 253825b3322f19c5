"""What a process has in memory after each has sent to each, on this machine."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error
from ayatori.measurement.programs import PROGRAMS
from ayatori.processes import last_line, run_program

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
            return [_output(folder, [PROGRAMS / "memory_ours", _WIRES[kind], str(count)]) for count in counts]
        program = folder / "alltoall"
        _run(folder, [_compiler(kind), "-O2", SOURCE, "-o", program])
        return [_output(folder, [*_LAUNCHERS[kind], "-n", str(count), program]) for count in counts]


def _compiler(kind: str) -> str:
    return "mpicc.openmpi" if kind.startswith("Open MPI") else "mpicc.mpich"


def _run(folder: Path, command: list[str | Path]) -> str:
    output, errors = folder / "output", folder / "errors"
    status = run_program(
        command, folder=folder, environment=os.environ, output=output, errors=errors, timeout=LONGEST_S
    )
    if status != 0:
        raise Error(f"{Path(command[0]).name} failed", cause=last_line(errors) or f"status {status}", internal=True)
    return output.read_text(encoding="utf-8")


def _output(folder: Path, command: list[str | Path]) -> dict[str, Any]:
    return json.loads(_run(folder, command).splitlines()[-1])
