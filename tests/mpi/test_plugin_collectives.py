"""Every schedule, executed inside real MPI programs: the data must be what the MPI itself delivers."""

from pathlib import Path

import plugin
import pytest

from ayatori import _core

CALLS = {
    "BARRIER": "barrier",
    "BCAST": "broadcast",
    "REDUCE": "reduce",
    "ALLREDUCE": "allreduce",
    "REDUCE_SCATTER_BLOCK": "reduce_scatter",
    "REDUCE_SCATTER": "reduce_scatter",
    "ALLGATHER": "allgather",
    "GATHER": "gather",
    "SCATTER": "scatter",
    "ALLTOALL": "alltoall",
}
WITH_SIZES = {
    "ALLGATHERV": ["ring", "recursive-doubling", "bruck", "spread"],
    "GATHERV": ["linear"],
    "SCATTERV": ["linear"],
    "ALLTOALLV": ["shift", "pairwise", "spread", "path-aware", "two-level-ring", "two-level-ring-blocking"],
}
NEED_ROUTERS = {"in-network"}  # whose participants are not all MPI processes


def algorithms_of(call: str) -> list[str]:
    known = [a for a in _core.algorithms() if a.collective == CALLS.get(call) and a.name not in NEED_ROUTERS]
    return WITH_SIZES.get(call) or [a.name for a in known if not a.needs_grid]


def forcing(turn: int, prefix: str = "") -> dict[str, str]:
    """The turn-th algorithm of every call, with chunks in every other turn; `prefix`: I of calls that do not block."""
    chunk = ":chunk=1000B" if turn % 2 == 1 else ""
    names = {call: algorithms_of(call) for call in [*CALLS, *WITH_SIZES]}
    return {f"AYATORI_{prefix}{call}": known[turn % len(known)] + chunk for call, known in names.items()}


TURNS = max(len(algorithms_of(call)) for call in CALLS)
COUNTS = (2, 3, 4, 5, 8, 7, 16, 13)


@pytest.mark.parametrize("ranks", [1, *COUNTS])
@pytest.mark.parametrize("family", plugin.families())
def test_data_are_those_of_the_mpi(
    family: str, ranks: int, tmp_path_factory: pytest.TempPathFactory, everything: bool
) -> None:
    """Each algorithm of each call at one number of ranks for each MPI; with --all at each number."""
    mpi = plugin.made(family, tmp_path_factory)
    rounds = 65 if ranks < 7 else 26  # MPICH's ranks poll: the more there are to a core, the slower
    for turn in plugin.turns_at(ranks, COUNTS, range(TURNS), family, everything):
        seed = 1000 * ranks + turn
        done = mpi.run_well(
            ranks,
            "check_collectives.cpp",
            str(seed),
            str(rounds),
            AYATORI_VERBOSE="1",
            **forcing(turn),
        )
        assert f"{rounds} rounds, 0 failures" in done.stdout
        executed = {line.split()[1] for line in done.stderr.splitlines() if "forced by" in line}
        assert len(executed) >= (12 if ranks > 1 else 0), done.stderr


@plugin.needs("mpich")
@pytest.mark.parametrize("ranks", [2, 3, 5])
def test_counts_may_be_large_on_some_ranks_and_ints_on_others(
    ranks: int, tmp_path_factory: pytest.TempPathFactory, everything: bool
) -> None:
    """MPI_Bcast_c and its like, which Open MPI 4.1 lacks."""
    mpi = plugin.made("mpich", tmp_path_factory)
    program = mpi.compiled("check_collectives.cpp", *plugin.EITHER_COUNT, kind=".either")
    for turn in plugin.turns_at(ranks, (2, 3, 5), range(0, TURNS, 3), "mpich", everything):
        seed = 3000 * ranks + turn
        variables = {"AYATORI_VERBOSE": "1", **forcing(turn)}
        done = mpi.run_well(ranks, program, str(seed), "65", **variables)
        assert "65 rounds, 0 failures" in done.stdout
        assert len({line.split()[1] for line in done.stderr.splitlines() if "forced by" in line}) >= 12, done.stderr


@plugin.needs("mpich")
@pytest.mark.parametrize("memory", ["on", pytest.param("off", marks=pytest.mark.sweep)])
def test_counts_may_be_beyond_31_bits(memory: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each time 4 GiB are written and read."""
    mpi = plugin.made("mpich", tmp_path_factory)
    variables = {"AYATORI_BCAST": "linear", "AYATORI_NODE_MEMORY": memory, "AYATORI_VERBOSE": "1"}
    done = mpi.run(2, "check_beyond_ints.c", **variables)
    assert (done.returncode, done.stdout.strip()) == (0, "right"), done.stdout + done.stderr
    assert "MPI_Bcast on 2 ranks: linear" in done.stderr


@pytest.mark.parametrize("family", plugin.families())
def test_operations_that_do_not_commute_are_executed_in_the_order_of_the_ranks_or_left_to_the_mpi(
    family: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The matrix product of check_collectives."""
    mpi = plugin.made(family, tmp_path_factory)
    reductions = [call for call, collective in CALLS.items() if "reduce" in collective]
    for algorithm, in_order in (("spread", True), ("ring", False)):
        forced = {f"AYATORI_{call}": algorithm for call in reductions if algorithm in algorithms_of(call)}
        done = mpi.run_well(5, "check_collectives.cpp", "78", "140", AYATORI_VERBOSE="1", **forced)
        assert "140 rounds, 0 failures" in done.stdout
        left = f"left to the MPI: {algorithm} does not combine in the order of the ranks"
        assert (left in done.stderr) != in_order, done.stderr


@pytest.mark.parametrize("memory", ["on", "off"])
@pytest.mark.parametrize("family", plugin.families())
def test_more_bytes_than_a_count_of_the_mpi_are_moved(
    family: str, memory: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """What begins at 1 GiB and 2 GiB otherwise begins at AYATORI_MAX_COUNT: less than an element, and some elements."""
    mpi = plugin.made(family, tmp_path_factory)
    forced = {
        "BCAST": "linear",
        "ALLGATHER": "ring",
        "ALLGATHERV": "ring",
        "ALLREDUCE": "two-step",
        "ALLTOALL": "shift",
    }
    variables = {f"AYATORI_{call}": algorithm for call, algorithm in forced.items()}
    for max_count in ("10001", "300KiB"):
        done = mpi.run(
            2, "check_large.cpp", "4000000", AYATORI_NODE_MEMORY=memory, AYATORI_MAX_COUNT=max_count, **variables
        )
        assert (done.returncode, done.stdout.strip(), done.stderr.count("ayatori:")) == (0, "right", 0), done.stderr


def test_the_programs_folder_has_no_program_that_no_test_runs() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parents[1].rglob("*.py"))
    assert [path.name for path in plugin.PROGRAMS.glob("*.c*") if path.name not in tests] == []
