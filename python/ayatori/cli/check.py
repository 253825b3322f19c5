"""ayatori check: are these tables any good, and what do they do to a job?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, TypedDict

import typer

from ayatori._core import Job, Network, Routes, SearchControl
from ayatori.cli import options
from ayatori.cli.check_together import Tables, assess_together, describe_together, drawing
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.link_names import names_of_links
from ayatori.cli.option_groups import JobOptions, NetworkOptions
from ayatori.cli.output import print_json, print_table, say
from ayatori.cli.paths import hinting_at_rails, note_traffic
from ayatori.cli.planned import check_plan_options, plan_in_use
from ayatori.cli.route import describe_check, describe_lanes
from ayatori.cli.searching import STATUS_OF_CUT, Cut, CutData, cut_as_data, describe_cut, searched, with_results
from ayatori.cli.status import Status
from ayatori.cli.together import JobsAsked
from ayatori.formats.applied import AppliedData, applied_as_data, read_applied
from ayatori.planning.plans import (
    BASE_LIDS,
    MULTIPATH,
    Assessment,
    JobsData,
    Messages,
    assess_jobs,
    assessments_as_data,
    contention,
    method_named,
)
from ayatori.planning.routes import LanesData, TablesData, check_as_data, check_lanes, lanes_as_data
from ayatori.planning.routes import check as check_tables
from ayatori.planning.together import TogetherData
from ayatori.planning.traffics import purpose_of


class JobsOfPattern(JobsData):
    pattern: str
    """As given."""


class CheckDetails(TypedDict, total=False):
    applied: AppliedData
    """Only with `--applied`: connections compared with the plan ([format](applied-format.md))."""
    together: TogetherData
    """Only with `--jobs`: jobs that run at the same time."""
    lanes: LanesData
    """Only with `--path-sl` or `--sl-to-vl`."""


class CheckData(TablesData, JobsOfPattern, CheckDetails):
    source: str
    rails: str
    seed: int
    """As given."""
    plans: list[str]
    """Files of plans whose paths messages take, as given."""
    cut: CutData | None
    """How the search was cut short."""


HOT_LINKS_SHOWN = 10
ECMP = "ecmp"


@dataclass(frozen=True)
class CheckedOptions:
    """The options that say what is checked: tables or a plan, and by which messages."""

    PANEL: ClassVar[str] = "Virtual lanes"
    USUAL: ClassVar[tuple[str, ...]] = ("lfts", "plan")
    lfts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Forwarding tables, as OpenSM or dump_lfts wrote them.")
    ] = None
    path_sl: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Service levels of paths, as saquery PR or ibdiagnet write them."),
    ] = None
    sl_to_vl: Annotated[Path | None, typer.Option(metavar="FILE", help="SL-to-VL mappings: opensm-sl2vl.dump.")] = None
    plan: options.PLAN = None
    pattern: options.PATTERN = "shift"


@dataclass(frozen=True)
class ComputedOptions:
    """The options that say which tables are computed, and which of their paths messages take."""

    PANEL: ClassVar[str] = options.PATHS_PANEL
    lmc: Annotated[
        str | None,
        typer.Option(
            metavar="LMC", help="Log2 of the LIDs per port, 0 to 7, or 'auto'; default 0, auto with --method."
        ),
    ] = None
    method: options.METHOD = None
    rails: options.RAILS = "auto"


@grouped
def check(
    *,
    checked: CheckedOptions,
    each: JobOptions,
    asked: JobsAsked,
    computed: ComputedOptions,
    report: options.REPORT_OF_JOBS = None,
    on: NetworkOptions,
    json: options.JSON = False,
) -> int:
    """Check forwarding tables, and the contention of jobs on them.

    Tables are checked for reachability, deadlock and balance.

    --jobs measures concurrent jobs, each in a random step.

    With --path-sl and --sl-to-vl, deadlock is checked on the virtual lanes of the paths, and again as if all packets
    had SL 0.

    Exit status 3: unreachable LIDs, loops or a possible deadlock; with --applied, connections off the plan's paths.

    Without --lfts, tables are computed at --lmc; on trees, base LIDs are d-mod-k, as in OpenSM's ftree.
    """
    pattern, method, plan = checked.pattern, computed.method, checked.plan
    note_traffic(pattern)
    network = on.open(purpose_of(pattern))
    messages = Messages(pattern, each.seed, options.parse_rails(network, computed.rails))
    check_options(each, asked, plan, method, report)
    if method == ECMP:
        raise UsageError("hashes of switches are not in tables", hint="ayatori roce SOURCE --job HOSTFILE")
    more: CheckDetails = {}
    assessments: list[Assessment] = []
    cut: Cut | None = None
    tables = Tables(checked.lfts, computed.lmc, method and method_named(method, [MULTIPATH]), messages)
    paths = tables.name_of_paths
    with hinting_at_rails(network):
        if asked.jobs:
            routes, together = assess_together(network, asked, each, tables, drawing(on.source, report))
            more["together"] = together
        elif plan is not None:
            routes, assessments, paths, more = assess_plan(network, plan, each.jobs_on(network), asked.applied, tables)
        else:
            routes = tables.of(network)
            assessments, cut = assess_each(network, each.jobs_on(network), tables, routes, json)
    if checked.path_sl is not None or checked.sl_to_vl is not None:
        more["lanes"] = lanes_as_data(network, check_lanes(network, routes, checked.path_sl, checked.sl_to_vl))
    data: CheckData = {
        "source": on.source,
        **check_as_data(network, routes, check_tables(network, routes)),
        **assessments_as_data(network, paths, assessments),
        "pattern": pattern,
        "seed": each.seed,
        "rails": messages.rails,
        "plans": [str(plan)] if plan is not None else asked.plans,
        **more,
        "cut": cut_as_data(cut),
    }
    print_json("check", data) if json else describe(data)
    return status_of(data)


def status_of(data: CheckData) -> Status:
    if data["cut"] is not None:
        return STATUS_OF_CUT[data["cut"]["by"]]
    as_planned = "applied" not in data or not data["applied"]["not_as_planned"]
    return Status.DONE if tables_are_good(data) and as_planned else Status.BAD


def tables_are_good(data: CheckData) -> bool:
    """Tables that need virtual lanes are good only if they are free of deadlock also for programs that never ask the
    subnet manager for a path: these send at SL 0."""
    lanes = data.get("lanes")
    if lanes is None:
        return bool(data["tables_ok"])
    reachable = not (data["unreachable"] or data["ports_without_lids"] or lanes["discarded"])
    return bool(reachable and lanes["deadlock_free"] and lanes["deadlock_free_at_sl_0"])


def check_options(
    each: JobOptions, asked: JobsAsked, plan: Path | None, method: str | None, report: Path | None
) -> None:
    """Raises UsageError for options that contradict each other."""
    asked.check(each.one_by_one, plan)
    if report is not None and not asked.jobs:
        raise UsageError("--report draws several jobs", hint="--jobs FOLDER; one job: ayatori plan --report")
    check_plan_options(plan, method, each)


def assess_each(
    network: Network, jobs: list[Job], tables: Tables, routes: Routes, with_bounds: bool
) -> tuple[list[Assessment], Cut | None]:
    """Each job by itself; `with_bounds` tells how good any plan could be, which takes most of the time."""
    method: str | None = tables.method or BASE_LIDS
    if method == BASE_LIDS and not with_bounds:
        method = None

    def assess(control: SearchControl) -> list[Assessment]:
        control.expect(len(jobs))
        return assess_jobs(network, routes, jobs, method, tables.messages, control)

    assessments, cut = searched("jobs", None, assess)
    return with_results(assessments, cut, len(assessments), len(jobs))


def assess_plan(
    network: Network,
    plan_file: Path,
    jobs: list[Job],
    applied_in: Path | None,
    tables: Tables,
) -> tuple[Routes, list[Assessment], str, CheckDetails]:
    """The plan, or that which a job made of it, with what differs. Raises Error for a plan that is not for the job that
    the options name, or that was made on other tables."""
    in_use = plan_in_use(network, plan_file, jobs, tables.messages.rails, lambda lmc: tables.of(network, lmc))
    plan, routes = in_use.saved.plan, in_use.routes
    nics, steps = tables.messages.of(network, in_use.job)
    taken, name = plan, plan.method.word
    differences: CheckDetails = {}
    if applied_in is not None:
        applied = read_applied(plan_file, applied_in)
        planned = contention(network, routes, nics, plan, steps)
        differences = {"applied": applied_as_data(applied, planned.relative_bandwidth)}
        taken, name = applied.plan, f"{name} as applied"
    measured = contention(network, routes, nics, taken, steps)
    return routes, [Assessment(in_use.job, measured)], name, differences


def describe(data: CheckData) -> None:
    say(f"{data['source']}: {data['lids']} LIDs, {'tables are good' if tables_are_good(data) else 'tables are BAD'}")
    describe_check(data)
    if "lanes" in data:
        describe_lanes(data["lanes"])
    if data["jobs"]:
        if data["plans"]:
            say(f"  plan          {data['plans'][0]}")
        describe_jobs(data)
    describe_cut(data["cut"], "jobs")
    if "applied" in data:
        describe_applied(data["applied"])
    if "together" in data:
        describe_together(data["together"], data["seed"])


def describe_applied(applied: AppliedData) -> None:
    """Whether connections took the paths of the plan."""
    say(
        f"  applied       {applied['as_planned']} of {applied['connections']} connections as planned, between"
        f" {applied['connected_pairs']} of {applied['port_pairs']} pairs of ports;"
        f" the plan would get {applied['planned_relative_bandwidth']:.4f}"
    )
    others = [
        [f"  {other['from_rank']} -> {other['to_rank']}", str(other["slid"]), str(other["dlid"]), str(other["count"])]
        for other in applied["not_as_planned"][:HOT_LINKS_SHOWN]
    ]
    if others:
        print_table("", ["  not as planned: ranks", "source LID", "destination LID", "connections"], others)


def describe_jobs(data: JobsOfPattern) -> None:
    """Bandwidth and hot links of the jobs, as `check` and `plan` print them."""
    bandwidth = data["relative_bandwidth"]
    say(f"  jobs          {data['free']} of {data['jobs']} free of hot spots ({data['pattern']}, {data['method']})")
    say(
        f"  bandwidth     mean {bandwidth['mean']:.4f}, min {bandwidth['min']:.4f}, max {bandwidth['max']:.4f}"
        " of what the NICs could"
    )
    hottest = data["hot_links"][:HOT_LINKS_SHOWN]
    if hottest:
        names, shortened = names_of_links(hottest)
        rows = [
            [f"  {name}", str(link["hot_steps"]), str(link["worst_load"])]
            for name, link in zip(names, hottest, strict=True)
        ]
        print_table("", ["  hottest links", "hot steps", "messages in the worst"], rows, shortened)
