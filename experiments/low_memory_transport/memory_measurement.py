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
from ayatori.cli.output import note
from ayatori.processes import run_to_end
from bench.harness.installed_mpi import InstalledMpi
from bench.validation.transports import transports_of

SOURCE = Path(__file__).parent.parent.parent / "bench" / "tasks" / "memory" / "mpi.c"
LONGEST_S = 120.0
OPENMPI = ("mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "--mca", "mpi_yield_when_idle", "1")

_LAUNCHERS = {
    "Open MPI, tcp": (*OPENMPI, "--mca", "pml", "ob1", "--mca", "btl", "self,tcp"),
    "Open MPI, shared memory": OPENMPI,
    "MPICH, shared memory": ("mpiexec.hydra",),
}
_TRANSPORTS = {
    "Open MPI over UCX, tcp": "UCX over tcp",
    "Open MPI over tcp;ofi_rxm": "tcp;ofi_rxm",
    "Open MPI over udp;ofi_rxd": "udp;ofi_rxd",
    "Open MPI over ours, udp": "ayatori-udp",
}
"""The same program in one MPI: what its transport keeps."""
_WIRES = {"ours, udp": "udp", "ours, shared memory": "shm"}
KINDS = (*_LAUNCHERS, *_WIRES)
OVER_TRANSPORTS = ("Open MPI, tcp", *_TRANSPORTS)


def is_there(kind: str) -> bool:
    if kind in _WIRES:
        return (PROGRAMS / "memory_ours").exists()
    return shutil.which(_compiler(kind)) is not None and shutil.which(_launcher(kind)[0]) is not None


def measure(kind: str, counts: Sequence[int]) -> list[dict[str, Any]]:
    """For each number of processes: bytes of a process, means; see bench/tasks/memory/mpi.c. Empty if a transport does
    not do that in LONGEST_S."""
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        folder = Path(name)
        if kind in _WIRES:
            return [_run(folder, [PROGRAMS / "memory_ours", _WIRES[kind], str(count)]) for count in counts]
        program = folder / "alltoall"
        compiler: list[str | Path] = [_compiler(kind), "-O2", SOURCE, "-o", program]
        if run_to_end(compiler, folder=folder, environment=os.environ, timeout=LONGEST_S).status != 0:
            raise Error(f"{_compiler(kind)} can't compile {SOURCE.name}")
        return [_run(folder, [*_launcher(kind), "-n", str(count), program], kind) for count in counts]


def _launcher(kind: str) -> tuple[str, ...]:
    return _LAUNCHERS.get(kind, OPENMPI)


def _compiler(kind: str) -> str:
    return "mpicc.openmpi" if kind.startswith("Open MPI") else "mpicc.mpich"


def _run(folder: Path, command: list[str | Path], kind: str = "") -> dict[str, Any]:
    over = transports_of(InstalledMpi("openmpi"))[_TRANSPORTS[kind]] if kind in _TRANSPORTS else {}
    environment = {**os.environ, **over}
    ended = run_to_end(command, folder=folder, environment=environment, timeout=LONGEST_S)
    if ended.status == 0:
        found: dict[str, Any] = ended.objects()[-1]
        return found
    if kind in _TRANSPORTS:
        note(f"{kind}: {ended.reason}")
        return {}
    raise Error(f"{Path(command[0]).name} failed", cause=ended.reason, internal=True)
