"""`ayatori check --jobs`: several jobs that run at the same time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ayatori._core import JobsTogether, Network, Routes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.option_groups import JobOptions
from ayatori.cli.output import print_table, say
from ayatori.cli.report import save_report
from ayatori.cli.together import JobsAsked, describe_shared_links
from ayatori.planning.plans import BASE_LIDS, MULTIPATH, Messages, traffic_of_nics
from ayatori.planning.plans import plan as make_plan
from ayatori.planning.routes import make_routes, read_routes
from ayatori.planning.together import (
    BACKGROUND,
    JobOnFabric,
    TogetherData,
    WithoutPlans,
    measure_together,
    together_as_data,
)
from ayatori.planning.traffics import steps_of
from ayatori.study.pictures import together_as_study

ROUNDS = 300


@dataclass(frozen=True)
class Tables:
    """Which tables are looked at, and which paths on them; by which messages."""

    lfts: Path | None
    lmc: str | None
    method: str | None
    messages: Messages

    @property
    def name_of_paths(self) -> str:
        return options.name_of_paths(BASE_LIDS, None, self.lfts) if self.method is None else self.method

    def of(self, network: Network, planned_lmc: int | None = None) -> Routes:
        """Those that are given, or ours: at the LMC of plans, or that which is asked for, or what the method needs."""
        if self.lfts is not None:
            return read_routes(network, self.lfts)
        if planned_lmc is not None and self.lmc is None:
            return make_routes(network, planned_lmc)
        by_default = "0" if self.method in (None, BASE_LIDS) else "auto"
        return make_routes(network, options.parse_lmc(by_default if self.lmc is None else self.lmc))


Draw = Callable[[Network, Routes, list[JobOnFabric], JobsTogether, str], None]


def drawing(source: str, folder: Path | None) -> Draw:
    """What draws the report of jobs that were measured together, if one is asked for."""

    def draw(network: Network, routes: Routes, jobs: list[JobOnFabric], measured: JobsTogether, rails: str) -> None:
        if folder is not None:
            save_report(folder, "study-jobs.json", together_as_study(network, routes, source, jobs, measured, rails))

    return draw


def assess_together(
    network: Network,
    asked: JobsAsked,
    each: JobOptions,
    tables: Tables,
    draw: Draw,
) -> tuple[Routes, TogetherData]:
    """The jobs that are asked for together. Plans bring the LMC that they were made for."""
    if tables.method == MULTIPATH:
        raise UsageError("--jobs counts one path for each message", hint="simulate --jobs times them")
    jobs, planned_lmc = asked.read(network, each)
    rails = tables.messages.rails
    routes = tables.of(network, planned_lmc)
    for one in jobs:
        if one.name == BACKGROUND:
            continue
        one.pattern = tables.messages.pattern
        if one.plan is None and tables.method is not None:
            steps = steps_of("shift", one.job.rank_count)
            nics, steps = traffic_of_nics(network, one.job, steps, rails)
            one.plan, one.of_nics = make_plan(network, routes, nics, tables.method, steps).plan, rails != "own"
    measured = measure_together(network, routes, jobs, asked.rounds_or(ROUNDS), each.seed, rails)
    asked.draw(network, jobs, measured.shared)
    draw(network, routes, jobs, measured, rails)
    without_plans: WithoutPlans | None = None
    if any(one.plan is not None for one in jobs):
        unplanned = [replace(one, plan=None) for one in jobs]
        before = measure_together(network, routes, unplanned, measured.rounds, each.seed, rails)
        spread = together_as_data(network, unplanned, before)["together"]
        without_plans = {**spread, "same_at_lmc_0": tables.lfts is None}
    found = together_as_data(network, jobs, measured)
    return routes, {**found, "background": asked.background, "without_plans": without_plans}


def describe_together(together: TogetherData, seed: int) -> None:
    """Jobs that run at the same time: what each gets, and which links they share."""
    jobs = together["jobs"]
    say(f"  together      {len(jobs)} jobs, {together['rounds']} rounds at random phases (seed {seed})")
    mean, least, alone = together["together"]["mean"], together["together"]["min"], together["alone"]["mean"]
    say(f"  bandwidth     mean {mean:.4f}, min {least:.4f} of what the NICs could; alone mean {alone:.4f}")
    if (before := together["without_plans"]) is not None:
        same = ", which have the same entries at LMC 0" if before["same_at_lmc_0"] else ""
        say(f"  without plans mean {before['mean']:.4f}, min {before['min']:.4f} by base LIDs{same}")
    rows = [
        [f"  {job['name']}", str(job["machines"]), job["method"], f"{job['alone']:.4f}", f"{job['together']:.4f}",
         job["worst_neighbour"] or "-", f"{job['with_worst_neighbour']:.4f}"]
        for job in jobs
    ]  # fmt: skip
    print_table("", ["  job", "hosts", "paths", "alone", "together", "worst neighbour", "with it"], rows)
    describe_shared_links(together)
