"""`ayatori plan` with --running or --jobs: new jobs among running jobs, or planned together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from statistics import fmean
from typing import Annotated, ClassVar

import typer

from ayatori._core import Job, Network
from ayatori.base.files import check_can_be_written, make_folder
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.option_groups import JobOptions
from ayatori.cli.output import note, print_json, say
from ayatori.cli.running_jobs import (
    NAME,
    AmongRunning,
    NewJobs,
    RunningOptions,
    add_to_running,
    describe_placed,
    jobs_in_words,
    tables_in_words,
)
from ayatori.cli.searching import ROUNDS, Cut, Limit, cut_as_data, describe_cut, leave_if_interrupted
from ayatori.cli.starting import describe_start, write_start_files
from ayatori.cli.traffic_rows import JudgedByTraffics, describe_traffics, rows_of_traffics
from ayatori.formats.job_files import files_of_jobs
from ayatori.formats.plan_file import write_plan
from ayatori.model.jobs import read_job
from ayatori.planning.concurrent import Placed, PlacedData, RunningJob, placed_as_data

JOINT = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="Job to plan jointly: a hostfile, or a folder of them. Repeatable."),
]


@dataclass(frozen=True, kw_only=True)
class ConcurrentOptions:
    """The options that name jobs which run, and jobs that start together."""

    PANEL: ClassVar[str] = options.TOGETHER_PANEL
    jobs: JOINT = None
    others: RunningOptions
    name: NAME = None

    @property
    def asked(self) -> bool:
        return bool(self.jobs) or self.others.running is not None

    def check(self, each: JobOptions, method: str, details: bool) -> None:
        """Raises UsageError for options that don't go together; `details`: what only jobs one by one have."""
        if self.others.running is None and (self.others.state is not None or self.name is not None):
            raise UsageError(
                "--state and --name are of a job among running jobs", hint="--running FOLDER, or --running slurm"
            )
        if not self.asked:
            return
        what = "--jobs" if self.jobs else "--running"
        if self.jobs and each.job is not None:
            raise UsageError("--job names one job, --jobs several", hint="one of the two")
        if not self.jobs and each.job is None:
            raise UsageError(
                f"{what} needs the hosts of a new job", hint="--job HOSTFILE, or --jobs FOLDER for several"
            )
        if each.random_jobs or each.job_size is not None or each.contiguous or details:
            raise UsageError(
                f"{what} plans the paths of hostfiles, and nothing else",
                hint="leave out --random-jobs, --contiguous, --path-aware, --steps-out and --report",
            )
        if method != "pair":
            raise UsageError(f"{what} has no method '{method}'", hint="pair: one path a pair of nodes")
        if self.jobs and self.name:
            raise UsageError("--name names one job", hint="jobs of --jobs are called after their hostfiles")

    def read(self, network: Network, each: JobOptions) -> dict[str, Job]:
        """The jobs to plan, by name."""
        files = [each.job] if each.job is not None else files_of_jobs(self.jobs or [])
        names = [self.name or file.name for file in files]
        if not files:
            raise UsageError("--jobs names no job", hint="--jobs HOSTFILE, or --jobs FOLDER, also repeated")
        if len(set(names)) < len(names):
            raise UsageError("two jobs of --jobs have one name", hint="a hostfile of another name for each")
        return dict(zip(names, [read_job(network, file, each.ppn, each.order) for file in files], strict=True))


def write_plans(new: NewJobs, placed: dict[str, Placed], out: Path | None) -> dict[str, dict[str, str]]:
    """One job's plan into the file `out`, those of several jobs into this folder, each with what starts its ranks.
    Returns for each job, by launcher, the line that does."""
    start: dict[str, dict[str, str]] = {}
    if out is None:
        return start
    if len(placed) > 1:
        make_folder(out)
    for name, each in placed.items():
        file = out if len(placed) == 1 else out / f"{name}.json"
        check_can_be_written(file)  # before its companion is written
        write_plan(new.network, new.routes, each.job, each.planned(), file, of_nics=new.messages.rails != "own")
        note(f"wrote {file}")
        run = f"ayatori run --plan {quote(str(file.resolve()))} "
        start[name] = write_start_files(new.network, new.jobs[name], file, run)
    return start


def plan_concurrent(
    source: str, new: NewJobs, concurrent: ConcurrentOptions, limit: Limit, out: Path | None, json: bool
) -> None:
    """Plans of new jobs together, and among running jobs: made, saved and printed."""

    start: dict[str, dict[str, str]] = {}
    cut: Cut | None = None

    def plan(others: list[RunningJob]) -> dict[str, Placed]:
        nonlocal cut
        placed, cut = limit.searched(ROUNDS, lambda control: new.plan(others, control))
        return placed

    def save(placed: dict[str, Placed]) -> None:
        start.update(write_plans(new, placed, out))

    others: list[RunningJob] = []
    if concurrent.others.running is None:
        placed = plan(others)
        save(placed)
    else:
        placed, others = add_to_running(new, concurrent.others, plan, save)
    head: PlannedAmongRunning = {
        "source": source,
        "pattern": new.messages.pattern,
        "seed": new.messages.seed,
        "running": len(others),
        "tables": tables_in_words(new.lfts, new.lmc),
        "cut": cut_as_data(cut),
        "named": list(new.messages.named or ()),
        "traffics": rows_of_traffics([each.shares for each in placed.values()]),
    }
    jobs = started_as_data(new, placed, others, start)
    if len(jobs) == 1:
        data: StartedAmongRunning = {**head, **jobs[0]}
        print_json("plan-with-running", data) if json else describe_one(data)
    else:
        jointly: JointlyData = {
            **head,
            "relative_bandwidth": fmean(each.bandwidth for each in placed.values()),
            "without_plan": fmean(each.without_plan for each in placed.values()),
            "isolated": all(each.isolated for each in placed.values()),
            "jobs": jobs,
        }
        print_json("plan-jointly", jointly) if json else describe_jointly(jointly)
    leave_if_interrupted(cut)


class PlannedAmongRunning(AmongRunning, JudgedByTraffics):
    pass


class StartedData(PlacedData):
    start: dict[str, str]
    """By launcher, the line that starts the job with its ranks where the plan of `--out` has them."""


class StartedAmongRunning(PlannedAmongRunning, StartedData):
    pass


class JointlyData(PlannedAmongRunning):
    isolated: bool
    """True if no job shares a link with another one, whatever step each is in."""
    relative_bandwidth: float
    without_plan: float
    """The expected mean over the jobs, with their plans, and if all had base LIDs on the same tables."""
    jobs: list[StartedData]
    """Each job, by hostfile."""


def started_as_data(
    new: NewJobs, placed: dict[str, Placed], others: list[RunningJob], start: dict[str, dict[str, str]]
) -> list[StartedData]:
    found: list[StartedData] = []
    for name, each in placed.items():
        rest = [(other, one.footprint) for other, one in placed.items() if other != name]
        among = placed_as_data(new.network, name, each, [*(other.use for other in others), *rest])
        found.append({**among, "start": start.get(name, {})})
    return found


def describe_one(data: StartedAmongRunning) -> None:
    say(f"{data['source']}: among {jobs_in_words(data['running'])}")
    say(f"  tables        {data['tables']}")
    describe_cut(data["cut"], ROUNDS)
    describe_placed(data)
    describe_traffics(data, data["seed"], 1, data["method"] == "pair")
    describe_start(data["start"])


def describe_jointly(data: JointlyData) -> None:
    say(f"{data['source']}: {len(data['jobs'])} jobs planned jointly, among {jobs_in_words(data['running'])}")
    say(f"  tables        {data['tables']}")
    describe_cut(data["cut"], ROUNDS)
    expected, without = data["relative_bandwidth"], data["without_plan"]
    say(f"  expected      {expected:.4f} of what the NICs could, in the mean; {without:.4f} if all had base LIDs")
    describe_traffics(data, data["seed"], len(data["jobs"]), any(job["method"] == "pair" for job in data["jobs"]))
    for job in data["jobs"]:
        describe_placed(job)
        describe_start(job["start"])
