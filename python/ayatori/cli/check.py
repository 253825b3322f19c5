"""ayatori check: are these tables any good, and what do they do to a job?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori._core import Network, Routes
from ayatori.cli import options
from ayatori.cli.execution import Status
from ayatori.cli.output import print_json, print_table, progress, say
from ayatori.cli.route import describe_check
from ayatori.formats.plan_file import read_plan
from ayatori.model.network import open_source
from ayatori.planning.plans import DESTINATION_MOD_K, Assessment, assess_jobs, assessments_as_data, contention, steps_of
from ayatori.planning.routes import check as check_tables
from ayatori.planning.routes import check_as_data, make_routes, read_routes

HOT_LINKS_SHOWN = 10


def check(
    source: options.SOURCE,
    lfts: Annotated[Path | None, typer.Option(metavar="FILE", help="OpenSM's or dump_lfts' tables.")] = None,
    plan: Annotated[Path | None, typer.Option(metavar="FILE", help="A plan that `ayatori plan --out` wrote.")] = None,
    pattern: options.PATTERN = "shift",
    job: options.JOB = None,
    random_jobs: options.RANDOM_JOBS = None,
    job_size: options.JOB_SIZE = None,
    seed: options.SEED = 1,
    contiguous: options.CONTIGUOUS = None,
    ppn: options.PPN = 0,
    order: options.ORDER = "network",
    lmc: options.LMC = "0",
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> int:
    """Checks tables (reachability, deadlock, balance) and the contention of jobs on them.

    Exit status: 0 for good tables, 3 for tables with holes, loops or a possible deadlock.

    Without --lfts the tables are ours at --lmc; at LMC 0 they are destination-mod-K, as OpenSM's ftree makes them.
    """
    network = open_source(source, host_pattern)
    if plan is not None:
        routes, assessments, method = assess_plan(network, plan, lfts, pattern, seed)
    else:
        routes = read_routes(network, lfts) if lfts else make_routes(network, options.parse_lmc(lmc))
        method = "tables" if lfts else DESTINATION_MOD_K
        jobs = options.collect_jobs(network, job, random_jobs, job_size, seed, contiguous, ppn, order)
        with progress("jobs", len(jobs)) as advance:
            assessments = assess_jobs(network, routes, jobs, DESTINATION_MOD_K, pattern, seed, advance)
    data: dict[str, Any] = {"source": source}
    data |= check_as_data(network, routes, check_tables(network, routes))
    data |= assessments_as_data(network, method, assessments) | {"pattern": pattern, "seed": seed}
    if json:
        print_json("check", data)
    else:
        describe(data)
    return Status.DONE if data["tables_ok"] else Status.BAD


def assess_plan(
    network: Network, plan_file: Path, lfts: Path | None, pattern: str, seed: int
) -> tuple[Routes, list[Assessment], str]:
    saved = read_plan(network, plan_file)
    routes = read_routes(network, lfts) if lfts else make_routes(network, saved.lmc)
    steps = steps_of(pattern, saved.job.rank_count, seed)
    measured = contention(network, routes, saved.job, saved.plan, steps)
    return routes, [Assessment(saved.job, measured)], saved.plan.method.word


def describe(data: dict[str, Any]) -> None:
    say(f"{data['source']}: {data['lids']} LIDs, {'tables are good' if data['tables_ok'] else 'tables are BAD'}")
    describe_check(data)
    if data["jobs"]:
        describe_jobs(data)


def describe_jobs(data: dict[str, Any]) -> None:
    """Bandwidth and hot links of the jobs, as `check` and `plan` print them."""
    bandwidth = data["relative_bandwidth"]
    say(f"  jobs          {data['free']} of {data['jobs']} free of hot spots ({data['pattern']}, {data['method']})")
    say(
        f"  bandwidth     mean {bandwidth['mean']:.4f}, min {bandwidth['min']:.4f}, max {bandwidth['max']:.4f}"
        " of what the NICs could"
    )
    hottest = data["hot_links"][:HOT_LINKS_SHOWN]
    if hottest:
        rows = [
            [f"{link['from']} port {link['from_port']} -> {link['to']} port {link['to_port']}",
             str(link["hot_steps"]), str(link["worst_load"])]
            for link in hottest
        ]  # fmt: skip
        print_table(
            "", ["  hottest links", "hot steps", "messages in the worst"], [["  " + row[0], *row[1:]] for row in rows]
        )
