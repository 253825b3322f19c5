"""The main job: a fabric discovered, routed, proved on real OpenSM, and its jobs planned by every method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, TypedDict

from ayatori._core import Network, SearchControl
from ayatori.lab.fabric import SimulatedFabric
from ayatori.lab.fabric.verification import (
    OPENSM_ENGINES,
    EngineRun,
    LabCheck,
    compare_networks,
    discover_live,
    load_our_tables,
    net_text,
    try_engine,
)
from ayatori.model.jobs import contiguous_jobs, count_hosts, random_jobs
from ayatori.model.network import CableData, rates_by_port
from ayatori.planning.plans import (
    BASE_LIDS,
    METHODS,
    PLAN_METHODS,
    Assessment,
    assess_jobs,
    count_free,
    relative_bandwidths,
)
from ayatori.planning.routes import MadeRoutes, check, make_routes, make_routes_explained
from ayatori.study import paper1
from ayatori.study.comparison import RoutedNetwork, Study, StudyData, study_as_data

MAX_CONTIGUOUS_JOBS = 30


@dataclass
class LabResult:
    """What real OpenSM made of a fabric and of our tables for it."""

    network: Network
    """As it was discovered over MADs."""
    made: MadeRoutes
    checks: list[LabCheck] = field(default_factory=list)
    engines: list[EngineRun] = field(default_factory=list)

    @property
    def ftree(self) -> EngineRun:
        return next(tried for tried in self.engines if tried.engine == "ftree")


def run_lab(known: Network, source: str, host_pattern: str, tell: Callable[[str], None]) -> LabResult:
    """Has OpenSM discover and route a simulated fabric, first by its own engines, then by our tables."""
    with SimulatedFabric(net_text(known)) as lab:
        tell("ibsim holds the fabric; discovering it over MADs")
        network = discover_live(lab, host_pattern)
        result = LabResult(network, make_routes_explained(network), [compare_networks(known, network)])
        for engine in OPENSM_ENGINES:
            tell(f"OpenSM routes it by {engine}")
            result.engines.append(try_engine(lab, network, engine))
        tell(f"our tables ({result.made.explanation}) go into OpenSM's file engine, and are read back")
        result.checks += load_our_tables(lab, network, result.made, source)
    return result


def run_study(lab: LabResult, jobs: int, size: int, seed: int, control: SearchControl | None = None) -> Study:
    """All methods on the same jobs, the first of them where `control` stops it.

    The baseline are OpenSM ftree's own tables, or ours at LMC 0 if it refused.
    """
    network = lab.network
    one_lid = lab.ftree.routes or make_routes(network, 0)
    study = Study(RoutedNetwork(network, one_lid, lab.made.routes))
    random = random_jobs(network, jobs, size, seed=seed)
    machines = count_hosts(network)
    step = max(1, machines // MAX_CONTIGUOUS_JOBS)
    contiguous = contiguous_jobs(network, range(min(3, machines), machines + 1, step))
    study.run(random, contiguous, control)
    return study


class EngineFigures(TypedDict, total=False):
    free: int
    mean_relative_bandwidth: float
    """Jobs without hot spots, and the mean over all jobs."""
    seconds: float
    """OpenSM's run time."""
    deadlock_free: bool
    """Whether no cycle of links can wait for each other."""


class EngineData(EngineFigures):
    name: str
    lmc: int
    accepted: bool
    note: str
    """The engine, its LMC, whether it routes the fabric, and a remark."""


class OfPaper1(TypedDict, total=False):
    peak_MBps: float
    """On paper 1's cluster: its peak."""


class MainJobData(StudyData, OfPaper1):
    checks: list[Annotated[dict[str, Any], LabCheck]]
    """What real OpenSM, ibdmchk and we found of the tables."""
    engines: list[EngineData]
    """OpenSM's own engines and our methods on the same random jobs."""


def main_job_as_data(known: Network, lab: LabResult, study: Study, source: str, seed: int) -> MainJobData:
    """The study as the report reads it; of the paper's cluster with the paper's figures."""
    title = paper1.TITLE if source == paper1.SOURCE else source
    data: MainJobData = {
        **study_as_data(study, title, source, seed),
        **OfPaper1(),
        "checks": [check.as_data() for check in lab.checks],
        "engines": [
            *(_engine_as_data(lab.network, tried, study) for tried in lab.engines),
            _unplanned_as_data(lab, study),
            *(_method_as_data(method, study) for method in PLAN_METHODS),
        ],
    }
    data["methods"] = methods_in_words(lab)
    _restore_rates(data["fabric"]["links"], known)
    if source == paper1.SOURCE:
        data["peak_MBps"] = paper1.PEAK_MBPS
        data["random"]["paper_MBps"] = paper1.RANDOM
        data["contiguous"]["paper_MBps"] = paper1.CONTIGUOUS
    return data


def methods_in_words(lab: LabResult) -> dict[str, str]:
    """What each method is in this study: whose tables the baseline goes by depends on what OpenSM's ftree did."""
    refused = "one LID a port, by our own tables, since OpenSM's ftree refused"
    baseline = refused if lab.ftree.routes is None else "one LID a port, by the tables of OpenSM's ftree"
    return METHODS | {BASE_LIDS: baseline}


def _unplanned_as_data(lab: LabResult, study: Study) -> EngineData:
    """The study's random jobs on our tables, but without plans: entry for entry the baseline, or not."""
    network, many_lids, one_lid = study.routed.network, study.routed.many_lids, study.routed.one_lid
    note = "base LIDs"
    if many_lids.count_base_differences(network, one_lid) == 0:
        note += ", the entries of LMC 0" if lab.ftree.routes is None else ", the entries of OpenSM's ftree"
    jobs = [assessment.job for assessment in study.random[BASE_LIDS]]
    lmc = many_lids.lmc(network.endpoints[0])
    figures = _figures(assess_jobs(network, many_lids, jobs, None))
    return {"name": "ayatori, no plan", "lmc": lmc, "accepted": True, **figures, "note": note}


def _restore_rates(links: list[CableData], known: Network) -> None:
    """ibsim does not know NDR and newer speeds: the picture takes the rates from the source."""
    rates = rates_by_port(known)
    for link in links:
        link["rate"] = rates.get((link["a"], link["a_port"]), link["rate"])


def _engine_as_data(network: Network, tried: EngineRun, study: Study) -> EngineData:
    """One of OpenSM's own engines on the study's random jobs."""
    name = f"OpenSM {tried.engine}"
    if tried.run is None or tried.routes is None:
        return {"name": name, "lmc": 0, "accepted": tried.routes is not None, "note": f"refused: {tried.refusal}"}
    jobs = [assessment.job for assessment in study.random[BASE_LIDS]]
    assessed = assess_jobs(network, tried.routes, jobs, None)
    deadlock_free = check(network, tried.routes).deadlock_free
    note = "deadlock-free" if deadlock_free else "credit loops are possible"
    seconds: EngineFigures = {"seconds": tried.run.seconds, "deadlock_free": deadlock_free}
    return {"name": name, "lmc": 0, "accepted": True, **seconds, **_figures(assessed), "note": note}


def _method_as_data(method: str, study: Study) -> EngineData:
    """One of our methods on the study's random jobs."""
    network, many_lids = study.routed.network, study.routed.many_lids
    lmc, figures = many_lids.lmc(network.endpoints[0]), _figures(study.random[method])
    return {"name": f"ayatori, {method}", "lmc": lmc, "accepted": True, **figures, "note": METHODS[method]}


def _figures(assessments: list[Assessment]) -> EngineFigures:
    bandwidths = relative_bandwidths(assessments)
    return {"free": count_free(assessments), "mean_relative_bandwidth": sum(bandwidths) / len(bandwidths)}
