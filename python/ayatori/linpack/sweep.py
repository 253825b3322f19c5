"""Many points, each run several times; HPL and mixed precision alternate, so that both see the same load."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypedDict

from ayatori.base.errors import Error
from ayatori.base.spreads import MedianSpread
from ayatori.linpack.mixed import run_mixed
from ayatori.linpack.running import Launcher, run_hpl
from ayatori.linpack.settings import Plane, Point, Variant
from ayatori.measurement.machine import watched
from ayatori.measurement.noise import condition_of, noise_of, noted

MAX_POINTS = 10_000


@dataclass(frozen=True)
class Sweep:
    orders: tuple[int, ...]
    blocks: tuple[int, ...]
    grids: tuple[tuple[int, int], ...]
    """(P, Q)"""
    planes: tuple[Plane, ...] = (Plane(),)
    variant: Variant = Variant()
    repeats: int = 1
    mixed: bool = False

    def points(self) -> list[Point]:
        all_of = itertools.product(self.planes, self.grids, self.orders, self.blocks)
        return [Point(order, block, rows, columns, plane) for plane, (rows, columns), order, block in all_of]

    def check(self) -> None:
        self.variant.check()
        if not 1 <= self.repeats <= 1000:
            raise Error(f"repeats: {self.repeats} is out of range", hint="1 to 1000")
        names = [plane.name for plane in self.planes]
        if len(set(names)) < len(names):
            raise Error("two planes have the same name")
        for point in self.points():
            point.check()
        if not 1 <= len(self.points()) * self.repeats <= MAX_POINTS:
            raise Error(f"{len(self.points()) * self.repeats} runs are out of range", hint=f"1 to {MAX_POINTS}")

    def runs(self) -> list[Point]:
        """Each point, then each again: a slow minute of the machine affects no point alone."""
        return self.points() * self.repeats


def run_point(program: Path, launcher: Launcher, sweep: Sweep, point: Point) -> dict[str, Any]:
    """HPL's test as plain data, that of mixed precision or None, and what others did on this machine meanwhile."""
    with watched() as condition:
        test = run_hpl(program, launcher, point, sweep.variant)
        mixed = run_mixed(launcher, point) if sweep.mixed else None
    data = {"hpl": asdict(test) | {"passed": test.passed}, "mixed": mixed and asdict(mixed)}
    return data | {"machine": noted(condition)}


class MixedData(TypedDict):
    seconds: float
    factoring: float
    refining: float
    """Medians of the whole time, of the factorization in single precision, and of the refinements."""
    gflops: MedianSpread
    """The same number of operations by the time, whatever was done."""
    residual: float
    """By HPL's formula in double precision."""
    iterations: int
    """Most refinements (-1: in vain)."""
    passed: bool
    """Whether all solutions are right."""


class HplResult(TypedDict):
    plane: str
    order: int
    nb: int
    p: int
    q: int
    """The network, N, NB, P and Q."""
    variant: str
    """HPL's own code for how it ran (`WR10C2R4`)."""
    seconds: float
    """The median over the runs."""
    gflops: MedianSpread
    """2/3 N³ + 3/2 N² operations by the time."""
    residual: float
    passed: bool
    """The largest scaled residual; whether all were below the threshold."""
    too_noisy: bool
    """Whether times of the runs differ by more than 5 %, or others had more than that of this machine's cores."""
    causes: list[str]
    """What was seen that says why; empty if it is quiet."""
    mixed: MixedData | None
    """With `--mixed` the same system in mixed precision; otherwise null."""


class HplData(TypedDict):
    """Exit status 3 if a solution is wrong."""

    program: str
    broadcast: str
    depth: int
    threshold: float
    """What ran HPL (`hpcc`, `xhpl`), with which BCAST, look-ahead and largest residual."""
    repeats: int
    """Runs of each point."""
    results: list[HplResult]
    """One entry per point."""


def results_of(sweep: Sweep, runs: Sequence[dict[str, Any]]) -> list[HplResult]:
    """One entry a point: over its repeats the median, least and most GFlop/s, and the largest residual."""
    count = len(sweep.points())
    results: list[HplResult] = []
    for number, point in enumerate(sweep.points()):
        own = runs[number::count]
        tests = [run["hpl"] for run in own]
        residuals = [residual for test in tests for residual in test["residuals"]]
        entry: HplResult = {
            "plane": point.plane.name,
            "order": point.order,
            "nb": point.block,
            "p": point.rows,
            "q": point.columns,
            "variant": tests[0]["variant"],
            "seconds": median(test["seconds"] for test in tests),
            "gflops": _spread([test["gflops"] for test in tests]),
            "residual": max((residual["value"] for residual in residuals), key=_bad_last),
            "passed": all(test["passed"] for test in tests),
            "too_noisy": False,
            "causes": [],
            "mixed": None,
        }
        times = [[test["seconds"]] for test in tests]
        noise = noise_of(times, condition_of(own), None, 0.0, in_registers=False)
        if noise.is_too_much:
            entry["too_noisy"], entry["causes"] = True, noise.causes(times)
        if sweep.mixed:
            entry["mixed"] = _mixed([run["mixed"] for run in own], sweep.variant.threshold)
        results.append(entry)
    return results


def _bad_last(value: float) -> tuple[bool, float]:
    """Not-a-number is the largest residual of all."""
    return value != value, value


def _spread(values: Sequence[float]) -> MedianSpread:
    return {"median": median(values), "min": min(values), "max": max(values)}


def _mixed(runs: Sequence[dict[str, Any]], threshold: float) -> MixedData:
    residual = max((run["residual"] for run in runs), key=_bad_last)
    return {
        "seconds": median(run["seconds"] for run in runs),
        "factoring": median(run["factoring"] for run in runs),
        "refining": median(run["refining"] for run in runs),
        "gflops": _spread([run["gflops"] for run in runs]),
        "residual": residual,
        "iterations": max(run["iterations"] for run in runs),
        "passed": residual < threshold and all(run["iterations"] >= 0 for run in runs),
    }
