"""One program as a child of ours, with its output in files, for as long as it is needed."""

from __future__ import annotations

import json
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ayatori.processes.errors import ProgramError
from ayatori.processes.programs import last_line, last_words
from ayatori.processes.supervised import Command, Supervised

_POLL_SECONDS = 0.02
_GRACE_SECONDS = 2.0


class Child:
    """A running program in a process group of its own, without standard input.

    It and all that it has started are killed when this process ends, however it ends.
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
        are overwritten. Raises ProgramError if the program can't be started.
        """
        with output.open("wb") as out, errors.open("wb") if errors else nullcontext(subprocess.STDOUT) as err:
            try:
                self._supervised = Supervised([Command(argv, environment)], folder=folder, stdout=out, stderr=err)
            except OSError as error:
                raise ProgramError(f"can't run {argv[0]}", error.strerror or str(error)) from error

    @property
    def pid(self) -> int:
        """Its process id, which is also the id of its process group."""
        return self._supervised.pids[0]

    def wait(self, seconds: float) -> int | None:
        """Its exit status (-N: killed by signal N), or None if it still runs after so many seconds."""
        return self._supervised.wait(seconds)

    def stop(self) -> None:
        """Ends it by SIGTERM, by SIGKILL if that does not help; does nothing if it has ended already."""
        self._supervised.stop(_GRACE_SECONDS)


def run_program(
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

    Raises ProgramError if the program can't be started, or still runs after `timeout` seconds.
    """
    deadline = time.monotonic() + timeout
    child = Child(argv, folder=folder, environment=environment, output=output, errors=errors)
    try:
        while (status := child.wait(_POLL_SECONDS)) is None:
            watch()
            if time.monotonic() > deadline:
                name = Path(argv[0]).name
                raise ProgramError(f"{name} did not end within {timeout:g} s", last_line(output), "give it more time")
        return status
    finally:
        child.stop()


@dataclass(frozen=True)
class Ended:
    """A program that has ended: its exit status (-N: killed by signal N), and what it printed."""

    status: int
    output: str
    errors: str

    @property
    def reason(self) -> str:
        """Why it failed, as far as it says so."""
        return last_words(self.errors) or f"status {self.status}"

    def objects(self) -> list[Any]:
        """Of the lines that are JSON objects, among which a launcher may print others."""
        return [json.loads(line) for line in self.output.splitlines() if line.startswith("{")]


def run_to_end(
    argv: Sequence[str | Path], *, environment: Mapping[str, str], timeout: float, folder: Path | None = None
) -> Ended:
    """As run_program(), for who wants to know what was printed. Without a `folder` in ours: words of users may be
    relative paths."""
    with tempfile.TemporaryDirectory(prefix="ayatori-") if folder is None else nullcontext(folder) as name:
        output, errors = Path(name) / "output", Path(name) / "errors"
        place = folder or Path.cwd()
        status = run_program(argv, folder=place, environment=environment, output=output, errors=errors, timeout=timeout)
        return Ended(status, *(file.read_text(encoding="utf-8", errors="replace") for file in (output, errors)))
