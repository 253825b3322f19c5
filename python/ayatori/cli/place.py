"""ayatori place: hosts for a new job."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import print_json, say
from ayatori.cli.paths import note_sizes
from ayatori.cli.running_jobs import RUNNING, STATE, describe_placed, jobs_in_words, jobs_running, tables_in_words
from ayatori.cli.searching import (
    ROUNDS,
    SECONDS,
    USUAL_SECONDS,
    describe_cut,
    leave_if_interrupted,
    parse_limit,
    searched,
)
from ayatori.model.jobs import read_job
from ayatori.model.network import open_source
from ayatori.planning.concurrent import placed_as_data
from ayatori.planning.placement import propose
from ayatori.planning.plans import purpose_of
from ayatori.planning.routes import make_routes, read_routes


def place(
    source: options.SOURCE,
    nodes: Annotated[int, typer.Option(metavar="N", help="Number of hosts of the job.")],
    free: Annotated[Path, typer.Option(metavar="HOSTFILE", help="The free hosts.")],
    running: RUNNING = None,
    state: STATE = None,
    proposals: Annotated[int, typer.Option(metavar="N", help="Proposals to print at most.")] = 3,
    ppn: options.PPN = 0,
    pattern: options.PATTERN = "shift",
    seconds: SECONDS = USUAL_SECONDS,
    seed: options.SEED = 1,
    rails: options.RAILS = "auto",
    lmc: options.LMC = "auto",
    lfts: Annotated[Path | None, typer.Option(metavar="FILE", help="The tables in use.")] = None,
    host_pattern: options.HOST_PATTERN = "",
    aliases: options.ALIASES = None,
    json: options.JSON = False,
) -> None:
    """Propose hosts on which a new job and the running jobs do not disturb each other.

    Each proposal is planned with the jobs of --running, and shows the expected bandwidth.
    """
    if nodes < 1:
        raise UsageError(f"a job of {nodes} hosts is none", hint="--nodes N, from 1 on")
    if proposals < 1:
        raise UsageError(f"{proposals} proposals are none")
    if state is not None and running is None:
        raise UsageError("--state needs --running")
    limit = parse_limit(seconds)
    note_sizes(pattern)
    network = open_source(source, host_pattern, purpose_of(pattern), aliases)
    candidates = read_job(network, free, order="network")
    routes = read_routes(network, lfts) if lfts else make_routes(network, options.parse_lmc(lmc))
    made_for = routes.lmc(candidates.endpoints(network)[0])
    others = jobs_running(network, routes, made_for, running, state)
    wanted = (nodes, others, proposals, ppn, pattern, seed, options.parse_rails(network, rails))
    found, cut = searched(ROUNDS, limit, lambda control: propose(network, routes, candidates, *wanted, control))
    data: dict[str, Any] = {"source": source, "pattern": pattern, "seed": seed, "running": len(others)}
    data["tables"] = tables_in_words(lfts, made_for)
    data["proposals"] = [
        {"how": each.how, "hosts": each.hosts} | placed_as_data(network, f"proposal {number}", each.placed, others)
        for number, each in enumerate(found, 1)
    ]
    data["cut"] = cut and cut.as_data()
    if json:
        print_json("place", data)
    else:
        describe(data)
    leave_if_interrupted(cut)


def describe(data: dict[str, Any]) -> None:
    say(f"{data['source']}: among {jobs_in_words(data['running'])}")
    say(f"  tables        {data['tables']}")
    describe_cut(data["cut"], ROUNDS)
    for proposal in data["proposals"]:
        say(f"{proposal['name']}: {proposal['how']}")
        describe_placed(proposal)
        say(f"  hosts         {','.join(proposal['hosts'])}")
