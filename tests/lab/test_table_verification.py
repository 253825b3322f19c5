"""Our tables on real OpenSM: regular and broken trees of 2 and 3 levels, as loaded, read back and confirmed."""

import random
import re

import pytest

import ayatori
from ayatori.lab.fabric import SimulatedFabric
from ayatori.lab.fabric.verification import compare_networks, discover_live, load_our_tables, net_text, try_engine
from ayatori.planning.routes import make_routes_explained

SEED = 20101

FABRICS = [
    ("fattree:K=6,levels=2,nodes=30", 0, "auto"),
    ("fattree:K=6,levels=2,nodes=30", 0, 0),
    ("fattree:K=6,levels=2", 5, "auto"),
    pytest.param(
        "fattree:K=4,levels=3", 0, "auto", marks=pytest.mark.sweep
    ),  # whole, it is the larger part of the time
    ("fattree:K=4,levels=3", 5, "auto"),
    ("fattree:K=4,levels=3", 5, 0),
    ("xgft:h=2;m=6,8;w=1,3;p=1,2", 5, "auto"),
    ("torus:3x3x3", 0, 0),
]


def without_cables(text: str, percent: int, random_numbers: random.Random) -> str:
    """Takes `percent` of the cables between switches out of an ibnetdiscover text (both of their lines)."""
    ends = re.compile(r'^\[(\d+)\]\s+"(S-[0-9a-f]+)"\[(\d+)\]')
    cables, switch = set(), ""
    for line in text.splitlines():
        if line.startswith("Switch"):
            switch = line.split('"')[1]
        elif match := ends.match(line):
            cables.add(frozenset(((switch, match[1]), (match[2], match[3]))))
    gone = random_numbers.sample(sorted(cables, key=sorted), len(cables) * percent // 100)
    kept, switch = [], ""
    for line in text.splitlines():
        if line.startswith("Switch"):
            switch = line.split('"')[1]
        match = ends.match(line)
        if not match or frozenset(((switch, match[1]), (match[2], match[3]))) not in gone:
            kept.append(line)
    return "\n".join(kept) + "\n"


@pytest.mark.parametrize(("source", "percent", "lmc"), FABRICS)
def test_tables_are_accepted_and_confirmed(source: str, percent: int, lmc: int | str) -> None:
    text = without_cables(net_text(ayatori.open_source(source)), percent, random.Random(SEED))
    with SimulatedFabric(text) as fabric:
        network = discover_live(fabric)
        made = make_routes_explained(network, lmc)
        for check in load_our_tables(fabric, network, made, source):
            assert check.passed, (check, f"seed {SEED}")


def test_live_discovery_sees_the_same_network() -> None:
    known = ayatori.open_source("xgft:h=2;m=4,4;w=1,2;p=1,2")
    with SimulatedFabric(net_text(known)) as fabric:
        check = compare_networks(known, discover_live(fabric))
    assert check.passed, check


def test_baseline_of_the_paper_comes_from_opensm() -> None:
    """OpenSM's ftree tables, read over MADs, behave like base-lids: what paper 1 measured against."""
    with SimulatedFabric(net_text(ayatori.open_source("fattree:K=6,levels=2,nodes=30"))) as fabric:
        network = discover_live(fabric)
        ftree = try_engine(fabric, network, "ftree")
    assert ftree.routes is not None, ftree.refusal
    ours = ayatori.make_routes(network, 0)
    jobs = ayatori.random_jobs(network, 200, 16, seed=SEED)

    def mean(routes: ayatori.Routes) -> float:
        plans = [ayatori.plan(network, routes, job, "base-lids").plan for job in jobs]
        pairs = zip(jobs, plans, strict=True)
        return sum(ayatori.contention(network, routes, job, plan).relative_bandwidth for job, plan in pairs) / len(jobs)

    assert mean(ftree.routes) == pytest.approx(mean(ours), rel=0.02)
