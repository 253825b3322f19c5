"""A traced program replayed call by call, with communication that goes on while it computes.

What a rank computes between two calls takes as long as it did. An exchange (a message with its receive, a collective)
took T from the moment at which the last of its ranks was where the MPI moves it, which is in the call that ends it,
until the call ended. With progress it takes T from the moment at which the last of them has begun it. A call that ends
operations ends when these are over:

    end of the call = max(its begin, of each operation max(begins of its exchange) + T of the rank)
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ayatori.overlap.trace import ANY, NOBODY, Operation, RankTrace

Place = tuple[int, int]
"""A rank, and the number of an operation of it."""


@dataclass
class Exchange:
    """Operations of several ranks that belong together."""

    places: list[Place] = field(default_factory=list)


@dataclass(frozen=True)
class Replay:
    seconds: float
    """From the first call to the end of the last one, on the rank that takes longest."""
    waiting: float
    """Of all ranks together, in calls that end operations."""
    is_whole: bool
    """Whether all calls could be replayed; if not, seconds are those of the program as it was."""


def exchanges_of(traces: Sequence[RankTrace]) -> dict[Place, Exchange]:
    """By each of their operations. A message that nobody received, or that cannot be distinguished from others, is
    alone."""
    found: dict[Place, Exchange] = {}
    sends: dict[tuple[int, int, tuple[int, ...]], deque[Place]] = defaultdict(deque)
    collectives: dict[tuple[tuple[int, ...], int], Exchange] = {}
    for trace in traces:
        count: dict[tuple[int, ...], int] = defaultdict(int)
        for number, operation in enumerate(trace.operations):
            place = (trace.rank, number)
            if operation.name == "send":
                sends[trace.rank, operation.peer, operation.members].append(place)
            elif not operation.is_message:
                key = (operation.members, count[operation.members])
                count[operation.members] += 1
                found[place] = collectives.setdefault(key, Exchange())
                found[place].places.append(place)
    for trace in traces:
        for number, operation in enumerate(trace.operations):
            if operation.name == "receive":
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


class Job:
    """A traced job, which can be replayed."""

    def __init__(self, traces: Sequence[RankTrace]) -> None:
        self.traces = traces
        self.exchanges = exchanges_of(traces)
        self._begun: dict[Place, float] = {}
        self._ended: dict[Place, tuple[float, float]] = {}
        for trace in traces:
            for call in trace.calls:
                for number in call.begun:
                    self._begun[trace.rank, number] = call.begin
                for number in call.ended:
                    self._ended[trace.rank, number] = (call.begin, call.end)

    @property
    def seconds(self) -> float:
        return max((trace.end - trace.begin for trace in self.traces), default=0.0)

    def own_seconds(self, place: Place) -> float:
        """T of the operation's rank; 0 if it did not wait for the others."""
        if place not in self._ended:
            return 0.0
        together = [self._ended.get(other, (self._begun[other],))[0] for other in self.exchanges[place].places]
        return max(0.0, self._ended[place][1] - max(together))

    def own_call(self, place: Place) -> float:
        """How long the call took that ended the operation."""
        begin, end = self._ended[place]
        return end - begin

    def is_alone(self, place: Place) -> bool:
        """Whether the operation was over before the others were there: an eager message, or one that went early."""
        if place not in self._ended:
            return True
        others = [self._ended.get(other, (self._begun[other],))[0] for other in self.exchanges[place].places]
        return self._ended[place][1] < max(others)

    def replay(self, with_progress: bool, share_of_polls: float = 0.0) -> Replay:
        """`share_of_polls`: by which a computation becomes longer while something is under way, for the progress
        thread."""
        return _Replayer(self, with_progress, share_of_polls).replay()


class _Replayer:
    def __init__(self, job: Job, with_progress: bool, share_of_polls: float) -> None:
        self.job = job
        self.with_progress = with_progress
        self.share_of_polls = share_of_polls
        self.next = [0] * len(job.traces)
        self.clock = [trace.begin for trace in job.traces]
        self.arrived: list[float | None] = [None] * len(job.traces)
        """When a rank has come to its next call, which it can't end yet."""
        self.ready: dict[Place, float] = {}
        """When an operation's rank was where it moves."""
        self.under_way = [0] * len(job.traces)
        self.waiting = 0.0
        self.ending = {
            (trace.rank, number): place
            for trace in job.traces
            for place, call in enumerate(trace.calls)
            for number in call.ended
        }

    def replay(self) -> Replay:
        waiting = deque(range(len(self.job.traces)))
        idle = 0
        while waiting and idle <= len(waiting):
            rank = waiting.popleft()
            idle = 0 if self._go_on(rank) else idle + 1
            if self.next[rank] < len(self.job.traces[rank].calls):
                waiting.append(rank)
        if waiting:
            return Replay(self.job.seconds, self.waiting, False)
        starts = [trace.begin for trace in self.job.traces]
        seconds = max((clock - start for clock, start in zip(self.clock, starts, strict=True)), default=0.0)
        return Replay(seconds, self.waiting, True)

    def _go_on(self, rank: int) -> bool:
        """Replays calls of this rank until one must wait for another rank. Returns whether it replayed any."""
        calls = self.job.traces[rank].calls
        replayed = False
        while self.next[rank] < len(calls):
            call = calls[self.next[rank]]
            if self.arrived[rank] is None:
                self._arrive(rank)
                replayed = True
            arrived = self.arrived[rank]
            assert arrived is not None
            end = arrived if call.ended else arrived + call.end - call.begin
            for number in call.ended:
                over = self._over(rank, number, arrived)
                if over is None:
                    return replayed
                end = max(end, over)
            if call.ended:
                self.waiting += end - arrived
            self.under_way[rank] += len(call.begun) - len(call.ended)
            self.clock[rank] = end
            self.next[rank] += 1
            self.arrived[rank] = None
            replayed = True
        return replayed

    def _arrive(self, rank: int) -> None:
        trace, number = self.job.traces[rank], self.next[rank]
        call = trace.calls[number]
        computed = call.begin - (trace.calls[number - 1].end if number else trace.begin)
        if self.with_progress and self.under_way[rank] > 0:
            computed *= 1 + self.share_of_polls
        arrived = self.clock[rank] + computed
        self.arrived[rank] = arrived
        for begun in call.begun:
            if self.with_progress or (rank, begun) not in self.ending:
                self.ready[rank, begun] = arrived
        for ended in call.ended:
            self.ready.setdefault((rank, ended), arrived)

    def _over(self, rank: int, number: int, arrived: float) -> float | None:
        """When an operation is over; None if a rank that it needs has not come so far."""
        place = (rank, number)
        if self.job.is_alone(place):
            return arrived + self.job.own_call(place)
        times = [self.ready.get(other) for other in self.job.exchanges[place].places]
        known = [time for time in times if time is not None]
        return max(known) + self.job.own_seconds(place) if len(known) == len(times) else None
