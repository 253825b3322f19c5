"""ayatori run -- mpirun …: the plug-in of the program's MPI, and one line that says so."""

from __future__ import annotations

import shutil

import plugin
import pytest

from ayatori.processes.mpi_job import family_of

pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="no MPI is installed")


@pytest.fixture(scope="module", params=plugin.families())
def mpi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> plugin.Mpi:
    return plugin.Mpi(request.param, tmp_path_factory.getbasetemp())


def test_a_program_runs_with_the_plugin_of_its_mpi(mpi: plugin.Mpi, ayatori_command) -> None:
    program = mpi.compiled("check_communicators.cpp", "mpicxx", "-std=c++20")
    more = ["--oversubscribe"] if mpi.family == "openmpi" else []
    launch = [f"mpirun.{mpi.family}", *more, "-np", "2", str(program)]
    environment = {**plugin.OPEN_MPI_HERE, "AYATORI_ALLREDUCE": "ring"}
    done = ayatori_command("run", "--verbose", "--", *launch, env=environment)
    assert done.status == 0, done.stdout + done.stderr
    assert done.stdout == "right\n"
    first = done.stderr.splitlines()[0]
    assert first.startswith(f"ayatori: {mpi.family}, LD_PRELOAD=") and first.endswith("libayatori_mpi.so")
    assert "MPI_Allreduce on 2 ranks: ring, forced by AYATORI_ALLREDUCE" in done.stderr


def test_the_exit_status_is_the_commands(mpi: plugin.Mpi, ayatori_command) -> None:
    launch = [f"mpirun.{mpi.family}", "-np", "1", "sh", "-c", "exit 7"]
    assert ayatori_command("run", "--", *launch, env=plugin.OPEN_MPI_HERE).status == 7


def test_the_family_is_the_programs_and_else_the_launchers(mpi: plugin.Mpi) -> None:
    program = str(mpi.compiled("check_communicators.cpp", "mpicxx", "-std=c++20"))
    assert family_of(["srun", "-n", "2", program]) == mpi.family
    assert family_of([f"mpirun.{mpi.family}", "-np", "2", "python3"]) == mpi.family


def test_without_an_mpi_it_says_what_is_expected(ayatori_command) -> None:
    done = ayatori_command("run", "--", "true")
    assert done.status == 1
    assert "can't tell which MPI 'true' uses" in done.stderr
    assert "ayatori run -- mpirun -np 4 PROGRAM" in done.stderr
    assert ayatori_command("run", "-n", "2", "--", "true").status == 2
