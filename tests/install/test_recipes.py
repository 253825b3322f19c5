"""The recipes in `packaging` name what the build looks for, by the names of docs/install.md."""

import ast
import re
from pathlib import Path

import tomllib
from test_packages import RHEL, SLES, SPACK, words_under

ROOT = Path(__file__).parents[2]
SPACK_RECIPE = ROOT / "packaging/spack/spack_repo/ayatori/packages/ayatori/package.py"
(EASYCONFIG,) = (ROOT / "packaging/easybuild").glob("*.eb")
SPEC = ROOT / "packaging/rpm/ayatori.spec"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
IN_BUNDLE = "Python-bundle-PyPI"
OF_THE_COMMAND_LINE = {
    "numpy": "SciPy-bundle",
    "plotly": "plotly.py",
    "rich": IN_BUNDLE,
    "typing-extensions": IN_BUNDLE,
}
"""Packages of Python that EasyBuild has under other names."""


def calls(file: Path, function: str) -> list[str]:
    """The first argument of each call in a recipe in Python."""
    nodes = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    named = [node for node in nodes if isinstance(node.func, ast.Name) and node.func.id == function]
    return [node.args[0].value for node in named if isinstance(node.args[0], ast.Constant)]


def easyconfig() -> dict[str, object]:
    """Its values that are plain data."""
    values = {}
    for node in ast.parse(EASYCONFIG.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            try:
                values[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return values


def packages_of_python() -> dict[str, str]:
    """Those that pyproject.toml wants, with their least version."""
    wanted = PROJECT["project"]["dependencies"] + PROJECT["build-system"]["requires"]
    return dict(re.match(r"([\w-]+)>=([\d.]+)", one).groups() for one in wanted)


def test_recipes_have_the_version_of_cmake() -> None:
    version = re.search(r"^project\(ayatori VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)[1]
    assert calls(SPACK_RECIPE, "version") == [version]
    assert easyconfig()["version"] == version
    assert EASYCONFIG.name == f"Ayatori-{version}-foss-2024a.eb"
    assert re.search(r"^Version: +(.*)$", SPEC.read_text(), re.MULTILINE)[1] == version


def test_recipes_have_the_packages_of_python() -> None:
    dependencies = calls(SPACK_RECIPE, "depends_on")
    parts = easyconfig()
    here = {name for name, _ in [*parts["dependencies"], *parts["builddependencies"]]}
    here |= set(re.findall(r"^    \('(\w+)', '[\d.]+', \{", EASYCONFIG.read_text(encoding="utf-8"), re.MULTILINE))
    assert f"python@{PROJECT['project']['requires-python'].removeprefix('>=')}:" in dependencies
    for name, least in packages_of_python().items():
        assert any(re.match(rf"py-{name}@{re.escape(least)}:", dependency) for dependency in dependencies), name
        if name != "tomli":  # newer Pythons, such as EasyBuild's, have it
            assert OF_THE_COMMAND_LINE.get(name, name) in here


def test_recipes_use_the_names_of_the_page() -> None:
    ours = {"c", "cxx", "mpi"}  # Spack's names for a compiler and for any MPI
    in_spack = {re.split("[@ ]", name)[0] for name in calls(SPACK_RECIPE, "depends_on")}
    known = {re.split("[@:]", name)[0] for name in words_under(SPACK)}
    assert {name for name in in_spack - ours - known if not name.startswith("py-")} == set()
    required = set(re.findall(r"BuildRequires: +([\w.+-]+)", SPEC.read_text(encoding="utf-8")))
    assert required - words_under(RHEL) - words_under(SLES) == {"gcc-c++", "python3-devel"}  # of other distributions


def test_recipes_define_what_cmake_looks_for() -> None:
    looked_for = words_under("CMake looks for")
    for file in (SPACK_RECIPE, EASYCONFIG, SPEC):
        text = file.read_text(encoding="utf-8").replace("{family}", "mpich").replace("-D", " ")
        defined = set(re.findall(r"\b(?:AYATORI_\w+|\w+_(?:INCLUDE|LIBRARY))\b", text)) - {"AYATORI_PYTHON"}
        assert "AYATORI_MPICC_mpich" in defined
        assert defined - looked_for == set()
