"""Every header of src/ and bench/ compiles alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
INCLUDE = re.compile(r'#include ["<]([^">]+)[">]')
FOLDERS = [str(path) for path in sorted((ROOT / "src").rglob("include"))]


def name_of(header: Path) -> str:
    """As its own .cpp file includes it."""
    _, include, inner = header.as_posix().rpartition("/include/")
    return inner if include else header.name


def needs_mpi(header: Path) -> bool:
    """By itself, or by a header of its folder that it includes."""
    included = INCLUDE.findall(header.read_text())
    return "mpi.h" in included or any(needs_mpi(header.parent / name) for name in included if is_beside(header, name))


def is_beside(header: Path, name: str) -> bool:
    return "/" not in name and (header.parent / name).exists()


def headers_that_no_source_includes_first() -> list[Path]:
    """The others compile alone, since a source begins with them. The build would fail otherwise.

    What includes an MPI's header needs that MPI's compiler, and is compiled by it with the programs that include it.
    """
    first = set()
    for source in (ROOT / "src").rglob("*.cpp"):
        if found := INCLUDE.search(source.read_text()):
            first |= {(None, found[1]), (source.parent, found[1])}
    headers = sorted([*(ROOT / "src").rglob("*.hpp"), *(ROOT / "bench").rglob("*.hpp")])
    return [
        header
        for header in headers
        if (None if "/include/" in header.as_posix() else header.parent, name_of(header)) not in first
        and not needs_mpi(header)
    ]


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
@pytest.mark.parametrize(
    "header", headers_that_no_source_includes_first(), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_header_compiles_alone(header: Path) -> None:
    folders = [f"-I{folder}" for folder in (*FOLDERS, header.parent, ROOT / "bench")]
    command = ["c++", "-std=c++23", "-fsyntax-only", "-x", "c++", "-include", str(header), *folders, "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
