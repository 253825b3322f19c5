"""What messages and local operations cost: the numbers of the model that ayatori/flow/simulate.hpp describes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ayatori import _core


@dataclass(frozen=True)
class Line:
    """`seconds` + bytes x `seconds_per_byte`, for sizes from `first` bytes up to the next line's."""

    first: int
    seconds: float
    seconds_per_byte: float = 0


SizeCost = tuple[Line, ...]
"""A time by the number of bytes; 0 below the first line, so without lines everywhere."""


def seconds_of(cost: SizeCost, size: int) -> float:
    line = next((line for line in reversed(cost) if line.first <= size), None)
    return line.seconds + size * line.seconds_per_byte if line else 0


@dataclass(frozen=True)
class MessageCosts:
    """Of messages inside a machine, or between machines. Seconds; 0 is no time."""

    latency: float = 0
    """From when the sender's processor is done until a first byte arrives, without that of links."""
    send: SizeCost = ()
    """Time of the sender's processor."""
    receive: SizeCost = ()
    gap: float = 0
    """Least time between two messages out of one NIC (inside a machine: out of one rank)."""
    eager_limit: int = 0
    """Larger messages wait for their receive."""
    rendezvous: float = 0
    """More latency of messages above the eager limit."""
    bandwidth: float = 0
    """Bytes a second out of, and into, a NIC; inside a machine of all messages together; 0: no limit but the links."""
    burst: int = 0
    """Bytes that pass at once through a NIC that had nothing to carry, as a token bucket of so many lets them."""
    packet: int = 0
    """Of messages between machines: bytes of one in a packet, which passes the token bucket whole as soon as that owes
    nothing; 0: byte by byte."""
    header: int = 0
    """Of messages between machines: bytes that flow with each, beside those that grow with its size."""


@dataclass(frozen=True)
class Costs:
    origin: str = "given"
    """Where the numbers come from, in words."""
    inside: MessageCosts = MessageCosts()
    between: MessageCosts = MessageCosts()
    copy: SizeCost = ()
    """Of a local copy."""
    reduce: SizeCost = ()
    """Of combining two vectors of so many bytes each."""
    again: SizeCost = ()
    """More than that where the result replaces what was sent in the same step."""
    start: float = 0
    """From the call of a collective until its first step begins."""
    cores: int = 0
    """Of each machine; 0: as many as it has ranks."""
    turn: SizeCost = ()
    """A message waits so long where two ranks share a core, and as much longer with more."""
    first_turn: float = 0
    """A rank begins so much later for each further rank that shares its core."""
    crowded: SizeCost = ()
    """More of a receiver's processor for a message within a machine where two ranks share a core, and as much longer
    with more."""


FREE = Costs()
"""Messages take the time of their bytes and of their links' latency, and nothing else takes time."""


def fixed(seconds: float) -> SizeCost:
    """The same for all sizes."""
    return (Line(0, seconds),) if seconds else ()


def to_core(costs: Costs) -> _core.CommunicationCosts:
    core = _core.CommunicationCosts()
    core.inside = message_costs_to_core(costs.inside)
    core.between = message_costs_to_core(costs.between)
    core.copy = size_cost_to_core(costs.copy)
    core.reduce = size_cost_to_core(costs.reduce)
    core.again = size_cost_to_core(costs.again)
    core.start = costs.start
    core.cores, core.turn, core.first_turn = costs.cores, size_cost_to_core(costs.turn), costs.first_turn
    core.crowded = size_cost_to_core(costs.crowded)
    return core


def from_core(core: _core.CommunicationCosts, origin: str) -> Costs:
    return Costs(
        origin,
        message_costs_from_core(core.inside),
        message_costs_from_core(core.between),
        size_cost_from_core(core.copy),
        size_cost_from_core(core.reduce),
        size_cost_from_core(core.again),
        core.start,
        core.cores,
        size_cost_from_core(core.turn),
        core.first_turn,
        size_cost_from_core(core.crowded),
    )


def size_cost_to_core(cost: SizeCost) -> list[_core.CostLine]:
    return [_core.CostLine(line.first, line.seconds, line.seconds_per_byte) for line in cost]


def size_cost_from_core(lines: Sequence[_core.CostLine]) -> SizeCost:
    return tuple(Line(line.first, line.seconds, line.seconds_per_byte) for line in lines)


_NUMBERS = ("latency", "gap", "eager_limit", "rendezvous", "bandwidth", "burst", "packet", "header")


def message_costs_to_core(costs: MessageCosts) -> _core.MessageCosts:
    core = _core.MessageCosts()
    for name in _NUMBERS:
        setattr(core, name, getattr(costs, name))
    core.send, core.receive = size_cost_to_core(costs.send), size_cost_to_core(costs.receive)
    return core


def message_costs_from_core(core: _core.MessageCosts) -> MessageCosts:
    numbers: dict[str, Any] = {name: getattr(core, name) for name in _NUMBERS}
    return MessageCosts(send=size_cost_from_core(core.send), receive=size_cost_from_core(core.receive), **numbers)
