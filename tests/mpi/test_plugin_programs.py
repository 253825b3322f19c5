"""The plug-in in programs that do what programs do: communicators that come and go, threads, Fortran, faults."""

from pathlib import Path

import plugin
import pytest
from test_plugin_choice import table

MPI_LIBRARY = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
RING = {"AYATORI_ALLREDUCE": "ring"}


@pytest.mark.parametrize("forced", [{}, RING], ids=["default", "forced"])
@pytest.mark.parametrize(("ranks", "mode"), [(3, []), (2, ["threads"]), (2, ["many"])])
def test_communicators_attributes_and_errors_stay_the_programs(
    mpi: plugin.Mpi, ranks: int, mode: list[str], forced: dict[str, str], everything: bool
) -> None:
    """Threads of two ranks call some hundred times each; with --all 2000 times."""
    if mode == ["many"] and mpi.family == "openmpi":
        pytest.skip("more communicators than MPICH has context ids are few to Open MPI")
    times = [] if everything or mode != ["threads"] else ["300" if forced else "1000"]
    mpi.run_right(ranks, "check_communicators.cpp", *mode, *times, timeout=300, **forced)


LINEAR = ("BCAST", "GATHER", "SCATTER")
SPREAD = ("BARRIER", "REDUCE", "ALLREDUCE", "REDUCE_SCATTER_BLOCK", "ALLGATHER", "ALLTOALL")
FEW_TURNS = "15"
"""Of check_repeats, which makes 60 otherwise."""
SMALL_STEPS = {f"AYATORI_{call}": "linear" for call in LINEAR} | {f"AYATORI_{call}": "spread" for call in SPREAD}


@pytest.mark.parametrize("variables", [{}, SMALL_STEPS, RING], ids=["by a table", "small steps", "ring"])
def test_calls_that_are_made_again_get_right_results(
    mpi: plugin.Mpi, variables: dict[str, str], tmp_path: Path, everything: bool
) -> None:
    """By a table so often that first calls are compared; what is forced less often, but with --all."""
    ranks = 3 if mpi.family == "openmpi" else 2  # MPICH's ranks poll: more than there are cores take minutes
    if not variables:
        ranks = 2  # or ranks share cores, and nothing is compared
        collectives = {"broadcast": "linear", "gather": "linear", "scatter": "linear", "barrier": "spread"}
        collectives |= dict.fromkeys(("reduce", "allreduce", "reduce_scatter", "allgather", "alltoall"), "spread")
        variables = table(mpi, tmp_path, ranks, **collectives)
        turns = []
    else:
        turns = [] if everything else [FEW_TURNS]
    mpi.run_right(ranks, "check_repeats.cpp", *turns, timeout=300, **variables)


def test_calls_that_are_made_again_may_have_either_count(mpi: plugin.Mpi, everything: bool) -> None:
    if mpi.family == "openmpi":
        pytest.skip("Open MPI 4.1 has no MPI_Bcast_c")
    program = mpi.compiled("check_repeats.cpp", *plugin.EITHER_COUNT, kind=".either")
    mpi.run_right(2, program, *([] if everything else [FEW_TURNS]), timeout=300, **SMALL_STEPS)


@pytest.mark.parametrize("interface", plugin.FORTRAN)
def test_collectives_from_fortran_are_executed(mpi: plugin.Mpi, interface: str) -> None:
    program = mpi.compiled_fortran("fortran_collectives.F90", interface)
    algorithms = {"ALLREDUCE": "ring", "BARRIER": "tree", "BCAST": "chain", "ALLGATHER": "bruck"}
    blocking = {f"AYATORI_{call}": algorithm for call, algorithm in algorithms.items()}
    others = {f"AYATORI_I{call}": algorithm for call, algorithm in algorithms.items()}
    done = mpi.run_right(3, program, AYATORI_VERBOSE="1", **blocking, **others)
    for call, algorithm in algorithms.items():
        assert f"MPI_{call.capitalize()} on 3 ranks: {algorithm}" in done.stderr
        assert f"MPI_{call.capitalize()} without blocking on 3 ranks: {algorithm}" in done.stderr


@pytest.mark.parametrize("forced", [{}, RING | {"AYATORI_BARRIER": "tree"}], ids=["default", "forced"])
@pytest.mark.parametrize("initialised", ["c", "fortran", "both"])
def test_ranks_may_call_from_c_and_from_fortran_at_the_same_time(
    mpi: plugin.Mpi, initialised: str, forced: dict[str, str]
) -> None:
    # MPI 4.0's mpi_f08 takes either kind of count, and calls MPI_Bcast_c, … for the larger one.
    kind = "MPI_COUNT_KIND" if mpi.family == "mpich" else "c_int"
    options = ["-cpp", f"-DCOUNT_KIND={kind}", str(plugin.PROGRAMS / "mixed_languages.c")]
    program = mpi.compiled("mixed_languages.f90", *options)
    mpi.run_right(4, program, initialised, timeout=60, **forced)


def test_a_program_that_loads_its_mpi_later_is_executed_for(mpi: plugin.Mpi) -> None:
    program = mpi.compiled("loads_mpi_later.c", "-Wl,--as-needed")
    done = mpi.run_right(2, program, MPI_LIBRARY[mpi.family], AYATORI_VERBOSE="1", AYATORI_BARRIER="tree")
    assert "MPI_Barrier on 2 ranks: tree" in done.stderr


def test_a_program_whose_calls_escape_is_told(mpi: plugin.Mpi) -> None:
    program = mpi.compiled("loads_mpi_later.c", "-Wl,--as-needed")
    done = mpi.run_right(2, program, MPI_LIBRARY[mpi.family], "escape")
    told = [line for line in done.stderr.splitlines() if line.startswith("ayatori:")]
    assert told == ["ayatori: this program called MPI past the plug-in, which has executed nothing"]


def test_the_plugin_of_the_other_mpi_says_so_and_steps_aside(mpi: plugin.Mpi) -> None:
    (other,) = {"openmpi", "mpich"} - {mpi.family}
    if not plugin.library(other).exists():
        pytest.skip("there is only one MPI here")
    done = mpi.run_well(3, "check_collectives.cpp", "1", "140", plugin=plugin.library(other), **RING)
    assert "140 rounds, 0 failures" in done.stdout
    told = [line for line in done.stderr.splitlines() if line.startswith("ayatori:")]
    assert len(told) == 1 and "its collectives are left alone" in told[0], done.stderr


def test_large_counts_that_only_the_plugin_has_end_the_program_in_a_line(mpi: plugin.Mpi) -> None:
    """The plug-in of the other MPI has them in front of an Open MPI that lacks them."""
    mpi.run_right(2, "asks_for_large_counts.c")
    if mpi.family == "mpich" or not plugin.library("mpich").exists():
        return
    done = mpi.run(2, "asks_for_large_counts.c", plugin=plugin.library("mpich"))
    assert done.returncode != 0
    line = "ayatori: this program calls MPI_Bcast_c, which its MPI library lacks, and this plug-in for MPICH has"
    assert line in done.stderr.splitlines(), done.stderr


def test_a_topology_that_does_not_have_the_hosts_is_told_and_not_used(mpi: plugin.Mpi) -> None:
    done = mpi.run_right(3, "check_communicators.cpp", NWTOPO_SOURCE="fattree:K=6,levels=2,nodes=30", **RING)
    assert "ayatori: the network is not used: " in done.stderr


def test_a_topology_that_lies_costs_no_correctness(mpi: plugin.Mpi) -> None:
    """Each rank is taken for a machine of a torus, which this machine is not."""
    variables = {
        "NWTOPO_SOURCE": "torus:2x2x2",
        "AYATORI_RANKS_PER_MACHINE": "1",
        "AYATORI_BCAST": "trinaryx3:chunk=1000",
        "AYATORI_REDUCE": "mapped-binary:chunk=1000",
        "AYATORI_ALLREDUCE": "sixcolour:chunk=500",
        "AYATORI_VERBOSE": "1",
    }
    done = mpi.run_well(8, "check_collectives.cpp", "8", "140", **variables)
    assert "140 rounds, 0 failures" in done.stdout
    for call in ("MPI_Bcast on 8 ranks: trinaryx3", "MPI_Allreduce on 8 ranks: sixcolour"):
        assert call in done.stderr


def test_what_can_not_be_forced_is_told_once_and_left_to_the_mpi(mpi: plugin.Mpi) -> None:
    done = mpi.run_right(3, "check_communicators.cpp", AYATORI_ALLREDUCE="fastest")
    assert done.stderr.count("ayatori: AYATORI_ALLREDUCE=fastest is not used") == 1


@pytest.mark.parametrize("off", ["off", "0"])
def test_mpi_can_be_left_alone(off: str, mpi: plugin.Mpi) -> None:
    done = mpi.run_right(3, "check_communicators.cpp", AYATORI_MPI=off, AYATORI_VERBOSE="1", **RING)
    assert "ayatori:" not in done.stderr
