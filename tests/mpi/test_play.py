"""Every schedule, played with real data by MPI processes under SimGrid's SMPI: each rank checks what it ends with."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.formats.schedule_file import write_schedules
from subprocesses import ran

ROOT = Path(__file__).parent.parent.parent
PLAY = ROOT / "build/release/mpi/play_smpi"
NEED_ROUTERS = {"in-network"}  # whose participants are not all MPI processes
FREE_OF_FACTORS = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:no",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/simulate-computation:no",
    "--log=root.thres:error",
]
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <cluster id="c" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="1.716GBps" lat="1us"/>
</platform>
"""

pytestmark = pytest.mark.skipif(
    shutil.which("smpirun") is None or not PLAY.exists(), reason="SimGrid (libsimgrid-dev) is not installed"
)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("smpi")
    (folder / "platform.xml").write_text(PLATFORM)
    (folder / "hosts").write_text("".join(f"node-{host}\n" for host in range(64)))
    return folder


def play(cluster: Path, ranks: int, *arguments: str) -> float:
    """Seconds of virtual time."""
    return play_all(cluster, ranks, *arguments)[-1]


def play_all(cluster: Path, ranks: int, *arguments: str) -> list[float]:
    done = run_play(cluster, ranks, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return [float(line) for line in done.stdout.splitlines()]


def run_play(cluster: Path, ranks: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts", *FREE_OF_FACTORS]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    return ran([*command, str(PLAY), *arguments], cwd=cluster, env=environment, seconds=120)


ALGORITHMS = [algorithm for algorithm in _core.algorithms() if algorithm.name not in NEED_ROUTERS]


def test_steps_made_for_the_paths_are_played_from_their_file(cluster: Path) -> None:
    network = ayatori.open_source("fattree:K=6,levels=2,nodes=30")
    job = ayatori.contiguous_jobs(network, [13])[0]
    plan = _core.Plan.destination_mod_k(13)
    made = _core.make_steps(network, ayatori.make_routes(network, 0), job.endpoints(network), plan)
    _core.write_pattern(made.steps, str(cluster / "steps"))
    assert play(cluster, 13, "alltoall", "planned", "1000", "steps=steps", "check=1") > 0
    (cluster / "broken").write_text("0 1\n")
    done = run_play(cluster, 13, "alltoall", "planned", "1000", "steps=broken")
    assert done.returncode != 0
    assert "broken does not hold the steps of an all-to-all" in done.stdout + done.stderr


@pytest.mark.parametrize("needs_grid", [False, True])
def test_ranks_end_with_what_the_collective_promises(cluster: Path, needs_grid: bool) -> None:
    """One start of SMPI plays all: a call that breaks its promise is named."""
    calls = []
    for algorithm in ALGORITHMS:
        call = f"{algorithm.collective} {algorithm.name}"
        if needs_grid and algorithm.needs_grid:
            calls.append(f"{call} 10007 grid=3x3x3 root=5 check=1")
        elif not needs_grid and not algorithm.needs_grid:
            root = " root=3" if algorithm.collective in ("broadcast", "reduce", "gather", "scatter") else ""
            calls.append(f"{call} 1001 ppn=2{root} check=1")
    (cluster / "all").write_text("".join(f"{call}\n" for call in calls))
    times = play_all(cluster, 27 if needs_grid else 13, "@all")
    assert len(times) == len(calls) and min(times) > 0


def test_algorithms_of_others_are_played_as_ours(cluster: Path) -> None:
    schedule = _core.make_schedule(
        "swing", "allreduce", 0, 1200, _core.places_of_ranks(12, 1), _core.AlgorithmOptions()
    )
    write_schedules([schedule], cluster / "swing.json")
    assert play(cluster, 12, "allreduce", "file:swing.json", "1200", "check=1") > 0
    assert play(cluster, 12, "allreduce", "file:swing.json", "1200") == play(cluster, 12, "allreduce", "swing", "1200")
    library = f"library:{ROOT / 'build/release/examples/example_algorithm.so'}"
    assert play(cluster, 12, "broadcast", f"{library}:two-level", "4099", "ppn=5", "root=7", "check=1") > 0
    assert play(cluster, 16, "allreduce", f"{library}:doubling", "4099", "check=1") > 0
    done = run_play(cluster, 12, "allreduce", f"{library}:doubling", "4099")
    assert done.returncode != 0
    assert "the number of ranks is no power of two" in done.stdout + done.stderr


def test_calls_of_a_file_are_played_one_after_the_other(cluster: Path) -> None:
    """Machines of different size in groups, a grid without rings in another order; each takes what it takes alone."""
    machines = "ranks=3,1,2,4,1,1 groups=0,0,1,2,1,2"
    grid = "grid=3x2x2 rings=0,1,0 points=4,2,0,11,10,9,8,7,6,5,3,1"
    calls = [
        f"allreduce hierarchical 4099 {machines} check=1",
        f"broadcast hierarchical 4099 {machines} root=7 check=1",
        f"broadcast trinaryx3 10007 {grid} chunk=1000 check=1",
        f"alltoall two-level-ring 4096 {machines}",
    ]
    (cluster / "calls").write_text("".join(f"{call}\n" for call in calls))
    together = play_all(cluster, 12, "@calls")
    assert together == pytest.approx([play(cluster, 12, *call.split()) for call in calls], rel=1e-3)


def test_a_size_of_chunks_is_taken(cluster: Path) -> None:
    slow, fast = (play(cluster, 12, "broadcast", "chain", "10007", f"chunk={size}") for size in (1000, 5000))
    assert slow != fast


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["alltoall", "shift", "many"], "'many' is not a number"),
        (["alltoall", "shift", "8", "width=3"], "no key 'width=3'"),
        (["alltoall", "shift", "8", "ranks=1,2"], "places for 3 ranks, not 4"),
        (["broadcast", "trinaryx3", "8", "grid=2x3"], "must be those of 4 machines"),
        (["broadcast", "trinaryx3", "8", "grid=2x2", "points=0,1,2,2"], "must be those of 4 machines"),
        (["allreduce", "in-network", "8"], "routers take part"),
    ],
)
def test_a_call_that_cannot_be_played_is_refused(cluster: Path, arguments: list[str], message: str) -> None:
    done = run_play(cluster, 4, *arguments)
    assert done.returncode != 0
    assert message in done.stderr


def test_a_shift_all_to_all_takes_its_bytes_over_the_bandwidth(cluster: Path) -> None:
    """15 steps of 1 MiB over full-duplex links of 1.716 GB/s that nothing shares, three latencies each."""
    seconds = play(cluster, 16, "alltoall", "shift", str(1 << 20))
    assert seconds == pytest.approx(15 * (1 << 20) / 1.716e9, rel=0.01)
