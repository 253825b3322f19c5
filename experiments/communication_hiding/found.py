"""What was predicted and measured, and questions about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from experiments.communication_hiding.ito import KrylovPoint, OverlapPoint, StencilPoint


@dataclass
class Found:
    orders: Sequence[int]
    nodes: Sequence[int]
    stencils: list[tuple[StencilPoint, dict[str, list[float]]]] = field(default_factory=list)
    overlaps: list[tuple[OverlapPoint, dict[str, dict[str, Any]]]] = field(default_factory=list)
    krylovs: list[tuple[KrylovPoint, dict[str, dict[str, float]]]] = field(default_factory=list)
    measured: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """By task, as results_of() of ayatori.overlap.sweep gives it."""
    crossing: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    """The same by the names of lab_measurement.crossing_sweeps()."""
    pipecg_reductions: list[list[int]] = field(default_factory=list)

    def results(self, task: str, **wanted: object) -> list[dict[str, Any]]:
        """Those that were measured, and are as wanted."""
        return [
            result
            for result in self.measured.get(task, [])
            if result["times"] and all(result[name] == value for name, value in wanted.items())
        ]

    def median(self, task: str, time: str, **wanted: object) -> float | None:
        """Of the only result that is as wanted; None if there is none."""
        own = self.results(task, **wanted)
        return float(own[0]["times"][time]["median"]) if own else None

    def beside_none(self, time: str, way: str, **wanted: object) -> list[float]:
        """Of the measured stencils: how much longer than without overlap, as a share, by order and ranks."""
        shares = []
        for result in self.results("stencil", what=way, **wanted):
            same = {name: result[name] for name in ("family", "size", "ranks")}
            if without := self.median("stencil", time, what="none", **same):
                shares.append(result["times"][time]["median"] / without - 1)
        return shares

    def predicted_beside_none(self, way: str, which: int, order: int = 0) -> list[float]:
        """The same of the predicted ones. `which`: 0 for all of a step, 1 for what is not hidden."""
        return [
            seconds[way][which] / seconds["none"][which] - 1
            for point, seconds in self.stencils
            if order in (0, point.order)
        ]

    def noisy(self) -> tuple[int, int]:
        """How many cells were too noisy, of how many that were measured."""
        results = [result for task in self.measured for result in self.results(task)]
        return sum(result["too_noisy"] for result in results), len(results)
