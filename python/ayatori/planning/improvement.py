"""A plan compared with the tables in use: whichever of the two is better."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ayatori import _core
from ayatori._core import Job, Network, Plan, Routes, SearchControl
from ayatori.base.errors import Error
from ayatori.planning.plans import (
    BASE_LIDS,
    D_MOD_K,
    Assessment,
    assess_jobs,
    with_made_steps,
)

OURS = "d-mod-k tables of ours, one LID a port"
PLAN, NO_PLAN = "plan", "no plan"
PATH_AWARE_SCHEDULE = "path-aware schedule"
GOOD_ENOUGH = 0.9
"""Of what the NICs could: with so much nobody has to look for steps of the job's own."""
WORTH_A_TRY = 0.05
"""By how much a path-aware schedule must be able to exceed what a job gets before it is named."""

ROUNDING = 1e-9
"""Simulated times that differ by less are equal."""


@dataclass(frozen=True)
class TablesInUse:
    """What a plan has to beat: these tables, with every message to its destination's base LID."""

    routes: Routes
    name: str = OURS


@dataclass
class Improvement:
    """One job without a plan on the tables in use, and with a plan, by the same measure."""

    without: Assessment
    planned: Assessment
    unplanned: Assessment | None = None
    """Without a plan on the plan's tables; None where their base LIDs have the same entries as those in use."""
    path_aware: dict[str, Assessment] = field(default_factory=dict)
    """Of PLAN and NO_PLAN: the same paths, with steps of the all-to-all that are made for them."""
    path_aware_at_most: float | None = None
    """What a path-aware schedule without a plan could reach, by the load of the links; None where not worth a try."""
    simulated: dict[str, dict[int, float]] = field(default_factory=dict)
    """Seconds of an all-to-all by candidate and bytes a pair, each rank going on when it can; empty: not simulated."""
    not_simulated: list[str] = field(default_factory=list)
    """Candidates that may be slower than the shift where ranks drift, but have too many ranks to simulate it."""

    @property
    def candidates(self) -> dict[str, Assessment]:
        """All of them by name; of those that are equally good the first is taken."""
        named = {NO_PLAN: self.without, PLAN: self.planned}
        return named | {f"{paths}, {PATH_AWARE_SCHEDULE}": assessment for paths, assessment in self.path_aware.items()}

    @property
    def take(self) -> str:
        """The name of the best, without path-aware schedules that may be slower than the shift where ranks drift."""
        out = [*self.slower_path_aware, *self.not_simulated]
        names = [name for name in self.candidates if name not in out]
        return min(names, key=lambda name: _order(self.candidates[name]))

    @property
    def slower_path_aware(self) -> list[str]:
        """The candidates with path-aware schedules that take longer than the shift, for some size."""
        return [
            name
            for name, times in self.simulated.items()
            if name.endswith(PATH_AWARE_SCHEDULE)
            and any(
                seconds > min(self.simulated[PLAN][size], self.simulated[NO_PLAN][size]) * (1 + ROUNDING)
                for size, seconds in times.items()
            )
        ]

    @property
    def keeps_tables(self) -> bool:
        """True if the plan is not better than no plan."""
        return self.take.startswith(NO_PLAN)

    @property
    def equal(self) -> bool:
        """True if no plan is taken, but the plan brings the same bandwidth."""
        return self.take == NO_PLAN and _digits(self.planned) == _digits(self.without)

    @property
    def better(self) -> Assessment:
        return self.candidates[self.take]


def _digits(assessment: Assessment) -> float:
    """Twelve digits: what differs less is the same bandwidth, summed in another order."""
    return float(f"{assessment.relative_bandwidth:.12g}")


def _order(assessment: Assessment) -> tuple[float, int]:
    """Less is better."""
    return -_digits(assessment), assessment.contention.hot_spots


def same_base_lids(network: Network, in_use: TablesInUse, routes: Routes) -> bool:
    """Whether messages without a plan take the same ways by both, entry for entry."""
    return routes is in_use.routes or routes.count_base_differences(network, in_use.routes) == 0


def improve_jobs(
    network: Network,
    in_use: TablesInUse,
    routes: Routes,
    jobs: Sequence[Job],
    method: str,
    pattern: str = "shift",
    seed: int = 1,
    make_steps: bool = False,
    control: SearchControl | None = None,
    prove_baseline: bool = False,
    rails: str = "own",
) -> list[Improvement]:
    """Measures each job on the tables in use, and with its plan by `method` on `routes`; `control` counts both.

    Where `control` stops it, the first jobs, of which both are known; perhaps none.
    With `make_steps` both also with steps that are made for their paths, which count as two more;
    prediction.path_aware simulates them. Only bandwidth and hot spots decide, whatever the method says of itself.
    `prove_baseline` also asks what no plan on the tables in use exceeds: for thousands of nodes that takes longer than
    all the rest. `rails` is one of RAILS. Raises Error for steps of another pattern than the all-to-all, or of other
    messages than those between the ranks' own NICs.
    """
    if make_steps and rails != "own":
        raise Error("steps are made for messages between the ranks' own NICs", hint="--rails own")
    if make_steps and pattern != "shift":
        raise Error(f"steps are made for the all-to-all, not for {pattern}", hint="leave out --pattern or --path-aware")
    baseline = D_MOD_K if prove_baseline else None
    without = assess_jobs(network, in_use.routes, jobs, baseline, pattern, seed, control, rails)
    for assessment in without if baseline is None else []:
        _take_base_lids(network, assessment, rails)
    planned = assess_jobs(network, routes, jobs, method, pattern, seed, control, rails)
    improvements = [Improvement(*pair) for pair in zip(without, planned, strict=False)]
    jobs = [each.without.job for each in improvements]
    if not same_base_lids(network, in_use, routes):
        unplanned = assess_jobs(network, routes, jobs, None, pattern, seed, rails=rails)
        for improvement, assessment in zip(improvements, unplanned, strict=True):
            improvement.unplanned = assessment
    for improvement in improvements if make_steps else []:
        for name, tables, assessment in (
            (NO_PLAN, in_use.routes, improvement.without),
            (PLAN, routes, improvement.planned),
        ):
            improvement.path_aware[name] = with_made_steps(network, tables, assessment)
            if control is not None:
                control.did()
    if not make_steps and pattern == "shift" and rails == "own":
        for improvement in improvements:
            improvement.path_aware_at_most = _path_aware_at_most(network, in_use, improvement)
    return improvements


def _take_base_lids(network: Network, assessment: Assessment, rails: str) -> None:
    """As a plan, which can be written and given steps of its own."""
    nics = assessment.job if rails == "own" else _core.job_of_nics(network, assessment.job)
    assessment.planned = _core.planned(Plan.d_mod_k(nics.rank_count), BASE_LIDS)
    assessment.proven = False


def _path_aware_at_most(network: Network, in_use: TablesInUse, improvement: Improvement) -> float | None:
    """Only the bound, which takes a fraction of a second: making the steps takes longer than the plan."""
    reached = improvement.better.relative_bandwidth
    if reached >= GOOD_ENOUGH:
        return None
    job = improvement.without.job
    plan = Plan.d_mod_k(job.rank_count)
    bound = _core.alltoall_bound(network, in_use.routes, job.endpoints(network), plan)
    at_most = bound.endpoint_time / bound.time if bound.time > 0 else 1.0
    return at_most if at_most >= reached + WORTH_A_TRY else None


def improvements_as_data(in_use: TablesInUse, improvements: Iterable[Improvement]) -> dict[str, Any]:
    """What `plan --json` prints in addition to the keys of jobs."""
    improvements = list(improvements)
    return {
        "baseline": in_use.name,
        "kept": sum(improvement.keeps_tables for improvement in improvements),
        "equal": sum(improvement.equal for improvement in improvements),
        "choices": [
            {
                "take": improvement.take,
                "with_plan": improvement.planned.relative_bandwidth,
                "without": improvement.without.relative_bandwidth,
                "without_on_new_tables": (improvement.unplanned or improvement.without).relative_bandwidth,
                "equal": improvement.equal,
                "reason": improvement.planned.planned.reason if improvement.planned.planned else BASE_LIDS,
            }
            | {
                f"{key}_path_aware": improvement.path_aware[name].relative_bandwidth
                for key, name in (("with_plan", PLAN), ("without", NO_PLAN))
                if name in improvement.path_aware
            }
            | ({} if improvement.path_aware_at_most is None else {"path_aware_at_most": improvement.path_aware_at_most})
            | _simulated_as_data(improvement)
            | ({"not_simulated": improvement.not_simulated} if improvement.not_simulated else {})
            for improvement in improvements
        ],
    }


def _simulated_as_data(improvement: Improvement) -> dict[str, Any]:
    if not improvement.simulated:
        return {}
    keys = {PLAN: "with_plan", NO_PLAN: "without"}
    keys |= {f"{name}, {PATH_AWARE_SCHEDULE}": f"{key}_path_aware" for name, key in keys.items()}
    sizes = improvement.simulated[PLAN]
    return {
        "simulated": [
            {"bytes": size} | {f"{key}_s": improvement.simulated[name][size] for name, key in keys.items()}
            for size in sizes
        ],
        "slower_path_aware": improvement.slower_path_aware,
    }
