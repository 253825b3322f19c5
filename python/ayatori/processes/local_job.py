"""The processes of a job that uses libacp, all on this machine.

`python -m ayatori.processes N PROGRAM…` does it, too; it needs only this package of ayatori, and base.
"""

from __future__ import annotations

import fcntl
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from ayatori.processes.supervised import Command, Supervised

_GRACE_SECONDS = 2.0
_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_SHARED_MEMORY = Path("/dev/shm")


def run_job(command: Sequence[str], count: int) -> int:
    """Runs `count` processes of `command`; returns 0, or the exit status of the first that failed (128 + N: signal N).

    They share our output, and our input unless it is a terminal. When one has failed all others are ended. Signals that
    ask us to end go to all of them, and to what they have started; should we be killed, so are they. Shared memory that
    killed processes leave is removed. Raises OSError if the command can't be started.
    """
    job = os.environ | {"ACP_PROCS": str(count), "ACP_JOB_KEY": str(secrets.randbits(64))}
    commands = [Command(command, job | {"ACP_RANK": str(rank)}) for rank in range(count)]
    # In a group of its own a process that reads from the terminal would be stopped.
    from_terminal = sys.stdin is not None and sys.stdin.isatty()
    with _signals_kept() as signals:
        try:
            processes = Supervised(commands, stdin=subprocess.DEVNULL if from_terminal else None)
            signals.forward_to(processes)
            try:
                status = processes.wait() or 0
            finally:
                processes.stop(_GRACE_SECONDS)
        finally:
            _remove_what_is_left(_SHARED_MEMORY)
    return status if status >= 0 else 128 - status


class _Signals:
    """Forwards the signals that ask a process to end; those that arrive before the processes run, when they do."""

    def __init__(self) -> None:
        self._received: list[int] = []
        self._processes: Supervised | None = None

    def receive(self, number: int, _frame: FrameType | None) -> None:
        if self._processes is None:
            self._received.append(number)
        else:
            self._processes.send_signal(number)

    def forward_to(self, processes: Supervised) -> None:
        self._processes = processes
        for number in self._received:
            processes.send_signal(number)


@contextmanager
def _signals_kept() -> Iterator[_Signals]:
    signals = _Signals()
    before = {number: signal.signal(number, signals.receive) for number in _FORWARDED}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _remove_what_is_left(folder: Path) -> None:
    """As libacp itself does when it starts: a file belongs to a living process as long as it is locked."""
    for path in folder.glob("ayatori-*"):
        with suppress(OSError), path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                path.unlink()
