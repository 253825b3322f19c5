"""What happens when stdout takes no more: a full disk is said, and a reader that has gone is no error."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PAPER = "fattree:K=6,levels=2,nodes=30"
PRINTING = [
    f"show {PAPER}",
    f"show {PAPER} --json",
    f"show {PAPER} --svg -",
    f"convert {PAPER} --to json",
    f"check {PAPER}",
    f"choose {PAPER} --collective broadcast --bytes 1KiB --json",
    "--help",
    "show --help",
    "--version",
    "",
]


AS_A_PROCESS = [f"show {PAPER}", "--help"]
"""Of them, what is seen to the end of Python as well: by rich, and by click."""


def here(run: Callable[..., Any], arguments: str, stdout: int) -> tuple[int, str]:
    outcome = run(*arguments.split(), stdout=stdout)
    return outcome.status, without_remarks(outcome.stderr)


def as_a_process(arguments: str, stdout: int) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ayatori.cli", *arguments.split()],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )
    return done.returncode, without_remarks(done.stderr)


def without_remarks(errors: str) -> str:
    return "\n".join(line for line in errors.splitlines() if not line.startswith("no job is named"))


@contextmanager
def full_disk() -> Iterator[int]:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        yield full
    finally:
        os.close(full)


@contextmanager
def pipe_without_reader() -> Iterator[int]:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        yield writer
    finally:
        os.close(writer)


FULL = (1, "error: can't write stdout\ncaused by: No space left on device")


@pytest.mark.parametrize("arguments", PRINTING)
def test_a_full_disk_is_no_defect(arguments: str, ayatori_command) -> None:
    with full_disk() as stdout:
        assert here(ayatori_command, arguments, stdout) == FULL


@pytest.mark.parametrize("arguments", PRINTING)
def test_a_reader_that_has_gone_is_no_error(arguments: str, ayatori_command) -> None:
    with pipe_without_reader() as stdout:
        assert here(ayatori_command, arguments, stdout) == (0, "")


@pytest.mark.parametrize("arguments", AS_A_PROCESS)
def test_processes_end_so_too(arguments: str) -> None:
    with full_disk() as stdout:
        assert as_a_process(arguments, stdout) == FULL
    with pipe_without_reader() as stdout:
        assert as_a_process(arguments, stdout) == (0, "")


def test_a_closed_stdout_takes_nothing() -> None:
    command = f"'{sys.executable}' -m ayatori.cli"
    done = subprocess.run(["sh", "-c", f"{command} show {PAPER} >&-"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("error: can't write stdout\n"), done
    silent = subprocess.run(["sh", "-c", f"{command} show {PAPER} --svg /dev/null/no >&-"], stderr=subprocess.PIPE)
    assert silent.returncode == 1 and b"can't write /dev/null/no" in silent.stderr


def test_what_is_printed_has_the_encoding_of_stdout(ayatori_process) -> None:
    """Names of hosts may be in any script."""
    ayatori_process("show", "fattree:K=é", env={"PYTHONIOENCODING": "utf-8"}).refused(1, "é")
    helped = ayatori_process("choose", "--help", env={"PYTHONIOENCODING": "utf-8"})
    assert helped.status == 0 and "…" in helped.stdout
