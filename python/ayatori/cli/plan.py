"""ayatori plan: the paths of a job; hot spots before and after."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote
from statistics import fmean
from typing import Annotated, ClassVar

import typer

from ayatori._core import Job, Network, Routes, SearchControl, write_pattern
from ayatori.base.errors import UnknownWord
from ayatori.base.files import check_can_be_written
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.mpi_options import MpiCallOptions
from ayatori.cli.option_groups import JobOptions, NetworkOptions
from ayatori.cli.output import note, print_json, say
from ayatori.cli.paths import hinting_at_rails, note_traffic
from ayatori.cli.plan_concurrent import ConcurrentOptions, plan_concurrent
from ayatori.cli.plan_page import (
    ComparisonData,
    NewTablesData,
    PlanData,
    describe,
    traffics_as_data,
)
from ayatori.cli.report import save_report
from ayatori.cli.running_jobs import NewJobs
from ayatori.cli.searching import (
    SECONDS,
    USUAL_SECONDS,
    Limit,
    cut_as_data,
    describe_cut,
    leave_if_interrupted,
    parse_limit,
)
from ayatori.cli.starting import describe_start, write_start_files
from ayatori.formats.plan_file import write_plan
from ayatori.model.jobs import in_order
from ayatori.planning.improvement import (
    OURS,
    ROUNDING,
    Effort,
    Improvement,
    TablesInUse,
    improve_jobs,
    improvements_as_data,
    same_base_lids,
)
from ayatori.planning.plans import (
    BASE_LIDS,
    PLAN_METHODS,
    Assessment,
    Messages,
    assess,
    assessments_as_data,
    relative_bandwidths,
)
from ayatori.planning.routes import make_routes, read_routes
from ayatori.planning.traffics import purpose_of
from ayatori.prediction.path_aware import simulate_path_aware
from ayatori.study.pictures import plan_as_study

METHOD = Annotated[
    str, typer.Option(metavar="METHOD", help="Method: rule (paper 1), colour (a LID per rank) or pair (one per pair).")
]
PLAN_LMC = Annotated[
    str | None, typer.Option(metavar="LMC", help="Plan on computed tables of this LMC; auto (default): a LID per path.")
]
PATH_AWARE = Annotated[bool, typer.Option("--path-aware", help="Make a path-aware schedule of the all-to-all, too.")]
STEPS_OUT = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the job's path-aware schedule to FILE, as a pattern file.")
]
IN_USE = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Tables in use; without --lmc the plan uses them, too.")
]
PLAN_OUT = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the job's plan to FILE; with --jobs, plans to this folder.")
]


PLAN_STUDY = "study-plan.json"


@dataclass(frozen=True)
class PlanOptions:
    """The options that say which paths are planned, on which tables, and where the plan goes."""

    PANEL: ClassVar[str] = options.PATHS_PANEL
    USUAL: ClassVar[tuple[str, ...]] = ("lfts", "out", "traffic")
    method: METHOD = "pair"
    traffic: options.TRAFFIC = None
    lmc: PLAN_LMC = None
    out: PLAN_OUT = None
    lfts: IN_USE = None
    rails: options.RAILS = "auto"

    @property
    def pattern(self) -> str:
        """Whose hot spots and bounds are shown."""
        return self.traffic[0] if self.traffic else "shift"

    def messages(self, seed: int) -> Messages:
        return Messages(self.pattern, seed, self.rails)

    def judged_messages(self, seed: int) -> Messages:
        """The same, and all by which plans are judged."""
        return replace(self.messages(seed), named=tuple(dict.fromkeys(self.traffic or ())))

    def check(self) -> None:
        if self.method not in PLAN_METHODS:
            raise UnknownWord("method of planning", self.method, PLAN_METHODS)
        options.check_rails(self.rails)

    def check_out(self) -> None:
        """Raises Error before anything is planned, and before a companion of a plan is written that can't be."""
        if self.out is not None:
            check_can_be_written(self.out)

    def tables_in_use(self, network: Network, control: SearchControl) -> TablesInUse:
        """What a plan has to beat."""
        if self.lfts is None:
            return TablesInUse(make_routes(network, 0, control=control))
        return TablesInUse(read_routes(network, self.lfts), str(self.lfts))

    def tables_of_plan(self, network: Network, control: SearchControl, in_use: TablesInUse | None = None) -> Routes:
        """What a plan is made on: the tables in use, unless there are none or an LMC is asked for."""
        if self.lfts is None or (self.lmc is not None and in_use is not None):
            return make_routes(network, options.parse_lmc(self.lmc or "auto"), control=control)
        return in_use.routes if in_use is not None else read_routes(network, self.lfts)


@dataclass(frozen=True)
class DetailOptions:
    """The options that ask for more of jobs which are planned one by one."""

    PANEL: ClassVar[str] = "More results"
    path_aware: PATH_AWARE = False
    steps_out: STEPS_OUT = None
    report: options.REPORT = None

    @property
    def any(self) -> bool:
        return self.makes_steps or self.report is not None

    @property
    def makes_steps(self) -> bool:
        return self.path_aware or self.steps_out is not None


@grouped
def plan(
    *,
    each: JobOptions,
    wanted: PlanOptions,
    call: MpiCallOptions,
    details: DetailOptions,
    concurrent: ConcurrentOptions,
    seconds: SECONDS = "",
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Choose the paths of a job's messages, and avoid hot spots.

    The report compares hot spots without and with the plan. "Without" means the tables in use: those of --lfts, or else
    ours with one LID per port, as OpenSM's ftree routes. A job whose plan would not be better keeps base LIDs. If
    the plan needs new tables, their effect without a plan is shown, too.

    --running plans a job among running jobs, whose plans stay; --jobs plans jobs that start together. Both search
    for --seconds at most (60s).
    """
    limit = Limit(parse_limit(seconds or USUAL_SECONDS) if seconds or concurrent.asked else None)
    wanted.check()
    if not concurrent.jobs:  # whose plans may go into a folder
        wanted.check_out()
    wanted = replace(wanted, traffic=[*(wanted.traffic or ()), *call.traffics()])
    for pattern in wanted.traffic or ():
        note_traffic(pattern)
    network = on.open(purpose_of(wanted.pattern))
    wanted = replace(wanted, rails=options.parse_rails(network, wanted.rails))
    concurrent.check(each, wanted.method, details.any)
    with hinting_at_rails(network):
        if not concurrent.asked:
            plan_each(on.source, network, each, wanted, details, limit, json)
            return
        jobs = concurrent.read(network, each)
        routes = limit.tables(lambda control: wanted.tables_of_plan(network, control))
        new = NewJobs(network, routes, jobs, wanted.judged_messages(each.seed), wanted.lfts)
        plan_concurrent(on.source, new, concurrent, limit, wanted.out, json)


def plan_each(
    source: str,
    network: Network,
    each: JobOptions,
    wanted: PlanOptions,
    details: DetailOptions,
    limit: Limit,
    json: bool,
) -> None:
    """Plans jobs as if each were alone, and compares with the tables in use."""
    jobs = each.jobs_or_whole_network(network)
    # A path-aware schedule has the messages of an all-to-all, and of no other traffic.
    messages = wanted.messages(each.seed) if details.makes_steps else wanted.judged_messages(each.seed)
    pattern, rails = messages.pattern, messages.rails
    if rails != "own" and details.makes_steps:
        raise UsageError("a path-aware schedule has messages between the ranks' own NICs", hint="--rails own with them")
    if (wanted.out is not None or details.steps_out is not None) and len(jobs) > 1:
        raise UsageError("--out and --steps-out take one job", hint="--job HOSTFILE --out FILE")
    in_use = limit.tables(lambda control: wanted.tables_in_use(network, control))
    routes = limit.tables(lambda control: wanted.tables_of_plan(network, control, in_use))
    effort = Effort(wanted.method, details.makes_steps, prove_baseline=json or details.report is not None)

    def search(control: SearchControl) -> tuple[list[Improvement], list[Assessment], float | None]:
        found = improve(network, in_use, routes, jobs, effort, messages, control)
        ours = on_tables_of_ours(network, in_use, routes, found, messages, control)
        return found, ours, in_network_order(network, each, messages, routes, found, effort.method, control)

    (improvements, ours, other_order), cut = limit.searched("jobs", search)
    cut = cut and replace(cut, done=cut.done // pieces_a_job(effort), total=len(jobs))
    if details.report is not None:
        study = plan_as_study(network, source, in_use, ours, routes, wanted.method, improvements, rails)
        save_report(details.report, PLAN_STUDY, study)
    start: dict[str, str] = {}
    if wanted.out is not None:
        write_better_plan(network, in_use.routes, routes, improvements[0], rails, wanted.out)
        run = f"ayatori run --plan {quote(str(wanted.out.resolve()))} "
        start = write_start_files(network, jobs[0], wanted.out, run)
    if details.steps_out is not None:
        write_steps(improvements[0], details.steps_out)
    data: PlanData = {
        "source": source,
        "pattern": pattern,
        "seed": each.seed,
        **comparison_as_data(network, in_use, improvements, wanted.method, pattern, ours),
        "new_tables": new_tables_as_data(network, in_use, routes, improvements),
        "named": list(messages.named or ()),
        "traffics": traffics_as_data(improvements),
        "start": start,
        "in_network_order": other_order,
        "cut": cut_as_data(cut),
    }
    if json:
        print_json("plan", data)
        return leave_if_interrupted(cut)
    describe(data)
    describe_cut(data["cut"], "jobs")
    if data["equal"] and data["start"]:
        say("the plan gains nothing for ranks in this order: it may be left out")
    describe_start(data["start"])
    leave_if_interrupted(cut)


def improve(
    network: Network,
    in_use: TablesInUse,
    routes: Routes,
    jobs: list[Job],
    effort: Effort,
    messages: Messages,
    control: SearchControl,
) -> list[Improvement]:
    """The jobs with and without their plans; path-aware schedules are simulated."""
    control.expect(pieces_a_job(effort) * len(jobs))
    improvements = improve_jobs(network, in_use, routes, jobs, effort, messages, control)
    for improvement in improvements if effort.make_steps else []:
        simulate_path_aware(network, in_use, routes, improvement, control)
        control.did(0 if control.stopped else 1)
    return improvements


def pieces_a_job(effort: Effort) -> int:
    """What improve() counts."""
    return 5 if effort.make_steps else 2


def in_network_order(
    network: Network,
    each: JobOptions,
    messages: Messages,
    routes: Routes,
    found: list[Improvement],
    method: str,
    control: SearchControl,
) -> float | None:
    """What a plan brings if the same hosts have the ranks in the network's order; None where that is not more."""
    if each.job is None or each.order == "network" or control.stopped or not found:
        return None
    (given,) = found
    job = in_order(network, given.without.job)
    if given.better.contention.free or job.machine_of_rank == given.without.job.machine_of_rank:
        return None
    other = assess(network, routes, job, method, messages, control)
    gains = other.judged[0] - given.better.judged[0] > ROUNDING
    return other.judged[0] if gains and not control.stopped else None


def on_tables_of_ours(
    network: Network,
    in_use: TablesInUse,
    routes: Routes,
    improvements: list[Improvement],
    messages: Messages,
    control: SearchControl,
) -> list[Assessment]:
    """The jobs on our tables, next to tables of others; empty if ours are in use, or where `control` stops it."""
    if in_use.name == OURS or control.stopped:
        return []
    if routes is not in_use.routes:  # ours, whose base LIDs have the same entries at every LMC
        return [each.unplanned or each.without for each in improvements]
    tables = make_routes(network, 0)
    ours = [assess(network, tables, each.without.job, None, messages, control) for each in improvements]
    return [] if control.stopped else ours


def new_tables_as_data(
    network: Network, in_use: TablesInUse, routes: Routes, improvements: list[Improvement]
) -> NewTablesData | None:
    """What the plan's tables bring to jobs without a plan; None if they are those in use."""
    if routes is in_use.routes:
        return None
    unplanned = [each.unplanned or each.without for each in improvements]
    return {
        "lmc": routes.lmc(network.endpoints[0]),
        "same_base_lids": same_base_lids(network, in_use, routes),
        "relative_bandwidth": fmean(relative_bandwidths(unplanned)) if unplanned else None,
    }


def comparison_as_data(
    network: Network,
    in_use: TablesInUse,
    improvements: list[Improvement],
    method: str,
    pattern: str,
    ours: list[Assessment],
) -> ComparisonData:
    """The jobs with their plans, and without; the mean on our tables, where these are not in use."""
    without = [improvement.without for improvement in improvements]
    return {
        **assessments_as_data(network, method, [improvement.better for improvement in improvements]),
        **improvements_as_data(in_use, improvements),
        "before": {**assessments_as_data(network, BASE_LIDS, without), "pattern": pattern},
        "tables_of_ours": fmean(relative_bandwidths(ours)) if ours else None,
    }


def write_better_plan(
    network: Network, in_use: Routes, routes: Routes, improvement: Improvement, rails: str, file: Path
) -> None:
    """The plan, or base LIDs where it is not better: of the tables in use, unless those of the plan have the same."""
    tables = in_use if improvement.keeps_tables and improvement.unplanned is not None else routes
    job = improvement.without.job
    nics, _ = Messages(rails=rails).of(network, job)
    planned = improvement.better.planned
    assert planned is not None  # every candidate has a plan, be it of base LIDs
    write_plan(network, tables, nics, planned, file, of_nics=rails != "own")
    note(f"wrote {file}")


def write_steps(improvement: Improvement, file: Path) -> None:
    """The better of the two tables of steps, or none if neither is better than the shift."""
    made = improvement.better.made
    if made is None:
        note(f"no steps of its own are better than the shift: {file} is not written")
        return
    write_pattern(made.steps, str(file))
    note(f"wrote {file}")
