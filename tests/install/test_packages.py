"""The lists of packages, and what `./run build` says about those that are missing."""

import ast
import re
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


def said_of(tmp_path: Path, cache: str) -> list[str]:
    file = tmp_path / "CMakeCache.txt"
    file.write_text(cache)
    script = '. scripts/left_out.sh; say_what_is_left_out "$1"'
    done = subprocess.run(["sh", "-euc", script, "sh", file], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == ""
    return done.stderr.splitlines()


OPENMPI = "AYATORI_MPICC_openmpi:FILEPATH=/usr/bin/mpicc.openmpi\n"
MPICH = "AYATORI_MPICC_mpich:FILEPATH=/usr/bin/mpicc.mpich\n"
VERBS = "IBVERBS_INCLUDE:PATH=/usr/include\n"
NO_MPICH = "AYATORI_MPICC_mpich:FILEPATH=AYATORI_MPICC_mpich-NOTFOUND\n"


@pytest.mark.parametrize(
    ("cache", "said"),
    [
        (OPENMPI + MPICH + VERBS, []),
        (
            OPENMPI + NO_MPICH + VERBS,
            ["the MPI plug-in for MPICH is not built: apt-get install libmpich-dev, then ./run build"],
        ),
        (
            VERBS,
            [
                "the MPI plug-in for Open MPI and MPICH is not built: apt-get install libopenmpi-dev libmpich-dev, "
                "then ./run build"
            ],
        ),
        (
            OPENMPI + MPICH + "IBVERBS_INCLUDE:PATH=IBVERBS_INCLUDE-NOTFOUND\n",
            [
                "plans for InfiniBand connections (run --plan) are not built: apt-get install libibverbs-dev, "
                "then ./run build"
            ],
        ),
    ],
)
def test_a_build_says_in_one_line_what_it_left_out(tmp_path: Path, cache: str, said: list[str]) -> None:
    assert said_of(tmp_path, cache) == said


def test_the_builds_cache_has_the_names_that_are_looked_up(tmp_path: Path) -> None:
    """This machine has all packages of tests."""
    assert said_of(tmp_path, (ROOT / "build/release/CMakeCache.txt").read_text()) == []
