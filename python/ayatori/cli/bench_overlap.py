"""ayatori bench overlap: how much of a communication does a computation hide, and by what?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from ayatori.base.errors import Error, UnknownWord
from ayatori.base.files import make_folder, write_json
from ayatori.base.units import format_bytes, format_seconds, parse_bytes, parse_rate, parse_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.lab import LEAST_BURST, MOST_BURST
from ayatori.cli.options import words_of
from ayatori.cli.output import note, print_json, print_table, progress, say
from ayatori.lab.cluster import LEAST_DELAY_NS, can_delay, has_netem
from ayatori.measurement.collectives import FAMILIES, installed_families
from ayatori.overlap.cores import binding_in_words
from ayatori.overlap.krylov import FAMILY, METHODS
from ayatori.overlap.mechanisms import SYNOPSIS, why_no_offload
from ayatori.overlap.ratios import DEFINITIONS
from ayatori.overlap.sites import Site, lab_of, lab_of_two
from ayatori.overlap.sweep import (
    KERNELS,
    OverlapData,
    OverlapResult,
    Sweep,
    cells_of,
    measure,
    runs_of,
)
from ayatori.overlap.tasks import CALLS, TASKS, WAYS, Cell

TASK = Annotated[str, typer.Option("--task", metavar="NAME", help=f"Task: {', '.join(TASKS)}.")]
CALLED = Annotated[
    str, typer.Option("--calls", metavar="C[,C…]", help=f"Calls of the task overlap: {', '.join(CALLS)}.")
]
KERNEL = Annotated[
    str, typer.Option("--kernel", metavar="NAME", help=f"Computation of the task overlap: {', '.join(KERNELS)}.")
]
BYTES = Annotated[str, typer.Option("--bytes", metavar="SIZE[,SIZE…]", help="Message sizes of the task overlap.")]
MATRIX_ORDER = Annotated[
    str,
    typer.Option(
        metavar="N[,N…]",
        help="Order of the stencil's array (1024); elements per row of krylov (1536); order of overlap's matrices "
        "(default: computation takes as long as communication).",
    ),
]
WAYS_HELP = f"Variants of the stencil: {', '.join(WAYS)}; of krylov: {', '.join(METHODS)}."
EXCHANGED = Annotated[str, typer.Option("--ways", metavar="W[,W…]", help=WAYS_HELP)]
ITERATIONS = Annotated[int, typer.Option(metavar="N", help="Steps of the stencil; most iterations of krylov.")]
DIMENSIONS = Annotated[int, typer.Option(metavar="N", min=1, max=2, help="Dimensions of the stencil's blocks.")]
MECHANISMS = Annotated[str, typer.Option(metavar="M[,M…]", help=f"Progress mechanisms of messages: {SYNOPSIS}.")]
MPIS = Annotated[str, typer.Option(metavar="M[,M…]", help=f"MPIs: {', '.join(FAMILIES)}; else all that are installed.")]
RATE = Annotated[str, typer.Option(metavar="RATE", help="Rate of the lab's cables.")]
LATENCY = Annotated[
    str, typer.Option("--link-latency", metavar="TIME", help="Latency of each cable of the lab; at least 100us.")
]
LAB = Annotated[Path | None, typer.Option(metavar="FILE", help="Cluster file of another lab.")]
BURST = Annotated[
    str, typer.Option("--burst", metavar="SIZE", help="Bytes that pass a cable of the lab at once after a pause.")
]
HERE = Annotated[bool, typer.Option("--here", help="Measure on this host, without a lab.")]
REPEATS = Annotated[int, typer.Option(metavar="N", help="Runs of each cell; cells alternate.")]
MEASUREMENTS = Annotated[int, typer.Option(metavar="N", help="Measurements in a run.")]
OUT_DIR = Annotated[Path | None, typer.Option("--out-dir", metavar="DIR", help="Write results.json to DIR.")]


@dataclass(frozen=True)
class TaskOptions:
    """The options that say what is computed and communicated."""

    PANEL: ClassVar[str] = "Task"
    USUAL: ClassVar[tuple[str, ...]] = ("task", "calls", "bytes")
    task: TASK = "overlap"
    calls: CALLED = "isend,iallreduce"
    kernel: KERNEL = "arithmetic"
    bytes: BYTES = "1MiB"
    matrix_order: MATRIX_ORDER = ""
    ways: EXCHANGED = ""
    iterations: ITERATIONS = Sweep.iterations
    dimensions: DIMENSIONS = 1

    def sweep(self, by: MoverOptions, families: Sequence[str], repeats: int, measurements: int) -> Sweep:
        """All runs. Raises UsageError."""
        if self.task not in TASKS:
            raise UnknownWord("task", self.task, TASKS)
        if self.task == "krylov" and FAMILY not in families:
            raise Error(f"PETSc is measured over {FAMILY} alone", hint=f"--mpi {FAMILY}")
        orders = numbers_of(self.matrix_order)

        def cells(what: str, sizes: list[int]) -> tuple[Cell, ...]:
            return cells_of(self.task, families, words_of(by.mechanisms), words_of(what), sizes, numbers_of(by.ranks))

        if self.task == "overlap":
            sizes = options.sizes_of(self.bytes)
            made = Sweep(cells(self.calls, sizes), repeats, measurements, self.kernel, orders[0] if orders else 0)
        elif self.task == "stencil":
            of_stencil = cells(self.ways or "none,isend,put,acp", orders or [1024])
            made = Sweep(of_stencil, repeats, measurements, iterations=self.iterations, dimensions=self.dimensions)
        else:
            solved = cells(self.ways or "cg,pipecg", orders or [1536])
            made = Sweep(solved, repeats, measurements, iterations=self.iterations)
        made.check()
        return made


@dataclass(frozen=True)
class MoverOptions:
    """The options that say what moves messages meanwhile, in which MPIs, between how many processes."""

    PANEL: ClassVar[str] = "MPI and processes"
    USUAL: ClassVar[tuple[str, ...]] = ("mechanisms",)
    mechanisms: MECHANISMS = "none,test:1ms,mpi,thread,acp"
    mpi: MPIS = ""
    ranks: options.RANKS = "2"


@dataclass(frozen=True)
class SiteOptions:
    """The options that say where it runs."""

    PANEL: ClassVar[str] = "Lab"
    USUAL: ClassVar[tuple[str, ...]] = ("here",)
    rate: RATE = "200Mbit/s"
    burst: BURST = "32KiB"
    link_latency: LATENCY = ""
    lab: LAB = None
    here: HERE = False

    def site(self) -> Site:
        """Raises UsageError."""
        if self.here:
            return Site()
        at_once = options.value_of(parse_bytes, self.burst)
        if not LEAST_BURST <= at_once <= MOST_BURST:
            raise UsageError(f"--burst {self.burst} is out of range", hint="2KiB to 1MiB")
        if self.lab is not None:
            return lab_of(self.lab, at_once)
        options.value_of(parse_rate, self.rate)
        if not self.link_latency:
            return lab_of_two(self.rate, at_once)
        seconds = options.value_of(parse_seconds, self.link_latency)
        if not LEAST_DELAY_NS / 1e9 <= seconds <= 1:
            raise UsageError(f"--link-latency {self.link_latency} is out of range", hint="100us to 1s")
        if not has_netem() and not can_delay():
            raise Error("this machine can't delay packets", "its kernel has no netem, and there is no /dev/net/tun")
        return lab_of_two(self.rate, at_once, f"{seconds * 1e6:.0f}us")


@grouped
def overlap(
    *,
    what: TaskOptions,
    by: MoverOptions,
    where: SiteOptions,
    repeats: REPEATS = 4,
    measurements: MEASUREMENTS = 7,
    out_dir: OUT_DIR = None,
    resume: options.RESUME = False,
    json: options.JSON = False,
) -> None:
    """Measure how much of a communication a computation hides.

    Tasks: messages and collectives during a computation (overlap), a stencil whose processes exchange borders
    (stencil), CG and its pipelined forms with PETSc (krylov). They run between two hosts of a lab whose cables have
    --rate.

    Every result is checked. Times are medians over all measurements of all runs. If medians of the earlier and the
    later half differ by more than 5 %, as many runs are added. Figures that stay noisy are marked, with the reason.
    """
    site = where.site()
    site.check()
    families = words_of(by.mpi) or installed_families()
    if not families:
        raise Error("no MPI is here", hint="apt-get install openmpi-bin, or mpich")
    if "offload" in words_of(by.mechanisms) and (why := why_no_offload(families)):
        note(f"offload is not measured: {why}")
    sweep = what.sweep(by, families, repeats, measurements)
    finish(site, sweep, measured(site, sweep, resume), what.task, out_dir, json)


def finish(
    site: Site, sweep: Sweep, results: list[OverlapResult], task: str, out_dir: Path | None, as_json: bool
) -> None:
    data: OverlapData = {
        "task": task,
        "kernel": sweep.kernel,
        "repeats": sweep.repeats,
        "measurements": sweep.measurements,
        "site": asdict(site),
        "definitions": DEFINITIONS,
        "results": results,
    }
    if out_dir is not None:
        make_folder(out_dir)
        write_json(out_dir / "results.json", data)
        note(f"wrote {out_dir / 'results.json'}")
    print_json("bench-overlap", data) if as_json else describe(data)
    if all(not result["times"] for result in results):
        raise Error("nothing could be measured", results[0]["failed"] or "")


def numbers_of(text: str) -> list[int]:
    if wrong := [word for word in words_of(text) if not word.isdecimal() or len(word) > 9]:
        raise UsageError(f"'{wrong[0]}' is not a number")
    return [int(word) for word in words_of(text)]


def measured(site: Site, sweep: Sweep, resume: bool) -> list[OverlapResult]:
    """What is done is kept until all is."""
    saved = options.open_partial("bench overlap", asdict(sweep) | {"site": asdict(site)}, resume, save_every=0)
    with progress("overlap", runs_of(sweep)) as advance:
        results = measure(saved, site, sweep, advance)
    saved.remove()
    return results


def describe(data: OverlapData) -> None:
    results = data["results"]
    task = data["task"]
    kinds = {"stencil": "all steps of a stencil", "krylov": "whole solutions by PETSc, preconditioner: Jacobi"}
    what = kinds.get(task, f"computation: {data['kernel']}")
    say(f"{what}; medians of {data['repeats']} runs with {data['measurements']} measurements each")
    if task == "overlap":
        for name, definition in DEFINITIONS.items():
            say(f"overlap by {name}: {definition}")
    columns, row_of = TABLES[task]
    for title, own in by_title(results).items():
        if rows := [row_of(result) for result in own if result["times"]]:
            print_table(title, columns, rows)
    for result in results:
        if result["failed"]:
            say(f"failed: {title_of(result)}, {name_of(result)}: {result['failed']}")
    for result in results:
        if result["too_noisy"]:
            why = "; ".join(result["causes"])
            say(f"too noisy after {result['runs']} runs: {title_of(result)}, {name_of(result)}: {why}")
    for result in results:
        if result["thread"] is not None:
            say(f"the plug-in's thread stayed on in {result['thread']:.0%} of the runs: {title_of(result)}")
    for sentence in dict.fromkeys(line for result in results for line in result["oversubscribed"]):
        say(f"more threads than cores: {sentence}")
    for places in {str(result["places"]): result["places"] for result in results if result["places"]}.values():
        say(f"binding: {binding_in_words(places)}")


OVERLAP_COLUMNS = ["  by", "Comm", "Comp", "Comm+Comp", "Total", "ours", "OSU", "IMB", "halves differ by"]
STENCIL_COLUMNS = ["  by", "total", "quartiles", "communication", "halves differ by"]


KRYLOV_COLUMNS = ["  by", "total", "quartiles", "reductions", "iterations", "residual", "halves differ by"]


def by_title(results: Sequence[OverlapResult]) -> dict[str, list[OverlapResult]]:
    found: dict[str, list[OverlapResult]] = {}
    for result in results:
        found.setdefault(title_of(result), []).append(result)
    return found


def title_of(result: OverlapResult) -> str:
    """What is the same of all rows of a table."""
    if result["task"] != "overlap":
        return f"{FAMILIES[result['family']]}, {result['ranks']} ranks, N = {result['size']}"
    return f"{FAMILIES[result['family']]}, {result['ranks']} ranks, {result['what']}, {format_bytes(result['size'])}"


def name_of(result: OverlapResult) -> str:
    if result["task"] == "overlap":
        return str(result["mechanism"])
    return str(result["what"]) + ("" if result["mechanism"] == "none" else f", {result['mechanism']}")


def overlap_row(result: OverlapResult) -> list[str]:
    times, ratio = result["times"], result["overlap"]
    assert ratio is not None  # every run that came to an end has them
    columns = [format_seconds(times[name]["median"]) for name in ("communication", "computation", "sequential", "both")]
    ratios = [f"{ratio[name]:.0%}" for name in ("ours", "osu", "imb")]
    return [f"  {name_of(result)}", *columns, *ratios, noise_of(result)]


def stencil_row(result: OverlapResult) -> list[str]:
    total, communication = result["times"]["total"], result["times"]["communication"]
    quartiles = f"{format_seconds(total['low'])} … {format_seconds(total['high'])}"
    figures = [format_seconds(total["median"]), quartiles, format_seconds(communication["median"])]
    return [f"  {name_of(result)}", *figures, noise_of(result)]


def krylov_row(result: OverlapResult) -> list[str]:
    name, total, quartiles, reductions, noise = stencil_row(result)
    solution = result["solution"]
    assert solution is not None  # every run that came to an end has one
    iterations = str(solution["iterations"]) + ("" if solution["converged"] else ", not converged")
    return [name, total, quartiles, reductions, iterations, f"{solution['residual']:.3g}", noise]


TABLES = {
    "overlap": (OVERLAP_COLUMNS, overlap_row),
    "stencil": (STENCIL_COLUMNS, stencil_row),
    "krylov": (KRYLOV_COLUMNS, krylov_row),
}


def noise_of(result: OverlapResult) -> str:
    if result["noise"] is None:
        return "not known"
    return f"{result['noise']:.1%}" + (": too noisy" if result["too_noisy"] else "")
