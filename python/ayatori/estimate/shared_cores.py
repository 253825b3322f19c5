"""Processes that compute on the cores of their machines, in virtual time. Where more of them compute than there are
cores, all get the same share of these (egalitarian processor sharing)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count

Then = Callable[[], None]


class SharedCores:
    """Times are in seconds. What follows on an end is called at its time, in the order in which it was asked for."""

    def __init__(self, machine_of: Sequence[int], cores: Sequence[int]) -> None:
        """The machine of each process, by number, and the cores of each machine."""
        self._machine_of = machine_of
        self._machines = [_Machine(number) for number in cores]
        self._order = count()
        self._events: list[tuple[float, int, Then]] = []
        self.now = 0.0

    def wait(self, seconds: float, then: Then) -> None:
        """Takes no core."""
        heappush(self._events, (self.now + seconds, next(self._order), then))

    def compute(self, process: int, seconds: float, then: Then) -> None:
        """`seconds`: with a core of its own."""
        machine = self._machines[self._machine_of[process]]
        machine.advance(self.now)
        heappush(machine.running, (machine.done + seconds, next(self._order), then))
        self._expect_end(machine)

    def run(self) -> float:
        """Until nothing is left to happen; returns when that is."""
        while self._events:
            self.now, _, then = heappop(self._events)
            then()
        return self.now

    def _expect_end(self, machine: _Machine) -> None:
        """Of what ends first on the machine, unless something begins or ends there before."""
        if not machine.running:
            return
        machine.changes += 1
        changes = machine.changes
        self.wait(max(0.0, machine.running[0][0] - machine.done) / machine.speed(), lambda: self._end(machine, changes))

    def _end(self, machine: _Machine, changes: int) -> None:
        if changes != machine.changes:
            return
        machine.advance(self.now)
        end, _, then = heappop(machine.running)
        machine.done = max(machine.done, end)  # rounded, it may be a little less
        self._expect_end(machine)
        then()


class _Machine:
    def __init__(self, cores: int) -> None:
        self.cores = cores
        self.running: list[tuple[float, int, Then]] = []
        """When each ends, by `done`."""
        self.done = 0.0
        """Seconds of work that a process has done which has computed since the beginning."""
        self.changes = 0
        self._advanced_to = 0.0

    def speed(self) -> float:
        return min(1.0, self.cores / len(self.running))

    def advance(self, now: float) -> None:
        if self.running:
            self.done += (now - self._advanced_to) * self.speed()
        self._advanced_to = now
