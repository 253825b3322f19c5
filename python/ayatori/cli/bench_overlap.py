"""ayatori bench overlap: how much of a communication does a computation hide, and by what?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori.base.errors import Error
from ayatori.base.files import make_folder, write_json
from ayatori.base.units import format_bytes, format_seconds, parse_bytes, parse_rate, parse_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
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
from ayatori.overlap.sweep import CALLS, KERNELS, WAYS, Sweep, cells_of, measure, runs_of

TASKS = ("overlap", "stencil", "krylov")


TASK = Annotated[str, typer.Option("--task", metavar="NAME", help=f"{', '.join(TASKS)}.")]
CALLED = Annotated[str, typer.Option("--calls", metavar="C[,C…]", help=f"overlap: {', '.join(CALLS)}.")]
KERNEL = Annotated[str, typer.Option("--kernel", metavar="NAME", help=f"overlap: {', '.join(KERNELS)}.")]
BYTES = Annotated[str, typer.Option("--bytes", metavar="SIZE[,SIZE…]", help="overlap: message size.")]
MATRIX_ORDER = Annotated[
    str,
    typer.Option(
        metavar="N[,N…]",
        help="stencil: order of the array (1024); krylov: elements per row (1536); overlap: order of the matrices "
        "(default: computation takes as long as communication).",
    ),
]
WAYS_HELP = f"stencil: {', '.join(WAYS)}; krylov: {', '.join(METHODS)}."
EXCHANGED = Annotated[str, typer.Option("--ways", metavar="W[,W…]", help=WAYS_HELP)]
ITERATIONS = Annotated[int, typer.Option(metavar="N", help="stencil: steps; krylov: iterations at most.")]
DIMENSIONS = Annotated[int, typer.Option(metavar="N", min=1, max=2, help="stencil: dimensions of the blocks.")]
MECHANISMS = Annotated[str, typer.Option(metavar="M[,M…]", help=f"{SYNOPSIS}.")]
MPIS = Annotated[str, typer.Option(metavar="M[,M…]", help=f"{', '.join(FAMILIES)}; else all that are installed.")]
RATE = Annotated[str, typer.Option(metavar="RATE", help="Rate of the lab's cables.")]
LATENCY = Annotated[
    str, typer.Option("--link-latency", metavar="TIME", help="Latency of each of these cables; at least 100us.")
]
LAB = Annotated[Path | None, typer.Option(metavar="FILE", help="Another lab: a cluster's file.")]
BURST = Annotated[
    str, typer.Option("--burst", metavar="SIZE", help="Bytes that pass a cable of the lab at once after a pause.")
]
HERE = Annotated[bool, typer.Option("--here", help="On this host, without a lab.")]
REPEATS = Annotated[int, typer.Option(help="Runs of each cell; cells alternate.")]
MEASUREMENTS = Annotated[int, typer.Option(metavar="N", help="Measurements in a run.")]
OUT_DIR = Annotated[Path | None, typer.Option("--out-dir", metavar="DIR", help="Write results.json there.")]


def overlap(
    task: TASK = "overlap",
    calls: CALLED = "isend,iallreduce",
    kernel: KERNEL = "arithmetic",
    bytes: BYTES = "1MiB",
    matrix_order: MATRIX_ORDER = "",
    ways: EXCHANGED = "",
    iterations: ITERATIONS = Sweep.iterations,
    dimensions: DIMENSIONS = 1,
    mechanisms: MECHANISMS = "none,test:1ms,mpi,thread,acp",
    mpi: MPIS = "",
    ranks: options.RANKS = "2",
    rate: RATE = "200Mbit/s",
    burst: BURST = "32KiB",
    link_latency: LATENCY = "",
    lab: LAB = None,
    here: HERE = False,
    repeats: REPEATS = 4,
    measurements: MEASUREMENTS = 7,
    out_dir: OUT_DIR = None,
    resume: options.RESUME = False,
    json: options.JSON = False,
) -> None:
    """How much of a communication does a computation hide, and what moves it meanwhile?

    Messages and collectives during a computation (--task overlap), or a stencil whose processes exchange borders
    (--task stencil), or CG and its pipelined forms (--task krylov, with PETSc), between two hosts of a lab whose cables
    have --rate. Every result is checked. Times are medians over all measurements of all runs. Where medians of the
    earlier and the later half of the runs differ by more than 5 %, there are up to as many runs again; if they still
    do, or the machine was slower than usual or others used it, the figures are said to be too noisy, and why. What is
    done of a run that is interrupted or killed is kept for --resume."""
    site = site_of(lab, rate, burst, here, link_latency)
    site.check()
    families = words_of(mpi) or installed_families()
    if not families:
        raise Error("no MPI is here", hint="apt-get install libopenmpi-dev openmpi-bin, then ./run build")
    if "offload" in words_of(mechanisms) and (why := why_no_offload(families)):
        note(f"offload is not measured: {why}")
    orders, counts = numbers_of(matrix_order), numbers_of(ranks)
    if task == "overlap":
        sizes = [options.value_of(parse_bytes, word) for word in words_of(bytes)]
        cells = cells_of(task, families, words_of(mechanisms), words_of(calls), sizes, counts)
        sweep = Sweep(cells, repeats, measurements, kernel, orders[0] if orders else 0)
    elif task == "stencil":
        chosen = words_of(ways or "none,isend,put,acp")
        cells = cells_of(task, families, words_of(mechanisms), chosen, orders or [1024], counts)
        sweep = Sweep(cells, repeats, measurements, iterations=iterations, dimensions=dimensions)
    elif task == "krylov":
        if FAMILY not in families:
            raise Error(f"PETSc is measured over {FAMILY} alone", hint=f"--mpi {FAMILY}")
        chosen = words_of(ways or "cg,pipecg")
        cells = cells_of(task, families, words_of(mechanisms), chosen, orders or [1536], counts)
        sweep = Sweep(cells, repeats, measurements, iterations=iterations)
    else:
        raise UsageError(f"no task is called '{task}'", hint=f"there are {', '.join(TASKS)}")
    sweep.check()
    finish(site, sweep, measured(site, sweep, resume), task, out_dir, json)


def finish(
    site: Site, sweep: Sweep, results: list[dict[str, Any]], task: str, out_dir: Path | None, as_json: bool
) -> None:
    data: dict[str, Any] = {"task": task, "kernel": sweep.kernel}
    data |= {"repeats": sweep.repeats, "measurements": sweep.measurements}
    data |= {"site": asdict(site), "definitions": DEFINITIONS, "results": results}
    if out_dir is not None:
        make_folder(out_dir)
        write_json(out_dir / "results.json", data)
        note(f"wrote {out_dir / 'results.json'}")
    print_json("bench-overlap", data) if as_json else describe(data)
    if all(not result["times"] for result in results):
        raise Error("nothing could be measured", results[0]["failed"])


def site_of(lab: Path | None, rate: str, burst: str, here: bool, link_latency: str = "") -> Site:
    if here:
        return Site()
    at_once = options.value_of(parse_bytes, burst)
    if not LEAST_BURST <= at_once <= MOST_BURST:
        raise UsageError(f"--burst {burst} is out of range", hint="2KiB to 1MiB")
    if lab is not None:
        return lab_of(lab, at_once)
    options.value_of(parse_rate, rate)
    if not link_latency:
        return lab_of_two(rate, at_once)
    seconds = options.value_of(parse_seconds, link_latency)
    if not LEAST_DELAY_NS / 1e9 <= seconds <= 1:
        raise UsageError(f"--link-latency {link_latency} is out of range", hint="100us to 1s")
    if not has_netem() and not can_delay():
        raise Error("this machine can't delay packets", "its kernel has no netem, and there is no /dev/net/tun")
    return lab_of_two(rate, at_once, f"{seconds * 1e6:.0f}us")


def numbers_of(text: str) -> list[int]:
    if wrong := [word for word in words_of(text) if not word.isdecimal() or len(word) > 9]:
        raise UsageError(f"'{wrong[0]}' is not a number")
    return [int(word) for word in words_of(text)]


def measured(site: Site, sweep: Sweep, resume: bool) -> list[dict[str, Any]]:
    """What is done is kept until all is."""
    saved = options.open_partial("bench overlap", asdict(sweep) | {"site": asdict(site)}, resume, save_every=0)
    with progress("overlap", runs_of(sweep)) as advance:
        results = measure(saved, site, sweep, advance)
    saved.remove()
    return results


def describe(data: dict[str, Any]) -> None:
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


def by_title(results: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        found.setdefault(title_of(result), []).append(result)
    return found


def title_of(result: dict[str, Any]) -> str:
    """What is the same of all rows of a table."""
    if result["task"] != "overlap":
        return f"{FAMILIES[result['family']]}, {result['ranks']} ranks, N = {result['size']}"
    return f"{FAMILIES[result['family']]}, {result['ranks']} ranks, {result['what']}, {format_bytes(result['size'])}"


def name_of(result: dict[str, Any]) -> str:
    if result["task"] == "overlap":
        return str(result["mechanism"])
    return str(result["what"]) + ("" if result["mechanism"] == "none" else f", {result['mechanism']}")


def overlap_row(result: dict[str, Any]) -> list[str]:
    times, ratio = result["times"], result["overlap"]
    columns = [format_seconds(times[name]["median"]) for name in ("communication", "computation", "sequential", "both")]
    ratios = [f"{ratio[name]:.0%}" for name in ("ours", "osu", "imb")]
    return [f"  {name_of(result)}", *columns, *ratios, noise_of(result)]


def stencil_row(result: dict[str, Any]) -> list[str]:
    total, communication = result["times"]["total"], result["times"]["communication"]
    quartiles = f"{format_seconds(total['low'])} … {format_seconds(total['high'])}"
    figures = [format_seconds(total["median"]), quartiles, format_seconds(communication["median"])]
    return [f"  {name_of(result)}", *figures, noise_of(result)]


def krylov_row(result: dict[str, Any]) -> list[str]:
    name, total, quartiles, reductions, noise = stencil_row(result)
    solution = result["solution"]
    iterations = str(solution["iterations"]) + ("" if solution["converged"] else ", not converged")
    return [name, total, quartiles, reductions, iterations, f"{solution['residual']:.3g}", noise]


TABLES = {
    "overlap": (OVERLAP_COLUMNS, overlap_row),
    "stencil": (STENCIL_COLUMNS, stencil_row),
    "krylov": (KRYLOV_COLUMNS, krylov_row),
}


def noise_of(result: dict[str, Any]) -> str:
    if result["noise"] is None:
        return "not known"
    return f"{result['noise']:.1%}" + (": too noisy" if result["too_noisy"] else "")
