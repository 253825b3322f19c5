"""MPI programs under the plug-in, on this machine, with either MPI."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ayatori.processes import YIELDING
from subprocesses import ran, said_by

ROOT = Path(__file__).parent.parent.parent
BUILT = ROOT / "build/release/mpi"
PROGRAMS = Path(__file__).parent / "programs"
FAMILIES = ("openmpi", "mpich")
COMPILERS = {".c": ["mpicc"], ".cpp": ["mpicxx", "-std=c++20"], ".f90": ["mpifort"], ".F90": ["mpifort"]}
"""Of each kind of source, with the options that it always has."""
EITHER_COUNT = ["-include", str(PROGRAMS / "either_counts.hpp")]
"""Options by which a program's calls have int counts on some ranks and large ones on others."""
FORTRAN = ("MPIFH", "MPI", "F08")
"""Fortran's three interfaces: mpif.h, the module mpi, the module mpi_f08."""

# Many ranks share few cores here: they must not poll while others have work.
OPEN_MPI_HERE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    # Nor copies each other's memory, in which no rank takes part: Open MPI 4, and 5.
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_MCA_smsc": "^cma",
    # By TCP, Debian 13's Open MPI 5.0.7 reaches nobody over an interface with IPv6 (open-mpi/ompi#14079).
    "OMPI_MCA_btl_tcp_disable_family": "6",
}


def library(family: str) -> Path:
    return BUILT / family / "libayatori_mpi.so"


def needs(family: str) -> pytest.MarkDecorator:
    """Skips where this MPI is not installed."""
    here = shutil.which(f"mpicxx.{family}") and shutil.which(f"mpirun.{family}") and library(family).exists()
    return pytest.mark.skipif(not here, reason=f"lib{family}-dev is not installed")


def version(family: str) -> str:
    """As this MPI calls itself in MPI_Get_library_version, up to the number."""
    found = re.search(r"\d+\.\d+[.\w]*", said_by([f"mpirun.{family}", "--version"]))
    assert found
    return f"Open MPI v{found[0]}" if family == "openmpi" else f"MPICH Version: {found[0]}"


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

    def compiled(self, source: str, *options: str, kind: str = "") -> Path:
        """`kind`: tells programs apart that are made of one source with different options."""
        compiler, *usual = COMPILERS[Path(source).suffix]
        program = self.folder / f"{Path(source).stem}{kind}.{self.family}"
        with program.with_suffix(f"{program.suffix}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not program.exists():
                new = program.with_suffix(f"{program.suffix}.new")
                command = [f"{compiler}.{self.family}", "-O1", *usual, *options, str(PROGRAMS / source), "-o", str(new)]
                said_by(command)
                new.rename(program)
        return program

    def compiled_fortran(self, source: str, interface: str, *more: str) -> Path:
        """`interface`: one of FORTRAN."""
        options = [f"-DUSE_{interface}", "-fallow-argument-mismatch", *more]
        return self.compiled(source, *options, kind=f".{interface}")

    def waiting(self, ranks: int) -> list[Path]:
        """Libraries for so many ranks: MPICH's would poll for whole time slices where they share cores."""
        if self.family != "mpich":
            return []
        share_cores = ranks > len(os.sched_getaffinity(0))
        rests = [self.compiled("rests_when_idle.c", "-shared", "-fPIC")] if share_cores else []
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
        """`command`: a program or a source, and its words. `plugin`: another library than this MPI's own. `before`,
        `after`: what else is preloaded."""
        program, *words = command
        if isinstance(program, str) and Path(program).suffix in COMPILERS:
            program = self.compiled(program)
        libraries = [*before, *([plugin or library(self.family)] if preload else []), *after]
        libraries += self.waiting(ranks)
        preloaded = "LD_PRELOAD=" + ":".join(map(str, libraries))
        launch = [f"mpirun.{self.family}", "-np", str(ranks)]
        if self.family == "openmpi":
            launch.append("--oversubscribe")
        command = [*launch, "env", preloaded, str(program), *map(str, words)]
        return ran(command, cwd=self.folder, env=OPEN_MPI_HERE | variables, seconds=timeout)

    def run_well(self, *arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
        done = self.run(*arguments, **options)
        assert done.returncode == 0, f"{arguments}, {options}:\n{done.stdout}\n{done.stderr}"
        return done

    def run_right(self, *arguments: Any, **options: Any) -> subprocess.CompletedProcess[str]:
        """Of a program whose ranks say nothing but "right", several of them perhaps in one line."""
        done = self.run_well(*arguments, **options)
        assert done.stdout.strip() and not done.stdout.replace("right", "").strip(), done.stdout + done.stderr
        return done
