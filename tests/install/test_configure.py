"""What configure finds, and what it says about the rest."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FINDS_MPI = f"""function(ayatori_left_out packages what)
  message("${{packages}}: ${{what}}")
endfunction()
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
include({ROOT}/cmake/mpi.cmake)
foreach(family openmpi mpich)
  message("${{family}} ${{AYATORI_MPICC_${{family}}}} ${{AYATORI_MPICXX_${{family}}}}")
endforeach()
"""


def configured(folder: Path, *options: str) -> str:
    """What configure ends with, as one line. It must fail."""
    only = ["-DAYATORI_TESTS=OFF", "-DAYATORI_PRODUCTS=nwtopo"]
    words = ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", *only, *options]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode != 0, done.stdout
    return " ".join(done.stderr.split())


def test_a_compiler_without_expected_is_named(tmp_path: Path) -> None:
    said = configured(tmp_path, "-DCMAKE_CXX_FLAGS=-nostdinc++")
    assert "has no <expected> of C++23: GCC has it from 12 on, Clang from 19 on with GCC's library." in said


def test_all_packages_that_it_can_not_do_without_are_named_at_once(tmp_path: Path) -> None:
    absent = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("fmt", "nlohmann_json")]
    assert "not found: libfmt-dev nlohmann-json3-dev (Debian's names; docs/install.md" in configured(tmp_path, *absent)


@pytest.mark.parametrize("here", ["openmpi", "mpich"])
def test_an_mpi_whose_compiler_is_called_mpicc_is_found_by_its_header(here: str, tmp_path: Path) -> None:
    """As on every distribution but Debian. What the other family has is left out."""
    if shutil.which(f"mpicc.{here}") is None:
        pytest.skip(f"mpicc.{here} is not installed")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("mpicc", "mpicxx"):
        (programs / name).symlink_to(f"/usr/bin/{name}.{here}")
    for name in ("gcc", "g++", "sh", "sed"):
        (programs / name).symlink_to(shutil.which(name) or name)
    script = tmp_path / "finds.cmake"
    script.write_text(FINDS_MPI)
    words = [shutil.which("cmake") or "cmake", "-P", script]
    environment = os.environ | {"PATH": str(programs)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True, timeout=60)
    other, name = ("mpich", "MPICH") if here == "openmpi" else ("openmpi", "Open MPI")
    said = done.stderr.splitlines()
    assert f"lib{other}-dev: the MPI plug-in for {name}" in said
    assert f"{here} {programs}/mpicc {programs}/mpicxx" in said
