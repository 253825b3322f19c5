"""How the variables of `ayatori run` get to other hosts of Open MPI; which mpirun and library belong to an MPI."""

from pathlib import Path

import pytest

from ayatori.processes.mpi_job import MpiJob, library_of, mpirun_of
from subprocesses import program_at

LIST = "OMPI_MCA_mca_base_env_list"


@pytest.fixture(autouse=True)
def no_variables_of_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    monkeypatch.delenv(LIST, raising=False)


def job(*command: str) -> MpiJob:
    return MpiJob(command, "openmpi", [], {"AYATORI_VERBOSE": "1"})


def test_variables_are_listed_beside_those_that_the_user_has_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(LIST, "THEIRS=2")
    assert job("mpirun", "program").environment()[LIST].split(";")[-1] == "THEIRS=2"
    assert "AYATORI_VERBOSE" in job("mpirun", "program").environment()[LIST].split(";")
    assert job("mpirun", "program").words() == ["mpirun", "program"]


def test_a_command_with_x_gets_further_ones_since_open_mpi_refuses_both_kinds() -> None:
    mixed = job("timeout", "9", "mpirun.openmpi", "-x", "THEIRS", "program")
    words = mixed.words()
    assert LIST not in mixed.environment()
    assert words[:3] == ["timeout", "9", "mpirun.openmpi"]
    assert words[3:7] == ["-x", "AYATORI_VERBOSE", "-x", "LD_PRELOAD"]
    assert words[-3:] == ["-x", "THEIRS", "program"]


def test_an_mpirun_without_debians_name_is_found_by_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [mpirun_of("openmpi"), mpirun_of("mpich")] == ["mpirun.openmpi", "mpirun.mpich"]
    program_at(tmp_path / "mpirun", "echo 'mpirun (Open MPI) 5.0.7'")
    assert [mpirun_of("openmpi"), mpirun_of("mpich")] == ["mpirun", "mpirun.mpich"]
    program_at(tmp_path / "mpirun.openmpi", "")
    assert mpirun_of("openmpi") == "mpirun.openmpi"


def test_the_library_of_an_mpi_is_found_by_its_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for folder in ("site/bin", "site/lib64", "module"):
        (tmp_path / folder).mkdir(parents=True)
    launcher = str(program_at(tmp_path / "site/bin/mpirun", "exit"))
    monkeypatch.delenv("LD_LIBRARY_PATH", raising=False)
    assert library_of(launcher, "mpich") == "libmpich.so.12", "the loader's, as Debian calls it"
    (tmp_path / "module/libmpi.so.12").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{tmp_path}/module:/nowhere")
    assert library_of(launcher, "mpich") == f"{tmp_path}/module/libmpi.so.12"
    assert library_of(launcher, "openmpi") == "libmpi.so.40"
    (tmp_path / "site/lib64/libmpi.so.12").touch()
    assert library_of(launcher, "mpich") == f"{tmp_path}/site/lib64/libmpi.so.12"
    assert library_of("srun", "mpich") == f"{tmp_path}/module/libmpi.so.12"
