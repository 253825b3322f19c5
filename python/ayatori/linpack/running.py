"""HPL run once: by an xhpl on the PATH, or by Debian's hpcc."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.compiled import PROGRAMS
from ayatori.base.errors import Error
from ayatori.diagnosis.interface_names import names_for_openmpi_here
from ayatori.linpack.input_file import input_text
from ayatori.linpack.output_file import SolvedSystem, parse_output
from ayatori.linpack.settings import Plane, Point, Variant
from ayatori.processes import Ended, last_words, mpirun_of, open_mpi_as_root, run_to_end

ONLY_HPL = PROGRAMS / "libhpcc_only_hpl.so"
PACKAGE = "hpcc"
MAX_SECONDS = 7 * 24 * 3600.0
_ALIGNMENT = 8
_TABLE_BYTES = 1 << 20
"""Smaller tables take no time, and MPI itself may want as much."""
_CHECKED_BYTES = 16 << 20
"""Smaller arrays are not refused: hpcc's measurement of latencies does not look whether it got its own of 2 MB."""


@dataclass(frozen=True)
class Launcher:
    """How processes are started."""

    words: tuple[str, ...] = ()
    """Before `-np N`; empty: Open MPI's mpirun on this machine, of more processes than cores if need be."""

    def command(self, processes: int, plane: Plane) -> list[str]:
        words = list(self.words) or [mpirun_of("openmpi"), "--oversubscribe"]
        if not plane.interface:
            return [*words, "-np", str(processes)]
        if is_openmpi(words[0]):
            chosen = ["--mca", "pml", "ob1", "--mca", "btl_tcp_if_include", names_for_openmpi_here([plane.interface])]
        else:
            chosen = ["-iface", plane.interface]
        return [*words, *chosen, "-np", str(processes)]


def is_openmpi(launcher: str) -> bool:
    """By what the program's name leads to; Debian's mpirun leads to orterun or to mpiexec.hydra."""
    found = shutil.which(launcher)
    return any(word in Path(found or launcher).resolve().name for word in ("orterun", "openmpi", "prte"))


def find_hpl(wanted: str = "") -> Path:
    """The program of this name or path; without one an xhpl on the PATH, else hpcc."""
    for name in [wanted] if wanted else ["xhpl", "hpcc"]:
        if found := shutil.which(name):
            return Path(found)
    missing = f"{wanted} is not installed" if wanted else "neither xhpl nor hpcc is installed"
    raise Error(missing, hint=f"apt-get install {PACKAGE} libopenblas0-pthread")


def launcher_of(words: str) -> Launcher:
    launcher = Launcher(tuple(shlex.split(words)))
    program = launcher.words[0] if launcher.words else mpirun_of("openmpi")
    if shutil.which(program) is None:
        raise Error(f"{program} is not installed", hint="apt-get install openmpi-bin")
    return launcher


def run_hpl(program: Path, launcher: Launcher, point: Point, variant: Variant) -> SolvedSystem:
    """One test, with one thread a process. Raises Error if there is no result of it; a failed residual is a result."""
    point.check()
    variant.check()
    hpcc = program.name.startswith("hpcc")
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        folder = Path(name)
        (folder / ("hpccinf.txt" if hpcc else "HPL.dat")).write_text(input_text(point, variant, hpcc), encoding="ascii")
        preloaded = _only_hpl(point) if hpcc and ONLY_HPL.exists() else []
        words = [*launcher.command(point.processes, point.plane), *preloaded, str(program)]
        ended = run_in(folder, words)
        text = (folder / "hpccoutf.txt").read_text(errors="replace") if hpcc else ended.output
    tests = [test for test in parse_output(text) if _answers(test, point)]
    if len(tests) != 1:
        raise Error(
            f"{program.name} has solved no system of N = {point.order}", cause=last_words(text) or "it printed nothing"
        )
    return tests[0]


def run_in(folder: Path | None, words: Sequence[str]) -> Ended:
    """A program of several processes; raises Error if it fails."""
    ended = run_to_end(words, folder=folder, environment=_environment(), timeout=MAX_SECONDS)
    if ended.status != 0:
        cause = last_words(ended.errors) or last_words(ended.output) or ended.reason
        raise Error(f"{words[0]} failed", cause=cause)
    return ended


def _answers(test: SolvedSystem, point: Point) -> bool:
    return (test.order, test.block, test.rows, test.columns) == (point.order, point.block, point.rows, point.columns)


def _environment() -> dict[str, str]:
    """Libraries compute with one thread a process: HPL's processes are what is spread over cores."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    exported = (
        {"OMPI_MCA_mca_base_env_list": ";".join(threads)} if "OMPI_MCA_mca_base_env_list" not in os.environ else {}
    )
    return {**os.environ, **threads, **open_mpi_as_root(), **exported}


def _only_hpl(point: Point) -> list[str]:
    """What keeps hpcc from running its other benchmarks (bench/tasks/hpl/only_hpl.c)."""
    sizes = " ".join(map(str, (*refused_bytes(point), *random_access_bytes(point))))
    return ["env", f"LD_PRELOAD={ONLY_HPL}", f"HPCC_REFUSED={sizes}"]


def refused_bytes(point: Point) -> tuple[int, int]:
    """Between which HPL never allocates: more than its panels, less than any process has of the matrix. Two zeros
    where the matrix is too small for that."""
    rows = min(local_size(point.order, point.block, i, point.rows) for i in range(point.rows))
    columns = min(local_size(point.order + 1, point.block, i, point.columns) for i in range(point.columns))
    matrix = 8 * rows * columns
    most_rows = local_size(point.order, point.block, 0, point.rows)
    most_columns = local_size(point.order + 1, point.block, 0, point.columns)
    panels = 8 * (point.block + _ALIGNMENT) * (most_rows + most_columns + 8 * point.block + 64)
    least, most = max(2 * panels, _CHECKED_BYTES), matrix - 1
    return (least, most) if least < most else (0, 0)


def random_access_bytes(point: Point) -> list[int]:
    """What a process may have of the table of MPIRandomAccess, which runs for a minute, twice, whatever its size. The
    table has a power of two of words: half of the matrix, or what is next to that, since hpcc rounds the matrix."""
    half = (point.order**2 // 2).bit_length() - 1
    shares = {(1 << power) // point.processes for power in (half - 1, half, half + 1)}
    sizes = {8 * words for share in shares for words in (share, share + 1)}
    return sorted(size for size in sizes if size >= _TABLE_BYTES)


def local_size(count: int, block: int, place: int, places: int) -> int:
    """Rows or columns that a process has where blocks are dealt out round-robin."""
    whole, rest = divmod(count, block)
    mine = (whole // places) * block
    extra = whole % places
    return mine + (block if place < extra else rest if place == extra else 0)
