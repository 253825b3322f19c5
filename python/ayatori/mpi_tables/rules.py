"""Which of an MPI library's own algorithms is predicted to be best for which size."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ayatori._core import Job
from ayatori.base.errors import Error
from ayatori.mpi_tables.catalogue import Mpi, MpiAlgorithm, our_collective
from ayatori.prediction.calls import Call
from ayatori.prediction.choice import in_order_of_choice
from ayatori.prediction.predictor import Predictor
from ayatori.resumable import SavedResults, compute

SEGMENTS = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20]
MAX_SEGMENTS = 1 << 12
"""A message is not cut into more pieces than this, which would only cost time to predict."""


@dataclass(frozen=True)
class Way:
    """An algorithm with its segment size, and the time that it is predicted to take."""

    algorithm: MpiAlgorithm
    segment_bytes: int
    """0: one piece."""
    seconds: float
    messages: int = 0


@dataclass
class Ranked:
    """All ways to do one collective of an MPI library with one size: the one to choose, then fastest first."""

    collective: str
    bytes: int
    ways: list[Way]


@dataclass(frozen=True)
class Rule:
    """Sizes from `first` to `last` bytes as we count them (collective.hpp), None: and all above."""

    first: int
    last: int | None
    algorithm: MpiAlgorithm
    segment_bytes: int


@dataclass
class Rules:
    """What is chosen for communicators of so many ranks. Rules of a collective cover all sizes, in order."""

    mpi: Mpi
    ranks: int
    collectives: dict[str, list[Rule]]

    def lookup(self, collective: str, size: int) -> Rule:
        return next(rule for rule in self.collectives[collective] if rule.last is None or size <= rule.last)


def rank(
    mpi: Mpi,
    predictor: Predictor,
    job: Job,
    calls: Iterable[tuple[str, int]],
    advance: Callable[[int], None] = lambda _count: None,
    saved: SavedResults | None = None,
) -> list[Ranked]:
    """Ranks the algorithms of `mpi` for each of `calls` (our collective, bytes).

    What was predicted goes to `saved`, and what is there already is not predicted again. In a run of several MPI
    processes all of them call this and share the calls, and only the first gets rankings. Raises Error for a collective
    that the library's selector does not know, or that none of its algorithms in the catalogue can do.
    """
    pieces = calls_to_rank(mpi, calls)
    ways = [ways_to_try(mpi, job.rank_count, *piece) for piece in pieces]
    calls_of = [
        [call_of(algorithm, size, segment) for algorithm, segment in own]
        for (_, size), own in zip(pieces, ways, strict=True)
    ]

    def predicted(some: Sequence[list[Call]]) -> list[list[tuple[float, int]]]:
        found = [predictor.predict_each((job, call) for call in calls) for calls in some]
        return [[(prediction.seconds, prediction.messages) for prediction in own] for own in found]

    kept = saved if saved is not None else SavedResults(None, {})
    predictions = compute(kept, "ranked", calls_of, 1, predicted, advance)
    # Of several processes only the first has results.
    return [_ranked(*piece, own, found) for piece, own, found in zip(pieces, ways, predictions, strict=False)]


def calls_to_rank(mpi: Mpi, calls: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """What rank() does one by one: collectives as the library's selector names them, with sizes."""
    pieces = []
    for ours, size in dict.fromkeys(calls):
        theirs = [name for name in mpi.collectives if our_collective(name) == ours]
        if not theirs:
            known = ", ".join(dict.fromkeys(map(our_collective, mpi.collectives)))
            raise Error(f"{mpi.title} has no table for {ours}", hint=f"it has tables for {known}")
        pieces += [(collective, size) for collective in theirs]
    return pieces


def ways_to_try(mpi: Mpi, ranks: int, collective: str, size: int) -> list[tuple[MpiAlgorithm, int]]:
    """Each algorithm that can do it, with each of its segment sizes."""
    ways = [
        (algorithm, segment)
        for algorithm in mpi.algorithms_of(collective)
        if algorithm.suits(ranks) and size >= algorithm.min_bytes(ranks)
        for segment in (segments_to_try(size) if algorithm.segmented else [0])
    ]
    if not ways:
        raise Error(f"none of {mpi.title}'s algorithms for {collective} is known for {ranks} ranks and {size} bytes")
    return ways


def _ranked(
    collective: str,
    size: int,
    ways: Sequence[tuple[MpiAlgorithm, int]],
    predictions: Sequence[tuple[float, int]],
) -> Ranked:
    found = [Way(*way, *prediction) for way, prediction in zip(ways, predictions, strict=True)]
    return Ranked(collective, size, in_order_of_choice(found))


def segments_to_try(size: int) -> list[int]:
    return [0, *(segment for segment in SEGMENTS if segment < size <= segment * MAX_SEGMENTS)]


def call_of(algorithm: MpiAlgorithm, size: int, segment: int = 0, root: int = 0) -> Call:
    """The call of ours that sends what the algorithm sends."""
    collective = our_collective(algorithm.collective)
    return Call(collective, algorithm.schedule, size, root=root, chunk_bytes=segment, radix=algorithm.schedule_radix)


def rules_from(mpi: Mpi, ranks: int, ranked: Sequence[Ranked]) -> Rules:
    """The best way of each size; choices change at the geometric middle of two sizes, as in our own tables."""
    by_collective: dict[str, list[Ranked]] = {}
    for entry in ranked:
        by_collective.setdefault(entry.collective, []).append(entry)
    return Rules(mpi, ranks, {name: _rules_of(mpi, ranks, entries) for name, entries in by_collective.items()})


def _rules_of(mpi: Mpi, ranks: int, entries: list[Ranked]) -> list[Rule]:
    entries = sorted(entries, key=lambda entry: entry.bytes)
    if entries[0].collective in mpi.one_choice:
        way = _best_of_all(entries)
        return [Rule(0, None, way.algorithm, way.segment_bytes)]
    changes = []
    for before, after in pairwise(entries):
        if _how(before.ways[0]) != _how(after.ways[0]):
            middle = math.isqrt(before.bytes * after.bytes) + 1
            changes.append((max(middle, after.ways[0].algorithm.min_bytes(ranks)), after.ways[0]))
    first = entries[0].ways
    if first[0].algorithm.min_bytes(ranks) > 0:
        changes.insert(0, (first[0].algorithm.min_bytes(ranks), first[0]))
        first = [way for way in first if way.algorithm.min_bytes(ranks) == 0]
    starts = [(0, first[0]), *changes]
    lasts = [start - 1 for start, _ in starts[1:]] + [None]
    return [
        Rule(start, last, way.algorithm, way.segment_bytes)
        for (start, way), last in zip(starts, lasts, strict=True)
        if last is None or start <= last
    ]


def _how(way: Way) -> tuple[MpiAlgorithm, int]:
    return way.algorithm, way.segment_bytes


def _best_of_all(entries: list[Ranked]) -> Way:
    """The way that loses least against the best, over all sizes; times are compared by their ratios."""

    def loss(way: Way) -> float:
        times = [(_seconds(entry, way), entry.ways[0].seconds) for entry in entries]
        return sum(math.log(own / best) for own, best in times if own > 0 and best > 0)

    common = [way for way in entries[0].ways if all(any(_how(way) == _how(other) for other in e.ways) for e in entries)]
    return min(common, key=loss)


def _seconds(entry: Ranked, way: Way) -> float:
    return next(other.seconds for other in entry.ways if _how(other) == _how(way))
