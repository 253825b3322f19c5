"""A plan compared with the tables in use: whichever of the two is better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from ayatori import _core
from ayatori._core import Job, Network, Plan, Routes, SearchControl
from ayatori.base.errors import Error
from ayatori.planning.plans import (
    BASE_LIDS,
    FOR_EVERYBODY,
    SHIFT,
    Assessment,
    Messages,
    assess,
    with_made_steps,
)
from ayatori.planning.traffics import TOLERATED_LOSS

OURS = "our tables, one LID a port"
GOOD_ENOUGH = 0.9
"""Of what the NICs could: with so much nobody has to look for steps of the job's own."""
WORTH_A_TRY = 0.05
"""By how much a path-aware schedule must be able to exceed what a job gets before it is named."""

ROUNDING = 1e-9
"""Simulated times that differ by less are equal."""


@dataclass(frozen=True)
class Candidate:
    """With or without a plan, and whose steps."""

    planned: bool
    path_aware: bool = False
    """Steps that are made for the paths, instead of the shift."""

    def __str__(self) -> str:
        return ("plan" if self.planned else "no plan") + (", path-aware schedule" if self.path_aware else "")


NO_PLAN, PLAN = Candidate(planned=False), Candidate(planned=True)
NO_PLAN_PATH_AWARE, PLAN_PATH_AWARE = Candidate(planned=False, path_aware=True), Candidate(True, path_aware=True)


@dataclass(frozen=True)
class TablesInUse:
    """What a plan has to beat: these tables, with every message to its destination's base LID."""

    routes: Routes
    name: str = OURS


@dataclass(frozen=True)
class Effort:
    """By which method jobs are planned, and what else is tried."""

    method: str = "pair"
    make_steps: bool = False
    """Both candidates also with steps that are made for their paths; prediction.path_aware simulates them."""
    prove_baseline: bool = False
    """Also asks what no plan on the tables in use exceeds: for thousands of nodes that takes longer than the rest."""


@dataclass
class Improvement:
    """One job without a plan on the tables in use, and with a plan, by the same measure."""

    without: Assessment
    planned: Assessment
    unplanned: Assessment | None = None
    """Without a plan on the plan's tables; None where their base LIDs have the same entries as those in use."""
    path_aware: dict[Candidate, Assessment] = field(default_factory=dict)
    """The same paths, with steps of the all-to-all that are made for them."""
    path_aware_at_most: float | None = None
    """What a path-aware schedule without a plan could reach, by the load of the links; None where not worth a try."""
    simulated: dict[Candidate, dict[int, float]] = field(default_factory=dict)
    """Seconds of an all-to-all by candidate and bytes a pair, each rank going on when it can; empty: not simulated."""
    not_simulated: list[Candidate] = field(default_factory=list)
    """Candidates that may be slower than the shift where ranks drift, but have too many ranks to simulate it."""

    @property
    def candidates(self) -> dict[Candidate, Assessment]:
        """All of them; of those that are equally good the first is taken."""
        return {NO_PLAN: self.without, PLAN: self.planned, **self.path_aware}

    @property
    def take(self) -> Candidate:
        """The best, without path-aware schedules that may be slower than the shift where ranks drift."""
        out = [*self.slower_path_aware, *self.not_simulated]
        if self.lost:
            out.append(PLAN)
        left = [each for each in self.candidates if each not in out]
        return min(left, key=lambda each: _order(self.candidates[each]))

    @property
    def lost(self) -> list[str]:
        """The traffics that a plan for all alike makes worse than the tables in use; it is not taken then."""
        if not self.planned.made_for_all or self.planned.named > 0:
            return []
        share, without = self.planned.shares, self.without.shares
        return [pattern for pattern in share if share[pattern] < without[pattern] * (1 - TOLERATED_LOSS)]

    @property
    def slower_path_aware(self) -> list[Candidate]:
        """The candidates with path-aware schedules that take longer than the shift, for some size."""
        return [
            each
            for each, times in self.simulated.items()
            if each.path_aware
            and any(
                seconds > min(self.simulated[PLAN][size], self.simulated[NO_PLAN][size]) * (1 + ROUNDING)
                for size, seconds in times.items()
            )
        ]

    @property
    def keeps_tables(self) -> bool:
        """True if the plan is not better than no plan."""
        return not self.take.planned

    @property
    def equal(self) -> bool:
        """True if no plan is taken, but the plan brings the same bandwidth."""
        return self.take == NO_PLAN and _digits(self.planned) == _digits(self.without)

    @property
    def better(self) -> Assessment:
        return self.candidates[self.take]


def _digits(assessment: Assessment) -> tuple[float, ...]:
    """Twelve digits: what differs less is the same bandwidth, summed in another order."""
    return tuple(float(f"{share:.12g}") for share in assessment.judged)


def _order(assessment: Assessment) -> tuple[tuple[float, ...], int]:
    """Less is better."""
    return tuple(-share for share in _digits(assessment)), assessment.contention.hot_spots


def same_base_lids(network: Network, in_use: TablesInUse, routes: Routes) -> bool:
    """Whether messages without a plan take the same ways by both, entry for entry."""
    return routes is in_use.routes or routes.count_base_differences(network, in_use.routes) == 0


def improve_jobs(
    network: Network,
    in_use: TablesInUse,
    routes: Routes,
    jobs: Sequence[Job],
    effort: Effort,
    messages: Messages = SHIFT,
    control: SearchControl | None = None,
) -> list[Improvement]:
    """Measures each job on the tables in use, and with its plan on `routes`; `control` counts both, and two more where
    steps are made.

    Where `control` stops it, the jobs whose search went to its end; of the first job in any case what was found so far.
    Only bandwidth and hot spots decide, whatever the method says of itself. Raises Error for steps of another pattern
    than the all-to-all, or of other messages than those between the ranks' own NICs.
    """
    if effort.make_steps and messages.rails != "own":
        raise Error("steps are made for messages between the ranks' own NICs", hint="--rails own")
    if effort.make_steps and messages.pattern != "shift":
        hint = "leave out --pattern or --path-aware"
        raise Error(f"steps are made for the all-to-all, not for {messages.pattern}", hint=hint)
    control = control or SearchControl()
    same = same_base_lids(network, in_use, routes)
    improvements: list[Improvement] = []
    for job in jobs:
        improvement = _improve(network, in_use, routes, job, effort, messages, control)
        if not same:
            improvement.unplanned = assess(network, routes, job, None, messages, control)
        if control.stopped and improvements:
            break
        improvements.append(improvement)
        if control.stopped:
            break
        control.did(4 if effort.make_steps else 2)
    return improvements


def _improve(
    network: Network,
    in_use: TablesInUse,
    routes: Routes,
    job: Job,
    effort: Effort,
    messages: Messages,
    control: SearchControl,
) -> Improvement:
    baseline = BASE_LIDS if effort.prove_baseline else None
    without = assess(network, in_use.routes, job, baseline, messages, control)
    if baseline is None:
        _take_base_lids(network, without, messages.rails)
    improvement = Improvement(without, assess(network, routes, job, effort.method, messages, control))
    if effort.make_steps and not control.stopped:
        own = with_made_steps(network, in_use.routes, without, control)
        planned = with_made_steps(network, routes, improvement.planned, control)
        improvement.path_aware = {NO_PLAN_PATH_AWARE: own, PLAN_PATH_AWARE: planned}
    if not effort.make_steps and messages.pattern == "shift" and messages.rails == "own" and not control.stopped:
        improvement.path_aware_at_most = _path_aware_at_most(network, in_use, improvement)
    return improvement


def _take_base_lids(network: Network, assessment: Assessment, rails: str) -> None:
    """As a plan, which can be written and given steps of its own."""
    nics = assessment.job if rails == "own" else _core.job_of_nics(network, assessment.job)
    assessment.planned = _core.planned(Plan.base_lids(nics.rank_count), FOR_EVERYBODY)
    assessment.proven = False


def _path_aware_at_most(network: Network, in_use: TablesInUse, improvement: Improvement) -> float | None:
    """Only the bound, which takes a fraction of a second: making the steps takes longer than the plan."""
    reached = improvement.better.relative_bandwidth
    if reached >= GOOD_ENOUGH:
        return None
    job = improvement.without.job
    plan = Plan.base_lids(job.rank_count)
    bound = _core.alltoall_bound(network, in_use.routes, job.endpoints(network), plan)
    at_most = bound.endpoint_time / bound.time if bound.time > 0 else 1.0
    return at_most if at_most >= reached + WORTH_A_TRY else None


class SimulatedData(TypedDict):
    bytes: int
    """The size between two ranks."""
    with_plan_s: float
    without_s: float
    with_plan_path_aware_s: float
    without_path_aware_s: float
    """The time of the all-to-all, each rank going on when it can (`simulate --steps drift`)."""


class TriedData(TypedDict, total=False):
    with_plan_path_aware: float
    without_path_aware: float
    """The same with steps that are made for the paths (`--path-aware`)."""
    path_aware_at_most: float
    """What a path-aware schedule without a plan could reach at most, by the load of the links. Only where a job gets
    less than 0.9 and this is at least 0.05 more."""
    simulated: list[SimulatedData]
    """With `--path-aware`: predicted times by size."""
    slower_path_aware: list[str]
    """The path-aware schedules that take longer there than the shift for some size; they are not taken."""
    not_simulated: list[str]
    """The path-aware schedules that may be slower there, but have too many ranks to simulate (more than 1,024); they
    are not taken."""


class ChoiceOfPlan(TriedData):
    take: str
    """`plan` or `no plan`, with or without `path-aware schedule`."""
    with_plan: float
    without: float
    """The relative bandwidth of both, by the pattern."""
    judged_with_plan: float
    judged_without: float
    """What decides: the mean over the traffics, or over those that come first."""
    lost: list[str]
    """The traffics for which the plan is not taken, whatever its mean: it would make them worse."""
    without_on_new_tables: float
    """Without a plan on the plan's tables."""
    equal: bool
    """Whether no plan is taken since the plan brings the same."""
    reason: str
    """How good the plan is, and how that is known."""


class ImprovementsData(TypedDict):
    baseline: str
    """The tables in use, which a plan has to exceed: the file of `--lfts`, or ours with one LID a port."""
    kept: int
    equal: int
    """How many jobs take no plan, and for how many of them the plan brings the same bandwidth."""
    choices: list[ChoiceOfPlan]
    """One entry per job."""


def improvements_as_data(in_use: TablesInUse, improvements: Iterable[Improvement]) -> ImprovementsData:
    """What `plan --json` prints in addition to the keys of jobs."""
    improvements = list(improvements)
    return {
        "baseline": in_use.name,
        "kept": sum(improvement.keeps_tables for improvement in improvements),
        "equal": sum(improvement.equal for improvement in improvements),
        "choices": [
            {
                "take": str(improvement.take),
                "with_plan": improvement.planned.relative_bandwidth,
                "without": improvement.without.relative_bandwidth,
                "judged_with_plan": improvement.planned.judged[0],
                "judged_without": improvement.without.judged[0],
                "lost": improvement.lost,
                "without_on_new_tables": (improvement.unplanned or improvement.without).relative_bandwidth,
                "equal": improvement.equal,
                "reason": improvement.planned.planned.reason if improvement.planned.planned else FOR_EVERYBODY,
                **_tried_as_data(improvement),
            }
            for improvement in improvements
        ],
    }


def _tried_as_data(improvement: Improvement) -> TriedData:
    data: TriedData = {}
    if improvement.path_aware:
        data["with_plan_path_aware"] = improvement.path_aware[PLAN_PATH_AWARE].relative_bandwidth
        data["without_path_aware"] = improvement.path_aware[NO_PLAN_PATH_AWARE].relative_bandwidth
    if improvement.path_aware_at_most is not None:
        data["path_aware_at_most"] = improvement.path_aware_at_most
    if times := improvement.simulated:
        data["simulated"] = [
            {
                "bytes": size,
                "with_plan_s": times[PLAN][size],
                "without_s": times[NO_PLAN][size],
                "with_plan_path_aware_s": times[PLAN_PATH_AWARE][size],
                "without_path_aware_s": times[NO_PLAN_PATH_AWARE][size],
            }
            for size in times[PLAN]
        ]
        data["slower_path_aware"] = list(map(str, improvement.slower_path_aware))
    if improvement.not_simulated:
        data["not_simulated"] = list(map(str, improvement.not_simulated))
    return data
