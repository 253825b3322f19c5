"""Incasts on a simulated network: paper 5's protocols and ours."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

from ayatori.base.compiled import libacp
from ayatori.base.errors import Error


@dataclass(frozen=True)
class Protocol:
    """How clients find out that a message found no buffer, and what they do then."""

    name: str
    timer: float | None = None
    """Seconds after which a packet is sent again; None: from round-trip times."""
    admission: bool = False
    """The server grants credit once its buffers have overflowed. Fixed timers without it are paper 5's protocol."""
    not_ready_delay: float | None = None
    """Reliable connections with a shared receive queue: seconds that an interface waits after a NAK."""
    rnr_retry: int | None = None
    """… and after how many NAKs in a row it gives up: 0 to 6, 7 for never; None: what the scenario says."""


OURS = Protocol("adaptive + admission", admission=True)


@dataclass(frozen=True)
class SimulatedIncast:
    bytes: int
    buffers: int
    """Receive buffers of the server."""
    seed: int = 1
    clients: int = 31
    messages: int = 1000
    """Of each client."""
    queued: int = 1
    """Messages that a client has in hand; 1: the next one when the last is acknowledged, as in paper 5."""
    scenario: Path | None = None
    """A TOML file of the network, as docs/simulated-network.toml; seed and buffers above go before its own."""


class IncastLatencies(TypedDict):
    median: float
    p99: float
    p999: float
    max: float
    """Quantiles over the messages."""


class SimulatedIncastData(TypedDict):
    """Times are those of the simulation."""

    protocol: str
    timer_s: float | None
    """`adaptive + admission` is our transport; `fixed timer` is paper 5's protocol with that timer."""
    senders: int
    bytes: int
    messages: int
    buffers: int
    seed: int
    scenario: str | None
    """As given; `messages` are those of each sender."""
    complete: bool
    delivered: int
    """Whether all messages arrived, and how many did."""
    data_packets: int
    retransmissions: int
    """Packets sent for the first time, and sent again."""
    duplicates: int
    overflowed: int
    """Packets that the receiver had already, and that found no buffer."""
    asks: int
    """How often senders asked what had arrived."""
    broken: int
    """Connections that gave up after their retries; the transport has none."""
    credit: int
    """Packets that the senders were allowed to have in flight at the end, together."""
    messages_per_s: float
    steady_messages_per_s: float
    """From the first to the last message, and while all senders have some."""
    fairness: float
    """Jain's index of the senders' rates: 1 is fair."""
    latency_s: IncastLatencies
    """From the moment a sender had a message in hand to its delivery."""


def result_as_data(protocol: Protocol, incast: SimulatedIncast, result: dict[str, Any]) -> SimulatedIncastData:
    """What was simulated, and what simulate_incast() found; latencies by name."""
    settings = {
        "protocol": protocol.name,
        "timer_s": protocol.timer,
        "senders": incast.clients,
        "bytes": incast.bytes,
        "messages": incast.messages,
        "buffers": incast.buffers,
        "seed": incast.seed,
        "scenario": str(incast.scenario) if incast.scenario else None,
    }
    latencies = dict(zip(("median", "p99", "p999", "max"), result["latency_s"], strict=True))
    return cast("SimulatedIncastData", settings | result | {"latency_s": latencies})


def simulate_incast(protocol: Protocol, incast: SimulatedIncast) -> dict[str, Any]:
    """Counts, messages a second in virtual time, Jain's index and latencies; see ayatori/simulated/incast.hpp."""
    for field in ("bytes", "clients", "messages", "queued"):
        value = getattr(incast, field)
        if not 0 < value < 2**31:
            raise Error(f"{field} is {value}; it must be 1 to {2**31 - 1}")
    acp = libacp()
    scenario = acp.load_network_scenario(str(incast.scenario)) if incast.scenario else acp.NetworkScenario()
    scenario.seed = incast.seed
    scenario.receive_buffers = incast.buffers
    load = acp.IncastLoad()
    load.clients, load.messages = incast.clients, incast.messages
    load.bytes, load.queued = incast.bytes, incast.queued
    if protocol.rnr_retry is not None:
        scenario.rnr_retry = protocol.rnr_retry
    if protocol.not_ready_delay is not None:
        reliable: dict[str, Any] = acp.run_reliable_connections(load, scenario, protocol.not_ready_delay)
        return reliable
    if protocol.timer is None:
        options = acp.adaptive_transport(protocol.admission, incast.buffers)
    else:
        options = acp.fixed_transport(protocol.timer, protocol.admission, incast.buffers)
    counts: dict[str, Any] = acp.run_incast(load, scenario, options)
    return counts
