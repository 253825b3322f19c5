"""What `plan --running` and `place` share: a job among running jobs."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar, TypedDict

import typer

from ayatori._core import Job, Network, Routes, SearchControl
from ayatori.cli import options
from ayatori.cli.link_names import names_of_links
from ayatori.cli.output import counted, note, print_table, say
from ayatori.cli.searching import CutData
from ayatori.formats.running import (
    SLURM,
    default_state,
    folder_of,
    listed_jobs,
    locked,
    read_running,
    still_running,
    write_running,
)
from ayatori.planning.concurrent import Placed, PlacedData, RunningJob, plan_concurrent, running_job
from ayatori.planning.plans import SHIFT, Messages

RUNNING = Annotated[
    str | None,
    typer.Option(metavar="FOLDER|slurm", help="Running jobs: a folder of hostfiles, or slurm: what squeue prints."),
]
STATE = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="With --running: file that keeps the links of each job."),
]
NAME = Annotated[
    str | None, typer.Option(metavar="ID", help="With --running: name of the new job; else that of its hostfile.")
]
SHARED_LINKS_SHOWN = 10


@dataclass(frozen=True)
class RunningOptions:
    """The options that name the jobs that run, and the file that keeps their links."""

    PANEL: ClassVar[str] = options.TOGETHER_PANEL
    running: RUNNING = None
    state: STATE = None

    def read(self, network: Network, routes: Routes, without: Container[str] = ()) -> list[RunningJob]:
        """The jobs that run, but for those of these names; none if none are asked for."""
        if self.running is None:
            return []
        known = read_running(network, self.state or default_state(network, self.running))
        listed = {name: job for name, job in listed_jobs(network, self.running).items() if name not in without}
        return still_running(network, routes, listed, known)


@dataclass
class NewJobs:
    """Jobs that are to be planned among running jobs, by name; several are planned jointly."""

    network: Network
    routes: Routes
    jobs: dict[str, Job]
    messages: Messages = SHIFT
    lfts: Path | None = None
    """Where the tables come from; None: they are ours."""

    @property
    def lmc(self) -> int:
        """What the jobs' plans are made for."""
        return self.routes.lmc(next(iter(self.jobs.values())).endpoints(self.network)[0])

    def plan(self, others: list[RunningJob], control: SearchControl) -> dict[str, Placed]:
        jobs, is_alone = list(self.jobs.values()), len(self.jobs) == 1
        if is_alone:
            control.expect(1)
        placed = plan_concurrent(self.network, self.routes, jobs, others, self.messages, control)
        if is_alone:
            control.did(0 if control.stopped else 1)
        return dict(zip(self.jobs, placed, strict=True))


class AmongRunning(TypedDict):
    source: str
    pattern: str
    seed: int
    """As given."""
    running: int
    """How many other jobs run."""
    tables: str
    """The tables on which the paths of all jobs are counted, in words."""
    cut: CutData | None
    """How the search was cut short."""


def add_to_running(
    new: NewJobs,
    asked: RunningOptions,
    plan: Callable[[list[RunningJob]], dict[str, Placed]],
    save: Callable[[dict[str, Placed]], None],
) -> tuple[dict[str, Placed], list[RunningJob]]:
    """Has the jobs planned among running jobs, and saved, and notes them, all under the lock.

    The plans of the others stand. The jobs are noted last: what fails leaves the file as it was.
    """
    running = asked.running or ""
    if running != SLURM:
        folder_of(running)
    file = asked.state or default_state(new.network, running)
    with locked(file):
        others = RunningOptions(running, file).read(new.network, new.routes, new.jobs)
        placed = plan(others)
        save(placed)
        mine = [running_job(new.network, new.routes, name, each) for name, each in placed.items()]
        write_running(new.network, file, new.lmc, [*others, *mine])
    tell_what_is_not_listed(new, running)
    return placed, others


def tell_what_is_not_listed(new: NewJobs, running: str) -> None:
    """In a folder a job without a hostfile is gone: the next plan would take its links."""
    missing = [name for name in new.jobs if running != SLURM and not (Path(running) / name).exists()]
    if missing:
        note(f"put the hostfile into {running} as {missing[0]} before you plan another job: only listed jobs are known")


def jobs_in_words(count: int) -> str:
    return "1 job that runs" if count == 1 else f"{count or 'no'} jobs that run"


def tables_in_words(lfts: Path | None, lmc: int) -> str:
    """Which tables have the paths of all jobs."""
    if lfts is not None:
        return str(lfts)
    return f"ours at LMC {lmc}: base LIDs have the same entries at LMC 0, so jobs without a plan keep their paths"


def describe_placed(data: PlacedData) -> None:
    """A job among running jobs, as placed_as_data() has it."""
    size = f"{counted(data['machines'], 'host')}, {counted(data['ranks'], 'rank')}"
    say(f"  job           {data['name']}: {size}, {data['method']}")
    expected, without = data["relative_bandwidth"], data["without_plan"]
    say(f"  expected      {expected:.4f} of what the NICs could; {without:.4f} by base LIDs")
    if data["isolated"]:
        say("  isolated      no link carries messages of another job, whatever step each is in")
        return
    say(f"  conflicts     {data['conflicts']:.4f} a step; no plan has fewer than {data['least_conflicts']:.4f}")
    links = data["shared_links"][:SHARED_LINKS_SHOWN]
    names, shortened = names_of_links(links)
    rows = [
        [f"  {name}", link["job"], f"{link['conflict_probability']:.1%}"]
        for name, link in zip(names, links, strict=True)
    ]
    if rows:
        title = f"  links that it shares ({data['shared_link_count']})"
        print_table("", [title, "with job", "of the time"], rows, shortened)
