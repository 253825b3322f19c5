"""One collective, predicted on one job or on each of many."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, TypedDict

from ayatori._core import Job, Network, Routes
from ayatori.base.errors import Error
from ayatori.base.spreads import PerhapsSpread, Spread
from ayatori.model.jobs import placement_as_data
from ayatori.model.network import fingerprint
from ayatori.prediction.calls import Call
from ayatori.prediction.loaded import fingerprints
from ayatori.prediction.predictor import (
    LinkUse,
    Model,
    Prediction,
    Predictor,
    UsedCableData,
    UsedLinkData,
    hottest_links,
    method_on,
)
from ayatori.resumable import SavedResults, compute

JOBS_AT_ONCE = 16


@dataclass
class Simulation:
    """What a call takes on each of some jobs, each by itself."""

    call: Call
    method: str
    model: Model
    jobs: list[Job]
    predictions: list[Prediction]
    """One a job; none in the other processes of an MPI run."""
    links_of: Network | None
    """The network whose ports the links' numbers are; None where paths go by dimension order."""

    @property
    def seconds(self) -> float:
        """The mean over the jobs."""
        return fmean(prediction.seconds for prediction in self.predictions)


def simulate(
    network: Network,
    jobs: Sequence[Job] | Job,
    call: Call,
    method: str | None = None,
    model: Model | None = None,
    *,
    routes: Routes | None = None,
) -> Simulation:
    """simulate_by() of a Predictor with this `method`, this `model` and these `routes`."""
    return simulate_by(Predictor(network, method, model, routes), jobs, call)


def simulate_by(
    predictor: Predictor,
    jobs: Sequence[Job] | Job,
    call: Call,
    saved: SavedResults | None = None,
    advance: Callable[[int], None] = lambda _count: None,
) -> Simulation:
    """Times the messages of `call` on each job as flows that share links fairly.

    The predictions go to `saved`, and those that are there already are not computed again (see
    simulation_parameters). In a run of several MPI processes all of them call this and share the jobs. `advance` is
    called with the number of jobs that are done. Raises Error for no jobs, unknown algorithms, sizes that can't be.
    """
    jobs = [jobs] if isinstance(jobs, Job) else list(jobs)
    if not jobs:
        raise Error("no job to simulate")

    def predicted(some: Sequence[Job]) -> list[dict[str, Any]]:
        return [asdict(prediction) for prediction in predictor.predict(some, call)]

    kept = saved if saved is not None else SavedResults(None, {})
    per_job = compute(kept, "predictions", jobs, JOBS_AT_ONCE, predicted, advance)
    links_of = predictor.network if predictor.routes is not None else None
    return Simulation(call, predictor.method, predictor.model, jobs, list(map(_prediction_from, per_job)), links_of)


def _prediction_from(data: dict[str, Any]) -> Prediction:
    return Prediction(**data | {"hot_links": [LinkUse(**use) for use in data["hot_links"]]})


def simulation_parameters(
    network: Network, jobs: Sequence[Job], call: Call, method: str | None, model: Model
) -> dict[str, Any]:
    """All that the predictions of simulate() depend on."""
    return {
        "network": fingerprint(network),
        "method": method_on(network, method),
        "model": asdict(model),
        "call": asdict(call),
        "others": fingerprints([call.algorithm]),
        "jobs": [placement_as_data(job) for job in jobs],
    }


class JobTimes(TypedDict):
    machines: int
    ranks: int
    """The job's size."""
    time_s: float
    bandwidth_MBps: float | None
    messages: int
    network_bytes: int
    """As for all jobs."""


class SimulationData(TypedDict):
    jobs: int
    """How many."""
    time_s: float
    times_s: Spread
    """Mean time, and its spread over jobs."""
    bandwidth_MBps: PerhapsSpread
    """Over jobs; null for a barrier."""
    messages: int
    network_bytes: int
    """Of all jobs together; messages within a host do not count as network bytes."""
    hot_links: list[UsedCableData | UsedLinkData]
    """The 20 links that delayed jobs longest, as links where paths follow tables."""
    per_job: list[JobTimes]
    """Each job, in order."""


def simulation_as_data(simulation: Simulation) -> SimulationData:
    """What `simulate --json` prints of its jobs: times are means over jobs, messages and bytes sums."""
    predictions = simulation.predictions
    times = [prediction.seconds for prediction in predictions]
    bandwidths = [prediction.bandwidth / 1e6 for prediction in predictions if prediction.bandwidth is not None]
    hot_links = [prediction.hot_links for prediction in predictions]
    return {
        "jobs": len(predictions),
        "time_s": fmean(times),
        "times_s": {"mean": fmean(times), "min": min(times), "max": max(times)},
        "bandwidth_MBps": {
            "mean": fmean(bandwidths) if bandwidths else None,
            "min": min(bandwidths, default=None),
            "max": max(bandwidths, default=None),
        },
        "messages": sum(prediction.messages for prediction in predictions),
        "network_bytes": sum(prediction.network_bytes for prediction in predictions),
        "hot_links": hottest_links(hot_links, simulation.links_of),
        "per_job": [
            _job_as_data(job, prediction) for job, prediction in zip(simulation.jobs, predictions, strict=True)
        ],
    }


def _job_as_data(job: Job, prediction: Prediction) -> JobTimes:
    return {
        "machines": len(job.machines),
        "ranks": job.rank_count,
        "time_s": prediction.seconds,
        "bandwidth_MBps": None if prediction.bandwidth is None else prediction.bandwidth / 1e6,
        "messages": prediction.messages,
        "network_bytes": prediction.network_bytes,
    }
