"""What all test folders share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

from thoroughness import THOROUGH, USUAL

# No test is timed: on a busy machine any example may take long.
settings.register_profile("untimed", deadline=None, max_examples=USUAL)
settings.register_profile("thorough", deadline=None, max_examples=THOROUGH)
settings.load_profile("untimed")


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


@pytest.fixture(scope="session")
def ayatori_command() -> Callable[..., Any]:
    """Runs `ayatori ARGUMENTS…` in the process of the tests, and returns an Outcome."""
    from command_line import run_here

    return run_here


@pytest.fixture(scope="session")
def ayatori_process() -> Callable[..., Any]:
    """The same as a process of its own, which takes longer: for what only that shows."""
    from command_line import run_process

    return run_process
