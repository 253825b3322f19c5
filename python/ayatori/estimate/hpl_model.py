"""How long HPL takes on a grid of 1 x Q, from what its parts take (docs/hpl-model.md has the equations)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import log

from ayatori.base.errors import Error
from ayatori.estimate.shared_cores import SharedCores, Then
from ayatori.linpack.kernels import Kernels, Placement
from ayatori.linpack.running import local_size
from ayatori.linpack.settings import Point


@dataclass(frozen=True)
class Modelled:
    seconds: float
    gflops: float
    panels: float
    """Seconds of factoring, of all processes together."""
    updates: float
    messages: float


class PartTimes:
    """Seconds of the parts at any height: straight lines between measured heights, of the times' logarithms."""

    def __init__(self, measured: Sequence[Kernels]) -> None:
        if not measured:
            raise Error("nothing was measured")
        self._measured = sorted(measured, key=lambda kernels: kernels.rows)

    def panel(self, rows: int) -> float:
        return self._at(rows, [kernels.panel for kernels in self._measured])

    def update(self, rows: int, columns: int) -> float:
        """Of many columns at once."""
        return columns * self._at(rows, [kernels.update / kernels.columns for kernels in self._measured])

    def block_update(self, rows: int) -> float:
        """Of NB columns: kernels are slower for few."""
        return self._at(rows, [kernels.block_update for kernels in self._measured])

    def message(self, rows: int) -> float:
        return self._at(rows, [kernels.message for kernels in self._measured])

    def solve(self, rows: int) -> float:
        return self._at(rows, [kernels.solve for kernels in self._measured])

    def _at(self, rows: int, seconds: Sequence[float]) -> float:
        """Below the lowest height the time shrinks with the rows; above the highest it grows with them."""
        heights = [kernels.rows for kernels in self._measured]
        if rows <= heights[0]:
            return seconds[0] * rows / heights[0]
        if rows >= heights[-1]:
            return seconds[-1] * rows / heights[-1]
        above = next(place for place, height in enumerate(heights) if height >= rows)
        low, high = seconds[above - 1], seconds[above]
        if low <= 0 or high <= 0:
            return 0.0
        share = log(rows / heights[above - 1]) / log(heights[above] / heights[above - 1])
        return float(low * (high / low) ** share)


def check_modelled(point: Point, depth: int) -> None:
    """Raises Error for what the model does not have."""
    if point.rows != 1:
        raise Error("the model has grids of one row of processes", hint="--grids 1x4")
    if depth not in (0, 1):
        raise Error("the model has a look-ahead of 0 or 1", hint="--depth 1")
    if point.block > point.order:
        raise Error(f"NB {point.block} is more than N {point.order}")


def model_hpl(point: Point, parts: PartTimes, depth: int, placement: Placement) -> Modelled:
    """Raises Error for what check_modelled() refuses."""
    check_modelled(point, depth)
    factoring = _Factoring(point, parts, depth, placement)
    seconds = factoring.run() + _backward(point, parts, factoring.count)
    if seconds <= 0:
        raise Error("the parts took no time that can be measured", hint="a larger N")
    gflops = point.operations / seconds / 1e9
    return Modelled(seconds, gflops, factoring.panels, factoring.updates, factoring.messages)


_Step = Callable[[Then], None]
"""Begins something that takes time, and calls what it is given at its end."""


class _Factoring:
    """What the processes do, one after another: each is a generator of steps."""

    def __init__(self, point: Point, parts: PartTimes, depth: int, placement: Placement) -> None:
        self._point, self._parts, self._depth, self._placement = point, parts, depth, placement
        self._cores = SharedCores(placement.machine_of, placement.cores)
        self.count = -(-point.order // point.block)
        self.panels = self.updates = self.messages = 0.0
        """Seconds of all processes together, with a core for each."""
        self._incoming = [_Rendezvous() for _ in range(point.columns)]
        """Between each process and the one before it in the ring."""

    def run(self) -> float:
        for process in range(self._point.columns):
            _do(self._process(process))
        return self._cores.run()

    def _process(self, me: int) -> Iterator[_Step]:
        if self._owner(0) == me:
            yield self._factor(0, me)
        yield from self._broadcast(0, me)
        for panel in range(self.count):
            columns = _trailing_columns(self._point, panel, me)
            if panel + 1 == self.count:
                yield self._update(panel, me, columns)
            elif self._depth == 0:
                yield self._update(panel, me, columns)
                if self._owner(panel + 1) == me:
                    yield self._factor(panel + 1, me)
                yield from self._broadcast(panel + 1, me)
            elif self._owner(panel + 1) == me:
                yield self._update_block(panel, me, columns)
                yield self._factor(panel + 1, me)
                yield from self._broadcast(panel + 1, me)
                yield self._update(panel, me, max(0, columns - self._point.block))
            else:
                yield from self._update_and_look_for_the_next(panel, me, columns)

    def _update_and_look_for_the_next(self, panel: int, me: int, columns: int) -> Iterator[_Step]:
        """A block of columns after the other until the next panel is there; then the rest at once."""
        while columns > 0 and not self._incoming[me].offered:
            yield self._update_block(panel, me, columns)
            columns -= min(self._point.block, columns)
        yield from self._broadcast(panel + 1, me)
        yield self._update(panel, me, columns)

    def _broadcast(self, panel: int, me: int) -> Iterator[_Step]:
        """Around the ring, from the owner to the process before it."""
        following = (me + 1) % self._point.columns
        if self._owner(panel) != me:
            yield partial(self._incoming[me].take, self._receive(panel, me))
        if self._owner(panel) != following:
            yield self._incoming[following].offer

    def _owner(self, panel: int) -> int:
        return panel % self._point.columns

    def _rows(self, panel: int) -> int:
        """Of the trailing matrix, whose first columns are the panel."""
        return self._point.order - panel * self._point.block

    def _factor(self, panel: int, me: int) -> _Step:
        seconds = self._parts.panel(self._rows(panel))
        self.panels += seconds
        return partial(self._cores.compute, me, seconds)

    def _update_block(self, panel: int, me: int, columns: int) -> _Step:
        """Of NB columns, if there are so many."""
        share = min(self._point.block, columns) / self._point.block
        return self._updating(me, share * self._parts.block_update(self._rows(panel)))

    def _update(self, panel: int, me: int, columns: int) -> _Step:
        return self._updating(me, self._parts.update(self._rows(panel), columns))

    def _receive(self, panel: int, me: int) -> _Step:
        """A core copies what comes through memory."""
        seconds = self._parts.message(self._rows(panel))
        self.messages += seconds
        host_of = self._placement.host_of
        if host_of[me] == host_of[me - 1]:
            return partial(self._cores.compute, me, seconds)
        return partial(self._cores.wait, seconds)

    def _updating(self, me: int, seconds: float) -> _Step:
        self.updates += seconds
        return partial(self._cores.compute, me, seconds)


def _do(steps: Iterator[_Step]) -> None:
    step = next(steps, None)
    if step is not None:
        step(lambda: _do(steps))


class _Rendezvous:
    """A message that begins when both sides are there, and keeps both until it is over."""

    def __init__(self) -> None:
        self._sent: Then | None = None
        self._taken: Then | None = None

    @property
    def offered(self) -> bool:
        return self._sent is not None

    def offer(self, then: Then) -> None:
        self._sent = then
        if self._taken:
            self._taken()

    def take(self, travel: _Step, then: Then) -> None:
        def begin() -> None:
            sent, self._sent, self._taken = self._sent, None, None
            assert sent is not None

            def arrived() -> None:
                sent()
                then()

            travel(arrived)

        self._taken = begin
        if self.offered:
            begin()


def _trailing_columns(point: Point, k: int, process: int) -> int:
    """Columns right of panel `k` that a process has; the right-hand side is one of them."""
    done = min((k + 1) * point.block, point.order)
    total = local_size(point.order + 1, point.block, process, point.columns)
    return total - local_size(done, point.block, process, point.columns)


def _backward(point: Point, parts: PartTimes, count: int) -> float:
    """One process after another has the columns of a block, and multiplies them with its unknowns."""
    return sum(parts.solve(max(point.order - k * point.block, 1)) for k in range(count))
