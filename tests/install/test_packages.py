"""The lists of packages, those of other distributions, and what `./run build` says about those that are missing."""

import ast
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MENTIONED = {
    "libfabric-dev": "a stack of `ayatori bench incast`",
    "libucx-dev": "a stack of `ayatori bench incast`",
    "nftables": "labs that lose packets",
    "opensm": "words that `route` writes",
}
"""Packages that modules of experiments name for others, and who those are."""


def package_lists() -> dict[str, set[str]]:
    lists = re.findall(r'^(\w+)_packages="([^"]*)"', (ROOT / "scripts/packages.sh").read_text(), re.MULTILINE)
    return {name: set(words.replace("\\", " ").split()) for name, words in lists}


def file_of(module: str) -> Path | None:
    for folder in (ROOT / "python", ROOT):
        path = folder / module.replace(".", "/")
        for file in (path.with_suffix(".py"), path / "__init__.py"):
            if file.exists():
                return file
    return None


def imported_by(module: str, found: dict[str, ast.Module]) -> dict[str, ast.Module]:
    """The modules of this tree that a module leads to, also inside its functions, without `ayatori` itself, which has
    all of them."""
    file = file_of(module)
    if file is None or module in found or module == "ayatori":
        return found
    found[module] = ast.parse(file.read_text(encoding="utf-8"))
    for node in ast.walk(found[module]):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                imported_by(name, found)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                imported_by(alias.name, found)
    return found


def words_in(tree: ast.Module) -> set[str]:
    texts = [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {word.rstrip(".") for text in texts for word in re.findall(r"[a-z0-9][a-z0-9.+-]+", text)}


def test_experiments_install_every_package_that_they_name() -> None:
    lists = package_lists()
    packages = set().union(*lists.values())
    modules = imported_by("experiments.__main__", {})
    assert "experiments.low_memory_transport.verbs_measurement" in modules
    named = set().union(*map(words_in, modules.values())) & packages
    assert {"qemu-system-x86", "libpetsc-real-dev", "libsimgrid-dev", "chromium"} <= named
    assert named - lists["build"] - lists["experiment"] == set(MENTIONED)


def said_by(script: str, *arguments: str | Path, path: Path | None = None) -> list[str]:
    """The lines that functions of ./run write to standard error, with the programs of a folder alone."""
    words = ["/bin/sh", "-euc", f". scripts/packages.sh; . scripts/left_out.sh; {script}", "sh", *arguments]
    environment = None if path is None else {"PATH": str(path)}
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    assert done.stdout == ""
    return done.stderr.splitlines()


def folder_of_programs(folder: Path, *names: str) -> Path:
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name) or name)
    return folder


LEFT_OUT = """libmpich-dev: for MPICH: the plug-in
libucx-dev: bench incast over UCX
libfabric-dev: the provider (run --transport)
libfabric-dev: bench incast over udp;ofi_rxd
"""


@pytest.mark.parametrize("command", ["", "apt-get install "])
def test_a_build_says_in_one_line_each_what_it_left_out(tmp_path: Path, command: str) -> None:
    file = tmp_path / "left-out.txt"
    file.write_text(LEFT_OUT)
    here = folder_of_programs(tmp_path / "bin", "sed", "cut", "tr", "awk", "paste")
    if command:
        (here / "apt-get").symlink_to("/bin/true")
    assert said_by('say_what_is_left_out "$1"', file, path=here) == [
        "left out: for MPICH: the plug-in (libmpich-dev)",
        "left out: bench incast over UCX (libucx-dev)",
        "left out: the provider (run --transport) (libfabric-dev)",
        "left out: bench incast over udp;ofi_rxd (libfabric-dev)",
        f"to have all of it: {command}libmpich-dev libucx-dev libfabric-dev, then ./run build",
    ]


def test_nothing_is_left_out_where_all_packages_are() -> None:
    """This machine has all packages of tests."""
    assert said_by('say_what_is_left_out "$1"', ROOT / "build/release/left-out.txt") == []


def test_without_apt_what_is_installed_is_used(tmp_path: Path) -> None:
    said = said_by("need_packages cmake libfmt-dev", path=folder_of_programs(tmp_path / "bin"))
    assert said == [
        "no apt here, so what is installed is used. It takes, by Debian's names (docs/install.md has others): "
        "cmake libfmt-dev"
    ]


LOOKS_FOR = re.compile(r"^\s*(?:find_(?:package|path|library|program)|pkg_check_modules)\(\s*([\w${}]+)", re.MULTILINE)
DEBIAN, RHEL, SLES, SPACK = "Debian 12, 13; Ubuntu", "RHEL 9, with CRB and EPEL", "SLES 15, with Package Hub", "Spack"
HAVE_NO_PACKAGE = {(DEBIAN, "nanobind"), (RHEL, "nanobind"), (SLES, "nanobind"), (RHEL, "SMPICXX"), (SLES, "SMPICXX")}
Row = dict[str, list[str]]


def rows_of_dependencies() -> list[Row]:
    """Of the tables in docs/install.md: the words in backticks, by the head of their column."""
    rows: list[Row] = []
    heads: list[str] = []
    for line in (ROOT / "docs/install.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("|"):
            heads = []
        elif not heads:
            heads = cells
        elif "CMake looks for" in heads and not line.startswith("|--"):
            rows.append({head: re.findall(r"`([^`]+)`", cell) for head, cell in zip(heads, cells, strict=True)})
    return rows


def words_under(head: str) -> set[str]:
    return {word for row in rows_of_dependencies() for word in row[head]}


def test_the_tables_of_dependencies_have_all_that_cmake_looks_for() -> None:
    files = [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")]
    for folder in ("src", "examples", "bench", "python"):
        files += ROOT.glob(f"{folder}/**/CMakeLists.txt")
    names = {name for file in files for name in LOOKS_FOR.findall(file.read_text(encoding="utf-8"))}
    assert {"fmt", "LIBFABRIC_INCLUDE", "AYATORI_MPICC_${family}"} <= names
    names = {name.replace("${family}", family) for name in names for family in ("openmpi", "mpich")}
    assert words_under("CMake looks for") == names


def test_the_tables_of_dependencies_have_all_that_run_compiles_with() -> None:
    lists = package_lists()
    packages = {word for name in ("compile", "build", "plugin", "package") for word in lists[name]}
    packages = {word for word in packages if not word.startswith("$")}
    assert {"g++", "libfmt-dev", "libmpich-dev", "libpmix-dev"} <= packages
    assert packages - words_under(DEBIAN) == set()


def test_each_dependency_has_a_package_in_each_distribution() -> None:
    missing = set()
    for row in rows_of_dependencies():
        for distribution in (DEBIAN, RHEL, SLES, SPACK):
            if not row[distribution]:
                missing |= {(distribution, name) for name in row["CMake looks for"]}
    assert missing == HAVE_NO_PACKAGE
