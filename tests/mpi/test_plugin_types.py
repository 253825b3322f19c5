"""Reductions of all types that C and Fortran have: the digits are those of the MPI alone."""

import plugin
import pytest
from test_plugin_collectives import forcing

LINES = 4 * (5 * 10 + 7 * 7 + 7 * 4 + 8 * 2 + 2 * 3 + 3 + 9 * 2) + 1
"""Functions by types and operations, and one that is refused."""


def printed(mpi: plugin.Mpi, ranks: int, numbers: str, calls: int, preload: bool = True, **variables: str) -> str:
    done = mpi.run_well(ranks, "check_types.cpp", numbers, str(calls), preload=preload, **variables)
    assert done.stdout.count("\n") == LINES, done.stdout
    return done.stdout


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("turn", [0, 3])
def test_algorithms_of_ours_are_right_with_each_type(mpi: plugin.Mpi, ranks: int, turn: int) -> None:
    forced = {**forcing(turn), **forcing(turn, "I")}
    assert printed(mpi, ranks, "exact", 1, **forced) == printed(mpi, ranks, "exact", 1, preload=False)


@pytest.mark.parametrize("ranks", [2, 3])
def test_sums_that_round_have_the_digits_of_the_mpi(mpi: plugin.Mpi, ranks: int) -> None:
    """So often that calls of other operations are on trial."""
    alone = printed(mpi, ranks, "rounding", 1, preload=False)
    assert printed(mpi, ranks, "rounding", 400) == alone


def test_the_largest_of_real_numbers_may_be_on_trial(mpi: plugin.Mpi) -> None:
    done = mpi.run_well(3, "check_types.cpp", "rounding", "400", AYATORI_VERBOSE="1")
    rounding = [line for line in done.stderr.splitlines() if "operations that round: the MPI's own" in line]
    assert rounding and "MPI_Allreduce of about 192 bytes" in done.stderr, done.stderr
