"""Numbers of devices, ports and entries that a network and its tables do not have."""

import pytest

from ayatori import make_routes, open_source

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


def test_an_entry_that_is_not_there() -> None:
    routes = make_routes(NETWORK)
    routes.out(0, routes.last_lid)
    for router, lid in ((DEVICES, 1), (0, routes.last_lid + 1)):
        with pytest.raises(IndexError, match="no such entry"):
            routes.out(router, lid)
