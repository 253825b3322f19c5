"""The programs of bench/tasks/stencil: every way of exchanging borders gives what one process alone computes."""

import json

import plugin
import pytest

from ayatori.base.compiled import PROGRAMS

WAYS = ("none", "isend", "test", "persistent", "neighbourhood", "fence", "put", "get", "acp")


def stencil(mpi: plugin.Mpi, ranks: int, *words: str, preload: bool = False, **variables: str) -> dict[str, object]:
    done = mpi.run_well(ranks, PROGRAMS / f"stencil_mpi_{mpi.family}", *words, preload=preload, **variables)
    [line] = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return dict(json.loads(line))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("ranks", "n", "dimensions"), [(3, 37, 1), (4, 41, 2), (4, 2, 2)])
def test_results_are_those_of_one_process(mpi: plugin.Mpi, way: str, ranks: int, n: int, dimensions: int) -> None:
    """Blocks of different sizes, and of a single element."""
    result = stencil(mpi, ranks, way, str(n), "9", str(dimensions), "3")
    assert result["wrong"] == 0
    assert result["processes"] == ([1, ranks] if dimensions == 1 else [2, 2])


@pytest.mark.parametrize("way", ["isend", "acp"])
@pytest.mark.parametrize(("ranks", "n", "dimensions"), [(1, 5, 1), (1, 1, 2), (8, 50, 2), (7, 8, 1)])
def test_one_process_and_blocks_with_neighbours_on_three_sides(
    mpi: plugin.Mpi, way: str, ranks: int, n: int, dimensions: int
) -> None:
    assert stencil(mpi, ranks, way, str(n), "9", str(dimensions), "3")["wrong"] == 0


@pytest.mark.parametrize("way", ["isend", "persistent", "neighbourhood"])
def test_results_are_the_same_with_the_progress_thread(mpi: plugin.Mpi, way: str) -> None:
    assert stencil(mpi, 3, way, "600", "20", "1", "2", preload=True, AYATORI_PROGRESS="thread")["wrong"] == 0


def test_an_array_that_is_too_small_is_refused(mpi: plugin.Mpi) -> None:
    done = mpi.run(3, PROGRAMS / f"stencil_mpi_{mpi.family}", "none", "2", "1", "1", "1", preload=False)
    assert done.returncode != 0
    assert "an array of 2 rows and columns is too small for 1 x 3 processes" in done.stderr


def test_what_is_not_a_way_is_refused(mpi: plugin.Mpi) -> None:
    done = mpi.run(1, PROGRAMS / f"stencil_mpi_{mpi.family}", "telepathy", "8", "1", "1", "1", preload=False)
    assert done.returncode != 0
    assert "no way is called 'telepathy'" in done.stderr
