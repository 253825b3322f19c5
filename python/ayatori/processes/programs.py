"""Programs: where they are installed, what they said, and what some need in order to start."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from ayatori.processes.errors import ProgramError

_TAIL_BYTES = 4096
_HEAD_BYTES = 65536
_LONGEST_ERROR = 300
_SAYS_WHY = re.compile(
    r"\b(error|unable|not|no such|cannot|can't|failed|denied|refused|invalid|unrecognized|unknown|non-zero)\b", re.I
)

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
    """The last line of a file that says something."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return last_words(file.read().decode("utf-8", "replace"))


def last_words(text: str) -> str:
    """The last line with a letter or a digit in it; empty if there is none. Open MPI draws lines of dashes around what
    it says."""
    return next((line.strip() for line in reversed(text.split("\n")) if any(map(str.isalnum, line))), "")


def first_error(path: Path) -> str:
    """The first line that sounds like what went wrong, else the last line. Launchers tell that first, and then what
    follows from it, and what one could do.

    Open MPI tells it in paragraphs between lines of dashes: then the paragraph, and the next one if that has the
    particulars.
    """
    with path.open("rb") as file:
        lines = [line.strip() for line in file.read(_HEAD_BYTES).decode("utf-8", "replace").split("\n")]
    first = next((i for i, line in enumerate(lines) if _SAYS_WHY.search(line)), None)
    if first is None:
        return last_line(path)
    begin = first
    while begin > 0 and any(map(str.isalnum, lines[begin - 1])):
        begin -= 1
    if begin == 0 or not lines[begin - 1].startswith("---"):
        return lines[first]
    end = _end_of_paragraph(lines, begin)
    if end + 1 < len(lines) and lines[end - 1].endswith(":"):
        end = _end_of_paragraph(lines, end + 1)
    return " ".join(" ".join(lines[begin:end]).split())[:_LONGEST_ERROR]


def _end_of_paragraph(lines: list[str], begin: int) -> int:
    """The number of the first line from there on that says nothing."""
    return next((i for i in range(begin, len(lines)) if not any(map(str.isalnum, lines[i]))), len(lines))


def open_mpi_as_root() -> dict[str, str]:
    """Environment variables without which Open MPI's mpirun does not start for root; none for others."""
    return {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"} if os.geteuid() == 0 else {}
