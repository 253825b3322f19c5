"""What messages cost where nobody has measured: by the rate of the links, from published measurements.

docs/predictions.md has the source of each number, and says which are interpolated.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ayatori._core import Network
from ayatori.prediction.costs import Costs, Line, MessageCosts

UNKNOWN_RATE = "4xHDR"
"""Of links whose rate the network does not tell, as the simulator takes it."""
PORTS_LOOKED_AT = 1000


@dataclass(frozen=True)
class Fabric:
    """Messages between machines over links of one kind."""

    message: float
    """Seconds of a small message over `links` links, overheads included."""
    overhead: float
    """Of these on the processor of each end."""
    link: float
    """Latency of each link, with that of the switch after it."""
    eager_limit: int
    eager_send: float = 0.0
    """More overhead of the sender for each byte of an eager message, which is copied."""
    eager_receive: float = 0.0
    links: int = 2

    def costs(self) -> MessageCosts:
        """A rendezvous takes two messages more, there and back; its bytes are not copied."""
        overhead = self.overhead
        return MessageCosts(
            latency=self.message - 2 * overhead - self.links * self.link,
            send=(Line(0, overhead, self.eager_send), Line(self.eager_limit + 1, overhead)),
            receive=(Line(0, overhead, self.eager_receive), Line(self.eager_limit + 1, overhead)),
            gap=overhead,
            eager_limit=self.eager_limit,
            rendezvous=2 * self.message,
        )


_QDR = Fabric(5.37e-6, 1.1e-6, 0.1e-6, 8192, 0.19e-9, 0.47e-9)
_EDR = Fabric(1.33e-6, 0.385e-6, 0.1e-6, 16384, 0.05e-9, 0.1e-9)
_HDR = Fabric(1.33e-6, 0.168e-6, 0.1e-6, 16384, 0.05e-9, 0.1e-9)
LANES = {
    "SDR": _QDR,
    "DDR": _QDR,
    "QDR": _QDR,
    "FDR10": _EDR,
    "FDR": _EDR,
    "EDR": _EDR,
    "HDR": _HDR,
    "NDR": _HDR,
    "XDR": _HDR,
}
"""InfiniBand by the speed of a lane."""

KERNEL = Fabric(16e-6, 3.2e-6, 0.5e-6, 65536, 0.1e-9, 0.2e-9)
"""Ethernet below FIRST_BYPASSED: TCP of the kernel."""
BYPASS = Fabric(2.18e-6, 0.385e-6, 0.25e-6, 16384, 0.05e-9, 0.1e-9)
"""Ethernet from there on: NICs that bypass the kernel (RoCE, usNIC)."""
FIRST_BYPASSED = 25e9
"""Bits a second."""
TOFU = Fabric(0.9e-6, 0.18e-6, 0.1e-6, 16384, 0.05e-9, 0.1e-9, links=1)
"""Machines with built-in routers."""

INSIDE = MessageCosts(
    latency=0.13e-6,
    send=(Line(0, 20e-9, 0.3e-9), Line(4041, 20e-9)),
    receive=(Line(0, 0.27e-6, 0.06e-9), Line(4041, 0.0, 0.1e-9)),
    eager_limit=4040,
    rendezvous=3.8e-6,
)
COPY = (Line(0, 3e-9, 8e-12), Line(1 << 18, 0.0, 26e-12), Line(1 << 22, 0.0, 37e-12))
REDUCE = (Line(0, 10e-9, 12e-12), Line(1 << 18, 0.0, 27e-12), Line(1 << 22, 0.0, 34e-12))


def fabric_of(rate: str, direct: bool) -> Fabric:
    """`rate` as networks tell it: "4xHDR", "25Gbit/s", "2500Mbit/s"; `direct`: machines have built-in routers."""
    if direct:
        return TOFU
    if lanes := re.fullmatch(r"\d+x([A-Z]+\d*)", rate):
        return LANES[lanes[1]]
    if ethernet := re.fullmatch(r"([\d.]+)([GM])bit/s", rate):
        bits = float(ethernet[1]) * (1e9 if ethernet[2] == "G" else 1e6)
        return BYPASS if bits >= FIRST_BYPASSED else KERNEL
    return LANES[UNKNOWN_RATE[2:]]


def rate_of(network: Network) -> str:
    """That of most links of NICs; "?" if it does not tell."""
    ports = (network.port(endpoint) for endpoint in network.endpoints[:PORTS_LOOKED_AT])
    rates = Counter(port.rate for port in ports)
    return rates.most_common(1)[0][0] if rates else "?"


def assumed_link_latency(network: Network) -> float:
    return fabric_of(rate_of(network), network.direct).link


def assumed_costs(network: Network) -> Costs:
    rate = rate_of(network)
    kind = (
        "links of built-in routers" if network.direct else rate if rate != "?" else f"{UNKNOWN_RATE} (rate not known)"
    )
    return Costs(f"assumed for {kind}", INSIDE, fabric_of(rate, network.direct).costs(), COPY, REDUCE)
