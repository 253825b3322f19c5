"""Collectives that do not block, executed inside real MPI programs: many at the same time, ended in any order."""

import plugin
import pytest
from test_plugin_collectives import TURNS, forcing

IN_MPICH_OVER_UCX = "which does not let others take part in its progress"


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5])
def test_data_are_those_of_the_mpi(mpi: plugin.Mpi, ranks: int, everything: bool) -> None:
    """Each algorithm of each call at one number of ranks for each MPI; with --all at each number."""
    for turn in plugin.turns_at(ranks, (2, 3, 4, 5), range(TURNS), mpi.family, everything):
        seed = 2000 * ranks + turn
        variables = {"AYATORI_VERBOSE": "1", **forcing(turn, "I")}
        done = mpi.run_well(ranks, "check_nonblocking.cpp", str(seed), "40", **variables)
        assert "40 rounds, 0 failures" in done.stdout
        assert IN_MPICH_OVER_UCX not in done.stderr
        executed = {line.split()[1] for line in done.stderr.splitlines() if "without blocking" in line}
        assert len(executed) >= (12 if ranks > 1 else 0), done.stderr


def test_counts_may_be_large_on_some_ranks_and_ints_on_others(mpi: plugin.Mpi) -> None:
    if mpi.family == "openmpi":
        pytest.skip("Open MPI 4.1 has no MPI_Ibcast_c")
    program = mpi.compiled("check_nonblocking.cpp", *plugin.EITHER_COUNT, kind=".either")
    for turn in range(3):
        variables = {"AYATORI_VERBOSE": "1", **forcing(turn, "I")}
        done = mpi.run_well(3, program, str(4000 + turn), "40", **variables)
        assert "40 rounds, 0 failures" in done.stdout
        executed = {line.split()[1] for line in done.stderr.splitlines() if "without blocking" in line}
        assert len(executed) >= 12, done.stderr


def test_they_go_on_beside_collectives_that_are_executed_in_memory(mpi: plugin.Mpi) -> None:
    mpi.run_well(4, "check_nonblocking.cpp", "9", "40", AYATORI_BARRIER="dissemination", **forcing(0, "I"))


def test_without_a_word_of_the_user_they_are_the_mpis_own(mpi: plugin.Mpi) -> None:
    done = mpi.run_well(3, "check_nonblocking.cpp", "10", "20", AYATORI_VERBOSE="1")
    assert "without blocking" not in done.stderr


@pytest.mark.parametrize("algorithm", ["chain:chunk=10000", "binomial"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 5])
def test_a_rank_that_is_busy_elsewhere_in_the_mpi_does_its_part(mpi: plugin.Mpi, ranks: int, algorithm: str) -> None:
    done = mpi.run_right(
        ranks, "check_progress.cpp", AYATORI_IBCAST=algorithm, AYATORI_BARRIER="tree", AYATORI_VERBOSE="1"
    )
    assert ranks == 1 or "MPI_Bcast without blocking" in done.stderr


def test_threads_begin_and_end_their_own(mpi: plugin.Mpi) -> None:
    mpi.run_right(3, "check_progress.cpp", "threads", AYATORI_IBCAST="chain:chunk=10000")
