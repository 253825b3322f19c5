"""The plug-in in programs that do what programs do: communicators that come and go, threads, Fortran, faults."""

import subprocess
from pathlib import Path

import plugin
import pytest

MPI_LIBRARY = {"openmpi": "libmpi.so.40", "mpich": "libmpich.so.12"}
RING = {"AYATORI_ALLREDUCE": "ring"}


@pytest.fixture(scope="module", params=plugin.families())
def mpi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> plugin.Mpi:
    return plugin.made(request.param, tmp_path_factory)


def expect_right(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 0, done.stdout + done.stderr
    # The words of several ranks may stand in one line.
    assert done.stdout.strip() and not done.stdout.replace("right", "").strip(), done.stdout + done.stderr


@pytest.mark.parametrize("forced", [{}, RING], ids=["on trial", "forced"])
@pytest.mark.parametrize(("ranks", "mode"), [(3, []), (2, ["threads"]), (2, ["many"])])
def test_communicators_attributes_and_errors_stay_the_programs(
    mpi: plugin.Mpi, ranks: int, mode: list[str], forced: dict[str, str], everything: bool
) -> None:
    """Threads of two ranks call some hundred times each; with --all 2000 times."""
    if mode == ["many"] and mpi.family == "openmpi":
        pytest.skip("more communicators than MPICH has context ids are few to Open MPI")
    program = mpi.compiled("check_communicators.cpp", "mpicxx", "-std=c++20")
    times = [] if everything or mode != ["threads"] else ["300" if forced else "1000"]
    expect_right(mpi.run(ranks, program, *mode, *times, timeout=300, **forced))


LINEAR = ("BCAST", "GATHER", "SCATTER")
SPREAD = ("BARRIER", "REDUCE", "ALLREDUCE", "REDUCE_SCATTER_BLOCK", "ALLGATHER", "ALLTOALL")
FEW_TURNS = "15"
"""Of check_repeats, which makes 60 otherwise."""
SMALL_STEPS = {f"AYATORI_{call}": "linear" for call in LINEAR} | {f"AYATORI_{call}": "spread" for call in SPREAD}


@pytest.mark.parametrize("variables", [{}, SMALL_STEPS, RING], ids=["on trial", "small steps", "ring"])
def test_calls_that_are_made_again_get_right_results(
    mpi: plugin.Mpi, variables: dict[str, str], everything: bool
) -> None:
    """So often that there are trials; what is forced less often, but with --all."""
    ranks = 3 if mpi.family == "openmpi" else 2  # MPICH's ranks poll: more than there are cores take minutes
    program = mpi.compiled("check_repeats.cpp", "mpicxx", "-std=c++20")
    turns = [] if everything or not variables else [FEW_TURNS]
    done = mpi.run(ranks, program, *turns, timeout=300, **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.strip() == "right", done.stdout + done.stderr


def test_calls_that_are_made_again_may_have_either_count(mpi: plugin.Mpi, everything: bool) -> None:
    if mpi.family == "openmpi":
        pytest.skip("Open MPI 4.1 has no MPI_Bcast_c")
    program = mpi.compiled("check_repeats.cpp", "mpicxx", *plugin.EITHER_COUNT, kind=".either")
    expect_right(mpi.run(2, program, *([] if everything else [FEW_TURNS]), timeout=300, **SMALL_STEPS))


@pytest.mark.parametrize("interface", plugin.FORTRAN)
def test_collectives_from_fortran_are_played(mpi: plugin.Mpi, interface: str) -> None:
    program = mpi.compiled_fortran("fortran_collectives.F90", interface)
    algorithms = {"ALLREDUCE": "ring", "BARRIER": "tree", "BCAST": "chain", "ALLGATHER": "bruck"}
    blocking = {f"AYATORI_{call}": algorithm for call, algorithm in algorithms.items()}
    others = {f"AYATORI_I{call}": algorithm for call, algorithm in algorithms.items()}
    done = mpi.run(3, program, AYATORI_VERBOSE="1", **blocking, **others)
    expect_right(done)
    for call, algorithm in algorithms.items():
        assert f"MPI_{call.capitalize()} on 3 ranks: {algorithm}" in done.stderr
        assert f"MPI_{call.capitalize()} without blocking on 3 ranks: {algorithm}" in done.stderr


@pytest.mark.parametrize("forced", [{}, RING | {"AYATORI_BARRIER": "tree"}], ids=["on trial", "forced"])
@pytest.mark.parametrize("initialised", ["c", "fortran", "both"])
def test_ranks_may_call_from_c_and_from_fortran_at_the_same_time(
    mpi: plugin.Mpi, initialised: str, forced: dict[str, str]
) -> None:
    # MPI 4.0's mpi_f08 takes either kind of count, and calls MPI_Bcast_c, … for the larger one.
    kind = "MPI_COUNT_KIND" if mpi.family == "mpich" else "c_int"
    options = ["-cpp", f"-DCOUNT_KIND={kind}", str(plugin.PROGRAMS / "mixed_languages.c")]
    program = mpi.compiled("mixed_languages.f90", "mpifort", *options)
    expect_right(mpi.run(4, program, initialised, timeout=60, **forced))


def test_a_program_that_loads_its_mpi_later_is_played_for(mpi: plugin.Mpi) -> None:
    program = mpi.compiled("loads_mpi_later.c", "mpicc", "-Wl,--as-needed")
    done = mpi.run(2, program, MPI_LIBRARY[mpi.family], AYATORI_VERBOSE="1", AYATORI_BARRIER="tree")
    expect_right(done)
    assert "MPI_Barrier on 2 ranks: tree" in done.stderr


def test_a_program_whose_calls_escape_is_told(mpi: plugin.Mpi) -> None:
    program = mpi.compiled("loads_mpi_later.c", "mpicc", "-Wl,--as-needed")
    done = mpi.run(2, program, MPI_LIBRARY[mpi.family], "escape")
    expect_right(done)
    told = [line for line in done.stderr.splitlines() if line.startswith("ayatori:")]
    assert told == ["ayatori: this program called MPI past the plug-in, which has played nothing"]


def test_the_plugin_of_the_other_mpi_says_so_and_steps_aside(mpi: plugin.Mpi) -> None:
    (other,) = {"openmpi", "mpich"} - {mpi.family}
    if not plugin.library(other).exists():
        pytest.skip("there is only one MPI here")
    program = mpi.compiled("check_collectives.cpp", "mpicxx", "-std=c++20")
    done = mpi.run(3, program, "1", "140", plugin=plugin.library(other), **RING)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "140 rounds, 0 failures" in done.stdout
    told = [line for line in done.stderr.splitlines() if line.startswith("ayatori:")]
    assert len(told) == 1 and "its collectives are left alone" in told[0], done.stderr


def test_a_topology_that_does_not_have_the_hosts_is_told_and_not_used(mpi: plugin.Mpi) -> None:
    program = mpi.compiled("check_communicators.cpp", "mpicxx", "-std=c++20")
    done = mpi.run(3, program, NWTOPO_SOURCE="fattree:K=6,levels=2,nodes=30", **RING)
    expect_right(done)
    assert "ayatori: the network is not used: " in done.stderr


def test_a_topology_that_lies_costs_no_correctness(mpi: plugin.Mpi) -> None:
    """Each rank is taken for a machine of a torus, which this machine is not."""
    program = mpi.compiled("check_collectives.cpp", "mpicxx", "-std=c++20")
    variables = {
        "NWTOPO_SOURCE": "torus:2x2x2",
        "AYATORI_RANKS_PER_MACHINE": "1",
        "AYATORI_BCAST": "trinaryx3:chunk=1000",
        "AYATORI_REDUCE": "mapped-binary:chunk=1000",
        "AYATORI_ALLREDUCE": "sixcolour:chunk=500",
        "AYATORI_VERBOSE": "1",
    }
    done = mpi.run(8, program, "8", "140", **variables)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "140 rounds, 0 failures" in done.stdout
    for call in ("MPI_Bcast on 8 ranks: trinaryx3", "MPI_Allreduce on 8 ranks: sixcolour"):
        assert call in done.stderr


def test_what_can_not_be_forced_is_told_once_and_left_to_the_mpi(mpi: plugin.Mpi) -> None:
    program = mpi.compiled("check_communicators.cpp", "mpicxx", "-std=c++20")
    done = mpi.run(3, program, AYATORI_ALLREDUCE="fastest")
    expect_right(done)
    assert done.stderr.count("ayatori: AYATORI_ALLREDUCE=fastest is not used") == 1


def test_mpi_can_be_left_alone(mpi: plugin.Mpi, tmp_path: Path) -> None:
    program = mpi.compiled("check_communicators.cpp", "mpicxx", "-std=c++20")
    done = mpi.run(3, program, AYATORI_MPI="off", AYATORI_VERBOSE="1", **RING)
    expect_right(done)
    assert "ayatori:" not in done.stderr
