"""Choices: which algorithm a collective of some size should take on a job, by prediction of all of them."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import fmean
from typing import Any, Protocol, TypedDict, TypeVar

from ayatori._core import Algorithm, AlgorithmOptions, Job, Network, Placement
from ayatori.base.errors import Error
from ayatori.model.jobs import placement_as_data
from ayatori.model.network import fingerprint
from ayatori.planning.plans import MULTIPATH
from ayatori.prediction import loaded
from ayatori.prediction.calls import Call, algorithms_of, make_schedule
from ayatori.prediction.loaded import OtherAlgorithm
from ayatori.prediction.predictor import BY_ROUTERS, PATH_AWARE, Model, Predictor, method_on
from ayatori.resumable import SavedResults, compute, is_first_process

MIN_CHUNK_BYTES = 1 << 10
MOST_RANKS_TO_EACH = 64
"""Of algorithms made for ranks that share memory, in which each sends to each other what others send to a few."""
AS_FAST = 1.01
"""What takes at most so many times as long is as fast: no model tells less. Of several that are as fast as the fastest
the one with the fewest messages is chosen, for each message also costs what no model sees; and the automatic chunk size
before others, for the fewer choices differ, the fewer intervals a table has."""
ALGORITHMS_AT_ONCE = os.cpu_count() or 1


@dataclass(frozen=True)
class Candidate:
    """A way to do a call, and the time it takes: the mean over all jobs."""

    algorithm: str
    chunk_bytes: int
    """Bytes in a chunk of a pipeline; 0: the algorithm's own choice, or no pipeline."""
    seconds: float
    messages: int = 0
    """Of all ranks; the mean over all jobs."""


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
    """The one to choose, then fastest first; each algorithm once, with the chunk size that suits it best."""
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


@dataclass(frozen=True)
class Piece:
    """One algorithm for one call."""

    collective: str
    bytes: int
    algorithm: Algorithm | OtherAlgorithm


def choose(
    predictor: Predictor,
    jobs: Sequence[Job] | Job,
    calls: Iterable[tuple[str, int]],
    *,
    others: Sequence[str] = (),
    saved: SavedResults | None = None,
    advance: Callable[[int], None] = lambda _count: None,
) -> Choice:
    """Ranks the algorithms for each of `calls` (collective, bytes as MPI counts), roots being rank 0.

    In addition to ours it ranks `others`: file:F, library:L.so:NAME (docs/schedule-format.md).

    Every algorithm takes the paths of its own plan (see Predictor). With several jobs their mean time counts. The
    outcomes go to `saved`, and those that are there already are not computed again (see choice_parameters); in a run of
    several MPI processes only the first has rankings. `advance` is called with the number of algorithms that are done.
    Raises Error for no jobs, unknown collectives, sizes that can't be, algorithms of others that are wrong.
    """
    jobs = [jobs] if isinstance(jobs, Job) else list(jobs)
    if not jobs:
        raise Error("no job to choose for")
    if predictor.method == MULTIPATH:
        raise Error("a program sends a message by one path", hint="simulate times calls over all LIDs")
    pieces = pieces_of(calls, others)

    def outcomes_of(some: Sequence[Piece]) -> list[dict[str, Any]]:
        return [vars(outcome) for outcome in assess(predictor, jobs, some)]

    kept = saved if saved is not None else SavedResults(None, {})
    outcomes = compute(kept, "outcomes", pieces, ALGORITHMS_AT_ONCE, outcomes_of, advance)
    rankings = rank(pieces, map(_outcome_from, outcomes)) if is_first_process() else []
    return Choice(jobs, predictor.method, predictor.model, rankings)


def choice_parameters(
    network: Network,
    jobs: Sequence[Job],
    calls: Sequence[tuple[str, int]],
    method: str | None,
    model: Model,
    others: Sequence[str] = (),
) -> dict[str, Any]:
    """All that the outcomes of choose() depend on."""
    return {
        "network": fingerprint(network),
        "method": method_on(network, method),
        "model": asdict(model),
        "calls": calls,
        "others": loaded.fingerprints(others),
        "jobs": [placement_as_data(job) for job in jobs],
    }


def _outcome_from(data: dict[str, Any]) -> Candidate | LeftOut:
    return LeftOut(**data) if "reason" in data else Candidate(**data)


def pieces_of(calls: Iterable[tuple[str, int]], others: Sequence[str] = ()) -> list[Piece]:
    """Of ours and `others`. Algorithms that only repeat what an MPI library does are for its own tables (mpi_tables).

    Raises Error for a name in `others` that is not one of others' algorithms.
    """
    for name in others:
        loaded.load(name)
    more = [OtherAlgorithm(name) for name in dict.fromkeys(others)]
    pieces = []
    for collective, size in dict.fromkeys(calls):
        candidates: list[Algorithm | OtherAlgorithm] = [*algorithms_of(collective), *more]
        pieces += [Piece(collective, size, algorithm) for algorithm in candidates if not algorithm.of_an_mpi]
    return pieces


def assess(predictor: Predictor, jobs: Sequence[Job], pieces: Iterable[Piece]) -> list[Candidate | LeftOut]:
    """Of each piece the time with the chunk size that suits it best, or why there is none. In parallel."""
    placements = [predictor.placement(job) for job in jobs]
    variants = [variants_of(predictor, piece, placements) for piece in pieces]
    timed = iter(
        _time(predictor, jobs, [call for calls in variants if not isinstance(calls, LeftOut) for call in calls])
    )
    return [calls if isinstance(calls, LeftOut) else best_chunk([next(timed) for _ in calls]) for calls in variants]


def rank(pieces: Iterable[Piece], outcomes: Iterable[Candidate | LeftOut]) -> list[Ranking]:
    """Raises Error for a collective that no algorithm can do."""
    by_call: dict[tuple[str, int], Ranking] = {}
    for piece, outcome in zip(pieces, outcomes, strict=True):
        ranking = by_call.setdefault((piece.collective, piece.bytes), Ranking(piece.collective, piece.bytes, [], []))
        if isinstance(outcome, LeftOut):
            ranking.left_out.append(outcome)
        else:
            ranking.ranked.append(outcome)
    for ranking in by_call.values():
        if not ranking.ranked:
            raise Error(f"no {ranking.collective} can be done on this job", hint=ranking.left_out[0].reason)
        ranking.ranked = in_order_of_choice(ranking.ranked)
    return list(by_call.values())


class Timed(Protocol):
    """Anything to choose from, whose time was predicted."""

    @property
    def seconds(self) -> float: ...
    @property
    def messages(self) -> int: ...


TimedT = TypeVar("TimedT", bound=Timed)


def in_order_of_choice(candidates: Sequence[TimedT]) -> list[TimedT]:
    """The one to choose, then fastest first."""
    best = preferred(candidates)
    # Nine digits: what differs less is the same time, and algorithms stay in the order of their list.
    others = sorted(
        (candidate for candidate in candidates if candidate is not best),
        key=lambda candidate: float(f"{candidate.seconds:.9g}"),
    )
    return [best, *others]


def preferred(candidates: Sequence[TimedT]) -> TimedT:
    """Of those that are as fast as the fastest the first with the fewest messages."""
    fastest = min(candidate.seconds for candidate in candidates)
    as_fast = [candidate for candidate in candidates if candidate.seconds <= AS_FAST * fastest]
    return min(as_fast, key=lambda candidate: candidate.messages)


def _time(predictor: Predictor, jobs: Sequence[Job], calls: list[Call]) -> list[Candidate]:
    predictions = predictor.predict_each((job, call) for call in calls for job in jobs)
    of_calls = [predictions[first : first + len(jobs)] for first in range(0, len(predictions), len(jobs))]
    return [
        Candidate(
            call.algorithm,
            call.chunk_bytes,
            fmean(prediction.seconds for prediction in of_call),
            round(fmean(prediction.messages for prediction in of_call)),
        )
        for call, of_call in zip(calls, of_calls, strict=True)
    ]


def best_chunk(variants: Sequence[Candidate]) -> Candidate:
    """Of one algorithm with several chunk sizes, of which the automatic one is first."""
    automatic = variants[0]
    fastest = min(candidate.seconds for candidate in variants)
    return automatic if automatic.seconds <= AS_FAST * fastest else preferred(variants)


def variants_of(predictor: Predictor, piece: Piece, placements: list[Placement]) -> list[Call] | LeftOut:
    """The calls to compare, that with the automatic chunk size first; or why the algorithm can't be chosen."""
    call = Call(piece.collective, piece.algorithm.name, piece.bytes)
    if reason := _why_not(predictor, piece.algorithm, call, placements):
        return LeftOut(call.algorithm, reason)
    if not piece.algorithm.pipelined:
        return [call]
    return [call, *(replace(call, chunk_bytes=size) for size in chunk_sizes_to_try(call, placements[0]))]


def _why_not(
    predictor: Predictor, algorithm: Algorithm | OtherAlgorithm, call: Call, placements: list[Placement]
) -> str:
    """Why the algorithm can't be chosen; empty if it can."""
    if algorithm.within_a_node and any(placement.rank_count > MOST_RANKS_TO_EACH for placement in placements):
        return f"each rank sends to each other: not compared for more than {MOST_RANKS_TO_EACH} ranks"
    if algorithm.needs_grid and not all(placement.dimensions for placement in placements):
        return "the job's machines form no grid"
    if algorithm.name == PATH_AWARE and predictor.routes is None:
        return "its steps are made for paths by forwarding tables"
    if algorithm.name == PATH_AWARE and predictor.method in BY_ROUTERS:
        return f"its steps are made for known paths, and by {predictor.method} routers choose"
    if algorithm.name == PATH_AWARE and predictor.model.rails != "own":
        return "its steps are made for messages between the ranks' own NICs"
    for placement in placements:
        if loaded.is_other(call.algorithm):
            made, reason = loaded.make(call.algorithm, call.collective, 0, call.bytes, placement, AlgorithmOptions())
            if made is None:
                return reason
        schedule = make_schedule(call, placement)
        if schedule.participant_count > placement.rank_count:
            return "routers take part, which run no MPI"
    return ""


def chunk_sizes_to_try(call: Call, placement: Placement) -> list[int]:
    """Powers of 4 around the chunk size that the algorithm takes by itself, none of them larger than the message."""
    automatic = make_schedule(call, placement).slot_bytes(0, 0)
    nearest = round(math.log(max(automatic, 1), 4))
    around = [4**power for power in range(nearest - 2, nearest + 3) if power >= 0]
    return [size for size in around if MIN_CHUNK_BYTES <= size < call.bytes and size != automatic]


class CandidateData(TypedDict):
    algorithm: str
    chunk: int
    """The algorithm; bytes of a pipeline's chunk, 0 if the algorithm chooses."""
    time_s: float
    """Mean time."""


class LeftOutData(TypedDict):
    algorithm: str
    reason: str
    """The algorithm, and why it is left out."""


class RankingData(TypedDict):
    collective: str
    bytes: int
    """The collective and its size."""
    ranking: list[CandidateData]
    """Algorithms: the chosen one, then fastest first."""
    left_out: list[LeftOutData]
    """Algorithms that this job can't use."""


class ChoiceData(TypedDict):
    method: str
    """How paths are chosen; `tables`: base LIDs on those of `--lfts`."""
    model: dict[str, Any]
    """The simulator's numbers: [predictions](predictions.md)."""
    jobs: int
    ranks: list[int]
    """How many jobs, and the ranks of each."""
    calls: list[RankingData]
    """One entry per collective and size."""


class ChooseData(ChoiceData):
    source: str
    """As given."""
    plans: list[str]
    """The file of the plan whose paths messages take, as given; else empty."""
    start: dict[str, str]
    """By launcher, the line that starts the job with its ranks where the table of `--out` has them."""
    plan_line: str
    """Where the times are with a plan: the line that makes it and prints how to start the job. `start` is empty then.
    Else empty."""


def choice_as_data(choice: Choice) -> ChoiceData:
    """What `choose --json` prints, but for the source."""
    return {
        "method": choice.method,
        "model": asdict(choice.model),
        "jobs": len(choice.jobs),
        "ranks": [job.rank_count for job in choice.jobs],
        "calls": [_ranking_as_data(ranking) for ranking in choice.rankings],
    }


def _ranking_as_data(ranking: Ranking) -> RankingData:
    return {
        "collective": ranking.collective,
        "bytes": ranking.bytes,
        "ranking": [
            {"algorithm": candidate.algorithm, "chunk": candidate.chunk_bytes, "time_s": candidate.seconds}
            for candidate in ranking.ranked
        ],
        "left_out": [{"algorithm": each.algorithm, "reason": each.reason} for each in ranking.left_out],
    }
