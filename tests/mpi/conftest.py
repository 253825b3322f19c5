"""What tests of MPI programs share."""

import pytest


@pytest.fixture(scope="session")
def everything(pytestconfig: pytest.Config) -> bool:
    """Whether tests that take a part of many cases are to take all of them: `./run test all`."""
    return bool(pytestconfig.getoption("--all", default=False))
