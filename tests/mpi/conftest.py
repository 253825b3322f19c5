"""What tests of MPI programs share."""

import plugin
import pytest


@pytest.fixture(scope="module", params=plugin.families())
def mpi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> plugin.Mpi:
    """Each MPI that is installed."""
    return plugin.made(request.param, tmp_path_factory)


@pytest.fixture(scope="session")
def everything(pytestconfig: pytest.Config) -> bool:
    """Whether tests that take a part of many cases are to take all of them: `./run test all`."""
    return bool(pytestconfig.getoption("--all", default=False))
