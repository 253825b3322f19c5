"""The program of bench/tasks/overlap: every communication beside every computation gives right results."""

import json

import plugin
import pytest

from ayatori.base.compiled import PROGRAMS

TIMES = {"communication", "computation", "sequential", "both", "computing", "waiting", "testing"}


def overlap(mpi: plugin.Mpi, ranks: int, *words: str) -> dict[str, object]:
    done = mpi.run_well(ranks, PROGRAMS / f"overlap_mpi_{mpi.family}", *words, preload=False, OMP_NUM_THREADS="2")
    [line] = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return dict(json.loads(line))


CASES = {
    "openmpi": [("isend", "arithmetic", 3), ("iallreduce", "matrix-vector", 3), ("acp", "matrix-matrix", 2)],
    "mpich": [("ialltoall", "matrix-matrix", 3), ("ibcast", "matrix-vector", 2), ("iallgather", "arithmetic", 3)],
}
"""What differs between calls and kernels is in our program: each is run with one MPI."""


def test_what_is_received_and_computed_is_right(mpi: plugin.Mpi) -> None:
    """The program checks both; matrices of an odd size, with tests between their rows."""
    for call, kernel, ranks in CASES[mpi.family]:
        found = overlap(mpi, ranks, call, kernel, "4104", "3", "0", "1e-6", "37")
        assert (found["call"], found["kernel"], found["bytes"], found["threads"]) == (call, kernel, 4104, 2)
        assert {name: len(times) for name, times in found["samples"].items()} == dict.fromkeys(TIMES, 3)
        assert len(found["places"]) == ranks and all(place["cores"] for place in found["places"])


def test_units_that_are_given_are_computed(mpi: plugin.Mpi) -> None:
    assert overlap(mpi, 2, "ibcast", "arithmetic", "8", "1", "0", "0", "0", "7")["units"] == 7


def test_short_rounds_are_made_more_often_but_not_for_ever(mpi: plugin.Mpi) -> None:
    found = overlap(mpi, 2, "ibcast", "arithmetic", "8", "2", "0", "0", "0", "1", "60")
    assert {name: len(times) for name, times in found["samples"].items()} == dict.fromkeys(TIMES, 200)


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["shout", "arithmetic", "8", "1"], "CALL is"),
        (["isend", "corn", "8", "1"], "KERNEL is"),
        (["isend", "arithmetic", "7", "1"], "BYTES is 8 to 1 GiB"),
    ],
)
def test_what_is_not_known_is_refused(mpi: plugin.Mpi, words: list[str], part: str) -> None:
    done = mpi.run(2, PROGRAMS / f"overlap_mpi_{mpi.family}", *words, preload=False)
    assert done.returncode != 0
    assert part in done.stderr
