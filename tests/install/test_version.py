"""One version: that of CMakeLists.txt, which the wheel and pkg-config have from there."""

import re
from importlib.metadata import version
from pathlib import Path

import ayatori

ROOT = Path(__file__).parents[2]


def first(pattern: str, file: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert found, file
    return found[1]


def test_all_places_have_the_version_of_cmake() -> None:
    built = first(r"^project\(ayatori VERSION ([\d.]+)", "CMakeLists.txt")
    assert version("ayatori") == built, "./run build"
    assert ayatori.__version__ == built
    assert first(r"^## ([\d.]+)$", "CHANGELOG.md") == built
    assert first(r"^version: (.*)$", "CITATION.cff") == built
    assert first(r"in version ([\d.]+),", "docs/status.md") == built


def test_no_build_file_has_a_version_of_its_own() -> None:
    assert not re.search(r"^version = ", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    for template in ROOT.glob("src/*/*.pc.in"):
        assert "Version: @PROJECT_VERSION@\n" in template.read_text()
