"""Numbers of devices and ports that a network does not have."""

import pytest

from ayatori import open_source

NETWORK = open_source("fattree:K=4,levels=2")
DEVICES = NETWORK.device_count


@pytest.mark.parametrize("method", ["name", "label", "lid", "kind", "guid", "rail", "machine_of", "plane_of"])
def test_a_device_that_is_not_there(method: str) -> None:
    getattr(NETWORK, method)(DEVICES - 1)
    with pytest.raises(IndexError, match="no such device"):
        getattr(NETWORK, method)(DEVICES)


@pytest.mark.parametrize("method", ["port", "describe_link", "router_of"])
def test_a_port_that_is_not_there(method: str) -> None:
    getattr(NETWORK, method)(NETWORK.endpoints[0])
    with pytest.raises(IndexError, match="no such port"):
        getattr(NETWORK, method)(1 << 30)
