"""A program that starts commands, ends them together, and ends all that they have started when its parent is gone.

`Supervised` (supervised.py) runs it as `python -I -S supervisor.py CONTROL PARENT`: CONTROL is the number of a socket
that is open in the parent, PARENT the parent's process id. The socket carries one line of JSON each way: the commands
to start, then their process ids or the error. From then on the end of the socket asks for the end of everything.

A process of its own can do what its parent can't do safely. It has one thread, so that code may run between fork and
exec. PR_SET_PDEATHSIG, which goes by the thread that forked, kills the commands if the supervisor is killed. It hears
of its parent's death, by whatever signal, through a pidfd. As a subreaper it stays the ancestor of every process that
the commands start, whatever sessions or groups those make, so that it finds them all in /proc.

It imports nothing but Python's own modules and starts in some 20 ms.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

GRACE_SECONDS = 2.0
"""Between SIGTERM and SIGKILL, for commands that are ended because another one has failed."""

_FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_KILLING_SECONDS = 10.0
_POLL_SECONDS = 0.005
_PARENT_POLL_SECONDS = 0.1
_CANNOT_RUN = 127


class Supervisor:
    """The commands of one request, from their start to the end of all their descendants."""

    def __init__(self, control: socket.socket, parent: int) -> None:
        self._control = control
        self._parent = parent
        self._libc = ctypes.CDLL(None)
        self._libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self._running: set[int] = set()
        self._failure = 0
        self._woken, wake = os.pipe()
        for end in (self._woken, wake):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in _FORWARDED:
            signal.signal(number, lambda number, _frame: self._signal_commands(number))
        self._poll = select.poll()
        self._poll.register(self._woken, select.POLLIN)
        self._poll.register(control, select.POLLIN)
        self._poll_timeout = self._watch_parent()

    def _watch_parent(self) -> float | None:
        """Has the poll end when the parent does. Returns the seconds after which to look anyway: old kernels."""
        try:
            self._poll.register(os.pidfd_open(self._parent), select.POLLIN)
        except OSError:
            return _PARENT_POLL_SECONDS
        return None

    def run(self) -> int:
        """Starts what the parent asks for. Returns 0, or the status of the first command that failed (-N: signal N)."""
        request = self._receive()
        if request is None:
            return 0
        try:
            pids = self._start(request)
        except OSError as error:
            self._kill_descendants()
            self._reply({"error": [error.errno, error.strerror, error.filename]})
            return _CANNOT_RUN
        self._reply({"pids": pids})
        if self._wait_for_commands():
            self._end_commands()
        self._kill_descendants()
        return self._failure

    def _receive(self) -> dict[str, Any] | None:
        received = b""
        while not received.endswith(b"\n"):
            piece = self._control.recv(1 << 16)
            if not piece:
                return None
            received += piece
        reply: dict[str, Any] = json.loads(received)
        return reply

    def _reply(self, answer: dict[str, Any]) -> None:
        with suppress(OSError):  # if the parent is gone, the poll sees it
            self._control.sendall(json.dumps(answer).encode() + b"\n")

    def _start(self, request: dict[str, Any]) -> list[int]:
        pids = []
        for command in request["commands"]:
            pid = self._start_command(command["argv"], command["environment"], request["folder"])
            self._running.add(pid)
            pids.append(pid)
        return pids

    def _start_command(self, argv: list[str], environment: dict[str, str], folder: str) -> int:
        reader, writer = os.pipe()
        supervisor = os.getpid()
        pid = os.fork()
        if pid == 0:
            self._become(argv, environment, folder, supervisor, writer)
        os.close(writer)
        with os.fdopen(reader, "rb") as reply:
            error = reply.read()
        if error:
            os.waitpid(pid, 0)
            number, name = json.loads(error)
            raise OSError(number, os.strerror(number), name)
        return pid

    def _become(self, argv: list[str], environment: dict[str, str], folder: str, supervisor: int, writer: int) -> None:
        """Never returns: this process becomes the command, or tells why it can't."""
        name = folder
        try:
            os.setpgid(0, 0)
            self._libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            if os.getppid() != supervisor:  # it died before we asked
                os._exit(_CANNOT_RUN)
            signal.set_wakeup_fd(-1)
            for number in (*_FORWARDED, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)  # exec would leave those that Python ignores ignored
            os.chdir(folder)
            name = argv[0]
            os.execvpe(argv[0], argv, environment)
        except OSError as error:
            os.write(writer, json.dumps([error.errno, name]).encode())
        finally:
            os._exit(_CANNOT_RUN)

    def _wait_for_commands(self) -> bool:
        """Until all have ended, one has failed, or the parent is gone. Returns whether any is to be ended gently."""
        while self._running and not self._failure:
            if self._parent_is_gone():
                return False
            self._reap()
        return bool(self._running)

    def _parent_is_gone(self, seconds: float | None = None) -> bool:
        """Sleeps until something happens, or for so many seconds."""
        timeouts = [timeout for timeout in (seconds, self._poll_timeout) if timeout is not None]
        ready = [fd for fd, _ in self._poll.poll(min(timeouts) * 1000 if timeouts else None)]
        if self._woken in ready:
            with suppress(BlockingIOError):
                os.read(self._woken, 4096)
            ready.remove(self._woken)
        return bool(ready) or os.getppid() != self._parent

    def _reap(self) -> None:
        """Takes the status of every process that has ended: commands, and orphans that came to be our children."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid in self._running:
                self._running.remove(pid)
                self._failure = self._failure or os.waitstatus_to_exitcode(status)

    def _signal_commands(self, number: int) -> None:
        for pid in self._running:
            with suppress(ProcessLookupError):
                os.killpg(pid, number)

    def _end_commands(self) -> None:
        self._signal_commands(signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        while self._running and (left := deadline - time.monotonic()) > 0:
            if self._parent_is_gone(left):
                return
            self._reap()

    def _kill_descendants(self) -> None:
        """Again and again: a process may have started another one while we looked."""
        deadline = time.monotonic() + _KILLING_SECONDS
        while (processes := descendants(os.getpid())) and time.monotonic() < deadline:
            for pid in processes:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            self._reap()
            time.sleep(_POLL_SECONDS)


def descendants(ancestor: int) -> list[int]:
    """The processes that `ancestor` has started and those that they have, as /proc shows them; zombies too."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
            parent = int(file.read().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found = list(children.get(ancestor, ()))
    for pid in found:
        found += children.get(pid, ())
    return found


def end_as(status: int) -> None:
    """Ends this process with the exit status, or by the signal, that a command ended with."""
    if status >= 0:
        os._exit(status)
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)  # the command has dumped its core
    if -status not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
    os._exit(128 - status)


if __name__ == "__main__":
    os.setpgid(0, 0)  # Ctrl-C in a terminal is for the parent, which passes on what it wants
    end_as(Supervisor(socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])).run())
