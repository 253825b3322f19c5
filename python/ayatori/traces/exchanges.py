"""Which operations of different ranks belong together, and which of them an operation needs."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ayatori.traces.files import ALONE, ANY, NOBODY, SENDS, Operation, RankTrace

Place = tuple[int, int]
"""A rank, and the number of an operation of it."""
_ALL = ("allreduce", "allgather", "alltoall", "barrier", "reduce-scatter", "fence")
"""Collectives in which each process needs all others."""


@dataclass
class Exchange:
    """Operations of several ranks that belong together."""

    places: list[Place] = field(default_factory=list)


def exchanges_of(traces: Sequence[RankTrace]) -> dict[Place, Exchange]:
    """By each of their operations. A message that nobody received, or that cannot be distinguished from others, is
    alone."""
    found: dict[Place, Exchange] = {}
    sends: dict[tuple[int, int, tuple[int, ...]], deque[Place]] = defaultdict(deque)
    collectives: dict[tuple[tuple[int, ...], str, int], Exchange] = {}
    for trace in traces:
        count: dict[tuple[tuple[int, ...], str], int] = defaultdict(int)
        for number, operation in enumerate(trace.operations):
            place = (trace.rank, number)
            if operation.name in SENDS:
                sends[trace.rank, operation.peer, operation.members].append(place)
            elif operation.name in ALONE or trace.rank not in operation.members:
                found[place] = Exchange([place])
            elif not operation.is_message:
                kind = (operation.members, operation.name)
                found[place] = collectives.setdefault((*kind, count[kind]), Exchange())
                found[place].places.append(place)
                count[kind] += 1
    for trace in traces:
        for number, operation in enumerate(trace.operations):
            if operation.name == "receive" and (trace.rank, number) not in found:
                found[trace.rank, number] = _received(traces, sends, trace.rank, operation, found)
                found[trace.rank, number].places.append((trace.rank, number))
    for places in sends.values():
        for place in places:
            found.setdefault(place, Exchange([place]))
    return found


def _received(
    traces: Sequence[RankTrace],
    sends: dict[tuple[int, int, tuple[int, ...]], deque[Place]],
    rank: int,
    receive: Operation,
    found: dict[Place, Exchange],
) -> Exchange:
    """The exchange of the message that this receive gets: the first that fits and was not received."""
    if receive.peer == NOBODY:
        return Exchange()
    senders: Iterable[int] = receive.members if receive.peer == ANY else [receive.peer]
    for sender in senders:
        waiting = sends.get((sender, rank, receive.members), deque())
        for place in waiting:
            if receive.tag in (ANY, traces[sender].operations[place[1]].tag):
                waiting.remove(place)
                found[place] = Exchange([place])
                return found[place]
    return Exchange()


def needed_by(traces: Sequence[RankTrace], place: Place, exchange: Exchange) -> list[Place] | None:
    """Operations of other ranks without whose begin this one can't end, whatever the MPI does; None: they are not
    known. A standard send may end without its receive: whether it does is seen by when it ends."""
    rank, number = place
    operation = traces[rank].operations[number]
    others = [other for other in exchange.places if other[0] != rank]
    if operation.name == "buffered send" or operation.peer == NOBODY:
        return []
    if operation.is_message:
        return others or None
    if operation.name in ALONE or operation.name == "neighbours" or len(others) + 1 != len(operation.members):
        return None
    if operation.name in _ALL:
        return others
    if operation.name in ("broadcast", "scatter"):
        return [other for other in others if other[0] == operation.peer]
    if operation.name in ("gather", "reduce"):
        return others if rank == operation.peer else []
    if operation.name == "scan":
        order = operation.members
        return [other for other in others if order.index(other[0]) < order.index(rank)]
    return None
