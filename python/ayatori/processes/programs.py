"""Programs: where they are installed, what they said last, and what some need in order to start."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ayatori.processes.errors import ProgramError

_TAIL_BYTES = 4096

# Debian keeps subnet managers and diagnostics where the PATH of an ordinary user does not reach.
_SYSTEM_FOLDERS = ("/usr/sbin", "/sbin", "/usr/bin", "/bin")


def find_program(name: str, package: str) -> str:
    """The path of program `name`, which the Debian package `package` brings; also looks where only root's PATH goes.

    Raises ProgramError if it is not installed.
    """
    folders = os.pathsep.join((os.environ.get("PATH", ""), *_SYSTEM_FOLDERS))
    path = shutil.which(name, path=folders)
    if path is None:
        raise ProgramError(f"{name} is not installed", hint=f"apt-get install {package}")
    return path


def last_line(path: Path) -> str:
    """The last line of a file that says something, with a letter or a digit in it; empty if there is none. Open MPI
    draws lines of dashes around what it says."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if any(map(str.isalnum, line))), "")


def open_mpi_as_root() -> dict[str, str]:
    """Environment variables without which Open MPI's mpirun does not start for root; none for others."""
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
