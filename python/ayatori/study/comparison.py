"""A study: one fabric, many jobs, every method. What the demo prints and the report draws."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ayatori import _core
from ayatori._core import Job, Network, Plan, Routes, SearchControl
from ayatori.base.errors import Error
from ayatori.model.network import drawing_as_data, router_cables, router_endpoints
from ayatori.planning.plans import (
    D_MOD_K,
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
OURS = "d-mod-k, ours: base LIDs, the same at every LMC, no plan"


@dataclass
class RoutedNetwork:
    """A network with the two sets of tables that a study compares."""

    network: Network
    one_lid: Routes
    many_lids: Routes

    def routes(self, method: str) -> Routes:
        return self.one_lid if method == D_MOD_K else self.many_lids

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
            range(len(self.random[D_MOD_K])),
            key=lambda job: self.random[D_MOD_K][job].contention.relative_bandwidth,
        )


def study_as_data(study: Study, title: str, source: str, seed: int) -> dict[str, Any]:
    """The study as the report reads it (ayatori.report.schema)."""
    machines_of_random_job = len(study.random[D_MOD_K][0].job.machines)
    return {
        "title": title,
        "source": source,
        "methods": METHODS | {D_MOD_K: OURS},
        "fabric": drawing_as_data(study.routed.network),
        "random": {
            "jobs": len(study.random[D_MOD_K]),
            "size": machines_of_random_job,
            "seed": seed,
            "relative_bandwidth": _by_method(study.random, relative_bandwidths),
            "free": _by_method(study.random, count_free),
            "bound": max_relative_bandwidths(study.random["pair"]),
        },
        "contiguous": {
            "sizes": [len(assessment.job.machines) for assessment in study.contiguous[D_MOD_K]],
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


def worst_job_as_data(study: Study, after: str = "pair") -> dict[str, Any]:
    """Link loads of the worst job's steps, without a plan and with one; of its worst step first."""
    index = study.worst_job()
    routed = study.routed
    before, planned = (Side(method, study.random[method][index], routed.routes(method)) for method in (D_MOD_K, after))
    return job_as_data(routed.network, before, planned)


def job_as_data(network: Network, before: Side, after: Side, rails: str = "own") -> dict[str, Any]:
    """Link loads of a job's shift all-to-all, by both; the worst step of `before` first. `rails` is one of RAILS."""
    job, step = before.assessment.job, before.assessment.contention.worst_step
    places = {endpoint: i for i, endpoint in enumerate(router_endpoints(network))}
    sides = {"before": before, "after": after}
    cables = router_cables(network)

    nics, steps = traffic_of_nics(network, job, _core.shift_all_to_all(job.rank_count), rails)

    def loads(side: str, step: int) -> list[list[int | str]]:
        plan = _plan_of(sides[side])
        on_links = _core.link_loads(network, sides[side].routes, nics.endpoints(network), plan, steps, step)
        return _loads_as_data(cables, on_links)

    return {
        "hosts": [network.machines[machine].name for machine in job.machines],
        "endpoints": [places[endpoint] for endpoint in job.endpoints(network)],
        "step": step,
        **{name: _side_as_data(side) | {"loads": loads(name, step)} for name, side in sides.items()},
        "steps": [{"step": s} | {side: loads(side, s) for side in sides} for s in _steps_to_show(job, step)],
    }


def _side_as_data(side: Side) -> dict[str, Any]:
    return {"method": side.method, "relative_bandwidth": side.assessment.contention.relative_bandwidth}


def _steps_to_show(job: Job, worst: int) -> list[int]:
    """All steps of the shift all-to-all but the worst one; of more than MAX_STEPS as many, evenly spread."""
    count = job.rank_count - 1
    stride = -(-count // MAX_STEPS)
    return [step for step in range(count) if step % stride == 0 and step != worst]


def _plan_of(side: Side) -> Plan:
    if side.assessment.planned is None:
        raise Error("a picture of a job needs its paths", internal=True)
    return side.assessment.planned.plan


def _loads_as_data(cables: list[tuple[int, int]], loads: list[int]) -> list[list[int | str]]:
    """[index of the cable, direction, messages] of each that carries any."""
    directions = ("ab", "ba")
    return [
        [i, way, loads[port]]
        for i, ends in enumerate(cables)
        for way, port in zip(directions, ends, strict=True)
        if loads[port]
    ]
