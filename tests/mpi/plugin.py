"""MPI programs under the plug-in, on this machine, with either MPI."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ayatori.processes import YIELDING

ROOT = Path(__file__).parent.parent.parent
BUILT = ROOT / "build/release/mpi"
PROGRAMS = Path(__file__).parent / "programs"
FAMILIES = ("openmpi", "mpich")
EITHER_COUNT = ["-std=c++20", "-include", str(PROGRAMS / "either_counts.hpp")]
"""Options by which a program's calls have int counts on some ranks and large ones on others."""
FORTRAN = ("MPIFH", "MPI", "F08")
"""Fortran's three interfaces: mpif.h, the module mpi, the module mpi_f08."""

# Many ranks share few cores here: they must not poll while others have work.
OPEN_MPI_HERE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}


def library(family: str) -> Path:
    return BUILT / family / "libayatori_mpi.so"


def needs(family: str) -> pytest.MarkDecorator:
    """Skips where this MPI is not installed."""
    here = shutil.which(f"mpicxx.{family}") and shutil.which(f"mpirun.{family}") and library(family).exists()
    return pytest.mark.skipif(not here, reason=f"lib{family}-dev is not installed")


def families() -> list[object]:
    return [pytest.param(family, marks=needs(family)) for family in FAMILIES]


def turns_at(ranks: int, counts: Sequence[int], turns: Sequence[int], family: str, everything: bool) -> Sequence[int]:
    """Which turns, each with other algorithms, so many ranks of this MPI make: all if `everything` is asked for, else a
    share, so that each turn is made by each MPI at one of these `counts`. Where every second of them is a power of two,
    one MPI makes it at such a count and the other at another one. The first turn alone for `ranks` beyond `counts`."""
    if everything:
        return turns
    if ranks not in counts:
        return turns[:1]
    shift = 3 * FAMILIES.index(family)
    return [turn for place, turn in enumerate(turns) if (place + shift) % len(counts) == counts.index(ranks)]


def made(family: str, factory: pytest.TempPathFactory) -> Mpi:
    """With the programs of all processes of pytest-xdist in the folder above theirs."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "programs"
    folder.mkdir(exist_ok=True)
    return Mpi(family, folder)


@dataclass
class Mpi:
    """One of the MPIs, and the programs that were compiled with it."""

    family: str
    folder: Path
    """Which processes that run tests at the same time share: each program is compiled once."""

    def compiled(self, source: str, compiler: str = "mpicxx", *options: str, kind: str = "") -> Path:
        """`kind`: tells programs apart that are made of one source with different options."""
        program = self.folder / f"{Path(source).stem}{kind}.{self.family}"
        with program.with_suffix(f"{program.suffix}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not program.exists():
                new = program.with_suffix(f"{program.suffix}.new")
                command = [f"{compiler}.{self.family}", "-O1", *options, str(PROGRAMS / source), "-o", str(new)]
                done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
                assert done.returncode == 0, done.stderr
                new.rename(program)
        return program

    def compiled_fortran(self, source: str, interface: str, *more: str) -> Path:
        """`interface`: one of FORTRAN."""
        options = [f"-DUSE_{interface}", "-fallow-argument-mismatch", *more]
        return self.compiled(source, "mpifort", *options, kind=f".{interface}")

    def waiting(self, ranks: int) -> list[Path]:
        """Libraries for so many ranks: MPICH's would poll for whole time slices where they share cores."""
        if self.family != "mpich":
            return []
        share_cores = ranks > len(os.sched_getaffinity(0))
        rests = [self.compiled("rests_when_idle.c", "mpicc", "-shared", "-fPIC")] if share_cores else []
        return [library(self.family).with_name(YIELDING), *rests]

    def run(
        self,
        ranks: int,
        *command: str | Path,
        plugin: Path | None = None,
        preload: bool = True,
        before: Sequence[Path] = (),
        after: Sequence[Path] = (),
        timeout: float = 120,
        **variables: str,
    ) -> subprocess.CompletedProcess[str]:
        """`plugin`: another library than this MPI's own. `before`, `after`: what else is preloaded."""
        environment = os.environ | OPEN_MPI_HERE | variables
        libraries = [*before, *([plugin or library(self.family)] if preload else []), *after]
        libraries += self.waiting(ranks)
        preloaded = "LD_PRELOAD=" + ":".join(map(str, libraries))
        launch = [f"mpirun.{self.family}", "-np", str(ranks)]
        if self.family == "openmpi":
            launch.append("--oversubscribe")
        return subprocess.run(
            [*launch, "env", preloaded, *map(str, command)],
            env=environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
