"""ayatori plan: the paths of a job; hot spots before and after."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from ayatori._core import Job, Network, Routes, write_pattern
from ayatori.cli import options
from ayatori.cli.beside import NAME, RUNNING, STATE, NewJobs, add_to_running, describe_placed, noted
from ayatori.cli.check import describe_jobs
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.output import note, print_json, progress, say
from ayatori.cli.report import save_report
from ayatori.cli.roce import RoceOptions, plan_for_roce
from ayatori.formats.job_files import files_of_jobs
from ayatori.formats.plan_file import write_plan
from ayatori.model.jobs import read_job
from ayatori.model.network import open_source
from ayatori.planning.beside import Placed, RunningJob, placed_as_data
from ayatori.planning.improvement import OURS, Improvement, TablesInUse, improve_jobs, improvements_as_data
from ayatori.planning.plans import (
    DESTINATION_MOD_K,
    PLAN_METHODS,
    Assessment,
    assess_unplanned,
    assessments_as_data,
    relative_bandwidths,
)
from ayatori.planning.routes import make_routes, read_routes
from ayatori.study.pictures import plan_as_study

JOINT = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="A job that is planned jointly: a hostfile, or a folder of them. Repeat it."),
]
METHOD = Annotated[str, typer.Option(help="rule (paper 1), colour (one LID a rank) or pair (one a pair).")]
PLAN_LMC = Annotated[
    str | None, typer.Option(help="Plan on tables of ours with 2^LMC LIDs a port; auto (default): one LID a path.")
]
OWN_STEPS = Annotated[
    bool, typer.Option("--own-steps", help="Also order the messages of the all-to-all for the paths.")
]
STEPS_OUT = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the job's own steps there, as a pattern file.")
]
IN_USE = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The tables in use; without --lmc the plan is made on them, too.")
]
PLAN_OUT = Annotated[Path | None, typer.Option(metavar="FILE", help="Write the job's plan there (--jobs: a folder).")]

PLAN_STUDY = "study-plan.json"


@grouped
def plan(
    *,
    source: options.SOURCE,
    each: options.JobOptions,
    jobs: JOINT = None,
    method: METHOD = "pair",
    pattern: options.PATTERN = "shift",
    lmc: PLAN_LMC = None,
    lfts: IN_USE = None,
    own_steps: OWN_STEPS = False,
    out: PLAN_OUT = None,
    steps_out: STEPS_OUT = None,
    rails: options.RAILS = "own",
    report: options.REPORT = None,
    running: RUNNING = None,
    state: STATE = None,
    name: NAME = None,
    roce: RoceOptions,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Picks the paths of a job's messages, and compares hot spots without and with the plan.

    "Without" are the tables in use: those of --lfts, or else destination-mod-K of ours with one LID a port, as OpenSM's
    ftree routes. A job whose plan would be worse than that keeps them.

    --running plans the job beside those that run, whose plans stand; --jobs plans jobs that start together.
    """
    if method not in PLAN_METHODS:
        raise UsageError(f"no method '{method}'", hint=f"methods: {', '.join(PLAN_METHODS)}")
    network = open_source(source, host_pattern)
    if plan_for_roce(source, network, each, roce, pattern, out, json, (running, jobs, lfts, steps_out, report)):
        return
    if running is not None or jobs:
        asked = InCompany(source, method, each.job, jobs or [], running, state, name, out, json)
        asked.check(any((each.random_jobs, each.contiguous, own_steps, steps_out, report, rails != "own")))
        routes = read_routes(network, lfts) if lfts else make_routes(network, options.parse_lmc(lmc or "auto"))
        in_company(asked, NewJobs(network, routes, asked.read(network, each.ppn, each.order), pattern, each.seed))
        return
    alone = each.jobs_or_whole_network(network)
    check_rails(rails, out, steps_out, report)
    if (out is not None or steps_out is not None) and len(alone) > 1:
        raise UsageError("--out and --steps-out take one job", hint="--job HOSTFILE --out FILE")
    own_steps = own_steps or steps_out is not None
    in_use = TablesInUse(read_routes(network, lfts), str(lfts)) if lfts else TablesInUse(make_routes(network, 0))
    routes = in_use.routes if lfts and lmc is None else make_routes(network, options.parse_lmc(lmc or "auto"))
    with progress("jobs", (4 if own_steps else 2) * len(alone)) as advance:
        improvements = improve_jobs(
            network, in_use, routes, alone, method, pattern, each.seed, own_steps, advance, json or bool(report), rails
        )
    ours = on_tables_of_ours(network, in_use, alone, pattern, each.seed, rails)
    data = {"source": source, "pattern": pattern, "seed": each.seed}
    data |= comparison_as_data(network, in_use, improvements, method, pattern, ours)
    if report is not None:
        save_report(report, PLAN_STUDY, plan_as_study(network, source, in_use, ours, routes, method, improvements))
    if out is not None:
        write_better_plan(network, in_use.routes, routes, improvements[0], out)
    if steps_out is not None:
        write_steps(improvements[0], steps_out)
    print_json("plan", data) if json else describe(data)


def check_rails(rails: str, *by_ranks: object) -> None:
    """Raises UsageError for rails with an option whose results are of ranks, not of NICs."""
    if options.parse_rails(rails) != "own" and any(each is not None for each in by_ranks):
        raise UsageError("--out, --steps-out and --report have paths between ranks", hint="--rails own with them")


def on_tables_of_ours(
    network: Network, in_use: TablesInUse, jobs: list[Job], pattern: str, seed: int, rails: str
) -> list[Assessment]:
    """The jobs on destination-mod-K of ours, which stands beside tables of others; empty if ours are in use."""
    if in_use.name == OURS:
        return []
    return assess_unplanned(network, make_routes(network, 0), jobs, pattern, seed, rails=rails)


def comparison_as_data(
    network: Network,
    in_use: TablesInUse,
    improvements: list[Improvement],
    method: str,
    pattern: str,
    ours: list[Assessment],
) -> dict[str, Any]:
    """The jobs with their plans, and without; the mean on tables of ours, where these are not in use."""
    data = assessments_as_data(network, method, [improvement.better for improvement in improvements])
    data |= improvements_as_data(in_use, improvements)
    without = [improvement.without for improvement in improvements]
    before = assessments_as_data(network, DESTINATION_MOD_K, without)
    mean = fmean(relative_bandwidths(ours)) if ours else None
    return data | {"before": before | {"pattern": pattern}, "tables_of_ours": mean}


@dataclass
class InCompany:
    """What --running and --jobs ask for."""

    source: str
    method: str
    job: Path | None
    jobs: list[Path]
    running: str | None
    state: Path | None
    name: str | None
    out: Path | None
    json: bool

    def check(self, other_jobs: bool) -> None:
        """Raises UsageError for options that don't go together; `other_jobs`: jobs or steps are asked for, too."""
        what = "--jobs" if self.jobs else "--running"
        if other_jobs or (self.job is None) == (not self.jobs):
            raise UsageError(f"{what} plans the paths of hostfiles", hint="--job HOSTFILE or --jobs FOLDER, not both")
        if self.method != "pair":
            raise UsageError(f"{what} has no method '{self.method}'", hint="pair: one path a pair of nodes")
        if self.jobs and self.name:
            raise UsageError("--name names one job", hint="jobs of --jobs are called after their hostfiles")

    def read(self, network: Network, ppn: int, order: str) -> dict[str, Job]:
        """The jobs to plan, by name."""
        files = [self.job] if self.job is not None else files_of_jobs(self.jobs)
        names = [self.name or file.name for file in files]
        if not files:
            raise UsageError("--jobs names no job", hint="--jobs HOSTFILE, or --jobs FOLDER, also repeated")
        if len(set(names)) < len(names):
            raise UsageError("two jobs of --jobs have one name", hint="a hostfile of another name for each")
        return dict(zip(names, [read_job(network, file, ppn, order) for file in files], strict=True))

    def save(self, network: Network, routes: Routes, placed: dict[str, Placed]) -> None:
        """One job's plan into the file --out, those of several jobs into this folder."""
        if self.out is None:
            return
        if len(placed) > 1:
            self.out.mkdir(parents=True, exist_ok=True)
        for name, each in placed.items():
            file = self.out if len(placed) == 1 else self.out / f"{name}.json"
            write_plan(network, routes, each.job, each.planned(), file)
            note(f"wrote {file}")


def in_company(asked: InCompany, new: NewJobs) -> None:
    """Plans of new jobs beside each other, and beside those that run."""

    def save(placed: dict[str, Placed]) -> None:
        asked.save(new.network, new.routes, placed)

    others: list[RunningJob] = []
    if asked.running is None:
        placed = new.plan(others)
        save(placed)
    else:
        placed, others = add_to_running(new, asked.running, asked.state, save)
    data: dict[str, Any] = {"source": asked.source, "pattern": new.pattern, "seed": new.seed, "running": len(others)}
    each_beside = {}
    for name, each in placed.items():
        rest = [noted(new.network, other, one) for other, one in placed.items() if other != name]
        each_beside[name] = placed_as_data(new.network, name, each, [*others, *rest])
    if len(placed) == 1:
        data |= next(iter(each_beside.values()))
    else:
        data |= {
            "relative_bandwidth": fmean(each.bandwidth for each in placed.values()),
            "without_plan": fmean(each.without_plan for each in placed.values()),
            "isolated": all(each.isolated for each in placed.values()),
            "jobs": list(each_beside.values()),
        }
    if asked.json:
        print_json("plan-beside" if len(placed) == 1 else "plan-jointly", data)
        return
    if len(placed) == 1:
        say(f"{asked.source}: beside {len(others)} jobs that run")
        describe_placed(data)
        return
    say(f"{asked.source}: {len(placed)} jobs planned jointly, beside {len(others)} that run")
    expected, without = data["relative_bandwidth"], data["without_plan"]
    say(f"  expected      {expected:.4f} of what the NICs could, in the mean; {without:.4f} if all had base LIDs")
    for job in data["jobs"]:
        describe_placed(job)


def describe(data: dict[str, Any]) -> None:
    say(f"{data['source']}: without a plan")
    say(f"  baseline      {data['baseline']}")
    describe_jobs(data["before"])
    if data["tables_of_ours"] is not None:
        say(f"  beside it     mean {data['tables_of_ours']:.4f} on {OURS}, without a plan")
    say(f"with the plan '{data['method']}', where it is better than no plan")
    describe_jobs(data)
    say(f"  take          {choice_in_words(data)}")
    if data["jobs"] == 1 and "own_steps_at_most" in data["choices"][0]:
        at_most = data["choices"][0]["own_steps_at_most"]
        say(f"  try           --own-steps: up to {at_most:.4f} without a plan, by the load of the links")
    if data["jobs"] == 1:
        say(f"  proof         {data['per_job'][0]['reason']}")
        if "steps" in data["per_job"][0]:
            say(f"  steps         {data['per_job'][0]['steps']['reason']}")


def choice_in_words(data: dict[str, Any]) -> str:
    """Which of the two is better."""
    if data["jobs"] > 1:
        return f"the plan in {data['jobs'] - data['kept']} of {data['jobs']} jobs, no plan in {data['kept']}"
    choice = data["choices"][0]
    word = choice["take"] if data["kept"] else f"the {choice['take']}"
    if "with_plan_own_steps" not in choice:
        return f"{word}: {choice['with_plan']:.4f} with it, {choice['without']:.4f} without"
    by_shift = f"plan {choice['with_plan']:.4f}, no plan {choice['without']:.4f}"
    by_own_steps = f"plan {choice['with_plan_own_steps']:.4f}, no plan {choice['without_own_steps']:.4f}"
    return f"{word} (by the shift: {by_shift}; by own steps: {by_own_steps})"


def write_better_plan(network: Network, in_use: Routes, routes: Routes, improvement: Improvement, file: Path) -> None:
    """The plan, or where it is worse the base LIDs of the tables in use."""
    tables = in_use if improvement.keeps_tables else routes
    write_plan(network, tables, improvement.without.job, improvement.better.planned, file)
    note(f"wrote {file}")


def write_steps(improvement: Improvement, file: Path) -> None:
    """The better of the two tables of steps, or none if the shift is as good."""
    made = improvement.better.made
    if made is None:
        note(f"the shift is as good as any steps of its own: {file} is not written")
        return
    write_pattern(made.steps, str(file))
    note(f"wrote {file}")
