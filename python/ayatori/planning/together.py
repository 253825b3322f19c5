"""Jobs that run on one fabric at the same time, and what they do to each other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod, sqrt
from statistics import fmean
from typing import Protocol, TypedDict

from ayatori import _core
from ayatori._core import Job, JobsTogether, Network, Plan, Routes
from ayatori.base.errors import Error
from ayatori.base.spreads import Mean, Spread
from ayatori.model.network import LinkData, link_as_data
from ayatori.planning.fit import Made, fit_of
from ayatori.planning.plans import BASE_LIDS, traffic_of_nics
from ayatori.planning.traffics import steps_of

ROUNDS = 300
MAX_ROUNDS = 10**6
BACKGROUND = "(background)"
SHARED_LINKS_SHOWN = 20


class LinkOfJobs(Protocol):
    """A directed link that two jobs use, by their numbers, and how likely both use it at one moment."""

    @property
    def link(self) -> int: ...
    @property
    def first(self) -> int: ...
    @property
    def second(self) -> int: ...
    @property
    def conflict_probability(self) -> float: ...


@dataclass
class SharedLink:
    """A directed link that several jobs use."""

    link: int
    jobs: list[int]
    """By number, in order."""
    conflict_probability: float
    """How likely at least two of them use it at one moment."""


@dataclass
class JobOnFabric:
    """One of several jobs. Without a plan every message goes to its destination's base LID."""

    name: str
    job: Job
    plan: Plan | None = None
    pattern: str = "shift"
    of_nics: bool = False
    """The plan has paths between NICs, not ranks (traffic_of_nics)."""
    made: Made | None = None
    """What the plan of a file was made for; None where it is made for this network and these tables."""

    @property
    def method(self) -> str:
        return BASE_LIDS if self.plan is None else self.plan.method.word


def background(network: Network, jobs: Sequence[JobOnFabric], share: float, seed: int = 1) -> list[JobOnFabric]:
    """Unplanned traffic of machines that are in none of the jobs, as one more job; none if there is nobody to send.

    A `share` (0 to 1) of these machines is drawn; in each round every one of them sends to another one by its base LID,
    by a permutation that is drawn for each round.
    """
    if not 0 <= share <= 1:
        raise Error(f"background traffic of {share} of the machines", hint="a share from 0 to 1")
    busy = {machine for each in jobs for machine in each.job.machines}
    all_machines = network.machines
    idle = [
        machine
        for machine, described in enumerate(all_machines)
        if machine not in busy and described.name and described.endpoints
    ]
    drawn = sorted(random.Random(seed).sample(idle, round(share * len(idle))))
    if len(drawn) < 2:
        return []
    hosts = [(all_machines[machine].name, 1) for machine in drawn]
    return [JobOnFabric(BACKGROUND, _core.job_of_hosts(network, hosts, "background traffic"), pattern="random")]


def check_plans(network: Network, routes: Routes | None, jobs: Sequence[JobOnFabric], rails: str) -> None:
    """Raises Error for a plan that was made for another fabric, other tables or another use of rails."""
    for each in jobs:
        if each.plan is not None and each.of_nics != (rails != "own"):
            made_for = "NICs: --rails aligned or striped" if each.of_nics else "ranks: --rails own"
            raise Error(f"job '{each.name}' has a plan with paths between {made_for}")
        if each.plan is not None and each.made is not None:
            fit_of(network, each.made, routes).demand()


def measure_together(
    network: Network,
    routes: Routes,
    jobs: Sequence[JobOnFabric],
    rounds: int = ROUNDS,
    seed: int = 1,
    rails: str = "own",
) -> JobsTogether:
    """The bandwidth of each job alone and together with all others, at `rounds` random phases (jobs_together.hpp).

    `rails` is one of RAILS; plans are then those of the jobs' NICs.
    """
    if not 1 <= rounds <= MAX_ROUNDS:
        raise Error(f"{rounds} rounds", hint=f"1 to {MAX_ROUNDS}")
    check_plans(network, routes, jobs, rails)
    steps = [steps_of(each.pattern, each.job.rank_count, seed) for each in jobs]
    traffic = [traffic_of_nics(network, each.job, own, rails) for each, own in zip(jobs, steps, strict=True)]
    return _core.measure_together(
        network,
        routes,
        [each.name for each in jobs],
        [nics.endpoints(network) for nics, _ in traffic],
        [each.plan or Plan.base_lids(nics.rank_count) for each, (nics, _) in zip(jobs, traffic, strict=True)],
        [of_nics for _, of_nics in traffic],
        rounds,
        seed,
    )


def by_link(shared: Sequence[LinkOfJobs]) -> list[SharedLink]:
    """Each link once, with all of its jobs; those on which jobs meet most often first, then by link."""
    pairs: dict[int, dict[tuple[int, int], float]] = {}
    for each in shared:
        pairs.setdefault(each.link, {})[each.first, each.second] = each.conflict_probability
    links = [
        SharedLink(link, sorted({job for pair in own for job in pair}), _conflict_probability(own))
        for link, own in pairs.items()
    ]
    return sorted(links, key=lambda each: (-each.conflict_probability, each.link))


def _conflict_probability(pairs: dict[tuple[int, int], float]) -> float:
    """How likely at least two jobs are there at once, from the same of each pair, which is the product of two shares.

    Of three jobs a, b and c, ab · ac / bc is the square of a's share.
    """
    pairs = {pair: probability for pair, probability in pairs.items() if probability > 0}
    if len(pairs) < 2:
        return sum(pairs.values())
    jobs = sorted({job for pair in pairs for job in pair})
    shares = []
    for job in jobs:
        first, second = [other for other in jobs if other != job][:2]
        own = pairs[min(job, first), max(job, first)] * pairs[min(job, second), max(job, second)]
        shares.append(min(1.0, sqrt(own / pairs[first, second])))
    nobody = prod(1 - share for share in shares)
    alone = sum(
        share * prod(1 - other for number, other in enumerate(shares) if number != job)
        for job, share in enumerate(shares)
    )
    return max(0.0, 1 - nobody - alone)


def picture_of_jobs(network: Network, jobs: Sequence[JobOnFabric], shared: Sequence[LinkOfJobs]) -> bytes:
    """An SVG picture: all NICs of each job's machines in a colour, and in red links that several use."""
    return _core.export_picture(
        network,
        [(each.name, _core.job_of_nics(network, each.job).endpoints(network)) for each in jobs],
        [
            (
                each.link,
                f"{_in_words([jobs[job].name for job in each.jobs])}, {each.conflict_probability:.1%} of the time",
                each.conflict_probability,
            )
            for each in by_link(shared)
        ],
    )


def _in_words(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


class WithoutPlans(Spread):
    same_at_lmc_0: bool
    """True if the tables are ours, whose base LIDs have the same entries at every LMC."""


class SharedLinkData(LinkData):
    jobs: list[str]
    conflict_probability: float
    """The two jobs, and how likely both use the link at one moment."""


class JobTogetherData(TypedDict):
    name: str
    machines: int
    ranks: int
    method: str
    """The job's file, its size, and how its paths are chosen."""
    alone: float
    together: float
    """Its relative bandwidth without and with the others."""
    delayed: float
    """The share of rounds that take it longer than alone."""
    worst_neighbour: str | None
    with_worst_neighbour: float
    """The job that delays it most, or null; its relative bandwidth if only those two ran."""


class MeasuredTogether(TypedDict):
    rounds: int
    """How many random phases were drawn."""
    isolated: bool
    """True if no link carries messages of two jobs, whatever step each is in."""
    together: Spread
    """Relative bandwidth of the jobs while all of them run."""
    alone: Mean
    """Relative bandwidth in the same steps without the others."""
    jobs: list[JobTogetherData]
    """Each job."""
    shared_link_count: int
    """Links that carry messages of several jobs in some step."""
    shared_links: list[SharedLinkData]
    """The 20 links on which jobs conflict most often."""


class TogetherData(MeasuredTogether):
    background: float
    """The share of other hosts that sends unplanned messages."""
    without_plans: WithoutPlans | None
    """The same if all jobs took base LIDs of these tables; null if no job has a plan."""


def together_as_data(network: Network, jobs: Sequence[JobOnFabric], measured: JobsTogether) -> MeasuredTogether:
    """What `check --jobs --json` prints of its jobs. The background is a neighbour, and no job of its own."""
    own = [(each, found) for each, found in zip(jobs, measured.jobs, strict=True) if each.name != BACKGROUND]
    together = [found.together for _, found in own]
    return {
        "rounds": measured.rounds,
        "isolated": not measured.shared,
        "together": {"mean": fmean(together), "min": min(together), "max": max(together)},
        "alone": {"mean": fmean(found.alone for _, found in own)},
        "jobs": [
            {
                "name": each.name,
                "machines": len(each.job.machines),
                "ranks": each.job.rank_count,
                "method": each.method,
                "alone": found.alone,
                "together": found.together,
                "delayed": found.delayed_rounds / measured.rounds,
                "worst_neighbour": None if found.worst_neighbour == number else jobs[found.worst_neighbour].name,
                "with_worst_neighbour": found.with_worst_neighbour,
            }
            for number, (each, found) in enumerate(own)
        ],
        "shared_link_count": len({shared.link for shared in measured.shared}),
        "shared_links": [
            {
                **link_as_data(network, shared.link),
                "jobs": [jobs[shared.first].name, jobs[shared.second].name],
                "conflict_probability": shared.conflict_probability,
            }
            for shared in measured.shared[:SHARED_LINKS_SHOWN]
        ],
    }
