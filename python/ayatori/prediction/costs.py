"""What messages and local operations cost: the numbers of the model that ayatori/flow/simulate.hpp describes."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ayatori import _core

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class Line:
    """A time by size: `seconds` + bytes x `seconds_per_byte`, for sizes from `first` bytes up to the next line's."""

    first: int
    seconds: float
    seconds_per_byte: float = 0
    """The first size that it holds for, seconds, and more seconds per byte."""


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
    """Time of the receiver's processor."""
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
    """Of messages between machines: bytes that flow with each, in addition to those that grow with its size."""


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
    cache_refill: SizeCost = ()
    """More than that where the result replaces what was sent in the same step."""
    start: float = 0
    """From the call of a collective until its first step begins."""
    cores: int = 0
    """Of each machine; 0: as many as it has ranks."""
    scheduling_delay: SizeCost = ()
    """A message waits so long where two ranks share a core, and as much longer with more."""
    start_skew: float = 0
    """A rank begins so much later for each further rank that shares its core."""
    oversubscription: SizeCost = ()
    """More of a receiver's processor for a message within a machine where two ranks share a core, and as much longer
    with more."""


FREE = Costs()
"""Messages take the time of their bytes and of their links' latency, and nothing else takes time."""


def fixed(seconds: float) -> SizeCost:
    """The same for all sizes."""
    return (Line(0, seconds),) if seconds else ()


def to_core(value: Any) -> Any:
    """The core's object, or list of objects, of what stands in this module; other values as they are."""
    match value:
        case Line(first, seconds, seconds_per_byte):
            return _core.CostLine(first, seconds, seconds_per_byte)
        case MessageCosts():
            return with_members_of(value, _core.MessageCosts())
        case Costs():
            return with_members_of(value, _core.CommunicationCosts())
        case tuple() | list():
            return [to_core(each) for each in value]
    return value


def with_members_of(value: Any, core: Any) -> Any:
    """Sets the members of the core's object that a dataclass has by the same names."""
    for member in fields(value):
        if hasattr(core, member.name):
            setattr(core, member.name, to_core(getattr(value, member.name)))
    return core


def from_core(core: Any) -> Any:
    """What to_core() makes the same of."""
    match core:
        case _core.CostLine():
            return Line(core.first, core.seconds, core.seconds_per_byte)
        case _core.MessageCosts():
            return MessageCosts(**members_in(core, MessageCosts))
        case _core.CommunicationCosts():
            return Costs(**members_in(core, Costs))
        case list():
            return tuple(map(from_core, core))
    return core


def members_in(core: Any, kind: type[DataclassInstance]) -> dict[str, Any]:
    """The members of a dataclass that the core's object has by the same names."""
    names = [member.name for member in fields(kind) if hasattr(core, member.name)]
    return {name: from_core(getattr(core, name)) for name in names}
