"""An MPI by a word: the distribution's Open MPI or MPICH, or the one in a folder, such as those of PyPI in build/."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ayatori.base.errors import Error

LIBRARIES = {"openmpi": "libmpi.so.40", "mpich": "libmpi.so.12"}


@dataclass(frozen=True)
class InstalledMpi:
    word: str
    """openmpi, mpich, or a folder with bin/mpirun, bin/mpicc and lib/libmpi.so.N."""

    @cached_property
    def family(self) -> str:
        """That of its plug-in. Raises Error for a folder without an MPI."""
        if self.word in LIBRARIES:
            return self.word
        for family, library in LIBRARIES.items():
            if (self.folder / "lib" / library).exists():
                return family
        raise Error(f"{self.word} has no MPI: {' or '.join(f'lib/{name}' for name in LIBRARIES.values())}")

    @property
    def folder(self) -> Path:
        return Path(self.word).resolve()

    @property
    def name(self) -> str:
        """For output and for names of folders."""
        return self.folder.name

    def program(self, name: str) -> str:
        """mpirun, mpicc, mpicxx."""
        return f"{name}.{self.family}" if self.word in LIBRARIES else str(self.folder / "bin" / name)

    def is_there(self) -> bool:
        return all(shutil.which(program) for program in (self.program("mpirun"), self.compiler[0]))

    @property
    def launcher(self) -> list[str]:
        """Also for more ranks than cores."""
        if self.is_intels:
            return [self.program("mpiexec.hydra")]  # its mpirun looks for others in PATH
        return [self.program("mpirun"), *(["--oversubscribe"] if self.family == "openmpi" else [])]

    @property
    def is_intels(self) -> bool:
        """PyPI's, which has neither headers nor a compiler, but MPICH's ABI."""
        return self.word not in LIBRARIES and (self.folder / "lib" / "libmpi_ilp64.so").exists()

    @property
    def compiler(self) -> list[str]:
        """The words that compile C; sources and options follow."""
        return ["mpicc.mpich", "-DMPICH_SKIP_MPICXX"] if self.is_intels else [self.program("mpicc")]

    @property
    def variables(self) -> dict[str, str]:
        """With which its compiler, its launcher and programs that are linked to it run."""
        if self.word in LIBRARIES:
            return {}
        home = {"OPAL_PREFIX": str(self.folder)} if self.family == "openmpi" else {}
        if self.is_intels:
            home = {"I_MPI_ROOT": str(self.folder), "I_MPI_THREAD_YIELD": "2"}
        return {"LD_LIBRARY_PATH": str(self.folder / "lib"), **home}

    @property
    def library(self) -> Path | None:
        """None: the one that is found on this machine."""
        return None if self.word in LIBRARIES else self.folder / "lib" / LIBRARIES[self.family]
