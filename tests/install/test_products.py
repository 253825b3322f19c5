"""Each product from a tree that holds only its own folder, those of the products below it, and base."""

import os
import shutil
from pathlib import Path

import pytest

from subprocesses import said_by

ROOT = Path(__file__).parents[2]
BELOW: dict[str, list[str]] = {"nwtopo": [], "planner": ["nwtopo"], "mpi": ["nwtopo", "planner"], "acp": []}
SHARED = ("CMakeLists.txt", "README.md", "cmake", "examples", "tests/golden", "src/CMakeLists.txt", "src/base")


def tree_of(product: str, folder: Path) -> Path:
    """A copy of what the product may need of the project, and of what its tests read and are started by."""
    of_tests = ("docs/simulated-network.toml", "python/ayatori") if product == "acp" else ()
    for name in (*SHARED, *of_tests, f"src/{product}", *(f"src/{below}" for below in BELOW[product])):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name)
        else:
            shutil.copy2(ROOT / name, folder / name)
    return folder


def run(*command: str, cwd: Path) -> str:
    return said_by(command, cwd=cwd)


@pytest.fixture(params=BELOW)
def configured(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The tree of a product, configured with its tests. CMake fails where a source or a folder is missing."""
    tree = tree_of(request.param, tmp_path / request.param)
    run(
        *("cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-Werror=dev", "-DCMAKE_BUILD_TYPE=Debug"),
        *(f"-DAYATORI_PRODUCTS={request.param}", "-DAYATORI_PRECOMPILE=ON", "-DCMAKE_UNITY_BUILD=ON"),
        "-DCMAKE_UNITY_BUILD_BATCH_SIZE=16",
        cwd=tree,
    )
    return tree


def test_a_product_names_no_file_above_it(configured: Path) -> None:
    rules = (configured / "build" / "build.ninja").read_text()
    named = {name for name in BELOW if f"/src/{name}/" in rules}
    assert named == {configured.name, *BELOW[configured.name]}


@pytest.mark.sweep
def test_a_product_builds_and_passes_its_tests_alone(configured: Path) -> None:
    run("cmake", "--build", "build", cwd=configured)
    jobs = str(os.cpu_count() or 1)
    run("ctest", "--test-dir", "build", "-j", jobs, "--no-tests=error", "--output-on-failure", cwd=configured)
