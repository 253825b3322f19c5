"""The command line in the process of the tests: it starts in some milliseconds, where a process of its own takes 0.7 s
of processor time to import everything. tests/cli/test_processes.py sees that both say the same."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import ExitStack, chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import typer

from ayatori.cli.app import app
from ayatori.cli.execution import execute
from ayatori.cli.stdout import tell_failures_of_stdout

MAX_SECONDS = 300
ALWAYS = {"NO_COLOR": "1", "COLUMNS": "120"}
BECOME_OTHERS = ("run", "acprun")
"""Verbs that may replace their process by the program that they start."""


@dataclass
class Outcome:
    """What a person at a terminal would see of one command."""

    status: int
    stdout: str
    stderr: str

    def good(self) -> "Outcome":
        assert self.status == 0, self.stderr
        return self

    def json(self, status: int = 0) -> Any:
        """What it printed with --json."""
        assert self.status == status, self.stderr
        return json.loads(self.stdout)

    def refused(self, status: int, *parts: str) -> None:
        """1 for wrong input, 2 for wrong usage: a line with an error, perhaps its cause and a hint. These words are in
        what was said, and nothing else was printed."""
        assert (self.status, self.stdout) == (status, ""), self
        said = r"^error: .*\n((caused by|hint): .*\n)*\Z"
        assert re.search(said, self.stderr, re.MULTILINE) and "defect" not in self.stderr, self.stderr
        for part in parts:
            assert part in self.stderr, self.stderr


def run_process(*arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> Outcome:
    """Runs `ayatori ARGUMENTS…` as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "ayatori.cli", *arguments],
        cwd=cwd,
        env={**os.environ, **ALWAYS, **(env or {})},
        capture_output=True,
        text=True,
        timeout=MAX_SECONDS,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


def run_here(
    *arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None, stdout: int | None = None
) -> Outcome:
    """Runs `ayatori ARGUMENTS…` in this process. Nothing of it stays: not the folder, the environment or the streams.

    With `stdout`, a descriptor, what is printed goes there and not into the Outcome.
    """
    if arguments and arguments[0] in BECOME_OTHERS:
        return run_process(*arguments, cwd=cwd, env=env)
    with ExitStack() as around:
        patch = around.enter_context(pytest.MonkeyPatch.context())
        for name, value in {**ALWAYS, **(env or {})}.items():
            patch.setenv(name, value)
        for name in ("execv", "execve", "_exit"):
            patch.setattr(os, name, _only_in_children(name))
        around.enter_context(chdir(cwd or Path.cwd()))
        around.enter_context(_usual_warnings())
        printed = around.enter_context(_captured(1, stdout))
        talked = around.enter_context(_captured(2))
        around.enter_context(_streams(patch))
        around.enter_context(_not_for_ever())
        status = int(execute(app, list(arguments), "ayatori"))
    return Outcome(status, printed.text(), talked.text())


def parse_command(words: list[str]) -> None:
    """Parses the words behind `ayatori`, and runs nothing.

    Raises click's error for an unknown command or option, or for a value of the wrong kind.
    """
    command: click.Command = typer.main.get_command(app)
    context = click.Context(command, info_name="ayatori")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, found, words = command.resolve_command(context, words)
        assert found is not None
        command, context = found, click.Context(found, info_name=name, parent=context)
    if not isinstance(command, click.Group) and "--help" not in words:
        command.make_context(context.info_name, words, parent=context.parent)


def _only_in_children(name: str) -> Any:
    """The function of os, for who has forked; the process of the tests must stay what it is."""
    own, usual = os.getpid(), getattr(os, name)

    def refuse_here(*arguments: Any) -> Any:
        assert os.getpid() != own, f"os.{name}() would end the tests: take the fixture ayatori_process"
        return usual(*arguments)

    return refuse_here


@contextmanager
def _usual_warnings() -> Iterator[None]:
    """What Python shows of warnings; pytest shows more."""
    with warnings.catch_warnings():
        warnings.resetwarnings()
        for kind in (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)
        yield


class _Text:
    """What comes out of a pipe until all have closed it."""

    def __init__(self, reader: int) -> None:
        self._bytes = b""
        self._thread = threading.Thread(target=self._read, args=(reader,), daemon=True)
        self._thread.start()

    def _read(self, reader: int) -> None:
        with open(reader, "rb") as pipe:
            self._bytes = pipe.read()

    def text(self) -> str:
        self._thread.join(MAX_SECONDS)
        assert not self._thread.is_alive(), "a child of the command still runs and may print"
        return io.TextIOWrapper(io.BytesIO(self._bytes), encoding="utf-8").read()


@contextmanager
def _captured(descriptor: int, to: int | None = None) -> Iterator[_Text]:
    """Also what the core and children write there: all that goes to it goes to a pipe, or to another one."""
    usual = os.dup(descriptor)
    reader, writer = os.pipe()
    os.dup2(writer if to is None else to, descriptor)
    os.close(writer)
    try:
        yield _Text(reader)
    finally:
        os.dup2(usual, descriptor)
        os.close(usual)


@contextmanager
def _streams(patch: pytest.MonkeyPatch) -> Iterator[None]:
    """Python's streams as at the start of a process, on the three descriptors."""
    opened = [io.FileIO(number, mode, closefd=False) for number, mode in enumerate("rww")]
    patch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(opened[0]), encoding="utf-8"))
    patch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(opened[1]), encoding="utf-8"))
    talk = io.TextIOWrapper(io.BufferedWriter(opened[2]), "utf-8", "backslashreplace", line_buffering=True)
    patch.setattr(sys, "stderr", talk)
    tell_failures_of_stdout()
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


@contextmanager
def _not_for_ever() -> Iterator[None]:
    """What takes too long is interrupted, if it is not in a call of the core."""

    def interrupt(*_: object) -> None:
        raise TimeoutError(f"a command of a test took more than {MAX_SECONDS} s")

    usual = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(MAX_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, usual)
