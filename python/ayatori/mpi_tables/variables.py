"""Selections that are environment variables: Intel MPI's I_MPI_ADJUST_… and UCC's UCC_TL_UCP_TUNE.

Neither library is here to be asked, so their syntax and algorithms are those of their documentation.
"""

from __future__ import annotations

import re

from ayatori.base.errors import Error
from ayatori.mpi_tables.catalogue import Mpi, MpiAlgorithm
from ayatori.mpi_tables.rules import Rules

MAX_INTEL_SIZE = 2**31 - 1

INTEL = Mpi(
    "intel",
    "Intel MPI",
    [
        MpiAlgorithm("allgather", 1, "recursive doubling", "recursive-doubling", ranks="power of two"),
        MpiAlgorithm("allgather", 2, "Bruck's", "bruck"),
        MpiAlgorithm("allgather", 3, "ring", "ring"),
        MpiAlgorithm("allreduce", 1, "recursive doubling", "recursive-doubling"),
        MpiAlgorithm("allreduce", 2, "Rabenseifner's", "mpich-rabenseifner", elements_a_rank=1),
        MpiAlgorithm("allreduce", 8, "ring", "ring", elements_a_rank=1),
        MpiAlgorithm("alltoall", 1, "Bruck's", "bruck"),
        MpiAlgorithm("alltoall", 2, "isend/irecv and waitall", "spread"),
        MpiAlgorithm("alltoall", 3, "pairwise exchange", "pairwise", ranks="power of two"),
        MpiAlgorithm("alltoall", 3, "pairwise exchange", "shift", ranks="not a power of two"),
        MpiAlgorithm("barrier", 1, "dissemination", "dissemination"),
        MpiAlgorithm("barrier", 2, "recursive doubling", "recursive-doubling"),
        MpiAlgorithm("bcast", 1, "binomial", "binomial"),
        MpiAlgorithm("bcast", 2, "recursive doubling", "mpi-scatter-doubling", elements_a_rank=1),
        MpiAlgorithm("bcast", 3, "ring", "mpi-scatter-ring", elements_a_rank=1),
        MpiAlgorithm("gather", 1, "binomial", "binomial"),
        MpiAlgorithm("reduce", 2, "binomial", "binomial"),
        MpiAlgorithm("reduce", 5, "Rabenseifner's", "mpich-rabenseifner", elements_a_rank=1),
        MpiAlgorithm("reduce_scatter", 1, "recursive halving", "recursive-halving"),
        MpiAlgorithm("reduce_scatter", 2, "pairwise exchange", "pairwise"),
        MpiAlgorithm("scatter", 1, "binomial", "binomial"),
    ],
    {
        "algorithms that know the topology": "what they send depends on what Intel MPI finds out",
        "Shumilin's, knomial and tree algorithms": "their documentation does not tell their shape",
    },
    proven=False,
)

UCC = Mpi(
    "ucc",
    "UCC's tl/ucp",
    [
        MpiAlgorithm("allgather", "ring", "ring", "ring"),
        MpiAlgorithm("allgather", "bruck", "bruck", "bruck"),
        MpiAlgorithm("allgather", "neighbor", "neighbor", "neighbour-exchange", ranks="even"),
        MpiAlgorithm("alltoall", "pairwise", "pairwise", "shift"),
        MpiAlgorithm("alltoall", "bruck", "bruck", "bruck"),
        MpiAlgorithm("bcast", "knomial", "knomial", "knomial", radix=4),
        MpiAlgorithm("reduce", "knomial", "knomial", "knomial", radix=4),
    ],
    {
        "allreduce, barrier, reduce_scatter": "k-nomial exchanges, for which there is no schedule of ours",
        "gather, scatter": "k-nomial with data of subtrees, for which there is no schedule of ours",
        "bcast sag_knomial, double binary trees": "no schedule of ours",
    },
    proven=False,
)


def intel_settings(rules: Rules) -> list[tuple[str, str]]:
    """I_MPI_ADJUST_BCAST=1:0-65535@16-16;3:65536-…@16-16, a variable for each collective."""
    found = []
    for collective, own in rules.collectives.items():
        presets = [
            f"{rule.algorithm.key}:{rule.first}-{min(rule.last or MAX_INTEL_SIZE, MAX_INTEL_SIZE)}"
            f"@{rules.ranks}-{rules.ranks}"
            for rule in own
            if rule.first <= MAX_INTEL_SIZE
        ]
        found.append((f"I_MPI_ADJUST_{collective.upper()}", ";".join(presets)))
    for _name, value in found:
        check_intel(value)
    return found


def check_intel(value: str) -> None:
    """Raises Error for what the documentation has no meaning for."""
    expected = 0
    for preset in value.split(";"):
        match = re.fullmatch(r"([1-9]\d?):(\d{1,10})-(\d{1,10})@(\d+)-(\d+)", preset)
        if match is None or not int(match[2]) == expected <= int(match[3]) <= MAX_INTEL_SIZE or match[4] != match[5]:
            raise Error(f"'{preset}' is not a preset of I_MPI_ADJUST", internal=True)
        expected = int(match[3]) + 1


def ucc_settings(rules: Rules) -> list[tuple[str, str]]:
    """UCC_TL_UCP_TUNE=bcast:0-4096:host:[16-16]:inf:@knomial#…, one variable; sizes from the first up to the last."""
    words = []
    for collective, own in rules.collectives.items():
        for rule in own:
            last = "inf" if rule.last is None else rule.last + 1
            team = f"[{rules.ranks}-{rules.ranks}]"
            words.append(f"{collective}:{rule.first}-{last}:host:{team}:inf:@{rule.algorithm.key}")
    value = "#".join(words)
    check_ucc(value)
    return [("UCC_TL_UCP_TUNE", value)] if words else []


def check_ucc(value: str) -> None:
    """Raises Error for what the documentation has no meaning for."""
    for word in value.split("#") if value else []:
        match = re.fullmatch(r"[a-z_]+:(\d+)-(\d+|inf):host:\[(\d+)-(\d+)\]:inf:@[a-z_]+", word)
        if match is None or (match[2] != "inf" and int(match[1]) >= int(match[2])) or int(match[3]) > int(match[4]):
            raise Error(f"'{word}' is not a score of UCC", internal=True)
