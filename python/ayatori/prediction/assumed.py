"""What messages cost where nobody has measured: by the rate of the links, from published measurements.

docs/prediction-model.md has the source of each number, and says which are interpolated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice

from ayatori import _core
from ayatori._core import Network
from ayatori.prediction.costs import Costs, MessageCosts, from_core

UNKNOWN_RATE = "4xHDR"
"""Of links whose rate the network does not tell, as the simulator takes it."""
PORTS_LOOKED_AT = 1000


def rate_of(network: Network, plane: int | None = None) -> str:
    """That of most links of NICs, on this plane or on all of them; "?" if it does not tell."""
    ports = (network.port(endpoint) for endpoint in network.endpoints)
    on_plane = (port for port in ports if plane is None or network.plane_of(port.device) == plane)
    rates = Counter(port.rate for port in islice(on_plane, PORTS_LOOKED_AT))
    return rates.most_common(1)[0][0] if rates else "?"


def assumed_link_latency(network: Network) -> float:
    return _core.assumed_costs(rate_of(network), network.direct).link_latency


def assumed_costs(network: Network) -> Costs:
    rate = rate_of(network)
    kind = (
        "links of built-in routers" if network.direct else rate if rate != "?" else f"{UNKNOWN_RATE} (rate not known)"
    )
    costs: Costs = from_core(_core.assumed_costs(rate, network.direct).costs)
    return replace(costs, origin=f"assumed for {kind}")


def assumed_on_planes(network: Network) -> Sequence[MessageCosts]:
    """Of messages between machines on each plane, by the rate of its links. All links have the latency of
    assumed_link_latency(), and a message takes two of them at least: what those of its plane have more is added. Empty
    for one plane."""
    if len(network.planes) < 2:
        return ()
    assumed = [_core.assumed_costs(rate_of(network, plane), network.direct) for plane in range(len(network.planes))]
    link = assumed_link_latency(network)
    between = [from_core(fabric.costs.between) for fabric in assumed]
    return tuple(
        replace(costs, latency=max(0.0, costs.latency + 2 * (fabric.link_latency - link)))
        for costs, fabric in zip(between, assumed, strict=True)
    )


def assumed_inside() -> Costs:
    """Of messages and copies within a machine alone; those between machines are free."""
    assumed = from_core(_core.assumed_costs(UNKNOWN_RATE, direct=False).costs)
    return Costs("assumed within a machine", inside=assumed.inside, copy=assumed.copy)
