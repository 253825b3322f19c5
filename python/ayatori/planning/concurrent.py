"""Plans of jobs among running jobs, of which only the footprints are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypedDict

from ayatori import _core
from ayatori._core import (
    ConcurrentPlan,
    Footprint,
    Job,
    JobHost,
    Network,
    Plan,
    Planned,
    Routes,
    SearchControl,
    StepSequence,
)
from ayatori.model.jobs import hosts_of
from ayatori.model.network import LinkData, link_as_data
from ayatori.planning.fit import Made
from ayatori.planning.plans import SHIFT, Messages
from ayatori.planning.traffics import RANDOM, TrafficShares, is_better, steps_of

SHARED_LINKS_SHOWN = 20
ROUNDS_OF_JOBS = 2
"""Over jobs that start together, each of which is searched among the others: a third round hardly gains."""


@dataclass
class RunningJob:
    """A job that runs, and the links that it uses."""

    name: str
    method: str
    footprint: Footprint
    made: Made
    """Its hosts, and the tables on which its links are counted."""

    @property
    def use(self) -> tuple[str, Footprint]:
        """As shared_with() takes it."""
        return self.name, self.footprint


@dataclass
class Placed:
    """A job among running jobs: its paths, and what it is expected to get."""

    job: Job
    """As it was planned: by its ranks, or by its NICs (traffic_of_nics)."""
    plan: Plan
    footprint: Footprint
    reason: str
    isolated: bool
    conflicts: float
    least_conflicts: float
    shares: TrafficShares
    """Of each traffic that the plan is judged by, without plans and with them (judged_share)."""
    bandwidth: float
    """What `check` would measure among the others, with this plan (concurrent_bandwidth.hpp)."""
    without_plan: float
    """The same with base LIDs on the same tables; of jobs that are planned jointly, if all of them had these."""

    def planned(self) -> Planned:
        """As write_plan() takes it."""
        return _core.planned(self.plan, self.reason)


def running_job(network: Network, routes: Routes, name: str, placed: Placed) -> RunningJob:
    """A job that was planned, as one that runs."""
    return RunningJob(name, placed.plan.method.word, placed.footprint, _made_on(network, routes, name, placed.job))


def unplanned(network: Network, routes: Routes, name: str, job: Job, pattern: str = "shift") -> RunningJob:
    """A job that runs without a plan: its messages go to base LIDs."""
    plan = Plan.base_lids(job.rank_count)
    footprint = _core.footprint_of(network, routes, job.endpoints(network), plan, steps_of(pattern, job.rank_count))
    return RunningJob(name, plan.method.word, footprint, _made_on(network, routes, name, job))


def _made_on(network: Network, routes: Routes, name: str, job: Job) -> Made:
    endpoints = job.endpoints(network)
    machines = [JobHost(host, ranks) for host, ranks in hosts_of(network, job)]
    tables = _core.fingerprint_of(network, routes, endpoints)
    return Made(f"job '{name}'", machines, routes.lmc(endpoints[0]), tables)


def plan_concurrent(
    network: Network,
    routes: Routes,
    jobs: Sequence[Job],
    others: Sequence[RunningJob],
    messages: Messages = SHIFT,
    control: SearchControl | None = None,
) -> list[Placed]:
    """Plans jobs that start together so that they take links that `others`, which run already, don't use. Each may give
    way to the other new ones; those that run don't.

    All of the new ones get base LIDs where they would get more with these, in the mean. Where `control` stops the
    search, the best that it has.
    """
    fabric = _Fabric(network, routes, [other.footprint for other in others])
    new = [_new_job(network, job, messages) for job in jobs]
    control = control or SearchControl()
    named = messages.named or ()
    if not messages.judged:
        made = _for_one_traffic(fabric, new, [each.steps for each in new], control)
        return _better_of_plans_and_base_lids(fabric, new, made, 0, control)
    best: list[Placed] = []
    # All pairs of a job have messages in shifts: such plans can keep a job from all links of the others.
    for first in dict.fromkeys((messages.pattern, SHIFT.pattern)):
        made = _for_one_traffic(fabric, new, [each.judged[first] for each in new], control)
        made = _judged_among(fabric, new, made, control)
        for plans in (made, _for_all_traffics(fabric, new, made, len(named), control)):
            placed = _better_of_plans_and_base_lids(fabric, new, plans, len(named), control)
            if not best or _of_traffics(placed, named) > _of_traffics(best, named):
                best = placed
        if control.stopped:
            break
    return best


def _of_traffics(placed: Sequence[Placed], named: Sequence[str]) -> float:
    """What all jobs get of the named traffics, or of all."""
    return sum(share for job in placed for name, share in job.shares[1].items() if name in named or not named)


def _for_one_traffic(
    fabric: _Fabric, new: Sequence[_NewJob], steps: Sequence[StepSequence], control: SearchControl
) -> list[ConcurrentPlan]:
    of_new, others = (fabric.network, fabric.routes), fabric.others
    endpoints = [each.endpoints for each in new]
    made: list[ConcurrentPlan]
    if len(new) == 1:
        made = [_core.plan_concurrent(*of_new, endpoints[0], steps[0], others, control)]
    else:
        made = _core.plan_jointly(*of_new, endpoints, list(steps), others, control)
    return made


@dataclass
class _NewJob:
    """A job, and the steps that it is planned for."""

    job: Job
    endpoints: list[int]
    steps: StepSequence
    judged: dict[str, StepSequence]
    """All by which its plan is judged."""
    unseen: dict[str, StepSequence]
    """The same, with other random permutations."""


def _new_job(network: Network, job: Job, messages: Messages) -> _NewJob:
    nics, steps = messages.of(network, job)
    judged, unseen = (
        {each: messages.judged_steps(network, job, each, seed) for each in messages.judged}
        for seed in (messages.seed, messages.seed + 1)
    )
    return _NewJob(nics, nics.endpoints(network), steps, judged, unseen)


@dataclass
class _Fabric:
    """Where jobs are planned: tables, and the links that other jobs use."""

    network: Network
    routes: Routes
    others: list[Footprint]

    def footprint(self, new: _NewJob, plan: Plan) -> Footprint:
        return _core.footprint_of(self.network, self.routes, new.endpoints, plan, new.steps)

    def shares(
        self, new: Sequence[_NewJob], plans: Sequence[Plan], footprints: Sequence[Footprint], control: SearchControl
    ) -> list[dict[str, float]]:
        """What each gets of each traffic, by judged_share."""
        return [
            {
                pattern: _core.judged_share(
                    self.network,
                    self.routes,
                    each.endpoints,
                    plans[i],
                    steps,
                    [*self.others, *footprints[:i], *footprints[i + 1 :]],
                    control,
                )
                for pattern, steps in each.unseen.items()
            }
            for i, each in enumerate(new)
        ]

    def bandwidths(
        self, new: Sequence[_NewJob], plans: Sequence[Plan], footprints: Sequence[Footprint], control: SearchControl
    ) -> list[float]:
        """What each of the new jobs is expected to get among the others and the other new ones; estimated where the
        search was stopped."""
        found = []
        for i, each in enumerate(new):
            others = [*self.others, *footprints[:i], *footprints[i + 1 :]]
            job = (self.network, self.routes, each.endpoints, plans[i], each.steps, others)
            found.append(
                _core.judged_share(*job, control) if control.stopped else _core.bandwidth_at_random_phases(*job)
            )
        return found


def _for_all_traffics(
    fabric: _Fabric, new: Sequence[_NewJob], made: Sequence[ConcurrentPlan], named: int, control: SearchControl
) -> list[ConcurrentPlan]:
    """The best plan of each job for all traffics that is found from these on, one after the other: what one job gains
    another may lose."""
    made = list(made)
    rounds = ROUNDS_OF_JOBS if len(new) > 1 else 1
    control.expect(rounds * len(new))
    for _ in range(rounds):
        for i, each in enumerate(new):
            if control.stopped:
                break
            among, job = _others_of(fabric, made, i), (fabric.network, fabric.routes, each.endpoints)
            steps, drawn = list(each.judged.values()), [pattern == RANDOM for pattern in each.judged]
            plan = _core.plan_for_traffics_among(*job, steps, drawn, named, among, made[i], control)
            made[i] = _core.judge_among(*job, each.steps, plan, among, control)
            control.did(0 if control.stopped else 1)
    return _judged_among(fabric, new, made, control) if len(new) > 1 else made


def _judged_among(
    fabric: _Fabric, new: Sequence[_NewJob], made: Sequence[ConcurrentPlan], control: SearchControl
) -> list[ConcurrentPlan]:
    """These plans as they are with each other."""
    return [
        _core.judge_among(
            fabric.network,
            fabric.routes,
            each.endpoints,
            each.steps,
            made[i].plan,
            _others_of(fabric, made, i),
            control,
        )
        for i, each in enumerate(new)
    ]


def _others_of(fabric: _Fabric, made: Sequence[ConcurrentPlan], job: int) -> list[Footprint]:
    return [*fabric.others, *(other.footprint for number, other in enumerate(made) if number != job)]


def _better_of_plans_and_base_lids(
    fabric: _Fabric, new: Sequence[_NewJob], made: Sequence[ConcurrentPlan], named: int, control: SearchControl
) -> list[Placed]:
    plans, used = [each.plan for each in made], [each.footprint for each in made]
    base = [Plan.base_lids(each.job.rank_count) for each in new]
    footprints = [fabric.footprint(each, plan) for each, plan in zip(new, base, strict=True)]
    with_plans = fabric.bandwidths(new, plans, used, control)
    without = fabric.bandwidths(new, base, footprints, control)
    shares = fabric.shares(new, plans, used, control)
    shares_without = fabric.shares(new, base, footprints, control)
    if is_better(shares, shares_without, named) if new[0].judged else sum(with_plans) >= sum(without):
        return [
            Placed(
                each.job,
                planned.plan,
                planned.footprint,
                planned.reason,
                planned.isolated,
                planned.conflicts,
                planned.least_conflicts,
                (by_base_lids[0], with_plan[0]),
                with_plan[1],
                by_base_lids[1],
            )
            for each, planned, with_plan, by_base_lids in zip(
                new,
                made,
                zip(shares, with_plans, strict=True),
                zip(shares_without, without, strict=True),
                strict=True,
            )
        ]
    placed = []
    for i, each in enumerate(new):
        rest = [("", other) for other in (*fabric.others, *footprints[:i], *footprints[i + 1 :])]
        shared = bool(shared_with(footprints[i], rest))
        reason = "base LIDs: among the other jobs every plan that was found is worse"
        found = made[i]
        bounds = (not shared, found.conflicts, found.least_conflicts)
        both = (shares_without[i], shares_without[i])
        placed.append(Placed(each.job, base[i], footprints[i], reason, *bounds, both, without[i], without[i]))
    return placed


def shared_with(job: Footprint, others: Iterable[tuple[str, Footprint]]) -> list[tuple[int, str, float]]:
    """Links that the job shares: the link, the name of the other job, how likely both use it at one moment."""
    own = {use.link: use.steps / max(1, job.steps) for use in job.links}
    shared = [
        (use.link, name, own[use.link] * use.steps / max(1, other.steps))
        for name, other in others
        for use in other.links
        if use.link in own
    ]
    return sorted(shared, key=lambda each: (-each[2], each[0], each[1]))


class LinkWithJob(LinkData):
    job: str
    conflict_probability: float
    """The other job, and how likely both use the link at one moment."""


class PlacedData(TypedDict):
    """A new job, planned among other jobs."""

    name: str
    machines: int
    ranks: int
    """The job and its size."""
    method: str
    reason: str
    """`pair`, or `base-lids` where those are better; how good the paths are, and how that is known."""
    isolated: bool
    """True if no link carries messages of another job, whatever step each is in."""
    conflicts: float
    least_conflicts: float
    """Links that a step shares with a step of another job, in the mean; no plan has fewer than the second."""
    relative_bandwidth: float
    without_plan: float
    """Expected bandwidth of the job among the others, with the plan and with base LIDs on the same tables."""
    shared_link_count: int
    shared_links: list[LinkWithJob]
    """Links that another job uses too, and the 20 on which they conflict most often."""


def placed_as_data(network: Network, name: str, placed: Placed, others: Iterable[tuple[str, Footprint]]) -> PlacedData:
    """What `plan --running --json` and `place --json` print of a job among others, by name."""
    shared = shared_with(placed.footprint, others)
    return {
        "name": name,
        "machines": len(placed.job.machines),
        "ranks": placed.job.rank_count,
        "method": placed.plan.method.word,
        "isolated": placed.isolated,
        "conflicts": placed.conflicts,
        "least_conflicts": placed.least_conflicts,
        "relative_bandwidth": placed.bandwidth,
        "without_plan": placed.without_plan,
        "reason": placed.reason,
        "shared_link_count": len({link for link, _, _ in shared}),
        "shared_links": [
            {**link_as_data(network, link), "job": other, "conflict_probability": probability}
            for link, other, probability in shared[:SHARED_LINKS_SHOWN]
        ],
    }
