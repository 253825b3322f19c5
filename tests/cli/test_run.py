"""ayatori run: what outlives a job, and what its processes read."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.cli import plan_at_start
from ayatori.processes import local_job
from subprocesses import program_at

SECONDS = 30


def _job(count: int, script: str, **options: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "ayatori.processes", str(count), "sh", "-c", script]
    return subprocess.Popen(command, text=True, **options)  # type: ignore[call-overload]


def _gone(process: int) -> bool:
    """Within a while: who dies with its parent does so a little later."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.01)
    return False


def test_the_first_failure_is_told_and_ends_the_others() -> None:
    assert local_job.run_job(["sh", "-c", '[ "$ACP_RANK" = 1 ] && exit 7; sleep 100'], 3) == 7
    assert local_job.run_job(["sh", "-c", '[ "$ACP_RANK" = 1 ] && kill -KILL $$; sleep 100'], 3) == 128 + signal.SIGKILL


def test_processes_die_with_a_launcher_that_is_killed() -> None:
    launcher = _job(2, "echo $$; exec sleep 100", stdout=subprocess.PIPE)
    assert launcher.stdout is not None
    processes = [int(launcher.stdout.readline()) for _ in range(2)]
    launcher.kill()
    launcher.wait()
    launcher.stdout.close()
    assert all(_gone(process) for process in processes)


def test_what_killed_processes_left_is_removed_and_nothing_else() -> None:
    """Of the links in the folder of a job, those of processes that live stay."""
    begin = f"/dev/shm/ayatori-{os.geteuid()}-{os.stat('/proc/self/ns/pid').st_ino}-{os.getpid():016x}"
    living, dead = (Path(f"{begin}-{name}") for name in ("living", "dead"))
    living.mkdir(mode=0o700)
    link = living / "0"
    link.symlink_to(f"/proc/{os.getpid()}/fd/0")
    try:
        assert local_job.run_job(["sh", "-c", f"mkdir {dead} && ln -s /proc/$$/fd/no-such-file {dead}/0"], 1) == 0
        assert link.is_symlink()
        assert not dead.exists()
    finally:
        link.unlink()
        living.rmdir()


def test_nobody_reads_from_the_terminal() -> None:
    ours, theirs = pty.openpty()
    try:
        assert _job(2, "cat", stdin=theirs).wait(SECONDS) == 0
    finally:
        os.close(ours)
        os.close(theirs)


def test_srun_outside_an_allocation_gets_no_plan(tmp_path: Path, ayatori_command) -> None:
    """Its two starts would be on different nodes."""
    started = tmp_path / "started"
    program_at(tmp_path / "srun", f"touch {started}")
    outside = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "SLURM_JOB_ID": ""}
    done = ayatori_command("run", "--plan", "auto:torus:4", "nice", "srun", "true", env=outside)
    assert done.status == 1
    assert done.stderr.startswith("error: srun would get other nodes for the program than for its plan\n")
    assert not started.exists()


def test_the_network_of_a_plan_is_the_one_that_is_named_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NWTOPO_SOURCE", "torus:4")
    for plan, network, machines in (("auto", None, 4), ("auto", "torus:5", 5), ("auto:torus:6", "torus:5", 6)):
        assert len(plan_at_start.network_of(plan_at_start.source_in(plan) or "", network).machines) == machines


def test_a_plan_is_made_for_the_word_auto_alone() -> None:
    found = [
        plan_at_start.source_in(plan) for plan in ("auto", "auto:torus:4", "./auto", "/tmp/auto", "plan.json", None)
    ]
    assert found == ["", "torus:4", None, None, None, None]


def test_aliases_are_of_a_network(tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "aws.json").write_text('{"Instances": [{"InstanceId": "i-0a1", "NetworkNodes": ["n1", "n2", "n3"]}]}')
    (tmp_path / "aliases").write_text("i-0a1 ip-10-0-1-1\n")
    network = plan_at_start.network_of("", f"aws:{tmp_path}/aws.json", tmp_path / "aliases")
    assert _core.job_of_hosts(network, [("ip-10-0-1-1", 2)], "the ranks").machine_of_rank == [0, 0]
    ayatori_command("run", "--aliases", str(tmp_path / "aliases"), "true").refused(
        2, "--aliases is of the hosts of a network"
    )


def test_a_plan_made_at_the_start_goes_with_its_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with plan_at_start.folder_of_plan(None) as folder:
        assert (folder.parent, folder.stat().st_mode & 0o777) == (tmp_path, 0o700)
        (folder / "plan.json").touch()
    assert not list(tmp_path.iterdir())
    with plan_at_start.folder_of_plan(tmp_path / "applied") as folder:
        assert folder == tmp_path / "applied/plan"
    assert folder.is_dir()
    monkeypatch.chdir("/proc")
    with pytest.raises(Error, match="can't write the plan here"), plan_at_start.folder_of_plan(None):
        pass
