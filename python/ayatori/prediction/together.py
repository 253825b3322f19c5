"""Jobs that run on one fabric at the same time: how long the calls of each take, alone and with the others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from random import Random
from statistics import fmean
from typing import TypedDict

from ayatori import _core
from ayatori._core import JobsSideBySide, Network, Routes, SearchControl
from ayatori.base.errors import Error
from ayatori.base.spreads import Mean, Spread
from ayatori.model.network import LinkData, link_as_data
from ayatori.planning.together import BACKGROUND, SHARED_LINKS_SHOWN, JobOnFabric, check_plans
from ayatori.planning.traffics import steps_of
from ayatori.prediction.calls import Call
from ayatori.prediction.predictor import Model, Prediction, Predictor, PreparedRun
from ayatori.prediction.simulation import Simulation

ROUNDS = 30
MAX_ROUNDS = 10**6
MAX_NEIGHBOURS_TRIED = 4
"""A job is timed with so many others by themselves, in search of the one that delays it most: those with most link
conflicts."""

BACKGROUND_STEPS = 64
RUNS_AT_ONCE = os.cpu_count() or 1
DELAYED = 1 + 1e-6
"""A call that takes this many times as long as alone is delayed, and not rounded differently."""

Times = list[list[float]]
"""By round, by job."""


@dataclass
class ConcurrentJob:
    """What a job's calls take among the others."""

    name: str
    run: PreparedRun
    method: str
    alone: Prediction
    seconds: float
    """Of a call while all jobs run: the mean over the rounds."""
    delayed: float
    """The share of rounds in which a call takes longer than alone."""
    worst_neighbour: str | None
    seconds_with_worst_neighbour: float

    @property
    def bandwidth(self) -> float | None:
        """Bytes a second while all jobs run; None for a barrier."""
        return self.run.bandwidth(self.seconds)


@dataclass
class SharedLink:
    """A directed link that two jobs use."""

    link: int
    name: str
    first: int
    second: int
    conflict_probability: float
    """How likely both use it at one moment: the product of the shares of the time in which each keeps it busy."""


@dataclass
class ConcurrentJobs:
    """Jobs that ran at the same time."""

    call: Call
    method: str
    model: Model
    jobs: list[ConcurrentJob]
    """Without the background."""
    names: list[str]
    """Of all, by the numbers in `shared`."""
    shared: list[SharedLink]
    """Most conflicts first."""
    rounds: int
    links_of: Network | None
    """The network whose ports the links' numbers are; None where paths go by dimension order."""

    def alone(self) -> Simulation:
        """The same jobs, each by itself."""
        jobs = [job.run.job for job in self.jobs]
        predictions = [job.alone for job in self.jobs]
        return Simulation(self.call, self.method, self.model, jobs, predictions, self.links_of)


class ConcurrentSimulation:
    """Times a call on each of some jobs, alone and while all others repeat theirs (side_by_side.hpp).

    In each of `rounds` rounds every job begins at a phase that is drawn from `seed`, up to the time of its call alone,
    and drifts from then on: jobs know nothing of each other. `method`, `model` and `routes` are Predictor's; jobs with
    a plan keep it. A job called BACKGROUND (planning.together.background) sends its pattern in messages as large as
    the call's, and is not timed. Raises Error for no jobs, unknown algorithms, sizes that can't be, synchronous steps.
    """

    def __init__(
        self,
        network: Network,
        jobs: Sequence[JobOnFabric],
        call: Call,
        method: str | None = None,
        model: Model | None = None,
        routes: Routes | None = None,
        rounds: int = ROUNDS,
        seed: int = 1,
    ) -> None:
        if not 1 <= rounds <= MAX_ROUNDS:
            raise Error(f"{rounds} rounds", hint=f"1 to {MAX_ROUNDS}")
        # All jobs meet the same hash: alone, together and in all rounds.
        self.predictor = Predictor(network, method, replace(model or Model(), hash_seeds=1), routes)
        if self.predictor.model.steps != "drift":
            raise Error("jobs that run at the same time drift", hint="--steps drift")
        check_plans(network, self.predictor.routes, jobs, self.predictor.model.rails)
        self.jobs, self.call, self.rounds, self.seed = list(jobs), call, rounds, seed
        self.timed = [number for number, each in enumerate(jobs) if each.name != BACKGROUND]
        if not self.timed:
            raise Error("no job to simulate")
        self.runs = [prepare(self.predictor, each, call, seed) for each in jobs]
        self.alone = self.predictor.predict_prepared(self.runs)
        seconds = [each.seconds for each in self.alone]
        random = Random(seed)
        self.phases = [[random.random() * alone for alone in seconds] for _ in range(rounds)]
        self.core = JobsSideBySide(*self.predictor.arguments(self.runs))
        self.shared = shared_links(self.core, seconds)
        self.pairs = pairs_to_try(self.shared, self.timed)

    @property
    def count(self) -> int:
        """How many simulations run() does."""
        return self.rounds * (1 + len(self.pairs))

    def run(self, control: SearchControl | None = None) -> ConcurrentJobs:
        """Does all rounds, several in parallel; the first of them where `control` stops it. It counts simulations."""
        control = control or SearchControl()
        control.expect(self.count)
        together: Times = []
        pairwise: dict[tuple[int, int], Times] = {pair: [] for pair in self.pairs}
        for first in range(0, self.rounds, RUNS_AT_ONCE):
            phases = self.phases[first : first + RUNS_AT_ONCE]
            together += self._times(range(len(self.jobs)), phases)
            control.did(len(phases))
            for pair, times in pairwise.items():
                times += self._times(pair, phases)
                control.did(len(phases))
            if control.stopped:
                break
        predictor = self.predictor
        return ConcurrentJobs(
            call=self.call,
            method=predictor.method,
            model=predictor.model,
            jobs=[self._concurrent_job(number, together, pairwise) for number in self.timed],
            names=[each.name for each in self.jobs],
            shared=self.shared,
            rounds=len(together),
            links_of=predictor.network if predictor.routes is not None else None,
        )

    def _times(self, members: Sequence[int], phases: Sequence[Sequence[float]]) -> Times:
        """Of each round, which begins at these phases, the times of these jobs' calls while only they run."""
        return self.core.seconds([[(job, phase[job], job in self.timed) for job in members] for phase in phases])

    def _concurrent_job(self, number: int, together: Times, pairwise: dict[tuple[int, int], Times]) -> ConcurrentJob:
        alone = self.alone[number]
        worst, slowest = None, alone.seconds
        for pair, rounds in pairwise.items():
            if number not in pair:
                continue
            seconds = fmean(of_round[pair.index(number)] for of_round in rounds)
            if seconds > slowest * DELAYED:
                worst, slowest = self.jobs[pair[1 - pair.index(number)]].name, seconds
        times = [of_round[number] for of_round in together]
        return ConcurrentJob(
            name=self.jobs[number].name,
            run=self.runs[number],
            method=self._method_of(number),
            alone=alone,
            seconds=fmean(times),
            delayed=sum(seconds > alone.seconds * DELAYED for seconds in times) / len(times),
            worst_neighbour=worst,
            seconds_with_worst_neighbour=slowest,
        )

    def _method_of(self, number: int) -> str:
        plan = self.jobs[number].plan
        return self.predictor.method if plan is None else plan.method.word


def prepare(predictor: Predictor, each: JobOnFabric, call: Call, seed: int) -> PreparedRun:
    """The call on a job; of the background a pattern's messages, one as large as another."""
    if each.name != BACKGROUND:
        return predictor.prepare(each.job, call, each.plan)
    size = message_bytes(call)
    if size == 0:
        raise Error(f"background traffic with a {call.collective} has messages of no size")
    ranks = each.job.rank_count
    steps = _core.random_permutations(ranks, min(BACKGROUND_STEPS, max(1, ranks - 1)), seed)
    if each.pattern != "random":
        steps = steps_of(each.pattern, ranks, seed)
    schedule = _core.schedule_of_pattern(steps, size)
    plan = None if predictor.routes is None else predictor.base_lids(each.job)
    return PreparedRun(each.job, predictor.placement(each.job), schedule, plan, moved=None)


def message_bytes(call: Call) -> int:
    """What the messages of background traffic have: the call's size, of an alltoallv the mean of its pairs."""
    if call.sizes is None:
        return call.bytes
    import numpy as np  # takes as long to load as all else, and is used here alone

    sizes = np.asarray(call.sizes, dtype=np.int64)
    return int(sizes.sum()) // max(1, int(np.count_nonzero(sizes)))


def shared_links(core: JobsSideBySide, alone: Sequence[float]) -> list[SharedLink]:
    """The links that two jobs use, whatever each is doing; most conflicts first."""
    users: dict[int, list[tuple[int, float]]] = {}
    for job, seconds in enumerate(alone):
        for link, busy in core.busy_links(job):
            users.setdefault(link, []).append((job, min(1.0, busy / seconds) if seconds > 0 else 0.0))
    shared = [
        SharedLink(link, core.link_name(link), first, second, share * other)
        for link, uses in users.items()
        for (first, share), (second, other) in combinations(uses, 2)
    ]
    return sorted(shared, key=lambda each: (-each.conflict_probability, each.link, each.first, each.second))


def pairs_to_try(shared: Sequence[SharedLink], timed: Sequence[int]) -> list[tuple[int, int]]:
    """Each job that is timed with those that it meets most, MAX_NEIGHBOURS_TRIED of them."""
    conflicts: dict[int, dict[int, float]] = {}
    for link in shared:
        for job, other in ((link.first, link.second), (link.second, link.first)):
            of_job = conflicts.setdefault(job, {})
            of_job[other] = of_job.get(other, 0.0) + link.conflict_probability
    pairs: dict[tuple[int, int], None] = {}
    for job in timed:
        of_job = conflicts.get(job, {})
        most = sorted(of_job, key=lambda other: (-of_job[other], other))[:MAX_NEIGHBOURS_TRIED]
        pairs.update(dict.fromkeys((min(job, other), max(job, other)) for other in most))
    return list(pairs)


class ConcurrentJobData(TypedDict):
    name: str
    machines: int
    ranks: int
    method: str
    """The job's file, its size, and how its paths are chosen."""
    alone_s: float
    time_s: float
    bandwidth_MBps: float | None
    """Time of a call without and with the others; the bandwidth with them."""
    delayed: float
    """The share of rounds in which calls take longer than alone."""
    worst_neighbour: str | None
    with_worst_neighbour_s: float
    """The job that delays it most, or null; the time of a call if only those two run."""


class LinkOfTwo(TypedDict):
    link: str
    jobs: list[str]
    conflict_probability: float
    """The link, the two jobs, and how likely both keep it busy at one moment."""


class CableOfTwo(LinkOfTwo, LinkData):
    pass


class ConcurrentData(TypedDict):
    rounds: int
    """How many random phases were drawn from `seed`."""
    isolated: bool
    """True if no link carries messages of two jobs, whatever step each is in."""
    time_s: Spread
    """Time of a call while all jobs run, over the jobs."""
    alone_s: Mean
    """The same of each job alone."""
    jobs: list[ConcurrentJobData]
    """Each job."""
    shared_link_count: int
    """Links that carry messages of several jobs."""
    shared_links: list[CableOfTwo | LinkOfTwo]
    """The 20 links on which jobs conflict most often, as links where paths follow tables."""


def concurrent_as_data(concurrent: ConcurrentJobs) -> ConcurrentData:
    """What `simulate --jobs --json` prints of its jobs while all of them run."""
    times = [job.seconds for job in concurrent.jobs]
    return {
        "rounds": concurrent.rounds,
        "isolated": not concurrent.shared,
        "time_s": {"mean": fmean(times), "min": min(times), "max": max(times)},
        "alone_s": {"mean": fmean(job.alone.seconds for job in concurrent.jobs)},
        "jobs": [_job_as_data(job) for job in concurrent.jobs],
        "shared_link_count": len({link.link for link in concurrent.shared}),
        "shared_links": [_link_as_data(concurrent, link) for link in concurrent.shared[:SHARED_LINKS_SHOWN]],
    }


def _job_as_data(job: ConcurrentJob) -> ConcurrentJobData:
    return {
        "name": job.name,
        "machines": len(job.run.job.machines),
        "ranks": job.run.job.rank_count,
        "method": job.method,
        "alone_s": job.alone.seconds,
        "time_s": job.seconds,
        "bandwidth_MBps": None if job.bandwidth is None else job.bandwidth / 1e6,
        "delayed": job.delayed,
        "worst_neighbour": job.worst_neighbour,
        "with_worst_neighbour_s": job.seconds_with_worst_neighbour,
    }


def _link_as_data(concurrent: ConcurrentJobs, shared: SharedLink) -> CableOfTwo | LinkOfTwo:
    names = [concurrent.names[shared.first], concurrent.names[shared.second]]
    data: LinkOfTwo = {"link": shared.name, "jobs": names, "conflict_probability": shared.conflict_probability}
    return data if concurrent.links_of is None else {**data, **link_as_data(concurrent.links_of, shared.link)}
