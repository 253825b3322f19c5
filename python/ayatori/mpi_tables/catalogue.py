"""The algorithms that MPI libraries have, each with the schedule that sends the same messages.

Who sends how much to whom is proven for Open MPI 4.1 and 5.0 and for MPICH 4.0 to 5.0
(bench/validation/mpi_tables.py). Intel MPI's and UCC's are taken from their documentation; only those are listed whose
description leaves one schedule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

LARGEST_ELEMENT = 16
"""Bytes of the largest element of a vector that is reduced: a complex number of two doubles. A limit that a library has
for the number of elements holds for any type from this many bytes an element on."""

NUMBERS_OF_RANKS: dict[str, Callable[[int], bool]] = {
    "any": lambda _ranks: True,
    "two": lambda ranks: ranks == 2,
    "even": lambda ranks: ranks % 2 == 0,
    "power of two": lambda ranks: ranks & (ranks - 1) == 0,
    "not a power of two": lambda ranks: ranks & (ranks - 1) != 0,
}


@dataclass(frozen=True)
class MpiAlgorithm:
    """One algorithm of one collective of an MPI library."""

    collective: str
    """As the library calls it: bcast, reduce_scatter_block, …"""
    key: int | str
    """What its file calls it."""
    name: str
    schedule: str
    """Of our algorithms the one that sends the same."""
    fan_out: int = 0
    """Open MPI's column of this name: the number of chains. Our radix."""
    radix: int = 0
    """Of our schedule, where the file does not tell it."""
    segmented: bool = False
    """The file can give it a segment size."""
    ranks: str = "any"
    """For which numbers of ranks it is what it is called: a key of NUMBERS_OF_RANKS."""
    elements_a_rank: int = 0
    """It does something else where a vector has fewer elements than ranks times this."""
    parameters: tuple[str, ...] = ()
    """What stands below its key in a tree of MPICH."""

    def suits(self, ranks: int) -> bool:
        return NUMBERS_OF_RANKS[self.ranks](ranks)

    def min_bytes(self, ranks: int) -> int:
        """From this size on it is what it is called, whatever the type of the elements."""
        return self.elements_a_rank * ranks * LARGEST_ELEMENT

    @property
    def schedule_radix(self) -> int:
        return self.fan_out or self.radix


@dataclass(frozen=True)
class Mpi:
    """An MPI library, as far as its selector knows algorithms."""

    word: str
    """As `choose --to` calls it."""
    title: str
    algorithms: Sequence[MpiAlgorithm]
    left_out: dict[str, str]
    """Algorithms without a schedule of ours, and why."""
    proven: bool
    one_choice: frozenset[str] = field(default_factory=frozenset)
    """Collectives whose ranks may disagree about the size: they get one algorithm for all sizes."""

    def algorithms_of(self, collective: str) -> list[MpiAlgorithm]:
        return [algorithm for algorithm in self.algorithms if algorithm.collective == collective]

    @property
    def collectives(self) -> list[str]:
        return list(dict.fromkeys(algorithm.collective for algorithm in self.algorithms))


OURS = {"bcast": "broadcast", "reduce_scatter_block": "reduce_scatter"}
"""What our collectives are called, where an MPI library says something else."""


def our_collective(collective: str) -> str:
    return OURS.get(collective, collective)


def _open_mpi() -> list[MpiAlgorithm]:
    of = MpiAlgorithm
    return [
        of("allgather", 2, "bruck", "bruck"),
        of("allgather", 3, "recursive_doubling", "recursive-doubling", ranks="power of two"),
        of("allgather", 4, "ring", "ring"),
        of("allgather", 5, "neighbor", "neighbour-exchange", ranks="even"),
        of("allgather", 6, "two_proc", "ring", ranks="two"),
        of("allreduce", 1, "basic_linear", "linear"),
        of("allreduce", 3, "recursive_doubling", "recursive-doubling"),
        of("allreduce", 4, "ring", "ring", elements_a_rank=1),
        of("allreduce", 5, "segmented_ring", "openmpi-segmented-ring", segmented=True, elements_a_rank=1),
        of("allreduce", 6, "rabenseifner", "openmpi-rabenseifner", elements_a_rank=1),
        of("alltoall", 1, "linear", "spread"),
        of("alltoall", 2, "pairwise", "shift"),
        of("alltoall", 3, "modified_bruck", "bruck"),
        of("alltoall", 5, "two_proc", "shift", ranks="two"),
        of("barrier", 1, "linear", "linear"),
        of("barrier", 2, "double_ring", "double-ring"),
        of("barrier", 3, "recursive_doubling", "recursive-doubling"),
        of("barrier", 4, "bruck", "dissemination"),
        of("barrier", 5, "two_proc", "dissemination", ranks="two"),
        of("barrier", 6, "tree", "tree"),
        of("bcast", 1, "basic_linear", "linear"),
        of("bcast", 2, "chain", "openmpi-chains", fan_out=2, segmented=True),
        of("bcast", 2, "chain", "openmpi-chains", fan_out=4, segmented=True),
        of("bcast", 3, "pipeline", "openmpi-chains", radix=1, segmented=True),
        of("bcast", 4, "split_binary_tree", "openmpi-split-binary", segmented=True),
        of("bcast", 5, "binary_tree", "openmpi-binary", segmented=True),
        of("bcast", 6, "binomial", "openmpi-binomial", segmented=True),
        of("bcast", 7, "knomial", "knomial", radix=4),
        of("bcast", 8, "scatter_allgather", "mpi-scatter-doubling", elements_a_rank=1),
        of("bcast", 9, "scatter_allgather_ring", "mpi-scatter-ring", elements_a_rank=1),
        of("gather", 1, "basic_linear", "linear"),
        of("gather", 2, "binomial", "binomial"),
        of("gather", 3, "linear_sync", "openmpi-linear-sync"),
        of("reduce", 1, "linear", "linear"),
        of("reduce", 2, "chain", "openmpi-chains", fan_out=2, segmented=True),
        of("reduce", 2, "chain", "openmpi-chains", fan_out=4, segmented=True),
        of("reduce", 3, "pipeline", "openmpi-chains", radix=1, segmented=True),
        of("reduce", 4, "binary", "openmpi-binary", segmented=True),
        of("reduce", 5, "binomial", "binomial"),
        of("reduce", 6, "in-order_binary", "openmpi-in-order-binary", segmented=True),
        of("reduce", 7, "rabenseifner", "openmpi-rabenseifner", elements_a_rank=1),
        of("reduce_scatter", 2, "recursive_halving", "recursive-halving"),
        of("reduce_scatter", 3, "ring", "ring"),
        of("reduce_scatter_block", 3, "recursive_halving", "recursive-halving"),
        of("scatter", 1, "basic_linear", "linear"),
        of("scatter", 2, "binomial", "binomial"),
    ]


_OPEN_MPI_LEFT_OUT = {
    "allgather linear": "a gather and a broadcast, by whichever algorithms those take",
    "allgather sparbit": "no schedule of ours; since 5.0",
    "allreduce nonoverlapping": "a reduce and a broadcast, by whichever algorithms those take",
    "alltoall linear_sync": "sends what linear sends; how many requests wait is not in the table",
    "reduce_scatter non-overlapping": "a reduce and a scatterv, by whichever algorithms those take",
    "reduce_scatter butterfly": "no schedule of ours",
    "reduce_scatter_block basic_linear": "a reduce and a scatter, by whichever algorithms those take",
    "reduce_scatter_block recursive_doubling": "for operations that do not commute",
    "reduce_scatter_block butterfly": "no schedule of ours",
    "scatter linear_nb": "sends what basic_linear sends",
}

OPEN_MPI = Mpi(
    "openmpi",
    "Open MPI 4.1 and 5.0",
    _open_mpi(),
    _OPEN_MPI_LEFT_OUT,
    proven=True,
    # Its ranks look the size up in arguments that only some of them must give (the receive arguments of a scatter, and
    # those of a root with MPI_IN_PLACE).
    one_choice=frozenset({"gather", "scatter"}),
)
OPEN_MPI_JSON = Mpi(
    "openmpi-json",
    "Open MPI 6.0",
    _open_mpi(),
    _OPEN_MPI_LEFT_OUT,
    proven=False,
    one_choice=OPEN_MPI.one_choice,
)


def _mpich(collective: str, name: str, schedule: str, **more: object) -> MpiAlgorithm:
    return MpiAlgorithm(collective, f"MPIR_{collective.capitalize()}_intra_{name}", name, schedule, **more)  # type: ignore[arg-type]


MPICH = Mpi(
    "mpich",
    "MPICH 4.0 to 5.0",
    [
        _mpich("allgather", "brucks", "bruck"),
        _mpich("allgather", "recursive_doubling", "recursive-doubling", ranks="power of two"),
        _mpich("allgather", "ring", "ring"),
        _mpich("allreduce", "recursive_doubling", "recursive-doubling"),
        _mpich("allreduce", "reduce_scatter_allgather", "mpich-rabenseifner", elements_a_rank=1),
        _mpich("alltoall", "brucks", "bruck"),
        _mpich("alltoall", "pairwise", "pairwise", ranks="power of two"),
        _mpich("alltoall", "pairwise", "shift", ranks="not a power of two"),
        _mpich("alltoall", "scattered", "spread"),
        _mpich("barrier", "dissemination", "dissemination"),  # 4.0; since 4.1 it has the next name
        _mpich("barrier", "k_dissemination", "dissemination", parameters=("k=2",)),
        _mpich("bcast", "binomial", "binomial"),
        _mpich("bcast", "scatter_recursive_doubling_allgather", "mpi-scatter-doubling", elements_a_rank=1),
        _mpich("bcast", "scatter_ring_allgather", "mpi-scatter-ring", elements_a_rank=1),
        _mpich("gather", "binomial", "binomial"),
        _mpich("reduce", "binomial", "binomial"),
        _mpich("reduce", "reduce_scatter_gather", "mpich-rabenseifner", elements_a_rank=1),
        _mpich("reduce_scatter", "pairwise", "pairwise"),
        _mpich("reduce_scatter", "recursive_halving", "recursive-halving"),
        _mpich("reduce_scatter_block", "pairwise", "pairwise"),
        _mpich("reduce_scatter_block", "recursive_halving", "recursive-halving"),
        _mpich("scatter", "binomial", "binomial"),
    ],
    {
        "the algorithms called nb": "a non-blocking collective, by whichever algorithm that takes",
        "the algorithms of 4.1 and later (tree, recexch, k_…, ring)": "no schedule of ours was compared with them",
        "the algorithms called smp": "collectives on parts of the communicator, by whichever algorithms those take",
        "alltoall pairwise_sendrecv_replace": "for MPI_IN_PLACE, where MPICH keeps it",
        "reduce_scatter noncommutative": "for operations that do not commute, where MPICH keeps it",
        "reduce_scatter recursive_doubling": "for operations that do not commute, where MPICH keeps it",
        "reduce_scatter_block noncommutative": "for operations that do not commute, where MPICH keeps it",
        "reduce_scatter_block recursive_doubling": "for operations that do not commute, where MPICH keeps it",
    },
    proven=True,
)
