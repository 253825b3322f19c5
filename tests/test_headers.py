"""Every header of src/ and bench/ compiles alone."""

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from subprocesses import said_by

ROOT = Path(__file__).parent.parent
INCLUDE = re.compile(r'#include ["<]([^">]+)[">]')
FOLDERS = sorted((ROOT / "src").rglob("include"))
COMPILER = ["c++", "-std=c++23", "-x"]

TEXT = ("expected", "fmt/format.h", "string", "string_view", "vector")
PRELUDES = (
    ("gtest/gtest.h", "algorithm", "functional", "span", *TEXT),
    ("functional", "memory", "span", *TEXT),
    TEXT,
)
"""Headers of others that take the compiler long, and are therefore compiled once for all headers that include them. A
header that includes all of a prelude, itself or by what it includes, sees the same with the prelude as without it."""


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

    What includes an MPI's header needs that MPI's compiler, and is compiled by it with the programs that include it. So
    are fuzzers, and what runs inside programs.
    """
    first = set()
    for source in (ROOT / "src").rglob("*.cpp"):
        if found := INCLUDE.search(source.read_text()):
            first |= {(None, found[1]), (source.parent, found[1])}
    headers = sorted([*(ROOT / "src").rglob("*.hpp"), *(ROOT / "bench").rglob("*.hpp")])
    with_programs = {"fuzz", "paths", "execute", "plugin", "preloaded", "probe", "tests", "trace"}
    return [
        header
        for header in headers
        if (None if "/include/" in header.as_posix() else header.parent, name_of(header)) not in first
        and not needs_mpi(header)
        and with_programs.isdisjoint(header.relative_to(ROOT).parts)
    ]


@cache
def of_others(header: Path) -> frozenset[str]:
    """The headers of others that it includes without a condition, itself or by headers of ours."""
    found: set[str] = set()
    text = header.read_text()
    if re.search(r"^#\s*if", text, re.MULTILINE):
        return frozenset()
    for name in INCLUDE.findall(text):
        ours = next(filter(Path.exists, (folder / name for folder in (header.parent, *FOLDERS, ROOT / "bench"))), None)
        found |= of_others(ours) if ours else {name}
    return frozenset(found)


@pytest.fixture(scope="module")
def precompiled(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], Path]:
    """Of each prelude the header beside which the compiler finds it compiled."""
    made = {}
    for prelude in PRELUDES:
        made[prelude] = tmp_path_factory.mktemp("prelude") / "prelude.hpp"
        made[prelude].write_text("".join(f"#include <{name}>\n" for name in prelude))
        subprocess.run([*COMPILER, "c++-header", made[prelude], "-o", f"{made[prelude]}.gch"], check=True)
    return made


@pytest.mark.skipif(shutil.which("c++") is None, reason="there is no C++ compiler")
@pytest.mark.parametrize(
    "header", headers_that_no_source_includes_first(), ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_header_compiles_alone(header: Path, precompiled: dict[tuple[str, ...], Path]) -> None:
    folders = [f"-I{folder}" for folder in (*FOLDERS, header.parent, ROOT / "bench")]
    fitting = next((precompiled[prelude] for prelude in PRELUDES if of_others(header).issuperset(prelude)), None)
    before = [] if fitting is None else ["-include", str(fitting)]
    command = [*COMPILER, "c++", "-fsyntax-only", *before, "-include", str(header), *folders, "/dev/null"]
    said_by(command)
