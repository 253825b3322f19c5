"""Which ranks a command starts: launchers here are shells that set the variables of real ones."""

import os
import socket
from pathlib import Path

import pytest

from ayatori import _core
from ayatori.processes import ProgramError
from ayatori.processes.rank_probe import find_hosts_of_ranks, probe_library, probe_variables

PLUGINS = Path(_core.__file__).parent / "mpi"
HERE = socket.gethostname()

pytestmark = pytest.mark.skipif(not (PLUGINS / "libayatori_probe.so").exists(), reason="this build has no programs")

EACH = 'for rank in 1 0 2; do OMPI_COMM_WORLD_RANK=$rank OMPI_COMM_WORLD_SIZE=3 sh -c "echo $rank >>ran"; done'


def hosts(script: str, folder: Path, seconds: float = 60, **variables: str) -> list[str]:
    """What is found when `sh` runs the script."""
    (folder / "seen").touch()
    probe = probe_variables(folder / "seen")
    environment = os.environ | variables | probe | {"LD_PRELOAD": str(probe_library(PLUGINS))}
    before = Path.cwd()
    os.chdir(folder)
    try:
        return find_hosts_of_ranks(["sh", "-c", script], environment, probe, seconds)
    finally:
        os.chdir(before)


def test_each_rank_says_where_it_is_and_does_not_run(tmp_path: Path) -> None:
    assert hosts(EACH, tmp_path) == [HERE] * 3
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "variables",
    [
        "PMI_RANK=0 PMI_SIZE=1",
        "PMIX_RANK=0 SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1",
        "SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=1",
        "PMIX_RANK=0",  # nobody says of how many
        "RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=6",
        "OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=1 SLURM_PROCID=5 SLURM_STEP_NUM_TASKS=6",
    ],
)
def test_launchers_tell_ranks_in_different_ways(variables: str, tmp_path: Path) -> None:
    assert hosts(f"{variables} env touch ran", tmp_path) == [HERE]
    assert not (tmp_path / "ran").exists()


def test_other_output_does_not_matter(tmp_path: Path) -> None:
    """Launchers put words of their own before each line, and print more."""
    assert hosts(f"echo welcome; {{ {EACH}; }} | sed 's/^/[1,0]<stdout>: /'; echo bye >&2", tmp_path) == [HERE] * 3


def test_what_a_batch_script_inherited_is_no_rank(tmp_path: Path) -> None:
    inherited = {"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "1", "PMI_RANK": "0", "PMI_SIZE": "1"}
    assert hosts(EACH, tmp_path, **inherited) == [HERE] * 3


def test_processes_of_launchers_are_no_ranks(tmp_path: Path) -> None:
    """As orted that srun starts."""
    daemon = tmp_path / "orted"
    daemon.symlink_to("/bin/sh")
    started = f"SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=2 {daemon} -c '{EACH}'"
    assert hosts(started, tmp_path) == [HERE] * 3


def test_a_script_does_not_go_on_without_its_ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ayatori.processes.rank_probe._GRACE_SECONDS", 0.1)
    assert hosts(f"{EACH}; sleep 100; touch went-on", tmp_path) == [HERE] * 3
    assert not (tmp_path / "went-on").exists()


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("true", "no process of the command says which rank it is"),
        ("echo no such host >&2; exit 1", "sh did not start the job: no such host"),
        ("echo no such host >&2; echo ended >&2; exit 1", "sh did not start the job: no such host"),
        ("PMI_RANK=0 PMI_SIZE=2 env true; echo one is lost >&2; exit 9", "sh did not start the job: one is lost"),
        ("PMI_RANK=0 PMI_SIZE=2 env true", "1 of 2 ranks said where they are: "),
        (f"{EACH}; {EACH}", "the command starts several jobs: "),
        ("for i in 1 2; do PMI_RANK=0 PMI_SIZE=1 env true; done", "the command starts several jobs: "),
        ("for i in 0 3; do PMI_RANK=$i PMI_SIZE=2 env true; done", "sh numbers 2 ranks 0, 3: "),
    ],
)
def test_what_is_no_job_is_an_error(script: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramError) as error:
        hosts(script, tmp_path)
    assert f"{error.value.message}: {error.value.cause}".startswith(message)
    assert not list(tmp_path.glob("ran"))


def test_a_job_that_does_not_start_in_time_is_ended(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"^1 of 2 ranks started within 0\.5 s$"):
        hosts("PMI_RANK=1 PMI_SIZE=2 env true; sleep 100", tmp_path, seconds=0.5)


def test_a_host_that_does_not_see_the_plan_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=f"^{HERE} can't read the plan, which is to be in ") as error:
        hosts(f"AYATORI_PROBE_FILE=/nowhere/else; export AYATORI_PROBE_FILE; {EACH}", tmp_path)
    assert error.value.hint == "start it in a folder that all hosts share"


def test_a_build_without_the_library_starts_nothing(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="this build can't see which ranks start"):
        probe_library(tmp_path)
