"""How long HPL takes on a grid of 1 x Q, from what its parts take (docs/hpl-model.md has the equations)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from ayatori.base.errors import Error
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


def model_hpl(point: Point, parts: PartTimes, depth: int = 1) -> Modelled:
    """Goes through the panels, with a clock for each process. Raises Error for what check_modelled() refuses."""
    check_modelled(point, depth)
    clocks = [0.0] * point.columns
    panels = updates = messages = 0.0
    ready = parts.panel(point.order)
    clocks[0] += ready
    panels += ready
    count = -(-point.order // point.block)
    for k in range(count):
        rows = point.order - k * point.block
        width = min(point.block, rows)
        owner, following = k % point.columns, (k + 1) % point.columns
        arrival = ready
        for distance in range(point.columns):
            process = (owner + distance) % point.columns
            if distance:
                arrival = max(arrival, clocks[process]) + parts.message(rows)
                messages += parts.message(rows)
            clocks[process] = max(clocks[process], arrival)
        next_ready = 0.0
        for process in range(point.columns):
            columns = _trailing_columns(point, k, process)
            seconds = parts.update(rows, columns)
            updates += seconds
            if process == following and k + 1 < count:
                first = min(point.block, columns)
                before = parts.update(rows, first if depth else columns)
                factored = parts.panel(rows - width)
                panels += factored
                next_ready = clocks[process] + before + factored
                clocks[process] += seconds + factored
            else:
                clocks[process] += seconds
        ready = next_ready
    seconds = max(clocks) + _backward(point, parts, count)
    if seconds <= 0:
        raise Error("the parts took no time that can be measured", hint="a larger N")
    return Modelled(seconds, point.operations / seconds / 1e9, panels, updates, messages)


def _trailing_columns(point: Point, k: int, process: int) -> int:
    """Columns right of panel `k` that a process has; the right-hand side is one of them."""
    done = min((k + 1) * point.block, point.order)
    total = local_size(point.order + 1, point.block, process, point.columns)
    return total - local_size(done, point.block, process, point.columns)


def _backward(point: Point, parts: PartTimes, count: int) -> float:
    """One process after another has the columns of a block, and multiplies them with its unknowns."""
    return sum(parts.solve(max(point.order - k * point.block, 1)) for k in range(count))
