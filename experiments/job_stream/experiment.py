"""Streams of jobs on paper 1's cluster, by both ways to allocate nodes; the all-to-all of each job by every method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ayatori import _core
from ayatori._core import Network
from ayatori.cli.output import progress
from ayatori.model.network import open_source
from ayatori.planning.plans import BASE_LIDS, METHODS, assess_jobs, with_made_steps
from ayatori.resumable import SavedResults, compute
from experiments.job_stream.presentation import PATH_AWARE_SCHEDULE, Streams, figures_of, tables_of
from experiments.job_stream.stream import ALLOCATIONS, run_stream
from experiments.page import open_results, present
from experiments.paper_tables import tables_of_the_paper

SOURCE = "fattree:K=6,levels=2,nodes=30"


@dataclass(frozen=True)
class Settings:
    jobs: int = 1000
    sizes: tuple[int, int] = (2, 16)
    seed: int = 1
    chunk: int = 50
    """Jobs between two savings; changes no figure."""


QUICK = Settings(jobs=200)


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Computes, prints and draws it all; returns the page."""
    network = open_source(SOURCE)
    parameters = {name: value for name, value in asdict(settings).items() if name != "chunk"} | {"source": SOURCE}
    results = open_results(folder, parameters, resume)
    streams = _compute(network, settings, results)
    about = f"{SOURCE}, {settings.jobs} jobs of {settings.sizes[0]} to {settings.sizes[1]} nodes, seed {settings.seed}"
    title = "Paper 1, section 2.4: node utilisation against bandwidth"
    return present(results, title, about, tables_of(streams), figures_of(streams))


def _compute(network: Network, settings: Settings, results: SavedResults) -> Streams:
    found = Streams({}, {})
    measures = {method: _bandwidths(network, method) for method in (*METHODS, PATH_AWARE_SCHEDULE)}
    with progress("jobs", settings.jobs * len(measures) * len(ALLOCATIONS)) as advance:
        for name, allocate in ALLOCATIONS.items():
            stream = run_stream(len(network.machines), settings.jobs, settings.sizes, allocate, settings.seed)
            found.utilisation[name] = stream.utilisation
            results.results[f"utilisation: {name}"] = [stream.utilisation]
            found.bandwidth[name] = {
                method: compute(results, f"{name}: {method}", stream.nodes_of_jobs, settings.chunk, measure, advance)
                for method, measure in measures.items()
            }
    return found


def _bandwidths(network: Network, method: str) -> Callable[[Sequence[list[int]]], list[float]]:
    """Relative bandwidths of the shift all-to-all, each job by itself. A path-aware schedule has no plan."""
    plan_method = BASE_LIDS if method == PATH_AWARE_SCHEDULE else method
    routes = tables_of_the_paper(network, plan_method)

    def bandwidths(nodes_of_jobs: Sequence[list[int]]) -> list[float]:
        jobs = [
            _core.job_of_hosts(network, [(network.machines[node].name, 1) for node in nodes], "stream")
            for nodes in nodes_of_jobs
        ]
        assessments = assess_jobs(network, routes, jobs, plan_method)
        if method == PATH_AWARE_SCHEDULE:
            assessments = [with_made_steps(network, routes, assessment) for assessment in assessments]
        return [assessment.relative_bandwidth for assessment in assessments]

    return bandwidths
