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
