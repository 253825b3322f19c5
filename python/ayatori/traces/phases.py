"""The steps of a traced program: which of its messages start together.

A message starts in the step that its sender has come to. A rank comes to the step after that of a message when a call
has ended the message's send or its receive; messages that it begins before are in one step. A collective begins in the
step of its last rank, and takes as many steps as its algorithm.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace

from ayatori.base.errors import Error
from ayatori.traces.exchanges import Place, exchanges_of
from ayatori.traces.files import SENDS, Call, Operation, RankTrace

Step = dict[tuple[int, int], int]
"""Bytes, by sender and receiver."""
StepsOfCollective = Callable[[Operation], Sequence[Step] | None]
"""Ranks are numbers of the operation's members; None: nobody knows them."""

_FROM_ORIGIN = ("put", "accumulate", "partitioned send")
_ALONE = (*_FROM_ORIGIN, "get", "neighbours")
"""They end without others."""
_NO_MESSAGES = ("partitioned receive", "file read", "file write")


class Phases:
    """The steps of a traced job, in their order; those of the same pairs are one, with the sum of their bytes."""

    def __init__(self, traces: Sequence[RankTrace], steps_of_collective: StepsOfCollective) -> None:
        for trace in traces:
            if trace.left_out:
                raise Error(
                    f"rank {trace.rank} made {trace.left_out:,} calls more than a trace holds",
                    hint="trace a shorter run",
                )
        self._traces = traces
        self._steps_of_collective = steps_of_collective
        self._exchanges = exchanges_of(traces)
        self._steps: list[Step] = []
        self._step_of_rank = [0] * len(traces)
        self._next = [0] * len(traces)
        self._has_arrived = [False] * len(traces)
        self._begun: dict[Place, int] = {}
        """The step in which an operation began."""
        self._ended: dict[int, int] = {}
        """By the id of a collective's exchange: the first step after it."""
        self.unknown: set[str] = set()
        """Kinds of operations whose messages nobody knows."""
        self._run()

    @property
    def steps(self) -> list[Step]:
        found: dict[frozenset[tuple[int, int]], Step] = {}
        for step in self._steps:
            if not step:
                continue
            sums = found.setdefault(frozenset(step), dict.fromkeys(step, 0))
            for pair, size in step.items():
                sums[pair] += size
        return list(found.values())

    def _run(self) -> None:
        waiting = deque(range(len(self._traces)))
        idle = 0
        while waiting:
            rank = waiting.popleft()
            idle = 0 if self._go_on(rank) else idle + 1
            if self._next[rank] < len(self._traces[rank].calls):
                waiting.append(rank)
            if waiting and idle > len(waiting):
                call = self._traces[rank].calls[self._next[rank]]
                raise Error("the ranks' traces do not fit together", f"rank {rank} waits forever in {call.name}")

    def _go_on(self, rank: int) -> bool:
        """Until a call must wait for another rank. Returns whether there was anything to do."""
        calls = self._traces[rank].calls
        went_on = False
        while self._next[rank] < len(calls):
            call = calls[self._next[rank]]
            if not self._has_arrived[rank]:
                self._has_arrived[rank] = went_on = True
                for number in call.begun:
                    self._begin(rank, number)
            after = self._after(rank, call)
            if after is None:
                return went_on
            self._step_of_rank[rank] = after
            self._next[rank] += 1
            self._has_arrived[rank] = False
            went_on = True
        return went_on

    def _begin(self, rank: int, number: int) -> None:
        operation = self._traces[rank].operations[number]
        step = self._begun[rank, number] = self._step_of_rank[rank]
        if operation.name in SENDS or operation.name in _FROM_ORIGIN:
            self._add(step, rank, operation.peer, operation.bytes)
        elif operation.name == "get":
            self._add(step, operation.peer, rank, operation.bytes)
        elif operation.name == "neighbours":
            for receiver in operation.receivers:
                self._add(step, rank, receiver, operation.bytes)
        elif operation.name not in _NO_MESSAGES and operation.name != "receive":
            self._begin_collective(rank, number, operation)

    def _begin_collective(self, rank: int, number: int, operation: Operation) -> None:
        exchange = self._exchanges[rank, number]
        if any(place not in self._begun for place in exchange.places):
            return
        start = end = max(self._begun[place] for place in exchange.places)
        members = operation.members
        own = [self._traces[place[0]].operations[place[1]].bytes for place in exchange.places]
        whole = replace(operation, bytes=sum(own) // len(own))
        steps = self._steps_of_collective(whole) if len(own) == len(members) else None
        if steps is None:
            self.unknown.add(operation.name)
        for end, step in enumerate(steps or [], start):
            for (sender, receiver), size in step.items():
                self._add(end, members[sender], members[receiver], size)
        self._ended[id(exchange)] = end + 1

    def _add(self, step: int, sender: int, receiver: int, size: int) -> None:
        ranks = range(len(self._traces))
        if sender == receiver or size <= 0 or sender not in ranks or receiver not in ranks:
            return
        while len(self._steps) <= step:
            self._steps.append({})
        sizes = self._steps[step]
        sizes[sender, receiver] = sizes.get((sender, receiver), 0) + size

    def _after(self, rank: int, call: Call) -> int | None:
        """The step to which the rank comes by this call; None: another rank has not come so far."""
        step = self._step_of_rank[rank]
        for number in call.ended:
            operation, exchange = self._traces[rank].operations[number], self._exchanges[rank, number]
            begun = self._begun.get((rank, number), step)
            if operation.name == "receive":
                sends = [place for place in exchange.places if place != (rank, number)]
                if any(place not in self._begun for place in sends):
                    return None
                step = max([step, *(self._begun[place] + 1 for place in sends)])
            elif operation.peer == rank and operation.name in _ALONE:
                continue  # such as polls of the own memory
            elif operation.is_message or operation.name in _ALONE:
                step = max(step, begun + 1)
            elif operation.name not in _NO_MESSAGES:
                if id(exchange) not in self._ended:
                    return None
                step = max(step, self._ended[id(exchange)])
        return step


def pattern_of(steps: Sequence[Step]) -> str:
    """As a pattern file has them."""
    return "\n".join("".join(f"{a} {b} {size}\n" for (a, b), size in sorted(step.items())) for step in steps)
