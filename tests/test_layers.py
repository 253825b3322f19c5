"""Python packages import in one direction only, as CMake holds it for C++; READMEs say what uses what."""

import ast
import re
from pathlib import Path

import pytest

PROJECT = Path(__file__).parent.parent
PACKAGE = PROJECT / "python" / "ayatori"

MAY_IMPORT = {
    "base": {"_acp", "_core", "_mpi"},
    "model": {"base", "_core"},
    "traces": {"base"},
    "planning": {"traces", "model", "base", "_core"},
    "resumable": {"base"},
    "prediction": {"planning", "model", "resumable", "base", "_core"},
    "ordering": {"prediction", "planning", "model", "base", "_core"},
    "mpi_tables": {"prediction", "planning", "model", "resumable", "base", "_core"},
    "formats": {"prediction", "planning", "model", "base", "_core"},
    "processes": {"base"},
    "measurement": {"processes", "base", "_core"},
    "linpack": {"diagnosis", "measurement", "processes", "base", "_core"},
    "estimate": {"linpack", "base", "_core"},
    "calibration": {"formats", "prediction", "model", "processes", "base", "_core"},
    "tuning": {"calibration", "formats", "measurement", "model", "prediction", "processes", "base", "_core"},
    "diagnosis": {"base"},
    "pingpong": {"calibration", "diagnosis", "formats", "prediction", "base", "_core"},
    "lab": {"planning", "model", "processes", "base", "_core"},
    "report": {"base"},
    "overlap": {"traces", "lab", "measurement", "model", "processes", "resumable", "base", "_core"},
    "study": {"lab", "planning", "model", "base", "_core"},
    "nwtopo": {"base", "_core"},
    "__init__": {"prediction", "planning", "model", "base", "_core"},
    "cli": {
        "study",
        "report",
        "lab",
        "calibration",
        "tuning",
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
    placed: set[str] = {"_acp", "_core", "_mpi"}
    while ready := {room for room, needs in MAY_IMPORT.items() if room not in placed and needs <= placed}:
        placed |= ready
    assert placed == set(MAY_IMPORT) | {"_acp", "_core", "_mpi"}


def used_by_folders() -> dict[str, set[str]]:
    """The folders in the column "uses" of each folder of a product, in the READMEs of the products."""
    text = "".join(path.read_text() for path in sorted((PROJECT / "src").glob("*/README.md")))
    rows = re.findall(r"^\| `(src/[a-z/_]+)` \|.*\| (.*) \|$", text, re.MULTILINE)
    rows = [(folder, uses) for folder, uses in rows if Path(folder).name not in ("fuzz", "tests")]
    return {folder: set(re.sub(r"\([^)]*\)|[,;]|nothing", " ", uses).split()) for folder, uses in rows}


def used_in_cmake(folder: str) -> set[str]:
    text = (PROJECT / folder / "CMakeLists.txt").read_text()
    [uses] = re.findall(r"\bUSES ([a-z_ ]+?)\s*(?:[A-Z]|\))", re.sub(r"TEST_USES[^)A-Z]*", "", text)) or [""]
    return set(uses.split())


WITH_PROGRAMS = {f"src/mpi/{name}" for name in ("paths", "execute", "plugin", "preloaded", "probe", "trace")}
PROSE = {"src/nwtopo/sources", "src/nwtopo/exports", "src/acp/wires/fixtures", *WITH_PROGRAMS}
"""Folders whose row names the kinds of sources together, which have headers only, or which an MPI's compiler builds."""


@pytest.mark.parametrize("folder", sorted(used_by_folders().keys() - PROSE))
def test_a_product_says_what_its_folders_use(folder: str) -> None:
    assert used_by_folders()[folder] == used_in_cmake(folder)


def test_each_folder_of_a_product_has_a_row() -> None:
    folders = {path.parent.relative_to(PROJECT / "src") for path in (PROJECT / "src").rglob("CMakeLists.txt")}
    of_products = {f"src/{path}" for path in folders if len(path.parts) > 1 and path.name not in ("fuzz", "tests")}
    of_sources = {folder for folder in of_products if folder.startswith("src/nwtopo/sources/")}
    assert used_by_folders().keys() >= of_products - of_sources
