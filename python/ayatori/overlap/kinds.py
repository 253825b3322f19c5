"""What the ranks do while operations that do not block are outstanding: compute, make other calls, or wait for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from ayatori.overlap.replay import Job
from ayatori.traces.files import ALONE, Call, RankTrace, Traffic, calls_without_overlap

Key = TypeVar("Key", bound=Hashable)
NOT_KNOWN = "not known"
_CROSSED = 0.5
"""At least this share of the bytes of operations is seen on the network if they take it."""


@dataclass(frozen=True)
class Kind:
    """The operations of one name and size that do not block."""

    name: str
    bytes: int
    count: int
    """The operations' name and size, and how many there were."""
    protocol: str
    """`eager`, `rendezvous`, `steps of the MPI` (collectives) or `not known`."""
    computing: float
    in_calls: float
    waiting: float
    """Seconds of all ranks while at least one was outstanding: outside of MPI, in calls that ask for none of them, and
    in calls that end one or ask for it in vain (MPI_Test)."""
    late: float | None
    """Seconds of `waiting` before the last operation of another rank that they need had begun; null: not known."""
    moved_early: float | None
    """The share of the bytes on the hosts' interfaces in these times that crossed them while the ranks were outside of
    MPI; null: fewer crossed than half of the operations' bytes."""


@dataclass
class Times:
    """Seconds of ranks, and bytes on their hosts' interfaces, while an operation of a group was outstanding."""

    count: int = 0
    carried: float = 0.0
    """Bytes of the operations."""
    computing: float = 0.0
    in_calls: float = 0.0
    waiting: float = 0.0
    late: float | None = None
    moved_computing: float = 0.0
    moved_in_calls: float = 0.0
    moved_waiting: float = 0.0

    @property
    def moved(self) -> float:
        return self.moved_computing + self.moved_in_calls + self.moved_waiting

    @property
    def crossed(self) -> bool:
        return self.moved >= max(1.0, _CROSSED * self.carried)

    def compute(self, seconds: float, moved: float) -> None:
        self.computing += seconds
        self.moved_computing += moved

    def call(self, inside: float, moved: float) -> None:
        self.in_calls += inside
        self.moved_in_calls += moved

    def wait(self, inside: float, moved: float, late: float | None) -> None:
        self.waiting += inside
        self.moved_waiting += moved
        if late is not None:
            self.late = (self.late or 0.0) + min(late, inside)


def kinds_of(job: Job) -> list[Kind]:
    def key_of(trace: RankTrace, number: int) -> tuple[str, int, str]:
        operation = trace.operations[number]
        return operation.name, operation.bytes, protocol_of(job.traces, trace, number)

    found = []
    for (name, size, protocol), times in times_of(job, key_of).items():
        early = times.moved_computing / times.moved if times.crossed else None
        seconds = (times.computing, times.in_calls, times.waiting, times.late)
        found.append(Kind(name, size, times.count, protocol, *seconds, early))
    return found


def all_together(job: Job) -> Times:
    """Of all operations that do not block."""
    return times_of(job, lambda trace, number: "").get("", Times())


def times_of(job: Job, key_of: Callable[[RankTrace, int], Key]) -> dict[Key, Times]:
    """By the key of their operations."""
    found: dict[Key, Times] = defaultdict(Times)
    traffic = {trace.host: trace.traffic for trace in job.traces if trace.traffic.times}
    for trace in job.traces:
        _add_rank(job, trace, traffic.get(trace.host, Traffic([], [])), key_of, found)
    return found


def _add_rank(
    job: Job, trace: RankTrace, traffic: Traffic, key_of: Callable[[RankTrace, int], Key], found: dict[Key, Times]
) -> None:
    keys = {number: key_of(trace, number) for number in ended_later(trace)}
    outstanding: dict[Key, int] = defaultdict(int)
    before = trace.begin
    for call, begin, inside in calls_without_overlap(trace):
        after = max(begin, call.end)
        ended = [number for number in call.ended if number in keys]
        waited = {keys[number] for number in (*ended, call.tested) if number in keys}
        if outstanding:
            moved, moved_inside = traffic.between(before, begin), traffic.between(begin, after)
        for key in outstanding:
            found[key].compute(after - before - inside, moved)
            if key in waited:
                # What the call begins itself is needed as well: in a fence, all processes.
                own = [number for number in (*call.ended, call.tested) if number >= 0 and keys.get(number, key) == key]
                found[key].wait(inside, moved_inside, _late(job, trace, own, call))
            else:
                found[key].call(inside, moved_inside)
        for number in ended:
            key = keys[number]
            found[key].count += 1
            found[key].carried += trace.operations[number].bytes
            outstanding[key] -= 1
            if outstanding[key] == 0:
                del outstanding[key]
        for number in call.begun:
            if number in keys:
                outstanding[keys[number]] += 1
        before = after


def ended_later(trace: RankTrace) -> list[int]:
    """The operations that one call begins and another one ends."""
    ended = {number: place for place, call in enumerate(trace.calls) for number in call.ended}
    return [
        number for place, call in enumerate(trace.calls) for number in call.begun if ended.get(number, place) != place
    ]


def _late(job: Job, trace: RankTrace, numbers: Sequence[int], call: Call) -> float | None:
    """Of a call that ended these operations, or asked for them."""
    seconds = [job.late_seconds((trace.rank, number), call) for number in numbers]
    return max((late for late in seconds if late is not None), default=None)


def protocol_of(traces: Sequence[RankTrace], trace: RankTrace, number: int) -> str:
    operation = trace.operations[number]
    if operation.name == "synchronous send":
        return "rendezvous"
    if operation.name == "buffered send":
        return "buffered"
    if not operation.is_message:
        return NOT_KNOWN if operation.name in ALONE else "steps of the MPI"
    peer = traces[operation.peer] if 0 <= operation.peer < len(traces) else None
    if peer is None:
        return NOT_KNOWN
    near = peer.host == trace.host
    for other, (eager, above) in traces[0].eager_limits.items():
        if other >= len(traces) or (traces[other].host == traces[0].host) != near:
            continue
        if operation.bytes <= eager:
            return "eager"
        if above and operation.bytes >= above:
            return "rendezvous"
    return NOT_KNOWN
