"""The programs of MPICH's tests, as mpich_suite.py runs them: what its test lists say, and how to compile them.

Their own build is autotools'. This one reads the test lists and the few lines of Makefile.am by which several programs
come from one source.
"""

from __future__ import annotations

import os
import re
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.errors import Error
from bench.harness.installed_mpi import InstalledMpi

CONFIGURATION = """\
#define STDC_HEADERS 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_UNISTD_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDARG_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_RESOURCE_H 1
#define HAVE_STRDUP 1
#define HAVE_USLEEP 1
#define HAVE_GETRUSAGE 1
#define HAVE_PTHREAD_H 1
#define HAVE_LONG_DOUBLE 1
#define HAVE_LONG_LONG 1
#define HAVE__BOOL 1
#define HAVE_FLOAT__COMPLEX 1
#define HAVE_DOUBLE__COMPLEX 1
#define HAVE_LONG_DOUBLE__COMPLEX 1
#define USE_LONG_DOUBLE_COMPLEX 1
#define HAVE_FORTRAN_BINDING 1
#define HAVE_MPI_SPAWN 1
#define HAVE_MPI_WIN_CREATE 1
#define SIZEOF_VOID_P 8
#define POINTERINT_t long
#define THREAD_PACKAGE_NAME THREAD_PACKAGE_POSIX
"""
UTILITIES = ("util/mtest.c", "util/mtest_common.c", "util/dtypes.c", "dtpools/src/*.c")
WRITTEN = {"include/mpitestconf.h": CONFIGURATION, "dtpoolsconf.h": CONFIGURATION, "include/mtest_mpix.h": ""}
"""Headers that configure writes. The last names functions that only MPICH has, by their prefix MPIX_."""

OLD_NAMES = ["-DOMPI_OMIT_MPI1_COMPAT_DECLS=1"]
OLD_NAMES += [f"-DMPI_Type_{kind}=MPI_Type_create_{kind}" for kind in ("hvector", "hindexed", "struct")]
"""For Open MPI: the pool of datatypes calls functions that MPI 3.0 removed."""


@dataclass(frozen=True)
class Test:
    """A line of a test list."""

    folder: str
    name: str
    ranks: int
    words: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    says_so: bool = True
    """Whether it prints "No Errors" if it passes."""

    def __str__(self) -> str:
        return f"{self.folder}/{' '.join((self.name, *self.words))} with {self.ranks} ranks"


def tests_of(source: Path, folder: str, most_ranks: int) -> list[Test]:
    """Those of the folder and its subfolders that need no more ranks; tests for hosts of much memory are left out."""
    found: dict[Test, None] = {}
    for path in sorted((source / folder).rglob("testlist*")):
        if path.name not in ("testlist", "testlist.in"):
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            words = re.sub(r"^@(?!largetest)\w+@ *", "", line.partition("#")[0]).split()
            if len(words) < 2 or words[0].startswith("@") or not words[1].isdigit():
                continue
            named = [word.partition("=")[::2] for word in words[2:]]
            test = Test(
                str(path.parent.relative_to(source)),
                words[0],
                int(words[1]),
                tuple(value for name, value in named if name == "arg"),
                tuple(value for name, value in named if name == "env"),
                all(name != "resultTest" for name, _ in named),
            )
            if test.ranks <= most_ranks:
                found[test] = None
    return list(found)


class Programs:
    """Compiles programs with one MPI into `folder`, each once."""

    def __init__(self, mpi: InstalledMpi, source: Path, folder: Path) -> None:
        self._mpi = mpi
        self._source = source
        self._folder = folder
        (folder / "include").mkdir(parents=True, exist_ok=True)
        for name, text in WRITTEN.items():
            (folder / name).write_text(text, encoding="utf-8")
        included = [folder / "include", source / "include", source / "dtpools/include"]
        self._options = ["-O1", "-w", "-DDTP_MPI_DATATYPE=MPI_INT", *(f"-I{one}" for one in included)]
        self._old_names = OLD_NAMES if mpi.family == "openmpi" else []
        self._utilities = [self._object(file) for one in UTILITIES for file in sorted(source.glob(one))]

    def built(self, test: Test) -> Path | None:
        """None: it cannot be compiled with this MPI."""
        program = self._folder / test.folder / test.name
        failed = program.with_name(f"{program.name}.failed")
        if program.exists() or failed.exists():
            return program if program.exists() else None
        program.parent.mkdir(parents=True, exist_ok=True)
        here = self._source / test.folder
        names, definitions = self._sources(here, test.name)
        threads = "thread" if test.folder.startswith("threads") else "single"
        options = [*definitions, f"-I{here}", *(["-DMTEST_USE_THREAD"] if threads == "thread" else [])]
        files = [*(here / name for name in names), self._source / f"util/mtest_{threads}.c"]
        new = program.with_name(f"{program.name}.{threading.get_ident()}")
        if self._compile([*options, *map(str, files), *self._utilities, "-o", str(new), "-lm", "-lpthread"]):
            return new.rename(program)
        failed.touch()
        return None

    def of_source(self, file: Path) -> Path:
        """A program of one file. Raises Error if it cannot be compiled."""
        program = self._folder / file.stem
        if not program.exists() and not self._compile([str(file), "-o", str(program)]):
            raise Error(f"{self._mpi.program('mpicc')} cannot compile {file}")
        return program

    def _compile(self, words: Sequence[str]) -> bool:
        command = [self._mpi.program("mpicc"), *self._options, *words]
        environment = {**os.environ, **self._mpi.variables}
        return subprocess.run(command, env=environment, capture_output=True, check=False).returncode == 0

    def _object(self, file: Path) -> str:
        """Of what all programs use."""
        compiled = self._folder / f"{file.stem}.o"
        if not compiled.exists() and not self._compile([*self._old_names, "-c", str(file), "-o", str(compiled)]):
            raise Error(f"{self._mpi.program('mpicc')} cannot compile {file}")
        return str(compiled)

    @staticmethod
    def _sources(folder: Path, name: str) -> tuple[list[str], list[str]]:
        """The files of a program and the macros that it defines."""
        makefile = (folder / "Makefile.am").read_text(encoding="utf-8").replace("\\\n", " ")
        sources = re.search(rf"^{name}_SOURCES\s*=(.*)$", makefile, re.MULTILINE)
        flags = re.search(rf"^{name}_CPPFLAGS\s*=(.*)$", makefile, re.MULTILINE)
        names = sources[1].split() if sources else [f"{name}.c"]
        return names, re.findall(r"-D\S+", flags[1]) if flags else []
