"""Choices: which algorithm a collective of some size should take on a job, by prediction of all of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ayatori._core import Algorithm, Job, Network, Places
from ayatori.errors import Error
from ayatori.prediction import Call, Model, Predictor, algorithms_of, make_schedule

SMALLEST_SEGMENT = 1 << 10
SEGMENT_PAYS = 0.99
"""A segment of our own making is taken if it needs less than this of the automatic one's time: the fewer choices
differ, the fewer intervals a table has."""
ALGORITHMS_AT_ONCE = os.cpu_count() or 1


@dataclass(frozen=True)
class Candidate:
    """A way to do a call, and the time it takes: the mean over all jobs."""

    algorithm: str
    segment: int
    """Bytes in a piece of a pipeline; 0: the algorithm's own choice, or no pipeline."""
    seconds: float


@dataclass(frozen=True)
class LeftOut:
    algorithm: str
    reason: str


@dataclass
class Ranking:
    """All algorithms of one collective for one size."""

    collective: str
    bytes: int
    ranked: list[Candidate]
    """Fastest first; each algorithm once, with the segment that suits it best."""
    left_out: list[LeftOut]

    @property
    def best(self) -> Candidate:
        return self.ranked[0]


@dataclass
class Choice:
    """Rankings, and what they are valid for."""

    jobs: list[Job]
    method: str
    model: Model
    rankings: list[Ranking]


def choose(
    network: Network,
    jobs: Sequence[Job],
    calls: Iterable[tuple[str, int]],
    method: str | None = None,
    model: Model | None = None,
    progress: Callable[[], None] = lambda: None,
) -> Choice:
    """Ranks the algorithms for each of `calls` (collective, bytes as MPI counts), roots being rank 0.

    Every algorithm takes the paths of its own plan by `method` (see Predictor). With several jobs their mean time
    counts. Calls `progress` after each algorithm of each call (`count_steps` in all). Raises Error for no jobs, unknown
    collectives, sizes that can't be.
    """
    if not jobs:
        raise Error("no job to choose for")
    predictor = Predictor(network, method, model)
    rankings = []
    for collective, size in calls:
        rankings.append(rank_algorithms(predictor, jobs, collective, size, progress))
    return Choice(list(jobs), predictor.method, predictor.model, rankings)


def count_steps(calls: Iterable[tuple[str, int]]) -> int:
    return sum(len(algorithms_of(collective)) for collective, _ in calls)


def rank_algorithms(
    predictor: Predictor,
    jobs: Sequence[Job],
    collective: str,
    size: int,
    progress: Callable[[], None] = lambda: None,
) -> Ranking:
    calls, left_out = candidates_for(predictor, jobs, collective, size)
    by_algorithm: dict[str, list[Call]] = {}
    for call in calls:
        by_algorithm.setdefault(call.algorithm, []).append(call)
    if not by_algorithm:
        raise Error(f"no {collective} can be done on this job", hint=left_out[0].reason)
    for _ in left_out:
        progress()
    variants = list(by_algorithm.values())
    candidates = []
    for first in range(0, len(variants), ALGORITHMS_AT_ONCE):
        batch = variants[first : first + ALGORITHMS_AT_ONCE]
        timed = iter(_time(predictor, jobs, [call for calls in batch for call in calls]))
        for calls in batch:
            candidates.append(_best_segment([next(timed) for _ in calls]))
            progress()
    # Nine digits: what differs less is the same time, and algorithms stay in the order of their list.
    candidates.sort(key=lambda candidate: float(f"{candidate.seconds:.9g}"))
    return Ranking(collective, size, candidates, left_out)


def _time(predictor: Predictor, jobs: Sequence[Job], calls: list[Call]) -> list[Candidate]:
    predictions = iter(predictor.predict_each((job, call) for call in calls for job in jobs))
    return [
        Candidate(call.algorithm, call.segment, sum(next(predictions).seconds for _ in jobs) / len(jobs))
        for call in calls
    ]


def _best_segment(variants: list[Candidate]) -> Candidate:
    automatic, *others = variants
    fastest = min(others, key=lambda candidate: candidate.seconds, default=automatic)
    return fastest if fastest.seconds < SEGMENT_PAYS * automatic.seconds else automatic


def candidates_for(
    predictor: Predictor, jobs: Sequence[Job], collective: str, size: int
) -> tuple[list[Call], list[LeftOut]]:
    """The calls to compare, an algorithm's with automatic segments first; and the algorithms that can't be."""
    places = [predictor.places(job) for job in jobs]
    calls: list[Call] = []
    left_out: list[LeftOut] = []
    for algorithm in algorithms_of(collective):
        call = Call(collective, algorithm.name, size)
        reason = _why_not(predictor, algorithm, call, places)
        if reason:
            left_out.append(LeftOut(algorithm.name, reason))
            continue
        calls.append(call)
        if algorithm.pipelined:
            calls += [Call(collective, algorithm.name, size, segment=s) for s in segments_to_try(call, places[0])]
    return calls, left_out


def _why_not(predictor: Predictor, algorithm: Algorithm, call: Call, places: list[Places]) -> str:
    """Why the algorithm can't be chosen; empty if it can."""
    if algorithm.needs_grid and not all(place.dimensions for place in places):
        return "the job's machines form no grid"
    if algorithm.name == "planned" and predictor.method != "pair":
        return "there is no plan with one path a pair (--method pair)"
    for place in places:
        schedule = make_schedule(call, place)
        if schedule.participant_count > place.rank_count:
            return "routers take part, which run no MPI"
    return ""


def segments_to_try(call: Call, places: Places) -> list[int]:
    """Powers of 4 around the segment that the algorithm takes by itself, none of them larger than the message."""
    automatic = make_schedule(call, places).slot_bytes(0, 0)
    nearest = round(math.log(max(automatic, 1), 4))
    around = [4**power for power in range(nearest - 2, nearest + 3) if power >= 0]
    return [segment for segment in around if SMALLEST_SEGMENT <= segment < call.bytes and segment != automatic]


def choice_as_data(choice: Choice) -> dict[str, Any]:
    """What `choose --json` prints, but for the source."""
    return {
        "method": choice.method,
        "model": vars(choice.model),
        "jobs": len(choice.jobs),
        "ranks": [job.rank_count for job in choice.jobs],
        "calls": [_ranking_as_data(ranking) for ranking in choice.rankings],
    }


def _ranking_as_data(ranking: Ranking) -> dict[str, Any]:
    return {
        "collective": ranking.collective,
        "bytes": ranking.bytes,
        "ranking": [
            {"algorithm": candidate.algorithm, "segment": candidate.segment, "time_s": candidate.seconds}
            for candidate in ranking.ranked
        ],
        "left_out": [vars(left_out) for left_out in ranking.left_out],
    }
