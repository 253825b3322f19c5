"""ayatori estimate: what would a cluster do that is not built, or not measured?"""

from __future__ import annotations

from dataclasses import asdict

import typer

from ayatori.cli import options
from ayatori.cli.output import print_json, print_table, say
from ayatori.estimate.paper3 import PRINTED_CLUSTER, TOP500_LAST, paper_estimate

app = typer.Typer(help="What would a cluster do that is not built, or not measured?", no_args_is_help=True)


@app.callback()
def estimate() -> None:
    """What would a cluster do that is not built, or not measured?"""


@app.command("hpl")
def hpl(json: options.JSON = False) -> None:
    """Paper 3's estimate of its Cell cluster, step by step, and where its numbers do not multiply out."""
    found = paper_estimate()
    if json:
        print_json("estimate-hpl-paper", asdict(found) | {"top500_last_tflops": TOP500_LAST})
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
