"""Python packages import in one direction only, as CMake holds it for C++; docs/map.md says what uses what."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
PACKAGE = PROJECT / "python" / "ayatori"

MAY_IMPORT = {
    "base": {"_acp", "_core"},
    "model": {"base", "_core"},
    "planning": {"model", "base", "_core"},
    "resumable": {"base"},
    "prediction": {"planning", "model", "resumable", "base", "_core"},
    "ordering": {"prediction", "planning", "model", "base", "_core"},
    "mpi_tables": {"prediction", "planning", "model", "resumable", "base", "_core"},
    "formats": {"prediction", "planning", "model", "base", "_core"},
    "processes": {"base"},
    "measurement": {"processes", "base", "_core"},
    "linpack": {"diagnosis", "processes", "base", "_core"},
    "estimate": {"linpack", "base", "_core"},
    "calibration": {"formats", "prediction", "model", "processes", "base", "_core"},
    "diagnosis": {"base"},
    "pingpong": {"calibration", "diagnosis", "formats", "prediction", "base", "_core"},
    "lab": {"planning", "model", "processes", "base", "_core"},
    "report": {"base"},
    "overlap": {"lab", "measurement", "model", "processes", "resumable", "base", "_core"},
    "study": {"lab", "planning", "model", "base", "_core"},
    "nwtopo": {"base", "_core"},
    "__init__": {"prediction", "planning", "model", "base", "_core"},
    "cli": {
        "study",
        "report",
        "lab",
        "calibration",
        "measurement",
        "linpack",
        "estimate",
        "diagnosis",
        "overlap",
        "pingpong",
        "processes",
        "formats",
        "mpi_tables",
        "ordering",
        "prediction",
        "planning",
    }
    | {"resumable", "model", "base", "_core"},
}
"""Of each package, and of each module that stands alone, the packages of ours that it may import."""


def rooms() -> list[str]:
    """The packages and modules that are there."""
    found = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in PACKAGE.rglob("*.py")}
    return sorted(found)


def imports_of(path: Path) -> set[str]:
    """The packages of ours that a file imports, inside of functions, too."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative imports hide the direction"
            own = node.module == "ayatori"
            names = [f"ayatori.{alias.name}" for alias in node.names] if own else [node.module or ""]
        found |= {name.split(".")[1] for name in names if name.startswith("ayatori.")}
    return found


def test_every_package_has_its_place_in_the_order() -> None:
    assert rooms() == sorted(MAY_IMPORT)


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_imports_go_one_way(room: str) -> None:
    files = [PACKAGE / f"{room}.py"] if (PACKAGE / f"{room}.py").exists() else sorted((PACKAGE / room).rglob("*.py"))
    assert files
    for path in files:
        assert imports_of(path) - {room} <= MAY_IMPORT[room], path


def test_the_allowed_imports_have_no_cycle() -> None:
    placed: set[str] = {"_acp", "_core"}
    while ready := {room for room, needs in MAY_IMPORT.items() if room not in placed and needs <= placed}:
        placed |= ready
    assert placed == set(MAY_IMPORT) | {"_acp", "_core"}


def used_in_the_map() -> dict[str, set[str]]:
    """Of each folder of src that has a row of its own in docs/map.md, the folders in its column "uses"."""
    rows = re.findall(r"^\| `(src/[a-z/]+)` \|.*\| (.*) \|$", (PROJECT / "docs/map.md").read_text(), re.MULTILINE)
    return {folder: set(re.sub(r"\([^)]*\)|[,;]|nothing", " ", uses).split()) for folder, uses in rows}


def used_in_cmake(folder: str) -> set[str]:
    text = (PROJECT / folder / "CMakeLists.txt").read_text()
    [uses] = re.findall(r"\bUSES ([a-z_ ]+?)\s*(?:[A-Z]|\))", re.sub(r"TEST_USES[^)A-Z]*", "", text)) or [""]
    return set(uses.split())


PROSE = {"src/sources", "src/exports", "src/wires/fixtures"}
"""Folders whose row names the kinds of sources together, or which have headers only."""


@pytest.mark.parametrize("folder", sorted(used_in_the_map().keys() - PROSE))
def test_the_map_says_what_a_folder_uses(folder: str) -> None:
    assert used_in_the_map()[folder] == used_in_cmake(folder)


def test_the_map_has_a_row_for_each_folder() -> None:
    folders = {str(path.parent.relative_to(PROJECT)) for path in (PROJECT / "src").rglob("CMakeLists.txt")}
    of_sources = {folder for folder in folders if folder.startswith("src/sources/")}
    assert used_in_the_map().keys() >= folders - of_sources - {"src", "src/wires"}
