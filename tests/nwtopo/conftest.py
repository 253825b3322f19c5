"""The networks that most tests of nwtopo ask."""

import pytest
from small_networks import TORUS, TREE

from ayatori import nwtopo
from ayatori.nwtopo import Topology


@pytest.fixture(scope="module")
def tree() -> Topology:
    return nwtopo.load(TREE)


@pytest.fixture(scope="module")
def torus() -> Topology:
    return nwtopo.load(TORUS)
