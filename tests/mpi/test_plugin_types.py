"""Reductions of all types that C and Fortran have: the digits are those of the MPI alone."""

import tempfile

import plugin
import pytest
from test_plugin_collectives import forcing

LINES = 4 * (5 * 10 + 7 * 7 + 7 * 4 + 8 * 2 + 2 * 3 + 3 + 9 * 2) + 1
"""Functions by types and operations, and one that is refused."""


def results(mpi: plugin.Mpi, ranks: int, numbers: str, calls: int, preload: bool = True, **variables: str) -> str:
    with tempfile.NamedTemporaryFile("r") as file:
        mpi.run_well(ranks, "check_types.cpp", numbers, str(calls), file.name, preload=preload, **variables)
        lines = file.read()
    assert lines.count("\n") == LINES, lines
    return lines


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("turn", [0, 3])
def test_algorithms_of_ours_are_right_with_each_type(mpi: plugin.Mpi, ranks: int, turn: int) -> None:
    forced = {**forcing(turn), **forcing(turn, "I")}
    assert results(mpi, ranks, "exact", 1, **forced) == results(mpi, ranks, "exact", 1, preload=False)
