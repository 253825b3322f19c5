"""What jobs send, by name; and all that programs send, by which plans are judged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from ayatori import _core
from ayatori._core import Purpose, StepSequence
from ayatori.base.errors import Error, UnknownWord
from ayatori.base.files import read_text
from ayatori.planning.mpi_traffic import parse_mpi_traffic
from ayatori.planning.traced import folder_of_trace, read_traced

_BY_NAME: dict[str, Callable[[int], StepSequence]] = {
    "shift": _core.shift_all_to_all,
    "xor": _core.xor_exchanges,
    "spread": _core.all_at_once,
    "ring": _core.ring,
    "neighbour": _core.neighbour,
    "halo-2d": lambda ranks: _core.halo(ranks, 2),
    "halo-3d": lambda ranks: _core.halo(ranks, 3),
    "tree": _core.binomial_tree,
}
RANDOM = "random"
PATTERNS = (*_BY_NAME, RANDOM)
COLLECTIVE = ("shift", "xor", "spread", "tree")
"""The patterns that are collectives: the others are messages between two processes."""
USUAL = ("shift", "xor", "spread", RANDOM, "ring", "halo-2d", "halo-3d", "tree")
"""What plans are judged by: what programs send, as far as nobody says what theirs do."""
PERMUTATIONS = 200
"""Drawn to judge a plan by: the mean of other 200 then differs by some 1%."""

TrafficShares = tuple[dict[str, float], dict[str, float]]
"""What a job gets of each traffic, without a plan and with it."""
TOLERATED_LOSS = _core.TOLERATED_LOSS
"""By how much one traffic may lose with a plan for all."""

_MOST_RANKS = 2**32 - 1
_JUDGED_AT_ONCE = 2**18
"""Messages of one step, by which plans are judged: of more ranks the step is thinned out."""


def purpose_of(pattern: str) -> Purpose:
    """What carries its messages in a cluster with a network for each purpose."""
    is_collective = pattern in COLLECTIVE or parse_mpi_traffic(pattern) is not None
    return Purpose.collectives if is_collective else Purpose.neighbours


def steps_of(pattern: str, ranks: int, seed: int = 1) -> StepSequence:
    """The steps of one of PATTERNS, of a library's collective ("openmpi alltoall 1MiB"), of a traced program or of a
    pattern file. `seed` is that of the permutations of "random"."""
    if pattern == RANDOM:
        return _core.random_permutations(ranks, max(1, ranks - 1), seed)
    if pattern in _BY_NAME:
        return _BY_NAME[pattern](ranks)
    if (sent := parse_mpi_traffic(pattern)) is not None:
        return sent.steps(ranks)
    path = Path(pattern)
    if not path.exists():
        raise UnknownWord("pattern or pattern file", pattern, PATTERNS)
    if (folder := folder_of_trace(pattern)) is not None:
        return _steps_of_trace(folder, ranks)
    return _core.parse_pattern(read_text(path), pattern, ranks)


def _steps_of_trace(folder: Path, ranks: int) -> StepSequence:
    """A step stands as often as its share of the bytes, so that short messages count for little."""
    traced = read_traced(folder)
    if traced.ranks != ranks:
        raise Error(f"{folder} is the trace of {traced.ranks} ranks, and the job has {ranks}", hint="trace this job")
    return _core.weighted_by_bytes(_core.parse_pattern(traced.text, str(folder), ranks))


def judged_steps(pattern: str, ranks: int, seed: int) -> StepSequence:
    """The steps of a pattern, for judging plans: of "random" enough permutations for a mean, and no huge step."""
    if pattern == RANDOM:
        return _core.random_permutations(ranks, PERMUTATIONS, seed)
    if pattern == "spread":
        return _core.all_at_once(ranks, 1 + ranks * ranks // _JUDGED_AT_ONCE)
    return steps_of(pattern, ranks)


def is_better(shares: Sequence[dict[str, float]], without: Sequence[dict[str, float]], named: int) -> bool:
    """Whether jobs get more with their plans, in the mean over the jobs: by the traffics that are named, or over all,
    of which then none may lose much. Both have what each job gets, by traffic, those that are named first."""
    means, means_without = (
        [fmean(of_traffic) for of_traffic in zip(*(job.values() for job in jobs), strict=True)]
        for jobs in (shares, without)
    )
    if named:
        return fmean(means[:named]) >= fmean(means_without[:named])
    loses = any(a < b * (1 - TOLERATED_LOSS) for a, b in zip(means, means_without, strict=True))
    return not loses and fmean(means) >= fmean(means_without)


def sizes_differ(pattern: str) -> bool:
    """Whether `pattern` is a file whose messages have different sizes, for which contention does not care."""
    if pattern in PATTERNS or not Path(pattern).is_file() or folder_of_trace(pattern) is not None:
        return False
    steps = _core.parse_pattern(read_text(Path(pattern)), pattern, _MOST_RANKS)
    return len({message.bytes for step in range(steps.step_count) for message in steps.messages(step)}) > 1
