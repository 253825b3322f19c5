"""What happens when stdout takes no more: a full disk is said, and a reader that has gone is no error."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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


def status_and_errors(arguments: str, stdout: int) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "ayatori.cli", *arguments.split()],
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )
    talk = [line for line in done.stderr.splitlines() if not line.startswith("no job is named")]
    return done.returncode, "\n".join(talk)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("arguments", PRINTING)
def test_a_full_disk_is_no_defect(arguments: str) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    try:
        outcome = status_and_errors(arguments, full)
    finally:
        os.close(full)
    assert outcome == (1, "error: can't write stdout\ncaused by: No space left on device")


@pytest.mark.parametrize("arguments", PRINTING)
def test_a_reader_that_has_gone_is_no_error(arguments: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        outcome = status_and_errors(arguments, writer)
    finally:
        os.close(writer)
    assert outcome == (0, "")


def test_a_closed_stdout_takes_nothing() -> None:
    command = f"'{sys.executable}' -m ayatori.cli"
    done = subprocess.run(["sh", "-c", f"{command} show {PAPER} >&-"], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("error: can't write stdout\n"), done
    silent = subprocess.run(["sh", "-c", f"{command} show {PAPER} --svg /dev/null/no >&-"], stderr=subprocess.PIPE)
    assert silent.returncode == 1 and b"can't write /dev/null/no" in silent.stderr


def test_what_is_printed_has_the_encoding_of_stdout(ayatori_command) -> None:
    """Names of hosts may be in any script."""
    outcome = ayatori_command("show", "nonsense:é", env={"PYTHONIOENCODING": "utf-8"})
    assert outcome.status == 1 and "é" in outcome.stderr
    helped = ayatori_command("choose", "--help", env={"PYTHONIOENCODING": "utf-8"})
    assert helped.status == 0 and "…" in helped.stdout
