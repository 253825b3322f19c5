"""The processes of a job that uses libacp, all on this machine.

`python -m ayatori.processes N PROGRAM…` does it, too; it needs only this package of ayatori, and base.
"""

from __future__ import annotations

import os
import secrets
import signal
import stat
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
    job_file = _job_file()
    job = os.environ | {"ACP_PROCS": str(count), "ACP_JOB_FILE": f"/proc/self/fd/{job_file}"}
    commands = [Command(command, job | {"ACP_RANK": str(rank)}) for rank in range(count)]
    # In a group of its own a process that reads from the terminal would be stopped.
    from_terminal = sys.stdin is not None and sys.stdin.isatty()
    with signals_passed_on(_FORWARDED) as send_by:
        try:
            stdin = subprocess.DEVNULL if from_terminal else None
            processes = Supervised(commands, stdin=stdin, pass_fds=(job_file,))
            send_by(processes.send_signal)
            try:
                status = processes.wait() or 0
            finally:
                processes.stop(_GRACE_SECONDS)
        finally:
            os.close(job_file)
            _remove_what_is_left(_SHARED_MEMORY)
    return status if status >= 0 else 128 - status


def _job_file() -> int:
    """A file without a name, which the processes inherit: the job's secret, and what they publish for each other."""
    descriptor = os.memfd_create("ayatori-job", 0)
    os.fchmod(descriptor, stat.S_IRUSR | stat.S_IWUSR)
    os.write(descriptor, f"{secrets.token_hex(16)}\n".encode())
    return descriptor


def _remove_what_is_left(folder: Path) -> None:
    """As libacp itself does when it starts: in their own pid namespace, the links of dead processes lead nowhere."""
    pid_namespace = os.stat("/proc/self/ns/pid").st_ino
    for job in folder.glob(f"ayatori-{os.geteuid()}-{pid_namespace}-*"):
        with suppress(OSError):
            for link in job.iterdir():
                if link.is_symlink() and not link.exists():
                    link.unlink()
            job.rmdir()
