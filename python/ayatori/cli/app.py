"""The verbs of the command line."""

from __future__ import annotations

from typing import Annotated

import typer

import ayatori
from ayatori import _core
from ayatori.cli import (
    bench,
    calibrate,
    check,
    choose,
    convert,
    demo,
    doctor,
    lab,
    order,
    place,
    plan,
    report,
    route,
    run,
    show,
    simulate,
)
from ayatori.cli.former_names import taking
from ayatori.cli.options import SOURCES


def algorithms_in_words() -> str:
    """For the help of verbs that take them: each collective with its algorithms."""
    by_collective: dict[str, list[str]] = {}
    for algorithm in _core.algorithms():
        by_collective.setdefault(algorithm.collective, []).append(algorithm.name)
    return "Algorithms: " + "; ".join(f"{name}: {', '.join(names)}" for name, names in by_collective.items()) + "."


ALGORITHMS = algorithms_in_words()

app = typer.Typer(
    name="ayatori",
    help="See the network that HPC software runs on, and use it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def print_version(wanted: bool) -> None:
    if wanted:
        print(f"ayatori {ayatori.__version__}")
        raise typer.Exit


@app.callback()
def options_of_all(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """See the network that HPC software runs on, and use it.

    Exit status: 0 done; 1 it can't be done with this input; 2 the command line is wrong; 3 what was checked is bad, or
    there are differences; 70 a defect or a failed resource of ours; 130 interrupted. `run` has that of its program.
    """


app.command("show", epilog=SOURCES)(show.show)
app.command("convert", epilog=SOURCES)(convert.convert)
app.command("route", epilog=SOURCES, cls=taking({"--out": "--out-dir"}))(route.route)
app.command("check", epilog=SOURCES)(check.check)
app.command("plan", epilog=SOURCES)(plan.plan)
app.command("place", epilog=SOURCES)(place.place)
app.command("order", epilog=f"{SOURCES}\n\n{ALGORITHMS}")(order.order)
app.command("calibrate")(calibrate.calibrate)
app.command("choose", epilog=f"{SOURCES}\n\n{ALGORITHMS}")(choose.choose)
app.command("simulate", epilog=f"{SOURCES}\n\n{ALGORITHMS}", cls=taking({"--segment": "--chunk"}))(simulate.simulate)
app.command("run")(run.run)
app.command("doctor")(doctor.doctor)
app.add_typer(lab.app, name="lab")
app.add_typer(bench.app, name="bench")
app.command("report")(report.report)
app.command("demo", epilog=SOURCES, cls=taking({"--jobs": "--random-jobs", "--out": "--out-dir"}))(demo.demo)
