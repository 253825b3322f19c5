"""ayatori build-plugin: which MPIs it serves, and what it says before it compiles for minutes."""

import shutil
from pathlib import Path

import pytest

from ayatori.base.compiled import PLUGINS
from ayatori.processes import ProgramError
from ayatori.processes.plugin_build import compile_plugin, family_of_compiler
from subprocesses import program_at

OPEN_MPI = "#define MPI_COMM_WORLD OMPI_PREDEFINED_GLOBAL( MPI_Comm, ompi_mpi_comm_world)"
MPICH = "#define MPI_COMM_WORLD ((MPI_Comm)0x44000000)"
STANDARD = "#define MPI_COMM_WORLD ((MPI_Comm)0x00000101)"


def compiler(folder: Path, macro: str) -> str:
    return str(program_at(folder / "mpicc", f"echo '{macro}'"))


@pytest.mark.parametrize(("macro", "family"), [(OPEN_MPI, "openmpi"), (MPICH, "mpich")])
def test_the_family_is_that_of_the_binary_interface(tmp_path: Path, macro: str, family: str) -> None:
    assert family_of_compiler(compiler(tmp_path, macro)) == family


@pytest.mark.parametrize("family", ["openmpi", "mpich"])
def test_the_family_of_an_mpi_that_is_here(family: str) -> None:
    if shutil.which(f"mpicc.{family}") is None:
        pytest.skip(f"mpicc.{family} is not here")
    assert family_of_compiler(f"mpicc.{family}") == family


def test_other_compilers_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="neither Open MPI's binary interface nor MPICH's"):
        family_of_compiler(compiler(tmp_path, STANDARD))
    for other in ("cc", str(tmp_path / "nothing")):
        with pytest.raises(ProgramError, match="compiles nothing with mpi.h"):
            family_of_compiler(other)


def with_sources(folder: Path) -> Path:
    (folder / "sources").symlink_to(PLUGINS.parent / "sources")
    return folder


def test_a_compiler_that_is_too_old_is_named_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (PLUGINS.parent / "sources/CMakeLists.txt").exists() or shutil.which("cmake") is None:
        pytest.skip("this build carries no sources, or there is no CMake")
    # As an older one: it does not know the header.
    old = program_at(tmp_path / "old-c++", 'exec c++ -D__cpp_lib_expected=0 -std=c++17 "$@" -std=c++17')
    monkeypatch.setenv("CXX", str(old))
    with pytest.raises(ProgramError) as raised:
        compile_plugin(compiler(tmp_path, MPICH), "mpich", with_sources(tmp_path), tmp_path / "log")
    assert raised.value.cause is not None and "has no <expected> of C++23" in raised.value.cause
    assert "\n" not in raised.value.cause


def test_a_folder_that_cannot_be_written_is_named_first(tmp_path: Path) -> None:
    (tmp_path / "mpi").write_text("")
    with pytest.raises(ProgramError, match=r"can't write to .*/mpi/openmpi"):
        compile_plugin("mpicc", "openmpi", tmp_path, tmp_path / "log")
