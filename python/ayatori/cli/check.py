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
from ayatori.cli.together import JobsAsked, describe_shared_links
from ayatori.formats.plan_file import read_plan
from ayatori.model.network import open_source
from ayatori.planning.plans import (
    DESTINATION_MOD_K,
    Assessment,
    assess_jobs,
    assess_unplanned,
    assessments_as_data,
    contention,
    steps_of,
)
from ayatori.planning.routes import check as check_tables
from ayatori.planning.routes import check_as_data, make_routes, read_routes
from ayatori.planning.together import BACKGROUND, measure_together, together_as_data

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
    jobs: options.JOBS = None,
    background: options.BACKGROUND = 0,
    rounds: options.ROUNDS = 300,
    svg: options.SVG_OF_JOBS = None,
    unnamed_hcas: options.UNNAMED_HCAS = False,
    lmc: options.LMC = "0",
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> int:
    """Checks tables (reachability, deadlock, balance) and the contention of jobs on them.

    --jobs measures several jobs that run at the same time, each in a step of its own that is drawn at random.

    Exit status: 0 for good tables, 3 for tables with holes, loops or a possible deadlock.

    Without --lfts the tables are ours at --lmc; at LMC 0 they are destination-mod-K, as OpenSM's ftree makes them.
    """
    network = open_source(source, host_pattern)
    asked = JobsAsked(jobs, background, ppn, order, seed, svg)
    asked.check([job, random_jobs, contiguous, plan])
    together: dict[str, Any] = {}
    assessments: list[Assessment] = []
    method = "tables" if lfts else DESTINATION_MOD_K
    if jobs:
        routes, together = assess_together(network, asked, lfts, lmc, pattern, rounds)
    elif plan is not None:
        routes, assessments, method = assess_plan(network, plan, lfts, pattern, seed)
    else:
        routes = read_routes(network, lfts) if lfts else make_routes(network, options.parse_lmc(lmc))
        each = options.collect_jobs(network, job, random_jobs, job_size, seed, contiguous, ppn, order, unnamed_hcas)
        with progress("jobs", len(each)) as advance:
            if json:  # which tells how good any plan could be
                assessments = assess_jobs(network, routes, each, DESTINATION_MOD_K, pattern, seed, advance)
            else:
                assessments = assess_unplanned(network, routes, each, pattern, seed, advance)
    data: dict[str, Any] = {"source": source}
    data |= check_as_data(network, routes, check_tables(network, routes))
    data |= assessments_as_data(network, method, assessments) | {"pattern": pattern, "seed": seed} | together
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


def assess_together(
    network: Network, asked: JobsAsked, lfts: Path | None, lmc: str, pattern: str, rounds: int
) -> tuple[Routes, dict[str, Any]]:
    """The jobs that are asked for together. Plans bring the LMC that they were made for."""
    jobs, planned_lmc = asked.read(network)
    for each in jobs:
        each.pattern = pattern if each.name != BACKGROUND else each.pattern
    wanted = options.parse_lmc(lmc) if planned_lmc is None else planned_lmc
    routes = read_routes(network, lfts) if lfts else make_routes(network, wanted)
    measured = measure_together(network, routes, jobs, rounds, asked.seed)
    asked.draw(network, jobs, measured.shared)
    return routes, {"together": together_as_data(network, jobs, measured) | {"background": asked.background}}


def describe(data: dict[str, Any]) -> None:
    say(f"{data['source']}: {data['lids']} LIDs, {'tables are good' if data['tables_ok'] else 'tables are BAD'}")
    describe_check(data)
    if data["jobs"]:
        describe_jobs(data)
    if "together" in data:
        describe_together(data["together"], data["seed"])


def describe_together(together: dict[str, Any], seed: int) -> None:
    """Jobs that run at the same time: what each gets, and which links they share."""
    jobs = together["jobs"]
    say(f"  together      {len(jobs)} jobs, {together['rounds']} rounds at random phases (seed {seed})")
    mean, least, alone = together["together"]["mean"], together["together"]["min"], together["alone"]["mean"]
    say(f"  bandwidth     mean {mean:.4f}, min {least:.4f} of what the NICs could; alone mean {alone:.4f}")
    rows = [
        [f"  {job['name']}", str(job["machines"]), job["method"], f"{job['alone']:.4f}", f"{job['together']:.4f}",
         job["worst_neighbour"] or "-", f"{job['beside_worst_neighbour']:.4f}"]
        for job in jobs
    ]  # fmt: skip
    print_table("", ["  job", "hosts", "paths", "alone", "together", "worst neighbour", "beside it"], rows)
    describe_shared_links(together)


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
