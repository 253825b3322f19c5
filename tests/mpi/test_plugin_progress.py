"""AYATORI_PROGRESS: what is under way is moved while the program computes, by a thread or in its calls."""

import re

import plugin
import pytest
from test_plugin_collectives import forcing


@pytest.mark.parametrize("executed", [True, False], ids=["executed", "the MPI's own"])
@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("mode", ["thread", "calls"])
def test_data_are_those_of_the_mpi(mpi: plugin.Mpi, mode: str, ranks: int, executed: bool) -> None:
    forced = forcing(1, "I") if executed else {}
    done = mpi.run_well(ranks, "check_nonblocking.cpp", "30", "60", AYATORI_PROGRESS=mode, **forced)
    assert "60 rounds, 0 failures" in done.stdout


@pytest.mark.parametrize("level", ["single", "threads"])
@pytest.mark.parametrize("mode", ["thread", "calls"])
def test_programs_may_do_with_requests_what_they_did(mpi: plugin.Mpi, mode: str, level: str) -> None:
    mpi.run_right(3, "check_progress.cpp", level, AYATORI_PROGRESS=mode, AYATORI_IBCAST="chain:chunk=10000")


@pytest.mark.parametrize("mode", ["off", "thread", "calls"])
def test_a_message_moves_while_the_receiver_computes(mpi: plugin.Mpi, mode: str) -> None:
    """It is too large for the MPI to send at once. The receiver looks at its memory, and calls nothing but, where calls
    are to move it, MPI_Comm_rank."""
    done = mpi.run_well(2, "moves_while_computing.c", mode, AYATORI_PROGRESS=mode)
    assert done.stdout == ("stood still\n" if mode == "off" else "moved\n")


@pytest.mark.parametrize("mode", ["thread", "calls"])
@pytest.mark.parametrize("interface", plugin.FORTRAN)
def test_what_fortran_begins_and_ends_is_seen(mpi: plugin.Mpi, interface: str, mode: str) -> None:
    helper = str(plugin.PROGRAMS / "thread_pauses.c")
    program = mpi.compiled_fortran("fortran_progress.F90", interface, helper)
    done = mpi.run_well(2, program, mode, AYATORI_PROGRESS=mode)
    assert done.stdout.split("\n") == (["moved", "it sleeps", ""] if mode == "thread" else ["moved", ""])


def test_the_thread_runs_where_it_is_told_to_and_the_level_is_the_programs_otherwise(mpi: plugin.Mpi) -> None:
    program = mpi.compiled("thread_on_core.c")
    done = mpi.run_well(2, program, AYATORI_PROGRESS="thread", AYATORI_PROGRESS_CPU="1,0")
    assert sorted(done.stdout.splitlines()) == [
        "rank 0: level 3, thread on core 1",
        "rank 1: level 3, thread on core 0",
    ]
    done = mpi.run(1, program)
    assert done.stdout == "rank 0: level 0, no thread\n"


def test_the_thread_takes_no_processor_time_while_nothing_is_under_way(mpi: plugin.Mpi) -> None:
    """Less than 0.1% of a core, as the kernel counts, whatever the program does. A thread that looked as often as it
    does while something is under way would take 0.4% and more."""
    done = mpi.run_well(2, mpi.compiled("thread_sleeps.c"), "2000", AYATORI_PROGRESS="thread")
    spent = re.findall(r"(\d+) of (\d+) (outstanding|computing|sleeping)", done.stdout)
    assert len(spent) == 6, done.stdout
    for used, passed, while_ in spent:
        if while_ == "outstanding":
            assert int(used) > 0, f"this is not the thread that looks: {done.stdout}"
        else:
            assert int(used) < 0.001 * int(passed), done.stdout


def test_a_word_that_is_not_known_is_told(mpi: plugin.Mpi) -> None:
    done = mpi.run_well(2, "check_communicators.cpp", AYATORI_PROGRESS="always")
    assert "ayatori: AYATORI_PROGRESS=always is not used: there are thread, calls and off" in done.stderr


@pytest.mark.parametrize("interface", ["", *plugin.FORTRAN], ids=lambda interface: interface or "C")
def test_the_thread_has_ended_when_the_mpi_begins_to_end(mpi: plugin.Mpi, interface: str) -> None:
    """MPICH stops to unlock then: a thread that is in the MPI would wait for ever, or the program would be aborted."""
    watching = mpi.compiled("thread_at_the_end.c", "-shared", "-fPIC")
    if interface:
        program = mpi.compiled_fortran("fortran_progress.F90", interface, str(plugin.PROGRAMS / "thread_pauses.c"))
    else:
        program = mpi.compiled("thread_on_core.c")
    done = mpi.run_well(2, program, "thread", after=[watching], AYATORI_PROGRESS="thread")
    assert done.stderr.count("at the end: no thread") == 2, done.stderr
    assert "at the end: a thread" not in done.stderr
