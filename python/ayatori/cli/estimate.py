"""ayatori estimate: what would a cluster do that is not built, or not measured?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, TypedDict

import typer

from ayatori.cli import bench_hpl, estimate_in_network, estimate_memory, options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.output import note, print_json, print_table, say
from ayatori.estimate.hpl_model import PartTimes, check_modelled, model_hpl
from ayatori.estimate.paper3 import PRINTED_CLUSTER, TOP500_LAST, Discrepancy, Step, paper_estimate
from ayatori.linpack.kernels import Kernels, measure_parts
from ayatori.linpack.mixed import program_for
from ayatori.linpack.running import launcher_of
from ayatori.linpack.settings import Variant


class ModelledPoint(TypedDict):
    plane: str
    order: int
    nb: int
    p: int
    q: int
    """The network, N, NB, P and Q."""
    seconds: float
    gflops: float
    """As modelled."""
    panels: float
    updates: float
    messages: float
    """Seconds of parts, of all processes together."""
    parts: list[Annotated[dict[str, Any], Kernels]]
    """What was measured, by height of the trailing matrix."""


class EstimateHplData(TypedDict):
    """[The model](hpl-model.md) says what is measured."""

    depth: int
    """Look-ahead."""
    results: list[ModelledPoint]
    """One entry per point."""


class PaperData(TypedDict):
    steps: list[Annotated[dict[str, Any], Step]]
    """What the paper computes, step by step."""
    discrepancies: list[Annotated[dict[str, Any], Discrepancy]]
    """Where numbers do not multiply out."""
    top500_last_tflops: float
    """Place 500 in June 2010."""


app = typer.Typer(help="Estimate a cluster that is not built or not measured.", no_args_is_help=True)
app.command("in-network")(estimate_in_network.in_network)
app.command("memory")(estimate_memory.memory)


@app.callback()
def estimate() -> None:
    """Estimate a cluster that is not built or not measured."""


@app.command("hpl")
@grouped
def hpl(
    *,
    paper: Annotated[bool, typer.Option("--paper", help="Show paper 3's own arithmetic, step by step.")] = False,
    sizes: bench_hpl.SizeOptions,
    depth: bench_hpl.DEPTH = Variant.depth,
    launch: bench_hpl.LAUNCH = "",
    seconds: Annotated[str, typer.Option(metavar="TIME", help="Measuring time for the parts of each point.")] = "5s",
    json: options.JSON = False,
) -> None:
    """Estimate High Performance Linpack by a model of its parts.

    docs/hpl-model.md has the model. The parts (panel, update with DGEMM, broadcast) are measured by as many processes
    as the grid has. More processes than cores share the cores. --paper shows paper 3's estimate of its Cell cluster,
    and the errors in its arithmetic.
    """
    if paper:
        if sizes != bench_hpl.SizeOptions() or launch:
            raise UsageError("--paper takes no other option than --json")
        describe_paper(json)
        return
    time = options.seconds_to_measure(seconds, "5s")
    sweep = sizes.sweep(Variant(depth=depth))
    for point in sweep.points():
        check_modelled(point, depth)
    launcher = launcher_of(launch)
    program_for(launcher, "kernels")
    results: list[ModelledPoint] = []
    for point in sweep.points():
        note(f"N = {point.order}, NB = {point.block}, {point.rows} x {point.columns}, {point.plane.name}")
        measured = measure_parts(launcher, point, time)
        modelled = model_hpl(point, PartTimes(measured.kernels), depth, measured.placement)
        results.append(
            {
                "plane": point.plane.name,
                "order": point.order,
                "nb": point.block,
                "p": point.rows,
                "q": point.columns,
                "seconds": modelled.seconds,
                "gflops": modelled.gflops,
                "panels": modelled.panels,
                "updates": modelled.updates,
                "messages": modelled.messages,
                "parts": [asdict(kernel) for kernel in measured.kernels],
            }
        )
    if json:
        data: EstimateHplData = {"depth": depth, "results": results}
        print_json("estimate-hpl", data)
    else:
        describe(results)


def describe(results: list[ModelledPoint]) -> None:
    say("High Performance Linpack as modelled from its parts, BCAST 1ring; parts: of all processes together")
    columns = ["  plane, P x Q", "N", "NB", "GFlop/s", "s", "panels", "updates", "messages"]
    rows = [
        [f"  {one['plane']}, {one['p']} x {one['q']}", str(one["order"]), str(one["nb"]), f"{one['gflops']:.2f}"]
        + [f"{seconds:.2f}" for seconds in (one["seconds"], one["panels"], one["updates"], one["messages"])]
        for one in results
    ]
    print_table("", columns, rows)


def describe_paper(json: bool) -> None:
    found = paper_estimate()
    if json:
        data: PaperData = {
            "steps": [asdict(step) for step in found.steps],
            "discrepancies": [asdict(one) for one in found.discrepancies],
            "top500_last_tflops": TOP500_LAST,
        }
        print_json("estimate-hpl-paper", data)
        return
    say("High Performance Linpack in mixed precision on the Cell cluster of paper 3 (its section 4.2), TFlop/s")
    rows = [[f"  {s.what}", s.arithmetic, f"{s.tflops:.4f}", printed(s.printed)] for s in found.steps]
    print_table("", ["  step", "arithmetic", "result", "printed"], rows)
    say("Where the printed numbers do not multiply out, each with those above it put right:")
    for number, one in enumerate(found.discrepancies, 1):
        say(f"  {number}. {one.what}")
    least = min(one.tflops for one in found.discrepancies)
    say(
        f"The paper prints {PRINTED_CLUSTER:g}; the blades of its table 1 give {found.discrepancies[1].tflops:.1f}. "
        f"The least of these, {least:.1f}, is above place 500 of June 2010 ({TOP500_LAST:g}): its conclusion stands."
    )


def printed(value: float | None) -> str:
    return "" if value is None else f"{value:g}"
