"""Many cells, each run several times; all cells alternate, so that other load of the machine affects all alike."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from ayatori.base.compiled import built_program
from ayatori.base.errors import Error
from ayatori.measurement.collectives import FAMILIES
from ayatori.measurement.machine import Condition, Speed, middle, remember, usual_speed, watched
from ayatori.overlap.cores import oversubscribed
from ayatori.overlap.krylov import FAMILY, METHODS, check_petsc, krylov_program
from ayatori.overlap.mechanisms import mechanism_for, why_no_offload
from ayatori.overlap.noise import TOO_NOISY, condition_of, is_quiet, noise_of, noted
from ayatori.overlap.ratios import ratios
from ayatori.overlap.sites import Site, result_of
from ayatori.resumable import SavedResults, compute_each, mpi_processes

CALLS = ("isend", "iallreduce", "ialltoall", "ibcast", "iallgather")
KERNELS = ("arithmetic", "memory", "matrix-vector", "matrix-matrix")
IN_CACHE = ("arithmetic", "matrix-matrix")
"""Kernels that do not wait for memory."""
WAYS = ("none", "isend", "test", "persistent", "neighbourhood", "fence", "put", "put-printed", "get", "acp")
OFFLOADED = ("iallreduce", "ibcast")
"""Calls of CALLS that switches take."""
ONE_SIDED = ("put", "put-printed", "get", "acp")
"""Ways of the stencil that the plug-in does not see."""
LEAST_SECONDS = 0.3
"""Measured in a run of overlap, by more rounds where they are short: starting the run takes longer."""
MAX_RUNS = 100_000
MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Cell:
    """`task` is overlap (what: a call), stencil (what: a way of exchanging borders; size: rows of the array) or krylov
    (what: a method of PETSc; size: elements in a row)."""

    task: str
    family: str
    mechanism: str
    what: str
    size: int
    ranks: int


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
            raise Error(f"no kernel is called '{self.kernel}'", hint=f"there are {', '.join(KERNELS)}")
        if not 0 <= self.matrix_order <= 65536:
            raise Error(f"matrix order: {self.matrix_order} is out of range", hint="up to 65536")
        for cell in self.cells:
            _check(cell)


def _check(cell: Cell) -> None:
    if cell.task == "krylov":
        check_petsc()
    else:
        program_of(cell)
    mechanism_for(cell.mechanism, cell.family)
    if not 1 <= cell.ranks <= 4096 or (cell.task == "overlap" and cell.ranks < 2):
        raise Error(f"ranks: {cell.ranks} is out of range", hint="2 to 4096; a stencil's from 1 on")
    known = {"overlap": CALLS, "stencil": WAYS, "krylov": METHODS}[cell.task]
    if cell.what not in known:
        raise Error(f"'{cell.what}' can't be measured", hint=f"there are {', '.join(known)}")
    if cell.task == "overlap" and (cell.size % 8 or not 8 <= cell.size <= MAX_BYTES):
        raise Error(f"bytes: {cell.size} is out of range", hint=f"multiples of 8 up to {MAX_BYTES}")
    least, most = (2, 20_000) if cell.task == "krylov" else (1, 65536)
    if cell.task != "overlap" and not least <= cell.size <= most:
        raise Error(f"matrix order: {cell.size} is out of range", hint=f"{least} to {most}")


def program_of(cell: Cell) -> Path:
    """Raises Error if it was not built, or can't be compiled."""
    if cell.task == "krylov":
        return krylov_program()
    if cell.family not in FAMILIES:
        raise Error(f"no MPI is called '{cell.family}'", hint=f"there are {', '.join(FAMILIES)}")
    return built_program(f"{cell.task}_mpi_{cell.family}", f"lib{cell.family}-dev")


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
    return tuple(cell for cell in found if _can_help(cell))


def _can_help(cell: Cell) -> bool:
    name, is_offloaded = cell.mechanism, cell.mechanism == "offload"
    match cell.task:
        case "overlap":  # the mechanism acp sends by itself, and takes no call
            helps = cell.what in OFFLOADED if is_offloaded else name != "acp" or cell.what == "isend"
        case "stencil":  # mechanisms that move requests do nothing for ways without them, which are measured once
            helps = name == "none" or cell.what not in (*ONE_SIDED, "none")
            return helps and name not in ("acp", "offload") and not name.startswith("test")
        case _:  # over the MPI of Debian's PETSc alone; the program calls no MPI_Test itself
            helps = cell.family == FAMILY and name != "acp" and not name.startswith("test")
    return helps and not (is_offloaded and why_no_offload([cell.family]))


def runs_of(sweep: Sweep) -> int:
    """How many times measure() says that it is further: as if all were to be run again."""
    return len(_to_adjust(sweep)) + 2 * len(sweep.cells) * sweep.repeats


def measure(
    saved: SavedResults, site: Site, sweep: Sweep, advance: Callable[[int], None], part: str = ""
) -> list[dict[str, Any]]:
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
    if cell.task == "krylov":
        words = [cell.what, cell.size, sweep.iterations, sweep.measurements, how.warm_up_seconds]
    elif cell.task == "stencil":
        words = [cell.what, cell.size, sweep.iterations, sweep.dimensions, sweep.measurements, how.warm_up_seconds]
    else:
        call = "acp" if cell.mechanism == "acp" else cell.what
        words = [call, sweep.kernel, cell.size, sweep.measurements, how.warm_up_seconds, how.test_seconds]
        words += [sweep.matrix_order, units, LEAST_SECONDS]
    program = [str(program_of(cell)), *map(str, words)]
    return result_of(site, cell.family, cell.ranks, program, how.variables, how.preloaded)


def results_of(
    sweep: Sweep, by_cell: Sequence[Sequence[dict[str, Any]]], usual: Speed | None = None
) -> list[dict[str, Any]]:
    """One entry a cell, of its runs. `usual`: the machine's speed at other times."""
    return [_result(sweep, cell, runs, usual) for cell, runs in zip(sweep.cells, by_cell, strict=True)]


def _result(sweep: Sweep, cell: Cell, runs: Sequence[dict[str, Any]], usual: Speed | None) -> dict[str, Any]:
    good = [run for run in runs if "failed" not in run]
    entry: dict[str, Any] = asdict(cell) | {"failed": next((run["failed"] for run in runs if "failed" in run), None)}
    if not good:
        nothing: dict[str, Any] = {"times": {}, "overlap": None, "solution": None, "noise": None, "thread": None}
        return entry | nothing | {"too_noisy": False, "causes": [], "runs": 0, "oversubscribed": [], "places": []}
    names = list(good[0]["samples"])
    by_run = {name: [run["samples"][name] for run in good] for name in names}
    times = {name: _spread([time for run in by_run[name] for time in run]) for name in names}
    overlap = None
    if cell.task == "overlap":
        middle = {name: times[name]["median"] for name in names}
        overlap = asdict(
            ratios(*(middle[name] for name in ("communication", "computation", "both", "computing", "testing")))
        )
    of_noise = by_run["both" if cell.task == "overlap" else "total"]
    in_registers = cell.task == "overlap" and sweep.kernel in IN_CACHE
    noise = noise_of(of_noise, condition_of(good), usual, _computed_share(cell, times), in_registers)
    threads = mechanism_for(cell.mechanism, cell.family).threads + int(cell.what == "acp") + good[0].get("threads", 1)
    places = good[0].get("places", [])
    solution = {name: good[0].get(name) for name in ("iterations", "converged", "residual", "error", "residuals")}
    return entry | {
        "times": times,
        "overlap": overlap,
        "solution": solution if cell.task == "krylov" else None,
        "noise": noise.halves,
        "too_noisy": noise.is_too_much,
        "causes": noise.causes(of_noise) if noise.is_too_much else [],
        "runs": len(good),
        "thread": _share_on(good),
        "oversubscribed": oversubscribed(places, threads),
        "places": places,
    }


def _computed_share(cell: Cell, times: dict[str, dict[str, float]]) -> float:
    """Of the cell's time: what depends on how fast the machine computes."""
    middle_of = {name: time["median"] for name, time in times.items()}
    if cell.task == "overlap":
        return min(1.0, middle_of["computation"] / middle_of["both"]) if middle_of["both"] > 0 else 0.0
    total = middle_of["total"]
    return max(0.0, total - middle_of["communication"]) / total if total > 0 else 0.0


def _share_on(runs: Sequence[dict[str, Any]]) -> float | None:
    states = [run["thread_is_on"] for run in runs if run.get("thread_is_on") is not None]
    return sum(states) / len(states) if states else None


def _spread(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)

    def quantile(part: float) -> float:
        return ordered[int(part * (len(ordered) - 1) + 0.5)]

    return {"median": median(ordered), "low": quantile(0.25), "high": quantile(0.75)}
