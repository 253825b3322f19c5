"""Many cells, each run several times; all cells alternate, so that other load of the machine affects all alike."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Annotated, Any, TypedDict, cast

from ayatori.base.errors import Error, UnknownWord
from ayatori.measurement.machine import Condition, Speed, middle, remember, usual_speed, watched
from ayatori.measurement.noise import TOO_NOISY, condition_of, is_quiet, noise_of, noted
from ayatori.overlap.cores import oversubscribed
from ayatori.overlap.mechanisms import mechanism_for
from ayatori.overlap.ratios import Ratios, ratios
from ayatori.overlap.sites import Site, result_of
from ayatori.overlap.tasks import Cell
from ayatori.resumable import SavedResults, compute_each, mpi_processes

KERNELS = ("arithmetic", "memory", "matrix-vector", "matrix-matrix")
IN_CACHE = ("arithmetic", "matrix-matrix")
"""Kernels that do not wait for memory."""
MAX_RUNS = 100_000


@dataclass(frozen=True)
class Sweep:
    cells: tuple[Cell, ...]
    repeats: int
    """Runs of each cell; those that are too noisy get up to as many again."""
    measurements: int
    """Measurements in a run; short ones of overlap are made more often."""
    kernel: str = "arithmetic"
    matrix_order: int = 0
    """Of the matrices that are computed with; 0: the computation is as long as the communication."""
    iterations: int = 50
    """Steps of the stencil in a measurement, or at most so many of a method of PETSc."""
    dimensions: int = 1

    def check(self) -> None:
        """Raises Error if something of it can't be measured."""
        if not self.cells:
            raise Error("there is nothing to measure", hint="--mechanisms none,thread --calls isend, for example")
        for value, most, what in (
            (self.repeats, 1000, "repeats"),
            (self.measurements, 10_000, "measurements"),
            (len(self.cells) * self.repeats, MAX_RUNS, "runs"),
            (self.iterations, 10**6, "iterations"),
        ):
            if not 1 <= value <= most:
                raise Error(f"{what}: {value} is out of range", hint=f"1 to {most}")
        if self.kernel not in KERNELS:
            raise UnknownWord("kernel", self.kernel, KERNELS)
        if not 0 <= self.matrix_order <= 65536:
            raise Error(f"matrix order: {self.matrix_order} is out of range", hint="up to 65536")
        for cell in self.cells:
            cell.of.check(cell)


def cells_of(
    task: str,
    families: Sequence[str],
    mechanisms: Sequence[str],
    whats: Sequence[str],
    sizes: Sequence[int],
    ranks: Sequence[int],
) -> tuple[Cell, ...]:
    """All of them, but for those in which the mechanism could do nothing."""
    cells = itertools.product(families, ranks, sizes, whats, mechanisms)
    found = (Cell(task, family, name, what, size, count) for family, count, size, what, name in cells)
    return tuple(cell for cell in found if cell.of.can_help(cell))


def runs_of(sweep: Sweep) -> int:
    """How many times measure() says that it is further: as if all were to be run again."""
    return len(_to_adjust(sweep)) + 2 * len(sweep.cells) * sweep.repeats


def measure(
    saved: SavedResults, site: Site, sweep: Sweep, advance: Callable[[int], None], part: str = ""
) -> list[OverlapResult]:
    """One entry a cell. What is done is kept in `saved`, under names that begin with `part`."""
    to_adjust = _to_adjust(sweep)
    units = compute_each(saved, f"{part}units", to_adjust, lambda cell: _adjusted(site, sweep, cell), advance)
    units_of = dict(zip(to_adjust, units, strict=True))

    def run(cell: Cell) -> dict[str, Any]:
        return run_cell(site, sweep, cell, units_of.get(without_mechanism(cell), 0))

    runs = compute_each(saved, f"{part}runs", list(sweep.cells) * sweep.repeats, run, advance)
    by_cell = [runs[number :: len(sweep.cells)] for number in range(len(sweep.cells))]
    usual = usual_speed() or _speed_of(by_cell, lambda _: True)
    for number in range(sweep.repeats if mpi_processes() == 1 else 0):
        noisy = [i for i, result in enumerate(results_of(sweep, by_cell)) if (result["noise"] or 0.0) > TOO_NOISY]
        again = compute_each(saved, f"{part}again {number}", [sweep.cells[i] for i in noisy], run, advance)
        advance(len(sweep.cells) - len(noisy))
        for i, result in zip(noisy, again, strict=True):
            by_cell[i] = [*by_cell[i], result]
    if (speed := _speed_of(by_cell, is_quiet)) is not None:
        remember(speed)
    return results_of(sweep, by_cell, usual)


def _speed_of(by_cell: Sequence[Sequence[dict[str, Any]]], counts: Callable[[Condition], bool]) -> Speed | None:
    """The machine's, in the middle of the cells that count; None if there are none."""
    found = [condition for runs in by_cell if (condition := condition_of(runs)) is not None and counts(condition)]
    return middle([condition.speed for condition in found]) if found else None


def _to_adjust(sweep: Sweep) -> list[Cell]:
    if sweep.matrix_order:
        return []
    return list(dict.fromkeys(without_mechanism(cell) for cell in sweep.cells if cell.task == "overlap"))


def _adjusted(site: Site, sweep: Sweep, cell: Cell) -> int:
    """How many units of the kernel take as long as the cell's communication alone; 0 where it fails: then the runs say
    why."""
    try:
        return int(_run(site, sweep, cell, 0)["units"])
    except Error:
        return 0


def without_mechanism(cell: Cell) -> Cell:
    """The cell whose communication decides how long is computed: all mechanisms compute the same."""
    return cell if cell.mechanism == "acp" else Cell(cell.task, cell.family, "none", cell.what, cell.size, cell.ranks)


def run_cell(site: Site, sweep: Sweep, cell: Cell, units: int) -> dict[str, Any]:
    """What its program has printed, or why there is nothing."""
    try:
        with watched() as condition:
            result = _run(site, sweep, cell, units)
        return result | {"machine": noted(condition)}
    except Error as error:
        return {"failed": f"{error}: {error.cause}" if error.cause else str(error)}


def _run(site: Site, sweep: Sweep, cell: Cell, units: int) -> dict[str, Any]:
    how = mechanism_for(cell.mechanism, cell.family)
    program = [str(cell.of.program(cell)), *map(str, cell.of.words(sweep, cell, how, units))]
    return result_of(site, cell.family, cell.ranks, program, how.variables, how.preloaded)


def results_of(
    sweep: Sweep, by_cell: Sequence[Sequence[dict[str, Any]]], usual: Speed | None = None
) -> list[OverlapResult]:
    """One entry a cell, of its runs. `usual`: the machine's speed at other times."""
    return [_result(sweep, cell, runs, usual) for cell, runs in zip(sweep.cells, by_cell, strict=True)]


class Quartiles(TypedDict):
    median: float
    low: float
    high: float
    """The median and the quartiles, in seconds on the slowest rank."""


class SolutionData(TypedDict):
    iterations: int
    converged: bool
    """How it ended."""
    residual: float
    """b − A u relative to b."""
    error: float
    """h times the norm of the error."""
    residuals: list[float]
    """The norm that the method computes, one per iteration."""


class PlaceData(TypedDict):
    host: str
    machine: str
    cores: list[int]
    """Where the rank ran, and on which cores it may run."""


class OverlapResult(TypedDict):
    task: str
    family: str
    mechanism: str
    """The task, the MPI, and what moves messages."""
    what: str
    """The call; stencil: how borders are exchanged; krylov: the method."""
    size: int
    """Bytes of a message; stencil: rows of the array; krylov: elements in a row."""
    ranks: int
    """Processes."""
    failed: str | None
    """Why a run gave no result; otherwise null."""
    times: dict[str, Quartiles]
    """`communication`, `computation`, `sequential` (the call that blocks, then the computation), `both`; during both
    `computing`, `waiting` and `testing`. Stencil and krylov: `total` and `communication` (the reductions)."""
    overlap: Annotated[dict[str, Any], Ratios] | None
    """By the three definitions; null for the stencil and krylov."""
    solution: SolutionData | None
    """krylov: the solution; otherwise null."""
    noise: float | None
    too_noisy: bool
    """By which share medians of the earlier and the later half differ, and whether that is more than 5 %, or the host
    was not as usual."""
    causes: list[str]
    runs: int
    """Sentences that say why, where it is too noisy; how many runs came to an end."""
    thread: float | None
    """The share of the runs with the plug-in's thread in which its own trial left it on; null without it."""
    oversubscribed: list[str]
    """Sentences about cores that more threads share than there are cores."""
    places: list[PlaceData]
    """One entry per rank."""


class OverlapData(TypedDict):
    """[The page](bench-overlap.md) says what is measured."""

    task: str
    kernel: str
    """`overlap`, `stencil` or `krylov`; what computes."""
    repeats: int
    measurements: int
    """Runs of each cell, and measurements in a run."""
    site: Annotated[dict[str, Any], Site]
    """Where it ran."""
    definitions: dict[str, str]
    """The formulas of the overlap: `ours`, `OSU` and `IMB`."""
    results: list[OverlapResult]
    """One entry per cell."""


def _result(sweep: Sweep, cell: Cell, runs: Sequence[dict[str, Any]], usual: Speed | None) -> OverlapResult:
    good = [run for run in runs if "failed" not in run]
    entry: OverlapResult = {
        "task": cell.task,
        "family": cell.family,
        "mechanism": cell.mechanism,
        "what": cell.what,
        "size": cell.size,
        "ranks": cell.ranks,
        "failed": next((run["failed"] for run in runs if "failed" in run), None),
        "times": {},
        "overlap": None,
        "solution": None,
        "noise": None,
        "too_noisy": False,
        "causes": [],
        "runs": len(good),
        "thread": None,
        "oversubscribed": [],
        "places": [],
    }
    if not good:
        return entry
    names = list(good[0]["samples"])
    by_run = {name: [run["samples"][name] for run in good] for name in names}
    times = {name: _spread([time for run in by_run[name] for time in run]) for name in names}
    middle_of = {name: time["median"] for name, time in times.items()}
    overlap = None
    if cell.task == "overlap":
        of_ratios = ("communication", "computation", "both", "computing", "testing")
        overlap = asdict(ratios(*(middle_of[name] for name in of_ratios)))
    of_noise = by_run[cell.of.compared]
    in_registers = cell.task == "overlap" and sweep.kernel in IN_CACHE
    noise = noise_of(of_noise, condition_of(good), usual, cell.of.computed_share(middle_of), in_registers)
    threads = mechanism_for(cell.mechanism, cell.family).threads + int(cell.what == "acp") + good[0].get("threads", 1)
    places = good[0].get("places", [])
    if cell.task == "krylov":
        solved = {name: good[0].get(name) for name in ("iterations", "converged", "residual", "error", "residuals")}
        entry["solution"] = cast("SolutionData", solved)
    return {
        **entry,
        "times": times,
        "overlap": overlap,
        "noise": noise.halves,
        "too_noisy": noise.is_too_much,
        "causes": noise.causes(of_noise) if noise.is_too_much else [],
        "thread": _share_on(good),
        "oversubscribed": oversubscribed(places, threads),
        "places": places,
    }


def _share_on(runs: Sequence[dict[str, Any]]) -> float | None:
    states = [run["thread_is_on"] for run in runs if run.get("thread_is_on") is not None]
    return sum(states) / len(states) if states else None


def _spread(values: Sequence[float]) -> Quartiles:
    ordered = sorted(values)

    def quantile(part: float) -> float:
        return ordered[int(part * (len(ordered) - 1) + 0.5)]

    return {"median": median(ordered), "low": quantile(0.25), "high": quantile(0.75)}
