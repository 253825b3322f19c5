"""Networks that are no trees, whole and with cables lost: our tables against OpenSM's, on one virtual lane.

The figures are those of `ayatori compare`, which test_compare_engines.py walks once more by code of its own.
"""

import json
import random
from pathlib import Path

import pytest
from test_compare_engines import lacks_programs

import ayatori
from ayatori import _core

pytestmark = pytest.mark.skipif(lacks_programs(), reason="OpenSM, ibsim or ibdmchk is not installed")

SHAPES = {
    "dragonfly+": "dragonfly+:g=9,l=8,s=8,p=8,h=8",
    "dragonfly": "dragonfly:g=19,a=6,p=3,h=3",
    "hyperx": "hyperx:4x4x4,hosts=2",
    "torus-2d": "torus:8x8",
    "torus-3d": "torus:4x4x6",
    "small-torus": "torus:4x5",
}
WITHOUT_PLAN, WITH_PLAN = 0.99, 1.2
"""Of the best engine's mean bandwidth, by size of the jobs."""
LOST = 0.05


def with_lost_cables(source: str, seed: int, into: Path) -> str:
    """The network without 5 % of the cables between switches, in one part still."""
    network = json.loads(_core.export_network(ayatori.open_source(source), "json"))
    switches = {number for number, node in enumerate(network["nodes"]) if node["kind"] == "router"}
    inside = [n for n, cable in enumerate(network["cables"]) if {cable["from"][0], cable["to"][0]} <= switches]
    numbers = random.Random(seed)
    network.pop("grid", None)
    every = list(network["cables"])
    while True:
        lost = set(numbers.sample(inside, round(LOST * len(inside))))
        network["cables"] = [cable for n, cable in enumerate(every) if n not in lost]
        into.write_text(json.dumps(network), encoding="utf-8")
        if not ayatori.check(opened := ayatori.open_source(f"json:{into}"), ayatori.make_routes(opened, 0)).parts:
            return f"json:{into}"


@pytest.mark.parametrize("lost", [False, True], ids=["whole", "lost"])
@pytest.mark.parametrize("shape", SHAPES)
def test_no_engine_on_one_lane_is_better(
    shape: str, lost: bool, pytestconfig: pytest.Config, tmp_path: Path, ayatori_command
) -> None:
    """With `./run test all`, five seeds of each; without it, one of the smallest."""
    everything = pytestconfig.getoption("--all", default=False)
    if not everything and shape != "small-torus":
        pytest.skip("takes minutes: ./run test all")
    for seed in range(1, 6 if everything else 2):
        print(f"{shape}, {'5 % of cables lost' if lost else 'whole'}, seed {seed}")
        source = with_lost_cables(SHAPES[shape], seed, tmp_path / f"{seed}.json") if lost else SHAPES[shape]
        hosts = len(ayatori.open_source(source).endpoints)
        sizes = [32, 64] if hosts >= 64 else [hosts // 2, hosts]
        words = ("--jobs-per-size", "100" if everything else "20", "--job-sizes", ",".join(map(str, sizes)))
        engines = ("--engines", "minhop,updn,dnup,dor,nue,sssp")
        found = json.loads(
            ayatori_command("compare", source, *words, *engines, "--seed", str(seed), "--json").good().stdout
        )
        rows = {row["name"]: row for row in found["rows"] if not row["refusal"]}
        assert rows["ours"]["deadlock_free"] and rows["ours"]["unreachable_pairs"] == 0
        acyclic = [row for name, row in rows.items() if not name.startswith("ours") and row["deadlock_free"]]
        for size in (f"{size} hosts" for size in sizes):
            best = max((row["relative_bandwidth"][size]["mean"], row["name"]) for row in acyclic)
            ours = rows["ours"]["relative_bandwidth"][size]["mean"]
            planned = rows["ours with a plan"]["relative_bandwidth"][size]["mean"]
            print(f"  {size}: ours {ours:.3f}, with a plan {planned:.3f}, {best[1]} {best[0]:.3f}")
            assert ours >= WITHOUT_PLAN * best[0], size
            assert planned >= min(WITH_PLAN * best[0], 1), size
