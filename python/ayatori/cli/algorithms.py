"""ayatori algorithms: which algorithms each collective has."""

from __future__ import annotations

from typing import Annotated, TypedDict

import typer

from ayatori.cli import options
from ayatori.cli.output import print_json, say


class AlgorithmData(TypedDict):
    collective: str
    algorithm: str
    about: str
    """What --collective and --algorithm take, and how the algorithm works."""
    of_an_mpi: bool
    """True if it repeats what an MPI library does: `choose` ranks it with `--to` alone."""


class AlgorithmsData(TypedDict):
    algorithms: list[AlgorithmData]
    """One entry per collective and algorithm."""


def algorithms(
    collective: Annotated[
        str, typer.Argument(metavar="[COLLECTIVE]", help="One collective, such as allreduce; else all.")
    ] = "",
    json: options.JSON = False,
) -> None:
    """List the algorithms of collectives.

    `choose` ranks them, `simulate` predicts one, and `order` finds a rank order for one. `choose` leaves out those of
    MPI libraries unless it writes a table for that library (--to).
    """
    from ayatori import _core
    from ayatori.prediction.calls import algorithms_of

    found = algorithms_of(collective) if collective else _core.algorithms()
    data: AlgorithmsData = {
        "algorithms": [
            {"collective": one.collective, "algorithm": one.name, "about": one.about, "of_an_mpi": one.of_an_mpi}
            for one in found
        ]
    }
    print_json("algorithms", data) if json else describe(data)


def describe(data: AlgorithmsData) -> None:
    width = max(len(each["algorithm"]) for each in data["algorithms"])
    before = ""
    for each in data["algorithms"]:
        if each["collective"] != before:
            say(each["collective"])
        before = each["collective"]
        of_an_mpi = " (an MPI library's)" if each["of_an_mpi"] else ""
        say(f"  {each['algorithm']:{width}}  {each['about']}{of_an_mpi}")
