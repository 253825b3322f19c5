"""Every schedule at many numbers of ranks, with real data, by MPI processes under SimGrid's SMPI: ours, and the same
written out and loaded as algorithms of others are. Machines, roots, sizes and chunks are drawn at random."""

import math
import random
from pathlib import Path

import pytest

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.formats.schedule_file import write_schedules
from bench.validation import smpi

NEED_ROUTERS = {"in-network"}  # whose participants are not all MPI processes
MAX_BYTES = 5000
FLAT = {"rendezvous": (1, 2, 3, 4, 5, 8, 13), "eager": (1, 2, 3, 4, 5, 8, 16)}
GRIDS = ((1,), (2,), (5,), (2, 2), (4, 3), (1, 6), (2, 2, 2), (3, 3, 3), (2, 3, 4))
CLUSTER = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <cluster id="c" prefix="rank-" suffix="" radical="0-26" speed="1Gf" bw="1.716GBps" lat="1us"/>
</platform>
"""
MESSAGES = {"rendezvous": smpi.FLUID, "eager": smpi.AS_IT_COMES}
"""Whether messages wait for their receives; a schedule must end in both cases."""

pytestmark = pytest.mark.skipif(not smpi.smpi_is_there(), reason="SimGrid (libsimgrid-dev) is not installed")

ALGORITHMS = [algorithm for algorithm in _core.algorithms() if algorithm.name not in NEED_ROUTERS]


def uneven_machines(draw: random.Random, ranks: int) -> str:
    """The ranks on machines of different size, which are in groups."""
    counts: list[int] = []
    while sum(counts) < ranks:
        counts.append(min(draw.randint(1, 4), ranks - sum(counts)))
    groups = [draw.randint(0, 2) for _ in counts]
    numbers = sorted(set(groups))
    listed = ",".join(str(numbers.index(group)) for group in groups)
    return f"ranks={','.join(map(str, counts))} groups={listed}"


def grid_machines(draw: random.Random, shape: tuple[int, ...]) -> str:
    points = list(range(math.prod(shape)))
    draw.shuffle(points)
    rings = ",".join(str(draw.randint(0, 1)) for _ in shape)
    return f"grid={'x'.join(map(str, shape))} rings={rings} points={','.join(map(str, points))}"


def drawn_call(draw: random.Random, collective: str, name: str, ranks: int, machines: str) -> str:
    size = (
        0
        if collective == "barrier"
        else draw.choice([0, 1, ranks - 1, ranks, 7 * ranks + 3, draw.randint(0, MAX_BYTES)])
    )
    chunk = draw.choice([0, 1 + size // draw.randint(1, 5)])
    root = draw.randrange(ranks)
    return f"{collective} {name} {size} root={root} chunk={chunk} seed={draw.randint(1, 1000)} {machines} check=1"


def assert_all_execute(calls: list[str], ranks: int, messages: str) -> None:
    try:
        seconds = smpi.execute_calls(CLUSTER.encode(), ranks, calls, configuration=MESSAGES[messages])
    except Error as error:
        pytest.fail(f"{ranks} ranks, of the calls\n" + "\n".join(calls) + f"\none failed: {error.cause}")
    assert len(seconds) == len(calls)


@pytest.mark.parametrize(("messages", "ranks"), [(how, ranks) for how, counts in FLAT.items() for ranks in counts])
def test_every_algorithm_fulfils_its_postcondition_on_machines_of_different_size(messages: str, ranks: int) -> None:
    draw = random.Random(f"machines {ranks} {messages}")
    chosen = [algorithm for algorithm in ALGORITHMS if not algorithm.needs_grid]
    calls = [
        drawn_call(draw, algorithm.collective, algorithm.name, ranks, uneven_machines(draw, ranks))
        for algorithm in chosen
    ]
    assert_all_execute(calls, ranks, messages)


@pytest.mark.parametrize("messages", MESSAGES)
@pytest.mark.parametrize("shape", GRIDS, ids=lambda shape: "x".join(map(str, shape)))
def test_every_algorithm_of_grids_fulfils_its_postcondition_on_them(shape: tuple[int, ...], messages: str) -> None:
    draw = random.Random(f"grid {shape} {messages}")
    ranks = math.prod(shape)
    calls = [
        drawn_call(draw, algorithm.collective, algorithm.name, ranks, grid_machines(draw, shape))
        for algorithm in ALGORITHMS
        if algorithm.needs_grid
    ]
    assert_all_execute(calls, ranks, messages)


@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_every_algorithm_fulfils_its_postcondition_written_out_and_loaded(ranks: int, tmp_path: Path) -> None:
    """As file:F, of sizes of which all blocks are equal. (A file can't tell how MPI libraries cut vectors.)"""
    draw = random.Random(f"loaded {ranks}")
    calls = []
    for i, algorithm in enumerate(ALGORITHMS):
        if algorithm.needs_grid or algorithm.of_an_mpi or algorithm.collective in ("alltoallv", "halo"):
            continue
        root = draw.randrange(ranks) if algorithm.collective in ("broadcast", "reduce", "gather", "scatter") else 0
        size = 0 if algorithm.collective == "barrier" else ranks * draw.randint(1, MAX_BYTES // ranks)
        placement = _core.placement_of_ranks(ranks, 2)
        options = _core.AlgorithmOptions()
        schedule = _core.make_schedule(algorithm.name, algorithm.collective, root, size, placement, options)
        file = tmp_path / f"{i}.json"
        write_schedules([schedule], file)
        calls.append(f"{algorithm.collective} file:{file} {size} root={root} ppn=2 check=1")
    assert_all_execute(calls, ranks, "rendezvous")
