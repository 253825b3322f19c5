"""ayatori run -- mpirun …: the plug-in of the program's MPI, and one line that says so."""

import json
import platform
import shlex
import shutil
from pathlib import Path

import plugin
import pytest

from ayatori.processes.mpi_job import family_of, other_launcher

pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="no MPI is installed")


def plan_for(folder: Path, ranks: int, reason: str = "a test", host: str = "", of_nics: bool = False) -> Path:
    address = {"port_guid": "0x0000000000000031", "base_lid": 48, "path_bits": 0, "lid": 48}
    plan = {
        "format": "ayatori-plan",
        "version": 1,
        "method": "rule",
        "reason": reason,
        "lmc": 0,
        "tables": "",
        "machines": [{"host": host or platform.node(), "ranks": ranks}],
        "ranks": [address] * ranks,
        "of_nics": of_nics,
    }
    path = folder / "plan.json"
    path.write_text(json.dumps(plan), encoding="utf-8")
    return path


def test_a_program_runs_with_the_plugin_of_its_mpi(mpi: plugin.Mpi, ayatori_command) -> None:
    program = mpi.compiled("check_communicators.cpp")
    more = ["--oversubscribe"] if mpi.family == "openmpi" else []
    launch = [f"mpirun.{mpi.family}", *more, "-np", "2", str(program)]
    environment = {**plugin.OPEN_MPI_HERE, "AYATORI_ALLREDUCE": "ring"}
    done = ayatori_command("run", "--verbose", "--", *launch, env=environment).good()
    assert done.stdout == "right\n"
    first = done.stderr.splitlines()[0]
    plugin_here = f"{mpi.family}/libayatori_mpi.so"
    assert first.startswith(f"ayatori: {mpi.family}, LD_PRELOAD=") and first.endswith(
        f"{plugin_here}, AYATORI_VERBOSE=1"
    )
    assert "MPI_Allreduce on 2 ranks: ring, forced by AYATORI_ALLREDUCE" in done.stderr


def test_files_and_progress_are_handed_on_and_said_in_one_line(
    mpi: plugin.Mpi, ayatori_command, tmp_path: Path
) -> None:
    plan = plan_for(tmp_path, 2)
    launch = [f"mpirun.{mpi.family}", "-np", "1", "env"]
    options = ["--plan", str(plan), "--progress", "calls"]
    done = ayatori_command("run", *options, "--", *launch, env=plugin.OPEN_MPI_HERE).good()
    planned = [f"AYATORI_PLAN={plan}", "AYATORI_PLAN_MUST_FIT=1"]
    set_here = ["AYATORI_PROGRESS=calls", *planned]
    assert done.stderr.splitlines()[0].endswith(", ".join(set_here))
    for variable in set_here:
        assert variable in done.stdout.splitlines()


def test_files_that_can_not_be_read_are_told_before_the_job_starts(ayatori_command, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("{", encoding="utf-8")
    call = ("run", "--plan", str(tmp_path / "broken"), "--", "mpirun", "-np", "1", "true")
    ayatori_command(*call).refused(1, "broken")


def test_ranks_with_different_plans_are_refused(mpi: plugin.Mpi, tmp_path: Path) -> None:
    program = mpi.compiled("check_communicators.cpp")
    for number in (0, 1):
        (tmp_path / str(number)).mkdir()
        plan_for(tmp_path / str(number), 2, f"plan {number}")
    rank = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
    shell = ["sh", "-c", f'AYATORI_PLAN={tmp_path}/{rank}/plan.json exec "$0"', program]
    done = mpi.run(2, *shell)
    assert done.returncode != 0
    assert "right" not in done.stdout
    assert done.stderr.count("ayatori: the job is not started: its processes have different plans (AYATORI_PLAN)") == 1


def test_a_plan_of_this_job_is_taken_and_that_of_another_is_told(mpi: plugin.Mpi, tmp_path: Path) -> None:
    program = mpi.compiled("check_communicators.cpp")
    done = mpi.run(2, program, AYATORI_PLAN=str(plan_for(tmp_path, 2)))
    assert (done.returncode, done.stderr.count("ayatori: the plan")) == (0, 0), done.stderr
    done = mpi.run_well(3, program, AYATORI_PLAN=str(plan_for(tmp_path, 2)))
    assert done.stderr.count("ayatori: the plan is not used: ") == 1
    assert "is for 2 ranks, and these are 3" in done.stderr
    done = mpi.run_well(2, program, AYATORI_PLAN=str(plan_for(tmp_path, 2, host="elsewhere")))
    assert "ayatori: the plan is not used: rank 0 is on " in done.stderr


def test_a_plan_of_nics_is_for_any_number_of_ranks_on_its_hosts(mpi: plugin.Mpi, tmp_path: Path) -> None:
    program = mpi.compiled("check_communicators.cpp")
    done = mpi.run(2, program, AYATORI_PLAN=str(plan_for(tmp_path, 4, of_nics=True)))
    assert (done.returncode, done.stderr.count("ayatori: the plan")) == (0, 0), done.stderr
    done = mpi.run_well(2, program, AYATORI_PLAN=str(plan_for(tmp_path, 4, host="elsewhere", of_nics=True)))
    assert "ayatori: the plan is not used: rank 0 is on " in done.stderr


def run_with(mpi: plugin.Mpi, plan: Path, ranks: int, program: Path, ayatori_command, **variables: str):
    more = ["--oversubscribe"] if mpi.family == "openmpi" else []
    launch = [f"mpirun.{mpi.family}", *more, "-np", str(ranks), str(program)]
    return ayatori_command("run", "--verbose", "--plan", str(plan), *launch, env={**plugin.OPEN_MPI_HERE, **variables})


def test_a_plan_that_run_is_given_must_fit_the_job(mpi: plugin.Mpi, tmp_path: Path, ayatori_command) -> None:
    """Also where no call is executed, of which the plug-in could know more."""
    program = mpi.compiled("check_communicators.cpp")
    plan = plan_for(tmp_path, 2)
    done = run_with(mpi, plan, 2, program, ayatori_command)
    assert (done.status, done.stdout) == (0, "right\n"), done.stderr
    assert done.stderr.count(f"ayatori: the plan is used: {plan}\n") == 1
    for executed in ({}, {"AYATORI_ALLREDUCE": "ring"}):
        done = run_with(mpi, plan, 3, program, ayatori_command, **executed)
        assert (done.status != 0, done.stdout) == (True, ""), done.stderr
        said = f"the job is not started, since its plan can't be used: {plan} is for 2 ranks, and these are 3"
        assert done.stderr.count(f"ayatori: {said}\n") == 1, done.stderr
    done = run_with(mpi, plan_for(tmp_path, 2, host="elsewhere"), 2, program, ayatori_command)
    assert (done.status != 0, done.stdout) == (True, ""), done.stderr
    assert f"since its plan can't be used: rank 0 is on {platform.node()}, and in {plan} on elsewhere\n" in done.stderr


def planned_at_start(mpi: plugin.Mpi, source: str, command: str, folder: Path, ayatori_command):
    launch = [f"mpirun.{mpi.family}", *(["--oversubscribe"] if mpi.family == "openmpi" else []), "-np", "2"]
    words = [*launch, *shlex.split(command)]
    return ayatori_command("run", "--plan", f"auto:{source}", *words, cwd=folder, env=plugin.OPEN_MPI_HERE)


def test_a_job_that_no_plan_helps_runs_without_one(mpi: plugin.Mpi, tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "topology.conf").write_text(f"SwitchName=s0 Nodes={platform.node()}\n")
    echo = """sh -c 'echo "ran ${AYATORI_PLAN-without}"'"""
    done = planned_at_start(mpi, "slurm:topology.conf", echo, tmp_path, ayatori_command)
    assert (done.status, done.stdout) == (0, "ran without\n" * 2), done.stderr
    assert done.stderr.startswith("ayatori: no plan helps 2 ranks on 1 host: 1.0000 without\n")
    assert [path.name for path in tmp_path.iterdir()] == ["topology.conf"], "nothing is left of the first start"


def test_nothing_runs_where_no_plan_can_be_made(mpi: plugin.Mpi, tmp_path: Path, ayatori_command) -> None:
    done = planned_at_start(mpi, "torus:4", "touch ran", tmp_path, ayatori_command)
    assert done.status == 1
    assert done.stderr.startswith("error: the ranks that started: "), done.stderr
    assert platform.node() in done.stderr.splitlines()[0]
    done = planned_at_start(mpi, "torus:4", "no-such-program", tmp_path, ayatori_command)
    assert done.status == 1
    assert done.stderr.startswith(f"error: mpirun.{mpi.family} did not start the job\n"), done.stderr
    program = mpi.compiled("check_communicators.cpp")
    done = ayatori_command("run", "--plan", "auto:torus:4", str(program), cwd=tmp_path, env=plugin.OPEN_MPI_HERE)
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.startswith("error: no process of the command says which rank it is\n"), done.stderr
    assert not list(tmp_path.iterdir())


def test_spawned_processes_are_a_job_of_their_own(mpi: plugin.Mpi, tmp_path: Path, ayatori_command) -> None:
    if mpi.family == "mpich":
        pytest.skip("Debian's MPICH 4.0 can't spawn")
    program = mpi.compiled("spawns.c")
    done = run_with(mpi, plan_for(tmp_path, 2), 2, program, ayatori_command)
    assert (done.status, done.stdout) == (0, "spawned 1\n"), done.stderr
    assert done.stderr.count("ayatori: the plan is not used: ") == 1
    assert "is for 2 ranks, and these are 1" in done.stderr


def test_the_exit_status_is_the_commands(mpi: plugin.Mpi, ayatori_command) -> None:
    launch = [f"mpirun.{mpi.family}", "-np", "1", "sh", "-c", "exit 7"]
    assert ayatori_command("run", "--", *launch, env=plugin.OPEN_MPI_HERE).status == 7


def test_the_family_is_the_programs_and_else_the_launchers(mpi: plugin.Mpi) -> None:
    program = str(mpi.compiled("check_communicators.cpp"))
    assert family_of(["srun", "-n", "2", program]) == mpi.family
    assert family_of([f"mpirun.{mpi.family}", "-np", "2", "python3"]) == mpi.family


def test_the_launcher_of_another_mpi_is_told(mpi: plugin.Mpi) -> None:
    program = str(mpi.compiled("check_communicators.cpp"))
    for family in filter(lambda name: shutil.which(f"mpirun.{name}"), ("openmpi", "mpich")):
        told = other_launcher([f"mpirun.{family}", "-np", "2", program], mpi.family)
        assert told == (None if family == mpi.family else family)
    assert other_launcher(["srun", "-n", "2", program], mpi.family) is None


def test_without_an_mpi_it_says_what_is_expected(ayatori_command) -> None:
    ayatori_command("run", "--", "true").refused(
        1, "can't tell which MPI 'true' uses", "ayatori run -- mpirun -np 4 PROGRAM"
    )
    assert ayatori_command("run", "-n", "2", "--", "true").status == 2
