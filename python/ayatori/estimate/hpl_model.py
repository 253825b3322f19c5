"""How long HPL takes on a grid of 1 x Q, from what its parts take (docs/hpl-model.md has the equations)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from ayatori.base.errors import Error
from ayatori.estimate.shared_cores import SharedCores, Then
from ayatori.linpack.kernels import Kernels
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
        return columns * self._at(rows, [kernels.update / kernels.columns for kernels in self._measured])

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


def model_hpl(
    point: Point, parts: PartTimes, depth: int = 1, machine_of: Sequence[int] = (), cores: Sequence[int] = ()
) -> Modelled:
    """The machine of each process, and the cores of each machine; without them every process has a core for itself.

    Raises Error for what check_modelled() refuses.
    """
    check_modelled(point, depth)
    shared = SharedCores(machine_of or range(point.columns), cores or [1] * point.columns)
    factoring = _Factoring(point, parts, depth, shared)
    seconds = factoring.run() + _backward(point, parts, factoring.count)
    if seconds <= 0:
        raise Error("the parts took no time that can be measured", hint="a larger N")
    gflops = point.operations / seconds / 1e9
    return Modelled(seconds, gflops, factoring.panels, factoring.updates, factoring.messages)


class _Factoring:
    """What each process does: it gets a panel, passes it on, updates its columns, and waits for the next one."""

    def __init__(self, point: Point, parts: PartTimes, depth: int, cores: SharedCores) -> None:
        self._point, self._parts, self._depth, self._cores = point, parts, depth, cores
        self.count = -(-point.order // point.block)
        self.panels = self.updates = self.messages = 0.0
        """Seconds of all processes together, with a core for each."""
        self._next = [0] * point.columns
        """The panel that each process needs next."""
        self._waits = [True] * point.columns
        self._offered: list[set[int]] = [set() for _ in range(point.columns)]
        """Panels that each process can get: its own, or those that the one before it in the ring has."""

    def run(self) -> float:
        self._factor(0)
        return self._cores.run()

    def _owner(self, panel: int) -> int:
        return panel % self._point.columns

    def _rows(self, panel: int) -> int:
        """Of the trailing matrix, whose first columns are the panel."""
        return self._point.order - panel * self._point.block

    def _factor(self, panel: int, then: Then = lambda: None) -> None:
        seconds = self._parts.panel(self._rows(panel))
        self.panels += seconds
        owner = self._owner(panel)

        def factored() -> None:
            self._offer(panel, owner)
            self._pass_on(panel, owner)
            then()

        self._cores.compute(owner, seconds, factored)

    def _offer(self, panel: int, process: int) -> None:
        self._offered[process].add(panel)
        self._get(process)

    def _pass_on(self, panel: int, process: int) -> None:
        following = (process + 1) % self._point.columns
        if following != self._owner(panel):
            self._offer(panel, following)

    def _get(self, process: int) -> None:
        panel = self._next[process]
        if not self._waits[process] or panel not in self._offered[process]:
            return
        self._waits[process] = False
        self._offered[process].remove(panel)
        if process == self._owner(panel):
            self._update(panel, process)
            return
        seconds = self._parts.message(self._rows(panel))
        self.messages += seconds

        def arrived() -> None:
            self._pass_on(panel, process)
            self._update(panel, process)

        self._cores.wait(seconds, arrived)

    def _update(self, panel: int, process: int) -> None:
        """With a look-ahead of 1, the process of the next panel updates and factors that one first."""
        rows = self._rows(panel)
        columns = _trailing_columns(self._point, panel, process)
        seconds = self._parts.update(rows, columns)
        self.updates += seconds
        following = panel + 1
        if following == self.count or process != self._owner(following):
            self._cores.compute(process, seconds, lambda: self._done(process))
            return
        before = self._parts.update(rows, min(self._point.block, columns)) if self._depth else seconds

        def rest() -> None:
            self._cores.compute(process, seconds - before, lambda: self._done(process))

        self._cores.compute(process, before, lambda: self._factor(following, rest))

    def _done(self, process: int) -> None:
        self._next[process] += 1
        self._waits[process] = True
        self._get(process)


def _trailing_columns(point: Point, k: int, process: int) -> int:
    """Columns right of panel `k` that a process has; the right-hand side is one of them."""
    done = min((k + 1) * point.block, point.order)
    total = local_size(point.order + 1, point.block, process, point.columns)
    return total - local_size(done, point.block, process, point.columns)


def _backward(point: Point, parts: PartTimes, count: int) -> float:
    """One process after another has the columns of a block, and multiplies them with its unknowns."""
    return sum(parts.solve(max(point.order - k * point.block, 1)) for k in range(count))
