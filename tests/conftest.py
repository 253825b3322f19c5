"""What all test folders share."""

from collections.abc import Callable
from pathlib import Path
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


APART = {"cli", "golden", "nwtopo", "property", "report"}
"""Folders whose tests share nothing of the machine, so that those of one file may run side by side."""
TOGETHER = {
    "browser": "one browser",
    "paths": "the same compiled programs",
    "test_cluster_command.py": "cluster labs: a test waits until no other is there",
    "test_doctor.py": "cluster labs: a test waits until no other is there",
    "test_plan_at_start.py": "cluster labs: a test waits until no other is there",
    "test_measured_calibration.py": "cluster labs: a test waits until no other is there",
    "test_mpi4py.py": "one download of mpi4py",
    "test_osu.py": "one download of mpi4py",
    "test_intel_mpi.py": "one download of mpi4py",
}
"""Folders and files that go to one worker, and why."""


def work_unit(test: str) -> str:
    """What a worker of `pytest -n 2 --dist loadgroup` gets at a time: a test, or what stays together. What starts jobs,
    measures or uses devices has one at a time, and what a fixture makes for many tests is made once."""
    file = Path(test.partition("::")[0])
    folder = file.parent.name
    for name in (folder, file.name):
        if name in TOGETHER:
            return TOGETHER[name]
    return test if folder in APART and not file.name.startswith("test_bench") else str(file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """pytest-xdist's own groups are marks, which its version 3.8 does not see under pytest 9."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class ByTestOrFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return work_unit(nodeid)

    return ByTestOrFile(config, log)


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
