"""What `check --jobs` and `simulate --jobs` share: jobs that run at the same time, as the options name them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ayatori._core import Network
from ayatori.base.files import write_bytes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.link_names import names_of_links
from ayatori.cli.option_groups import JobOptions
from ayatori.cli.output import print_table, print_warning, say
from ayatori.formats.applied import read_applied
from ayatori.formats.job_files import files_of_jobs, is_plan, read_jobs
from ayatori.formats.running import STATE_IN_FOLDER, planned_jobs
from ayatori.planning.together import JobOnFabric, LinkOfJobs, MeasuredTogether, background, picture_of_jobs

if TYPE_CHECKING:
    from ayatori.prediction.together import ConcurrentData

SHARED_LINKS_PRINTED = 10


@dataclass(frozen=True)
class JobsAsked:
    """The options that name jobs that run at the same time."""

    PANEL: ClassVar[str] = options.TOGETHER_PANEL
    USUAL: ClassVar[tuple[str, ...]] = ("jobs",)
    jobs: options.JOBS = None
    background: options.BACKGROUND = 0
    svg: options.SVG_OF_JOBS = None
    applied: options.APPLIED = None
    rounds: options.ROUNDS = None

    def check(self, one_by_one: Sequence[object], plan: object = None) -> None:
        """Raises UsageError for options that contradict each other; `one_by_one` and `plan` name jobs that are looked
        at alone."""
        if self.svg is not None and not self.jobs:
            raise UsageError("--svg draws several jobs", hint="--jobs HOSTFILE --jobs HOSTFILE --svg FILE")
        if self.background and not self.jobs:
            raise UsageError("--background goes with jobs that run together", hint="--jobs PATH --background SHARE")
        if self.rounds is not None and not self.jobs:
            raise UsageError("--rounds goes with jobs that run together", hint="--jobs PATH --rounds N")
        if not 0 <= self.background <= 1:
            raise UsageError(f"--background {self.background:g} is out of range", hint="a share from 0 to 1")
        if self.applied is not None and plan is None and not self.jobs:
            raise UsageError("--applied is of a plan", hint="--plan FILE --applied DIR, or --jobs FILE --applied DIR")
        if self.jobs and any(option is not None for option in (*one_by_one, plan)):
            raise UsageError("--jobs excludes options that name jobs one by one")

    @property
    def plans(self) -> list[str]:
        """The files of plans among those that are given, and in folders that are."""
        return [str(file) for file in files_of_jobs(self.jobs or []) if is_plan(file)]

    def rounds_or(self, usual: int) -> int:
        return usual if self.rounds is None else self.rounds

    def read(self, network: Network, each: JobOptions) -> tuple[list[JobOnFabric], int | None]:
        """The jobs, the background last, and the LMC that their plans were made for (None: no plan).

        `each` says how many ranks a machine has, in which order, and the seed of the background.
        """
        jobs, planned_lmc = read_jobs(network, self.jobs or [], each.ppn, each.order)
        if not jobs:
            raise UsageError("--jobs names no job", hint="--jobs HOSTFILE, --jobs PLAN or --jobs FOLDER, also repeated")
        if self.applied is not None:
            if len(self.plans) != 1:
                raise UsageError("--applied is of one plan", hint="--jobs PLAN --applied DIR")
            applied = read_applied(Path(self.plans[0]), self.applied)
            next(job for job in jobs if job.plan is not None).plan = applied.plan
        warn_of_plans_left_out(self.jobs or [], jobs)
        return [*jobs, *background(network, jobs, self.background, each.seed)], planned_lmc

    def draw(self, network: Network, jobs: Sequence[JobOnFabric], shared: Sequence[LinkOfJobs]) -> None:
        """The jobs and the links that they share, if a picture is asked for."""
        if self.svg is not None:
            write_bytes(self.svg, picture_of_jobs(network, jobs, shared))


def warn_of_plans_left_out(paths: Sequence[Path], jobs: Sequence[JobOnFabric]) -> None:
    """`plan --running FOLDER` keeps there which jobs it has planned, but not their paths: hostfiles bring none."""
    without = {job.name for job in jobs if job.plan is None}
    for folder in (path for path in paths if path.is_dir()):
        state = folder / STATE_IN_FOLDER
        if planned := sorted(without & planned_jobs(state)):
            print_warning(
                f"{state}: jobs that run with a plan are counted without, as hostfiles name none: {', '.join(planned)} "
                "(--jobs also takes what `plan --out` wrote)"
            )


def describe_shared_links(together: MeasuredTogether | ConcurrentData) -> None:
    """The links on which jobs meet most often, with both jobs."""
    if together["isolated"]:
        say("  isolated      no link carries messages of two jobs, whatever step each is in")
        return
    links = together["shared_links"][:SHARED_LINKS_PRINTED]
    names, shortened = names_of_links(links)
    rows = [
        [f"  {name}", " and ".join(link["jobs"]), f"{link['conflict_probability']:.1%}"]
        for name, link in zip(names, links, strict=True)
    ]
    print_table(
        "", [f"  links that jobs share ({together['shared_link_count']})", "jobs", "of the time"], rows, shortened
    )
