"""Communicators that a program duplicates without blocking, and those whose collectives are left to the MPI."""

import plugin
import pytest
from test_plugin_collectives import forcing

MODES = {
    "default": {},
    "thread": {"AYATORI_PROGRESS": "thread"},
    "calls": {"AYATORI_PROGRESS": "calls"},
    "blocking": forcing(0, ""),
    "nonblocking": forcing(0, "I"),
    "all": {"AYATORI_PROGRESS": "thread", **forcing(0, ""), **forcing(0, "I")},
}


@pytest.mark.parametrize("mode", MODES)
def test_duplications_go_on_among_collectives(mpi: plugin.Mpi, mode: str) -> None:
    """Of two ranks: Open MPI 4.1.4 alone hangs with three, in a third of the runs of such a program."""
    for _ in range(3):
        mpi.run_right(2, "check_duplicates.c", timeout=60, **MODES[mode])


@pytest.mark.parametrize("words", [[], ["init"]], ids=["sessions alone", "after MPI_Init"])
def test_collectives_of_sessions_are_the_mpis(mpi: plugin.Mpi, words: list[str]) -> None:
    if mpi.family == "openmpi":
        pytest.skip("Open MPI 4.1 has no sessions")
    done = mpi.run_right(2, "sessions.c", *words, AYATORI_VERBOSE="1", AYATORI_ALLREDUCE="ring")
    assert done.stderr.count("ayatori: collectives of sessions: the MPI's own") == 1, done.stderr
    named = "ayatori: collectives on communicators of MPI_Comm_create_from_group: the MPI's own" in done.stderr
    executed = "ayatori: MPI_Allreduce on 2 ranks: ring" in done.stderr
    assert named == executed == bool(words), done.stderr


def test_what_is_left_to_the_mpi_is_reported(mpi: plugin.Mpi) -> None:
    done = mpi.run_right(2, "check_communicators.cpp", AYATORI_VERBOSE="1", AYATORI_ALLREDUCE="ring")
    assert done.stderr.count("ayatori: collectives on inter-communicators: the MPI's own") == 1, done.stderr
