"""One call of a collective: its schedule, and the bytes that its bandwidth counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori import _core
from ayatori._core import Placement, PlannedSteps, Schedule
from ayatori.base.errors import Error, UnknownWord
from ayatori.base.files import read_text
from ayatori.base.units import MAX_BYTES
from ayatori.prediction import loaded


@dataclass(frozen=True)
class Call:
    """One collective, and how it is to be done."""

    collective: str
    algorithm: str
    """One of ours, or of others: file:F, library:L.so:NAME."""
    bytes: int
    """As MPI counts: from one rank to one other, or the whole vector of broadcast, reduce and allreduce."""
    root: int = 0
    chunk_bytes: int = 0
    """Bytes in a chunk of a pipeline; 0: the algorithm's own choice."""
    radix: int = 0
    """Of k-nomial trees, or the number of chains; 0: the algorithm's own choice."""
    sizes: Sequence[Sequence[int]] | None = None
    """Of alltoallv, whose `bytes` count for nothing: from each rank (row) to each; lists, or an array's tolist()."""
    stencil: Sequence[int] = ()
    """Of halo: the lengths of the ranks' grid, which is no ring; empty: as AlgorithmOptions::stencil says."""


def make_schedule(call: Call, placement: Placement, planned_steps: PlannedSteps | None = None) -> Schedule:
    """`planned_steps` are those of the algorithm "path-aware", which is the shift without them."""
    if call.bytes <= 0 and call.collective not in ("barrier", "alltoallv"):
        raise Error(f"{call.collective} of {call.bytes} bytes: there is nothing to send")
    if not 0 <= call.root < 2**32:
        raise Error(f"root {call.root} is not a rank")
    if call.chunk_bytes and not loaded.is_other(call.algorithm) and not _is_pipeline(call):
        raise Error(f"{call.collective} by {call.algorithm} is not a pipeline, so there are no chunks")
    options = _core.AlgorithmOptions()
    options.chunk_bytes = call.chunk_bytes
    options.radix = call.radix
    options.planned_steps = planned_steps
    options.stencil, options.stencil_periodic = list(call.stencil), [False] * len(call.stencil)
    if call.sizes is not None:
        options.set_pair_sizes(call.sizes)
    if not loaded.is_other(call.algorithm):
        return _core.make_schedule(call.algorithm, call.collective, call.root, call.bytes, placement, options)
    schedule, reason = loaded.make(call.algorithm, call.collective, call.root, call.bytes, placement, options)
    if schedule is None:
        raise Error(f"{call.algorithm} has no schedule for this call", cause=reason)
    return schedule


def _is_pipeline(call: Call) -> bool:
    """True for an algorithm that nobody knows, too: that is another error."""
    named = [algorithm for algorithm in algorithms_of(call.collective) if algorithm.name == call.algorithm]
    return all(algorithm.pipelined for algorithm in named)


def read_pair_sizes(file: Path, ranks: int) -> list[list[int]]:
    """Call.sizes from lines "FROM TO [BYTES]", as patterns have them: pairs listed again add up, others are silent."""
    steps = _core.parse_pattern(read_text(file), str(file), ranks)
    sizes = [[0] * ranks for _ in range(ranks)]
    for step in range(steps.step_count):
        for message in steps.messages(step):
            row = sizes[message.from_rank]
            row[message.to_rank] += message.bytes
            if row[message.to_rank] > MAX_BYTES:
                pair = f"from {message.from_rank} to {message.to_rank}"
                raise Error(f"{file}: {pair} there are more than 2^58 bytes")
    return sizes


def bandwidth_bytes(call: Call, placement: Placement) -> float | None:
    """The bytes that a call's bandwidth counts; divided by its time they are the bandwidth.

    alltoall, alltoallv: what a machine sends to the others, on average over machines (paper 1, figure 8). broadcast,
    reduce, allreduce: the vector. allgather, reduce_scatter, gather, scatter: what belongs to all ranks but one.
    halo: one face. barrier: none.
    """
    ranks = placement.rank_count
    if call.collective == "barrier":
        return None
    if call.collective == "alltoall":
        return call.bytes * _pairs_between_machines(placement) / placement.machine_count
    if call.collective == "alltoallv":
        import numpy as np  # takes as long to load as all else, and is used here alone

        machine = np.asarray(placement.machine)
        return float(np.asarray(call.sizes)[machine[:, None] != machine].sum()) / placement.machine_count
    if call.collective in ("allgather", "reduce_scatter", "gather", "scatter"):
        return call.bytes * (ranks - 1)
    return call.bytes


def _pairs_between_machines(placement: Placement) -> int:
    counts = [0] * placement.machine_count
    for machine in placement.machine:
        counts[machine] += 1
    return placement.rank_count**2 - sum(count**2 for count in counts)


def algorithms_of(collective: str) -> list[_core.Algorithm]:
    """Raises Error for an unknown collective."""
    known = [algorithm for algorithm in _core.algorithms() if algorithm.collective == collective]
    if not known:
        collectives = dict.fromkeys(algorithm.collective for algorithm in _core.algorithms())
        raise UnknownWord("collective", collective, collectives)
    return known


def check_algorithm_name(collective: str, name: str) -> None:
    """Raises UnknownWord for neither an algorithm of the collective nor one of others."""
    known = [algorithm.name for algorithm in algorithms_of(collective)]
    if name not in known and not loaded.is_other(name):
        raise UnknownWord(f"{collective} algorithm", name, known, f"`ayatori algorithms {collective}` lists them")
