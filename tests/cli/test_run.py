"""ayatori run: what outlives a job, and what its processes read."""

from __future__ import annotations

import fcntl
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

from ayatori.processes import local_job

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
    living, dead = (Path(f"/dev/shm/ayatori-{os.getpid():016x}-{name}") for name in ("living", "dead"))
    with living.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            assert local_job.run_job(["sh", "-c", f"echo left > {dead}"], 1) == 0
            assert living.exists()
            assert not dead.exists()
        finally:
            living.unlink()


def test_nobody_reads_from_the_terminal() -> None:
    ours, theirs = pty.openpty()
    try:
        assert _job(2, "cat", stdin=theirs).wait(SECONDS) == 0
    finally:
        os.close(ours)
        os.close(theirs)
