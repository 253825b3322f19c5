"""`--plan FILE` of check, simulate, choose and run: messages take the paths that `ayatori plan --out` wrote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ayatori.base.errors import Error
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.option_groups import JobOptions, PathOptions
from ayatori.cli.output import print_warning

if TYPE_CHECKING:
    from ayatori._core import Job, Network, Routes
    from ayatori.formats.plan_file import SavedPlan
    from ayatori.prediction.predictor import Model, Predictor


def check_plan_options(plan: Path | None, method: str | None, each: JobOptions) -> None:
    """Raises UsageError for options that contradict a plan."""
    if plan is not None and method is not None:
        raise UsageError("--method excludes --plan, which says how its paths were chosen")
    if plan is not None and (each.random_jobs is not None or each.contiguous is not None):
        raise UsageError("--plan has a job of its own", hint="--job HOSTFILE: whether the plan is for that job")


@dataclass
class PlanInUse:
    """A plan that fits its network, its tables and the job that was asked for."""

    saved: SavedPlan
    job: Job
    """That which options name, or the plan's own. A plan of NICs does not tell how many ranks use them: one each,
    unless options name the job."""
    routes: Routes


def plan_in_use(
    network: Network, file: Path, jobs: list[Job], rails: str, tables_of: Callable[[int], Routes]
) -> PlanInUse:
    """The plan of a file, for the job that options name if they name one, on the tables for its LMC. Raises Error for
    one that does not fit."""
    from ayatori.formats.plan_file import read_plan
    from ayatori.planning.fit import fit_of
    from ayatori.planning.together import JobOnFabric, check_plans

    saved = read_plan(network, file)
    made = saved.made
    asked = jobs[0] if jobs else None
    fit_of(network, made, asked=asked).demand()
    check_plans(network, None, [JobOnFabric(file.name, saved.job, saved.plan, of_nics=made.of_nics)], rails)
    routes = tables_of(saved.lmc)
    fit_of(network, made, routes).demand()
    return PlanInUse(saved, asked if made.of_nics and asked is not None else saved.job, routes)


def check_plan_on(source: str, file: Path, lfts: Path | None, aliases: Path | None) -> None:
    """Raises Error for a plan whose hosts, ports or, where `lfts` has the tables in use, paths are not those of the
    network. One that only the job's hosts can open is not compared, which is said."""
    from ayatori._core import Purpose
    from ayatori.formats.plan_file import read_made
    from ayatori.model.network import open_source
    from ayatori.planning.fit import Fit, Verdict, fit_of
    from ayatori.planning.routes import read_routes

    made, _ = read_made(file)

    def fit_for(purpose: Purpose) -> Fit:
        network = open_source(source, purpose=purpose, aliases=aliases)
        return fit_of(network, made, None if lfts is None else read_routes(network, lfts))

    try:
        fit = fit_for(Purpose.collectives)
    except Error as error:
        if lfts is not None:
            raise
        return print_warning(f"{file} is not compared with {source}, which can't be opened here: {error.message}")
    if fit.verdict is not Verdict.SAME:
        other = fit_for(Purpose.neighbours)  # of a plan for their messages, in clusters with planes for each purpose
        fit = other if other.verdict is Verdict.SAME else fit
    fit.demand()


@dataclass(frozen=True)
class PlannedPathOptions(PathOptions):
    """The options that say which way messages go, be it that of a plan."""

    plan: options.PLAN = None

    def jobs_and_predictor(
        self, network: Network, each: JobOptions, model: Model, applied: Path | None = None
    ) -> tuple[list[Job], Predictor]:
        """The jobs that options name, or that of the plan, and what predicts them on these paths. `applied` has the
        paths that programs took of the plan."""
        from ayatori.formats.applied import read_applied
        from ayatori.planning.plans import rails_on
        from ayatori.planning.routes import make_routes
        from ayatori.prediction.predictor import Predictor

        check_plan_options(self.plan, self.method, each)
        if self.plan is None:
            return each.jobs_or_whole_network(network), Predictor(network, self.method, model, self.tables_on(network))
        in_use = plan_in_use(
            network,
            self.plan,
            each.jobs_on(network),
            rails_on(network, model.rails),
            lambda lmc: self.tables_on(network) or make_routes(network, lmc),
        )
        plan = in_use.saved.plan if applied is None else read_applied(self.plan, applied).plan
        return [in_use.job], Predictor(network, None, model, in_use.routes, plan)

    @property
    def by_tables(self) -> bool:
        return self.lfts is not None or self.plan is not None

    @property
    def plans(self) -> list[str]:
        """The files of plans, as given."""
        return [] if self.plan is None else [str(self.plan)]

    def tables_as_data(self) -> dict[str, str]:
        return super().tables_as_data() | ({} if self.plan is None else {"plan": options.digest_of(self.plan)})

    def name_of(self, used: str) -> str:
        return super().name_of(used) if self.plan is None else used
