"""Commands under a supervisor: a process that ends them, and all that they have started, when we are gone."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_SUPERVISOR = Path(__file__).with_name("supervisor.py")

Stream = int | IO[Any] | None
"""As subprocess.Popen takes it: a file, subprocess.DEVNULL, subprocess.STDOUT, or None for ours."""


@dataclass(frozen=True)
class Command:
    """A program with its arguments, and all of its environment."""

    argv: Sequence[str | Path]
    environment: Mapping[str, str]


class Supervised:
    """Commands that run side by side, each in a process group of its own, below a supervisor.

    When one of them fails the others are ended. When all have ended, what they have started and left running is killed.
    All of them are killed when this process ends, however it ends, and when this object is deleted. Any thread may
    create this object, and may end before the commands do.
    """

    def __init__(
        self,
        commands: Sequence[Command],
        *,
        folder: Path | None = None,
        stdin: Stream = subprocess.DEVNULL,
        stdout: Stream = None,
        stderr: Stream = None,
        pass_fds: Sequence[int] = (),
    ) -> None:
        """Starts the commands in working directory `folder`, by default ours; they share the three streams.

        `pass_fds` are further descriptors that they inherit.

        Raises OSError if one can't be started; none of them runs then.
        """
        self._control, theirs = socket.socketpair()
        try:
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", _SUPERVISOR, str(theirs.fileno()), str(os.getpid())],
                    pass_fds=[theirs.fileno(), *pass_fds],
                    stdin=stdin,
                    stdout=stdout,
                    stderr=stderr,
                )
            self.pids = self._request(commands, folder or Path.cwd())
        except BaseException:
            self._control.close()
            if hasattr(self, "_process"):
                self._process.wait()
            raise

    def _request(self, commands: Sequence[Command], folder: Path) -> tuple[int, ...]:
        asked = [{"argv": list(map(str, c.argv)), "environment": dict(c.environment)} for c in commands]
        self._control.sendall(json.dumps({"commands": asked, "folder": str(folder)}).encode() + b"\n")
        with self._control.makefile("rb") as answers:
            answer = json.loads(answers.readline() or b"{}")
        if "error" in answer:
            raise OSError(*answer["error"])
        if "pids" not in answer:
            raise OSError(0, "the supervisor ended before it answered", str(_SUPERVISOR))
        return tuple(answer["pids"])

    def wait(self, seconds: float | None = None) -> int | None:
        """0 when all commands have ended well, else the exit status of the first that failed (-N: killed by signal N).

        None if they still run after `seconds`; without a number this waits as long as it takes.
        """
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def send_signal(self, number: int) -> None:
        """Sends a signal to every command that still runs, and to what it has started in its process group."""
        self._process.send_signal(number)

    def stop(self, grace_seconds: float) -> None:
        """Ends the commands by SIGTERM, and by SIGKILL what then still runs after `grace_seconds`.

        Does nothing if all have ended already.
        """
        try:
            if self.wait(0) is None:
                self.send_signal(signal.SIGTERM)
                self.wait(grace_seconds)
        finally:
            self._control.close()
            self._process.wait()
