"""ayatori lab: real programs on simulated hardware."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori.base.errors import Error
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, say
from ayatori.cli.route import describe_check
from ayatori.lab.fabric import SimulatedFabric
from ayatori.lab.fabric.verification import (
    OPENSM_ENGINES,
    compare_networks,
    discover_live,
    load_our_tables,
    net_text,
    read_back,
    try_engine,
    with_guids,
    write_tables_of,
)
from ayatori.model.network import open_source
from ayatori.planning.routes import check, check_as_data, make_routes_explained

ENGINES = (*OPENSM_ENGINES, "file")

app = typer.Typer(help="Real programs on simulated hardware.", no_args_is_help=True)


@app.callback()
def lab() -> None:
    """Real programs on simulated hardware."""


@app.command("fabric", epilog=options.SOURCES)
def fabric(
    source: options.SOURCE,
    engine: Annotated[str, typer.Option(help="ftree, updn, minhop, or file: our tables.")] = "file",
    lmc: options.LMC = "auto",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the tables that the switches hold.")] = None,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Runs real OpenSM on a simulated fabric, and reads the tables back over MADs."""
    if engine not in ENGINES:
        raise UsageError(f"no engine '{engine}'", hint=f"engines: {', '.join(ENGINES)}")
    known = open_source(source, host_pattern)
    lids = options.parse_lmc(lmc)
    with SimulatedFabric(net_text(known)) as running:
        for warning in running.warnings():
            note(f"ibsim: {warning}")
        network = with_guids(running, known)
        checks = [compare_networks(network, discover_live(running, host_pattern))]
        if engine == "file":
            checks += load_our_tables(running, network, make_routes_explained(network, lids), source)
            routes = read_back(running, network)
        else:
            tried = try_engine(running, network, engine)
            if tried.routes is None:
                raise Error(f"OpenSM's {engine} engine does not route {source}", tried.refusal)
            routes = tried.routes
        if out is not None:
            write_tables_of(routes, network, out)
            note(f"wrote {out}")
        data: dict[str, Any] = {"source": source, "engine": engine}
        data |= check_as_data(network, routes, check(network, routes))
        data["checks"] = [check.as_data() for check in checks]
    if json:
        print_json("lab-fabric", data)
    else:
        describe(data)
    if not all(check["passed"] for check in data["checks"]):
        raise Error("the switches do not hold what was asked for", internal=True)


def describe(data: dict[str, Any]) -> None:
    say(f"{data['source']}: real OpenSM, engine {data['engine']}, {data['lids']} LIDs")
    describe_check(data)
    for result in data["checks"]:
        say(check_in_words(result))


def check_in_words(check: dict[str, Any]) -> str:
    return f"  {'ok  ' if check['passed'] else 'FAIL'}  {check['what']} ({check['figure']})"
