"""Child processes that are time-limited and never outlive us."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path

from ayatori.lab.errors import LabError

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 2.0
_TAIL_BYTES = 4096

# Debian keeps subnet managers and diagnostics where the PATH of an ordinary user does not reach.
_SYSTEM_FOLDERS = ("/usr/sbin", "/sbin", "/usr/bin", "/bin")

# The kernel kills the child when we die, even by SIGKILL. Comparing the parent after asking for that closes the gap
# in which we might have died already. A preexec_fn could do both, but is not safe in a program with threads.
_WHILE_WE_LIVE = ("setpriv", "--pdeathsig", "KILL", "sh", "-c", '[ "$PPID" = "$0" ] && exec "$@"')


def find_program(name: str, package: str) -> str:
    """The path of program `name`, which the Debian package `package` brings; also looks where only root's PATH goes.

    Raises LabError if it is not installed.
    """
    folders = os.pathsep.join((os.environ.get("PATH", ""), *_SYSTEM_FOLDERS))
    path = shutil.which(name, path=folders)
    if path is None:
        raise LabError(f"{name} is not installed", hint=f"apt-get install {package}")
    return path


def last_line(path: Path) -> str:
    """The last line of a file that is not blank; empty if there is none."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        lines = file.read().decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "")


class Child:
    """A running program in a process group of its own, without standard input.

    The kernel kills it when the *thread* that made this object ends: that thread must outlive the use of the child.
    """

    def __init__(
        self,
        argv: Sequence[str | Path],
        *,
        folder: Path,
        environment: Mapping[str, str],
        output: Path,
        errors: Path | None = None,
    ) -> None:
        """Starts `argv` in working directory `folder` with exactly the variables of `environment`.

        Standard output goes to the file `output`, standard error to `errors` or by default also to `output`; both
        are overwritten.
        """
        with output.open("wb") as out, errors.open("wb") if errors else nullcontext(subprocess.STDOUT) as err:
            self._process = subprocess.Popen(
                [*_WHILE_WE_LIVE, str(os.getpid()), *map(str, argv)],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                process_group=0,
            )

    @property
    def pid(self) -> int:
        """Its process id, which is also the id of its process group."""
        return self._process.pid

    def wait(self, seconds: float) -> int | None:
        """Its exit status (-N: killed by signal N), or None if it still runs after so many seconds."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def stop(self) -> None:
        """Ends it by SIGTERM, by SIGKILL if that does not help; does nothing if it has ended already."""
        if self._process.poll() is not None:
            return
        os.killpg(self.pid, signal.SIGTERM)
        try:
            self.wait(_GRACE_SECONDS)
        finally:
            if self._process.poll() is None:
                os.killpg(self.pid, signal.SIGKILL)
                self._process.wait()


def run(
    argv: Sequence[str | Path],
    *,
    folder: Path,
    environment: Mapping[str, str],
    output: Path,
    errors: Path | None = None,
    timeout: float,
    watch: Callable[[], None] = lambda: None,
) -> int:
    """Runs a program to its end and returns its exit status; -N if signal N killed it.

    `argv`, `folder`, `environment`, `output` and `errors` are those of Child. `watch` is called again and again while
    the program runs; what it raises stops the program and is passed on.

    Raises LabError if the program still runs after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    child = Child(argv, folder=folder, environment=environment, output=output, errors=errors)
    try:
        while (status := child.wait(_POLL_SECONDS)) is None:
            watch()
            if time.monotonic() > deadline:
                name = Path(argv[0]).name
                raise LabError(f"{name} did not end within {timeout:g} s", last_line(output), "give it more time")
        return status
    finally:
        child.stop()
