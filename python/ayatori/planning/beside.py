"""Plans of jobs that run beside others, of which only the footprints are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ayatori import _core
from ayatori._core import Footprint, Job, JobHost, Network, Plan, Planned, PlannedBeside, Routes
from ayatori.model.network import link_as_data
from ayatori.planning.plans import steps_of

SHARED_LINKS_SHOWN = 20


@dataclass
class RunningJob:
    """A job that runs, and the links that it uses."""

    name: str
    method: str
    machines: list[JobHost]
    footprint: Footprint


@dataclass
class Placed:
    """A job beside those that run: its paths, and what it is expected to get."""

    job: Job
    plan: Plan
    footprint: Footprint
    reason: str
    isolated: bool
    meetings: float
    least_meetings: float
    bandwidth: float
    """Expected beside the others, with this plan (beside.hpp)."""
    without_plan: float
    """The same with base LIDs on the same tables."""

    def planned(self) -> Planned:
        """As write_plan() takes it."""
        return _core.planned(self.plan, self.reason)


def hosts_of(network: Network, job: Job) -> list[JobHost]:
    return [
        JobHost(network.machines[machine].name, ranks)
        for machine, ranks in zip(job.machines, job.ranks_on_machines, strict=True)
    ]


def unplanned(network: Network, routes: Routes, name: str, job: Job, pattern: str = "shift") -> RunningJob:
    """A job that runs without a plan: its messages go to base LIDs."""
    plan = Plan.destination_mod_k(job.rank_count)
    footprint = _core.footprint_of(network, routes, job.endpoints(network), plan, steps_of(pattern, job.rank_count))
    return RunningJob(name, plan.method.word, hosts_of(network, job), footprint)


def plan_beside(
    network: Network, routes: Routes, job: Job, others: Sequence[RunningJob], pattern: str = "shift", seed: int = 1
) -> Placed:
    """Plans a job so that it takes links that the others don't use; base LIDs where it would get more with them."""
    endpoints, steps = job.endpoints(network), steps_of(pattern, job.rank_count, seed)
    footprints = [other.footprint for other in others]
    base = Plan.destination_mod_k(job.rank_count)
    made: PlannedBeside = _core.plan_beside(network, routes, endpoints, steps, footprints)
    with_plan, without = (
        _core.bandwidth_beside(network, routes, endpoints, plan, steps, footprints) for plan in (made.plan, base)
    )
    if with_plan >= without:
        found = (made.isolated, made.meetings, made.least_meetings)
        return Placed(job, made.plan, made.footprint, made.reason, *found, with_plan, without)
    footprint = _core.footprint_of(network, routes, endpoints, base, steps)
    shared = bool(shared_with(RunningJob("", "", [], footprint), others))
    reason = "base LIDs: beside the jobs that run every plan that was found is worse"
    return Placed(job, base, footprint, reason, not shared, made.meetings, made.least_meetings, without, without)


def shared_with(job: RunningJob, others: Sequence[RunningJob]) -> list[tuple[int, str, float]]:
    """Links that the job shares: the link, the name of the other job, how likely both use it at one moment."""
    own = {use.link: use.steps / max(1, job.footprint.steps) for use in job.footprint.links}
    shared = [
        (use.link, other.name, own[use.link] * use.steps / max(1, other.footprint.steps))
        for other in others
        for use in other.footprint.links
        if use.link in own
    ]
    return sorted(shared, key=lambda each: (-each[2], each[0], each[1]))


def placed_as_data(network: Network, name: str, placed: Placed, others: Sequence[RunningJob]) -> dict[str, Any]:
    """What `plan --running --json` and `place --json` print of a job."""
    shared = shared_with(RunningJob(name, "", [], placed.footprint), others)
    return {
        "name": name,
        "machines": len(placed.job.machines),
        "ranks": placed.job.rank_count,
        "method": placed.plan.method.word,
        "isolated": placed.isolated,
        "meetings": placed.meetings,
        "least_meetings": placed.least_meetings,
        "relative_bandwidth": placed.bandwidth,
        "without_plan": placed.without_plan,
        "reason": placed.reason,
        "shared_link_count": len({link for link, _, _ in shared}),
        "shared_links": [
            link_as_data(network, link) | {"job": other, "meeting": meeting}
            for link, other, meeting in shared[:SHARED_LINKS_SHOWN]
        ],
    }
