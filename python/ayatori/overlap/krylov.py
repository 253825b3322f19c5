"""The program that solves paper 4's problem by PETSc, compiled with the MPI compiler of the PETSc that is here."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from ayatori.base.compiled import PROGRAMS
from ayatori.base.errors import Error

FAMILY = "openmpi"
"""Debian's PETSc is built with it."""
METHODS = ("cg", "pipecg", "groppcg", "pipecg2")
_HINT = "apt-get install libpetsc-real-dev libopenmpi-dev pkg-config"
_folders: list[tempfile.TemporaryDirectory[str]] = []
"""Of programs that were compiled; removed when this process ends."""


def check_petsc() -> None:
    """Raises Error where there is no PETSc, or nothing to compile with."""
    _flags()
    if shutil.which(f"mpicc.{FAMILY}") is None:
        raise Error(f"mpicc.{FAMILY} is not installed", hint=_HINT)


@cache
def krylov_program() -> Path:
    """Raises Error if it can't be compiled."""
    check_petsc()
    folder = tempfile.TemporaryDirectory(prefix="ayatori-")
    _folders.append(folder)
    Path(folder.name).chmod(0o755)
    program = Path(folder.name) / "krylov"
    words = [f"mpicc.{FAMILY}", "-O2", str(PROGRAMS / "krylov.c"), "-o", str(program), *_flags()]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = next(iter(done.stderr.strip().splitlines()), f"status {done.returncode}")
        raise Error("the program for PETSc can't be compiled", said, _HINT)
    return program


def _flags() -> list[str]:
    config = shutil.which("pkg-config")
    words = [config or "pkg-config", "--cflags", "--libs", "petsc"]
    done = subprocess.run(words, capture_output=True, text=True, check=False) if config else None
    if done is None or done.returncode != 0:
        raise Error("PETSc is not installed", hint=_HINT)
    return done.stdout.split()
