"""Communicators that a program duplicates without blocking, and communicators that are not intercepted."""

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
