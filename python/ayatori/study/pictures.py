"""Studies of what a command measured, for its report: a plan compared with the tables in use, jobs at the same time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ayatori import _core
from ayatori._core import JobsTogether, Network, Plan, Routes
from ayatori.base.errors import Error
from ayatori.model.network import drawing_as_data, router_cables, router_endpoints
from ayatori.planning.improvement import Improvement, TablesInUse
from ayatori.planning.plans import (
    BASE_LIDS,
    METHODS,
    Assessment,
    count_free,
    max_relative_bandwidths,
    relative_bandwidths,
    traffic_of_nics,
)
from ayatori.planning.together import BACKGROUND, JobOnFabric, by_link, together_as_data
from ayatori.planning.traffics import steps_of
from ayatori.study.comparison import OURS, Side, job_as_data

IN_USE = "tables in use"


def plan_as_study(
    network: Network,
    source: str,
    in_use: TablesInUse,
    ours: list[Assessment],
    routes: Routes,
    method: str,
    improvements: Sequence[Improvement],
    rails: str = "own",
) -> dict[str, Any]:
    """The jobs on the tables in use, with `ours` on our tables, and with plans by `method` on `routes`.

    `ours` is empty where the tables in use are ours. The job that suffers most is drawn, before and after.
    """
    before = IN_USE if ours else BASE_LIDS
    measured = {before: [each.without for each in improvements]}
    measured |= {BASE_LIDS: ours} if ours else {}
    measured[method] = [each.planned for each in improvements]
    worst = min(improvements, key=lambda each: each.without.relative_bandwidth)
    named = {IN_USE: in_use.name} if ours else {}
    data: dict[str, Any] = {
        "title": source,
        "source": source,
        "methods": named | {BASE_LIDS: OURS, method: METHODS[method]},
        "fabric": drawing_as_data(network),
        "worst_job": job_as_data(
            network, Side(before, worst.without, in_use.routes), Side(method, worst.planned, routes), rails
        ),
    }
    if len(improvements) > 1:
        data |= {_kind(measured[before]): _curves(measured)}
    return data


def _kind(assessments: list[Assessment]) -> str:
    """Which of the report's curves shows jobs of these sizes."""
    sizes = [len(each.job.machines) for each in assessments]
    return "contiguous" if len(set(sizes)) == len(sizes) else "random"


def _curves(measured: dict[str, list[Assessment]]) -> dict[str, Any]:
    jobs = next(iter(measured.values()))
    sizes = [len(each.job.machines) for each in jobs]
    return {
        "jobs": len(jobs),
        "size": max(sizes),
        "sizes": sizes,
        "relative_bandwidth": {method: relative_bandwidths(each) for method, each in measured.items()},
        "free": {method: count_free(each) for method, each in measured.items()},
        "bound": max_relative_bandwidths(list(measured.values())[-1]),
    }


def together_as_study(
    network: Network, routes: Routes, source: str, jobs: Sequence[JobOnFabric], measured: JobsTogether, rails: str
) -> dict[str, Any]:
    """Jobs at the same time: which cables each uses, whatever step it is in, and which of them they share."""
    own = [each for each in jobs if each.name != BACKGROUND]
    cables = router_cables(network)
    place = {port: 2 * link + end for link, ends in enumerate(cables) for end, port in enumerate(ends)}
    dots = {endpoint: i for i, endpoint in enumerate(router_endpoints(network))}
    data = together_as_data(network, jobs, measured)
    pictured = []
    for figures, each in zip(data["jobs"], own, strict=True):
        nics = _core.job_of_nics(network, each.job).endpoints(network)
        pictured.append(
            figures
            | {"hosts": [dots[nic] for nic in nics if nic in dots]}
            | {"cables": sorted(place[link] for link in links_of(network, routes, each, rails) if link in place)}
        )
    return {
        "title": source,
        "source": source,
        "fabric": drawing_as_data(network),
        "together": {
            "rounds": data["rounds"],
            "mean": data["together"]["mean"],
            "alone": data["alone"]["mean"],
            "jobs": pictured,
            "shared": [
                {
                    "cable": place[shared.link],
                    "conflict_probability": shared.conflict_probability,
                    "jobs": [jobs[number].name for number in shared.jobs],
                }
                for shared in by_link(measured.shared)
                if shared.link in place
            ],
        },
    }


def links_of(network: Network, routes: Routes, each: JobOnFabric, rails: str) -> list[int]:
    """The directed links that a job uses, as ports."""
    if each.pattern == "random":
        raise Error("background traffic has no links of its own", internal=True)
    nics, steps = traffic_of_nics(network, each.job, steps_of(each.pattern, each.job.rank_count), rails)
    plan = each.plan or Plan.base_lids(nics.rank_count)
    return [use.link for use in _core.footprint_of(network, routes, nics.endpoints(network), plan, steps).links]
