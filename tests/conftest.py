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
settings.register_profile("thorough", deadline=None, max_examples=500)
settings.load_profile("untimed")

ROOT = Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--all", action="store_true", help="run what is marked as a sweep as well, and more examples of properties"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--all"):
        settings.load_profile("thorough")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves sweeps out, unless all tests are asked for or a test is named."""
    if config.getoption("--all") or any("::" in argument for argument in config.args):
        return
    sweeps = [item for item in items if item.get_closest_marker("sweep")]
    if sweeps:
        config.hook.pytest_deselected(items=sweeps)
        items[:] = [item for item in items if item not in sweeps]


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
