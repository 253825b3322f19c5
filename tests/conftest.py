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


APART = {"cli", "golden", "nwtopo", "property", "report"}
"""Folders whose tests share nothing of the machine, so that those of one file may run side by side."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if not item.get_closest_marker("xdist_group") and stays_with_its_file(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.split("::")[0]))
    leave_sweeps_out(config, items)


def stays_with_its_file(item: pytest.Item) -> bool:
    """Whether the worker that runs it (pytest -n 2 --dist loadgroup) should run the whole file: what starts jobs,
    measures or uses devices has one at a time, and what a fixture makes for the file is made once."""
    if item.path.parent.name not in APART or item.path.name.startswith("test_bench"):
        return True
    made_of = getattr(item, "_fixtureinfo", None)
    fixtures = made_of.name2fixturedefs.values() if made_of else ()
    return any(fixture.scope in ("module", "package") for made in fixtures for fixture in made)


def leave_sweeps_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Unless all tests are asked for or a test is named."""
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
