"""The parts of a network: no cables between routers lead from one to another."""

from __future__ import annotations

from ayatori._core import Network


def parts_of_routers(network: Network) -> list[int]:
    """By router, one router of its part, the same for all of that part."""
    next_of = list(range(network.router_count))

    def last_of(router: int) -> int:
        while next_of[router] != router:
            next_of[router] = next_of[next_of[router]]
            router = next_of[router]
        return router

    for one, other in network.cables():
        ends = (network.port(one).device, network.port(other).device)
        if max(ends) < network.router_count:
            next_of[last_of(ends[0])] = last_of(ends[1])
    return [last_of(router) for router in next_of]
