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
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ayatori.processes.signals import signals_passed_on
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
    with signals_passed_on(_FORWARDED) as send_by:
        try:
            processes = Supervised(commands, stdin=subprocess.DEVNULL if from_terminal else None)
            send_by(processes.send_signal)
            try:
                status = processes.wait() or 0
            finally:
                processes.stop(_GRACE_SECONDS)
        finally:
            _remove_what_is_left(_SHARED_MEMORY)
    return status if status >= 0 else 128 - status


def _remove_what_is_left(folder: Path) -> None:
    """As libacp itself does when it starts: a file belongs to a living process as long as it is locked."""
    for path in folder.glob("ayatori-*"):
        with suppress(OSError), path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(file.fileno()).st_ino == path.stat().st_ino:
                path.unlink()
