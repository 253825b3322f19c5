"""What tests of several labs share."""

from collections.abc import Iterator

import pytest
from sample_fabric import tree

from ayatori.lab.fabric import SimulatedFabric
from ayatori.lab.rdma import missing_packages, prepare_parts
from ayatori.lab.rdma.machine import available_memory_mib
from ayatori.processes import ProgramError


@pytest.fixture
def fabric() -> Iterator[SimulatedFabric]:
    """The tree of sample_fabric.py."""
    with SimulatedFabric(tree()) as fabric:
        yield fabric


@pytest.fixture(scope="session")
def machine() -> None:
    """Skips the test where no virtual machine can be made."""
    try:
        if missing := missing_packages():
            pytest.skip(f"no virtual machine can run here: {', '.join(missing)} not installed")
        if available_memory_mib() < 2 * 724:
            pytest.skip(f"no virtual machine can run here: {available_memory_mib()} MiB are free")
        prepare_parts()
    except ProgramError as error:
        pytest.skip(f"no virtual machine can run here: {error}: {error.cause}")
