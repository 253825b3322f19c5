"""ayatori bench collectives and alltoall: what is measured, and what the figures mean."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from ayatori.base.errors import Error
from ayatori.measurement import collectives
from ayatori.measurement.collectives import Cell, Measured, Setting, Stack

needs_an_mpi = pytest.mark.skipif(not collectives.installed_families(), reason="no MPI is installed")

STACKS = [Stack("mpi"), Stack("cache_refill", {"HARMLESS": "1"})]


def measured(stack: str, *times: float) -> Measured:
    return Measured(stack, list(times), 1)


def test_runs_are_compared_with_those_beside_them() -> None:
    """The machine was half as fast in the second run, for both."""
    alone = measured("mpi", *(10, 11, 90, 9, 8), *(20, 20, 20, 20, 20), *(10, 10, 10, 10, 10))
    ours = measured("plug-in", *(5, 5, 5, 5, 5), *(11, 10, 900, 9, 8), *(4, 4, 4, 4, 4))
    assert collectives.multiple(ours, alone) == pytest.approx(0.5)
    assert collectives.multiple(alone, alone) == 1


def test_verdict_compares_medians_with_the_first_stack() -> None:
    results = [
        [measured("mpi", 10, 11, 90), measured("plug-in", 4, 5.5, 1000)],
        [measured("mpi", 10), measured("plug-in", 10.4)],
        [measured("mpi", 10), measured("plug-in", 10.6)],
    ]
    found = collectives.verdict(results, "plug-in")
    assert (found.cells, found.slower, found.faster) == (3, 1, 1)
    assert (found.worst, found.middle) == (pytest.approx(1.06), pytest.approx(1.04))


@pytest.mark.parametrize(("ranks", "machines", "bytes_sent"), [(4, 1, 12), (4, 2, 4), (4, 4, 3), (6, 2, 9), (1, 1, 0)])
def test_bandwidth_counts_what_a_machine_sends_to_others(ranks: int, machines: int, bytes_sent: int) -> None:
    rate = collectives.alltoall_bandwidth(Cell("alltoall", 1000), ranks, machines, 0.5)
    assert rate == pytest.approx(bytes_sent * 1000 / 0.5)


def test_a_barrier_is_one_cell() -> None:
    assert collectives.cells_of(["barrier", "reduce"], [8, 16]) == [
        Cell("barrier", 0),
        Cell("reduce", 8),
        Cell("reduce", 16),
    ]


@needs_an_mpi
@pytest.mark.parametrize(
    ("names", "stacks"),
    [
        (collectives.COLLECTIVES, STACKS[:1]),
        (["barrier", "alltoall"], STACKS),
        pytest.param(collectives.COLLECTIVES, STACKS, marks=pytest.mark.sweep),
    ],
)
def test_each_collective_is_checked_and_timed_on_each_stack(names: Sequence[str], stacks: list[Stack]) -> None:
    family = collectives.installed_families()[0]
    cells = collectives.cells_of(names, [8, 40_000])
    turns = []
    found = collectives.measure_collectives(Setting(family, 2), stacks, cells, 1, lambda: turns.append(1))
    assert (list(found), len(turns)) == (cells, len(stacks))
    for results in found.values():
        assert [one.stack for one in results] == [stack.name for stack in stacks]
        for one in results:
            assert (len(one.microseconds), one.machines) == (collectives.BLOCKS, 1)
            assert min(one.microseconds) > 0


@needs_an_mpi
def test_what_is_preloaded_gets_into_the_ranks(tmp_path: Path) -> None:
    family = collectives.installed_families()[0]
    stack = Stack("broken", preloaded=(tmp_path / "no-such-library.so",))
    with pytest.raises(Error) as failed:
        collectives.measure_collectives(
            Setting(family, 2, "false"), [Stack("mpi"), stack], [Cell("barrier", 0)], repeats=1
        )
    assert failed.value.message == "mpi failed on 2 ranks"


@needs_an_mpi
def test_alltoall_prints_a_bandwidth_of_each_size_and_stack(ayatori_command) -> None:
    family = collectives.installed_families()[0]
    arguments = ("bench", "alltoall", "--mpi", family, "--ranks", "2", "--bytes", "8B,4KiB", "--repeats", "1")
    [setting] = ayatori_command(*arguments, "--json").json()["settings"]
    assert (setting["mpi"], setting["ranks"], setting["machines"]) == (family, 2, 1)
    assert [cell["bytes"] for cell in setting["cells"]] == [8, 4096]
    for cell in setting["cells"]:
        for stack in cell["stacks"]:
            assert stack["min_us"] <= stack["median_us"] <= stack["max_us"]
            assert stack["bandwidth_MBps"] == pytest.approx(2 * cell["bytes"] / stack["median_us"])
    printed = ayatori_command(*arguments)
    assert printed.stdout.splitlines()[0].endswith("2 ranks on one machine: MB/s that its ranks send to each other")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--mpi", "lam"), 2, "no MPI 'lam'"),
        (("--collective", "gossip"), 2, "no measured collective 'gossip'"),
        (("--bytes", "6B"), 1, "bytes: 6 is out of range"),
        (("--ranks", "0"), 1, "ranks: 0 is out of range"),
        (("--ranks", "two"), 2, "'two' is not a number of ranks"),
        (("--repeats", "0"), 1, "repeats: 0 is out of range"),
        (("--mpi", "openmpi", "--table", "no-such-file"), 1, "can't read no-such-file: No such file or directory"),
        (("--mpi", "openmpi,mpich", "--table", "x"), 2, "--table is the table of one MPI"),
        (("--ranks", "2,4", "--launch", "mpirun"), 2, "--launch starts one MPI with one number of ranks"),
    ],
)
@needs_an_mpi
def test_options_that_can_not_be_measured_are_refused(
    arguments: tuple[str, ...], status: int, message: str, ayatori_command
) -> None:
    outcome = ayatori_command("bench", "collectives", *arguments)
    assert (outcome.status, outcome.stdout) == (status, "")
    assert outcome.stderr.splitlines()[0] == f"error: {message}"
