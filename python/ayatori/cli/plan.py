"""ayatori plan: the paths of a job; hot spots before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori.cli import options
from ayatori.cli.check import describe_jobs
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, progress, say
from ayatori.formats.plan_file import write_plan
from ayatori.model.network import open_source
from ayatori.planning.plans import DESTINATION_MOD_K, PLAN_METHODS, assess_jobs, assessments_as_data
from ayatori.planning.routes import make_routes, read_routes


def plan(
    source: options.SOURCE,
    job: options.JOB = None,
    method: Annotated[str, typer.Option(help="rule (paper 1), colour (one LID a node) or pair (one a pair).")] = "pair",
    random_jobs: options.RANDOM_JOBS = None,
    job_size: options.JOB_SIZE = None,
    seed: options.SEED = 1,
    contiguous: options.CONTIGUOUS = None,
    ppn: options.PPN = 0,
    order: options.ORDER = "network",
    pattern: options.PATTERN = "shift",
    lmc: options.LMC = "auto",
    lfts: Annotated[Path | None, typer.Option(metavar="FILE", help="Plan on these tables instead of ours.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the job's plan there (with --job).")] = None,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Picks the paths of a job's messages, and compares hot spots without and with the plan.

    "Without" is destination-mod-K with one LID a port, as OpenSM's ftree routes.
    """
    if method not in PLAN_METHODS:
        raise UsageError(f"no method '{method}'", hint=f"methods: {', '.join(PLAN_METHODS)}")
    network = open_source(source, host_pattern)
    jobs = options.collect_jobs(network, job, random_jobs, job_size, seed, contiguous, ppn, order)
    jobs = options.jobs_or_whole_network(network, jobs, ppn)
    if out is not None and len(jobs) > 1:
        raise UsageError("--out takes the plan of one job", hint="--job HOSTFILE --out FILE")
    one_lid = make_routes(network, 0)
    routes = read_routes(network, lfts) if lfts else make_routes(network, options.parse_lmc(lmc))
    with progress("jobs", 2 * len(jobs)) as advance:
        before = assess_jobs(network, one_lid, jobs, DESTINATION_MOD_K, pattern, seed, advance)
        after = assess_jobs(network, routes, jobs, method, pattern, seed, advance)
    data: dict[str, Any] = {"source": source, "pattern": pattern, "seed": seed}
    data |= assessments_as_data(network, method, after)
    data["before"] = assessments_as_data(network, DESTINATION_MOD_K, before) | {"pattern": pattern}
    if out is not None:
        write_plan(network, routes, jobs[0], after[0].planned, out)
        note(f"wrote {out}")
    if json:
        print_json("plan", data)
    else:
        describe(data)


def describe(data: dict[str, Any]) -> None:
    say(f"{data['source']}: without a plan, one LID a port (destination-mod-K)")
    describe_jobs(data["before"])
    say(f"with the plan '{data['method']}'")
    describe_jobs(data)
    if data["jobs"] == 1:
        say(f"  proof         {data['per_job'][0]['reason']}")
