"""A study: one fabric, many jobs, every method. What the demo prints and the report draws."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypedDict

from typing_extensions import NotRequired

from ayatori import _core
from ayatori._core import Job, Network, Plan, Routes, SearchControl
from ayatori.base.errors import Error
from ayatori.model.network import FabricData, drawing_as_data, router_cables, router_endpoints
from ayatori.planning.plans import (
    BASE_LIDS,
    METHODS,
    Assessment,
    assess_jobs,
    count_free,
    max_relative_bandwidths,
    relative_bandwidths,
    traffic_of_nics,
    until_stopped,
)

MAX_STEPS = 64  # of the worst job, whose loads a study has
OURS = "our base LIDs, the same at every LMC, no plan"


@dataclass
class RoutedNetwork:
    """A network with the two sets of tables that a study compares."""

    network: Network
    one_lid: Routes
    many_lids: Routes

    def routes(self, method: str) -> Routes:
        return self.one_lid if method == BASE_LIDS else self.many_lids

    def assess(self, jobs: list[Job], method: str) -> list[Assessment]:
        return assess_jobs(self.network, self.routes(method), jobs, method)


@dataclass
class Study:
    """Assessments of the same jobs by every method."""

    routed: RoutedNetwork
    random: dict[str, list[Assessment]] = field(default_factory=dict)
    contiguous: dict[str, list[Assessment]] = field(default_factory=dict)

    def run(self, random: list[Job], contiguous: list[Job], control: SearchControl | None = None) -> None:
        """Where `control` stops it, of both kinds the first jobs, at least one."""
        if control is not None:
            control.expect(len(random) + len(contiguous))
        for jobs, assessed in ((random, self.random), (contiguous, self.contiguous)):
            for method in METHODS:
                assessed[method] = self.routed.assess(jobs[:1], method)
        for jobs, assessed in ((random, self.random), (contiguous, self.contiguous)):
            if control is not None:
                control.did(len(jobs[:1]))
            for job in until_stopped(jobs[1:], control):
                for method in METHODS:
                    assessed[method] += self.routed.assess([job], method)

    def worst_job(self) -> int:
        """Index of the random job that suffers most without a plan."""
        return min(
            range(len(self.random[BASE_LIDS])),
            key=lambda job: self.random[BASE_LIDS][job].contention.relative_bandwidth,
        )


LoadsData = list[list[int | str]]


class SideData(TypedDict):
    method: str
    relative_bandwidth: float
    """The method, and what the job gets."""
    loads: LoadsData
    """Lists of cable, direction and messages."""


class StepLoads(TypedDict):
    step: int
    """The step's number."""
    before: LoadsData
    after: LoadsData
    """Its loads."""


class WorstJobData(TypedDict):
    hosts: list[str]
    """The job's hosts."""
    step: int
    """Its worst step without a plan."""
    endpoints: list[int]
    """By rank: its NIC, as a place in `fabric.hosts`."""
    before: SideData
    after: SideData
    """Without and with a plan."""
    steps: list[StepLoads]
    """Its other steps; of 65 steps or more a sample of 64, evenly spread."""


class MeasuredJobs(TypedDict):
    relative_bandwidth: dict[str, list[float]]
    free: dict[str, int]
    """By method: of each job; how many have no hot spot."""
    bound: list[float]
    """Per job the relative bandwidth that no plan on our tables exceeds."""
    paper_MBps: NotRequired[Mapping[str, Mapping[str, float]]]
    """On paper 1's cluster: what it measured."""


class RandomData(MeasuredJobs):
    jobs: int
    size: int
    seed: int
    """How many jobs, hosts of each, random seed."""


class ContiguousData(MeasuredJobs):
    sizes: list[int]
    """Hosts of each job."""


class StudyData(TypedDict):
    title: str
    source: str
    """The study's title; as given."""
    methods: dict[str, str]
    """What each method does."""
    fabric: FabricData
    """What is drawn."""
    random: RandomData
    """Random jobs."""
    contiguous: ContiguousData
    """Jobs on the first hosts."""
    worst_job: WorstJobData
    """The random job that suffers most without a plan."""


def study_as_data(study: Study, title: str, source: str, seed: int) -> StudyData:
    """The study as the report reads it (ayatori.report.schema)."""
    machines_of_random_job = len(study.random[BASE_LIDS][0].job.machines)
    return {
        "title": title,
        "source": source,
        "methods": METHODS | {BASE_LIDS: OURS},
        "fabric": drawing_as_data(study.routed.network),
        "random": {
            "jobs": len(study.random[BASE_LIDS]),
            "size": machines_of_random_job,
            "seed": seed,
            "relative_bandwidth": _by_method(study.random, relative_bandwidths),
            "free": _by_method(study.random, count_free),
            "bound": max_relative_bandwidths(study.random["pair"]),
        },
        "contiguous": {
            "sizes": [len(assessment.job.machines) for assessment in study.contiguous[BASE_LIDS]],
            "relative_bandwidth": _by_method(study.contiguous, relative_bandwidths),
            "free": _by_method(study.contiguous, count_free),
            "bound": max_relative_bandwidths(study.contiguous["pair"]),
        },
        "worst_job": worst_job_as_data(study),
    }


def _by_method(assessed: dict[str, list[Assessment]], measure: Callable[[list[Assessment]], Any]) -> dict[str, Any]:
    return {method: measure(assessments) for method, assessments in assessed.items()}


@dataclass(frozen=True)
class Side:
    """A job by one method: the paths that its messages take on these tables, and what it gets."""

    method: str
    assessment: Assessment
    routes: Routes


def worst_job_as_data(study: Study, after: str = "pair") -> WorstJobData:
    """Link loads of the worst job's steps, without a plan and with one; of its worst step first."""
    index = study.worst_job()
    routed = study.routed
    before, planned = (
        Side(method, study.random[method][index], routed.routes(method)) for method in (BASE_LIDS, after)
    )
    return job_as_data(routed.network, before, planned)


def job_as_data(network: Network, before: Side, after: Side, rails: str = "own") -> WorstJobData:
    """Link loads of a job's shift all-to-all, by both; the worst step of `before` first. `rails` is one of RAILS."""
    job, step = before.assessment.job, before.assessment.contention.worst_step
    places = {endpoint: i for i, endpoint in enumerate(router_endpoints(network))}
    cables = router_cables(network)

    nics, steps = traffic_of_nics(network, job, _core.shift_all_to_all(job.rank_count), rails)

    def loads(side: Side, step: int) -> LoadsData:
        on_links = _core.link_loads(network, side.routes, nics.endpoints(network), _plan_of(side), steps, step)
        return _loads_as_data(cables, on_links)

    def as_data(side: Side) -> SideData:
        relative_bandwidth = side.assessment.contention.relative_bandwidth
        return {"method": side.method, "relative_bandwidth": relative_bandwidth, "loads": loads(side, step)}

    return {
        "hosts": [network.machines[machine].name for machine in job.machines],
        "endpoints": [places[endpoint] for endpoint in job.endpoints(network)],
        "step": step,
        "before": as_data(before),
        "after": as_data(after),
        "steps": [
            {"step": other, "before": loads(before, other), "after": loads(after, other)}
            for other in _steps_to_show(job, step)
        ],
    }


def _steps_to_show(job: Job, worst: int) -> list[int]:
    """All steps of the shift all-to-all but the worst one; of more than MAX_STEPS as many, evenly spread."""
    count = job.rank_count - 1
    stride = -(-count // MAX_STEPS)
    return [step for step in range(count) if step % stride == 0 and step != worst]


def _plan_of(side: Side) -> Plan:
    if side.assessment.planned is None:
        raise Error("a picture of a job needs its paths", internal=True)
    return side.assessment.planned.plan


def _loads_as_data(cables: list[tuple[int, int]], loads: list[int]) -> LoadsData:
    """[index of the cable, direction, messages] of each that carries any."""
    directions = ("ab", "ba")
    return [
        [i, way, loads[port]]
        for i, ends in enumerate(cables)
        for way, port in zip(directions, ends, strict=True)
        if loads[port]
    ]
