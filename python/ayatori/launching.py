"""Starts the processes of a job on this machine, and sees that none outlives a failure. Needs nothing but Python."""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

_POLL_SECONDS = 0.005
_GRACE_SECONDS = 2.0
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SHARED_MEMORY = Path("/dev/shm")
_PR_SET_PDEATHSIG = 1


def run_job(command: Sequence[str], count: int) -> int:
    """Runs `count` processes of `command`; returns 0, or the exit status of the first that failed (128 + N: signal N).

    They share our output, and our input unless it is a terminal. When one has failed all others are ended. Signals that
    ask us to end go to all of them, and to what they have started; should we be killed, so are they. Shared memory that
    killed processes leave is removed. Raises OSError if the command can't be started.
    """
    job = os.environ | {"ACP_PROCS": str(count), "ACP_JOB_KEY": str(secrets.randbits(64))}
    processes: list[subprocess.Popen[bytes]] = []

    def forward(number: int, _frame: FrameType | None) -> None:
        _signal_all(processes, number)

    before = {number: signal.signal(number, forward) for number in _FORWARDED}
    try:
        for rank in range(count):
            processes.append(_start(command, job | {"ACP_RANK": str(rank)}))
        return _first_failure(processes)
    finally:
        _end_all(processes)
        _remove_what_is_left(_SHARED_MEMORY)
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(command: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    # In a group of its own a process that reads from the terminal would be stopped.
    standard_input = subprocess.DEVNULL if sys.stdin is not None and sys.stdin.isatty() else None
    return subprocess.Popen(
        command, env=environment, stdin=standard_input, process_group=0, preexec_fn=_die_with(os.getpid())
    )


def _die_with(launcher: int) -> Callable[[], None]:
    library = ctypes.CDLL(None)

    def ask() -> None:
        library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != launcher:
            os._exit(128 + signal.SIGKILL)

    return ask


def _remove_what_is_left(folder: Path) -> None:
    """As libacp itself does when it starts: a file belongs to a living process as long as it is locked."""
    for path in folder.glob("ayatori-*"):
        with suppress(OSError), path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                path.unlink()


def _first_failure(processes: Sequence[subprocess.Popen[bytes]]) -> int:
    running = list(processes)
    while running:
        for process in running:
            status = process.poll()
            if status is not None and status != 0:
                return status if status > 0 else 128 - status
        running = [process for process in running if process.returncode is None]
        time.sleep(_POLL_SECONDS)
    return 0


def _signal_all(processes: Sequence[subprocess.Popen[bytes]], number: int) -> None:
    """Each is a group: what it has started itself may outlive it."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)


def _end_all(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    _signal_all(processes, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE_SECONDS
    while any(process.poll() is None for process in processes) and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
    _signal_all(processes, signal.SIGKILL)
    for process in processes:
        process.wait()


if __name__ == "__main__":
    sys.exit(run_job(sys.argv[2:], int(sys.argv[1])))
