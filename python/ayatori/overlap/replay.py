"""A traced program replayed call by call, with communication that goes on while it computes.

What a rank computes between two calls takes as long as it did. An exchange (a message with its receive, a collective)
took T from the moment at which the last of its ranks was where the MPI moves it, which is in the call that ends it,
until the call ended. With progress it takes T from the moment at which the last of them has begun it. A call that ends
operations ends when these are over:

    end of the call = max(its begin, of each operation max(begins of its exchange) + T of the rank)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from ayatori.traces.exchanges import Place, exchanges_of, needed_by
from ayatori.traces.files import ALONE, Call, RankTrace


@dataclass(frozen=True)
class Replay:
    seconds: float
    """From MPI_Init to MPI_Finalize, on the rank that takes longest."""
    waiting: float
    """Of all ranks together, in calls that end operations."""
    is_whole: bool
    """Whether all calls could be replayed; if not, seconds are those of the program as it was."""


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

    def late_seconds(self, place: Place, call: Call) -> float | None:
        """Of this call: before the last operation that this one needs had begun; None: not known."""
        needed = needed_by(self.traces, place, self.exchanges[place])
        if needed is None:
            return None
        last = max((self._begun[other] for other in needed), default=call.begin)
        return min(max(last, call.begin), call.end) - call.begin

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
        rest = [trace.end - trace.calls[-1].end if trace.calls else 0.0 for trace in self.job.traces]
        totals = [clock + after - start for clock, after, start in zip(self.clock, rest, starts, strict=True)]
        seconds = max(totals, default=0.0)
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
            helped = self.with_progress and trace.operations[begun].name not in ALONE
            if helped or (rank, begun) not in self.ending:
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
