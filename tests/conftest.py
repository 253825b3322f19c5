"""What all test folders share."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import settings

# No test is timed: on a busy machine any example may take long.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

ROOT = Path(__file__).parent.parent


@dataclass
class Outcome:
    """What a person at a terminal would see of one command."""

    status: int
    stdout: str
    stderr: str


def run_ayatori(*arguments: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> Outcome:
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "120", **(env or {})}
    done = subprocess.run(
        [sys.executable, "-m", "ayatori.cli", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def ayatori_command():
    return run_ayatori
