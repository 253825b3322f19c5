"""Calls that MPI processes execute with real data under SimGrid's SMPI: steps and algorithms that are loaded, how long
calls take, and what can't be executed. Every schedule: test_execute_at_every_size.py."""

from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.base.errors import Error
from ayatori.formats.schedule_file import write_schedules
from bench.validation import smpi

ROOT = Path(__file__).parent.parent.parent
PLATFORM = b"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <cluster id="c" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="1.716GBps" lat="1us"/>
</platform>
"""

pytestmark = pytest.mark.skipif(not smpi.smpi_is_there(), reason="SimGrid (libsimgrid-dev) is not installed")


def execute(ranks: int, *calls: str) -> list[float]:
    """Seconds of virtual time."""
    return smpi.execute_calls(PLATFORM, ranks, calls, "node-{}")


def refused(ranks: int, call: str) -> str:
    with pytest.raises(Error) as error:
        execute(ranks, call)
    return error.value.cause


def test_steps_made_for_the_paths_are_executed_from_their_file(tmp_path: Path) -> None:
    network = ayatori.open_source("fattree:K=6,levels=2,nodes=30")
    job = ayatori.contiguous_jobs(network, [13])[0]
    plan = _core.Plan.base_lids(13)
    made = _core.make_steps(network, ayatori.make_routes(network, 0), job.endpoints(network), plan)
    _core.write_pattern(made.steps, str(tmp_path / "steps"))
    assert execute(13, f"alltoall path-aware 1000 steps={tmp_path}/steps check=1")[0] > 0
    (tmp_path / "broken").write_text("0 1\n")
    told = refused(13, f"alltoall path-aware 1000 steps={tmp_path}/broken")
    assert "broken does not hold the steps of an all-to-all" in told


def test_algorithms_of_others_are_executed_as_ours(tmp_path: Path) -> None:
    placement = _core.placement_of_ranks(12, 1)
    schedule = _core.make_schedule("swing", "allreduce", 0, 1200, placement, _core.AlgorithmOptions())
    write_schedules([schedule], tmp_path / "swing.json")
    theirs, ours = execute(12, f"allreduce file:{tmp_path}/swing.json 1200 check=1", "allreduce swing 1200 check=1")
    assert theirs == pytest.approx(ours, rel=1e-9)
    library = f"library:{ROOT / 'build/release/examples/example_algorithm.so'}"
    assert execute(12, f"broadcast {library}:two-level 4099 ppn=5 root=7 check=1")[0] > 0
    assert execute(16, f"allreduce {library}:doubling 4099 check=1")[0] > 0
    assert "the number of ranks is no power of two" in refused(12, f"allreduce {library}:doubling 4099")


def test_calls_are_executed_one_after_the_other() -> None:
    """Machines of different size in groups, a grid without rings in another order; each takes what it takes alone."""
    machines = "ranks=3,1,2,4,1,1 groups=0,0,1,2,1,2"
    grid = "grid=3x2x2 rings=0,1,0 points=4,2,0,11,10,9,8,7,6,5,3,1"
    calls = [
        f"allreduce hierarchical 4099 {machines} check=1",
        f"broadcast hierarchical 4099 {machines} root=7 check=1",
        f"broadcast trinaryx3 10007 {grid} chunk=1000 check=1",
        f"alltoall two-level-ring 4096 {machines}",
    ]
    assert execute(12, *calls) == pytest.approx([execute(12, call)[0] for call in calls], rel=1e-3)


def test_a_size_of_chunks_is_taken() -> None:
    slow, fast = execute(12, "broadcast chain 10007 chunk=1000", "broadcast chain 10007 chunk=5000")
    assert slow != fast


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("alltoall shift many", "'many' is not a number"),
        ("alltoall shift 8 width=3", "no key 'width=3'"),
        ("alltoall shift 8 ranks=1,2", "places for 3 ranks, not 4"),
        ("broadcast trinaryx3 8 grid=2x3", "must be those of 4 machines"),
        ("broadcast trinaryx3 8 grid=2x2 points=0,1,2,2", "must be those of 4 machines"),
        ("allreduce in-network 8", "routers take part"),
    ],
)
def test_a_call_that_cannot_be_executed_is_refused(call: str, message: str) -> None:
    assert message in refused(4, call)


def test_a_shift_all_to_all_takes_its_bytes_over_the_bandwidth() -> None:
    """15 steps of 1 MiB over full-duplex links of 1.716 GB/s that nothing shares, three latencies each."""
    assert execute(16, f"alltoall shift {1 << 20}") == [pytest.approx(15 * (1 << 20) / 1.716e9, rel=0.01)]
