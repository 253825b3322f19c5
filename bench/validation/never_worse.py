"""Draws fabrics, damage, jobs, methods and LMCs at random, and checks that no choice of `ayatori plan` is worse than no
plan. What each of the two takes is measured here alone: packets are followed through the tables entry by entry.

    python -m bench.validation.never_worse --cases 10000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import ayatori
from ayatori import _core
from ayatori._core import Job, Network, Plan, Routes
from ayatori.base.errors import Error
from ayatori.planning.improvement import TablesInUse, improve_jobs
from ayatori.planning.plans import PLAN_METHODS, Assessment

MAX_RANKS = 24
RATES = {"4xHDR": Fraction(1), "4xEDR": Fraction(1, 2)}


@dataclass
class Case:
    """One random problem, with what it was drawn as."""

    words: str
    network: Network
    in_use: TablesInUse
    routes: Routes
    job: Job
    method: str


def formula(dice: random.Random) -> str:
    """A small tree, or now and then a network that is none."""
    kind = dice.randrange(8)
    if kind < 4:
        k, levels = dice.choice([(2, 2), (3, 2), (4, 2), (6, 2), (2, 3), (3, 3)])
        return f"fattree:K={k},levels={levels},nodes={dice.randint(2, min(36, 2 * k**levels))}"
    if kind < 7:
        down, up, cables = [dice.randint(2, 6), dice.randint(2, 6)], dice.randint(1, 4), dice.randint(1, 2)
        return f"xgft:h=2;m={down[0]},{down[1]};w=1,{up};p=1,{cables}"
    return f"torus:{dice.randint(2, 4)}x{dice.randint(2, 4)}"


def damaged(source: str, dice: random.Random, folder: Path) -> str:
    """The network with some cables between routers gone, and some at half of their rate."""
    document = json.loads(_core.export_network(ayatori.open_source(source), "json"))
    routers = {i for i, node in enumerate(document["nodes"]) if node["kind"] == "router"}
    gone, slow = dice.choice([0, 0.05, 0.2]), dice.choice([0, 0, 0.1])
    kept = []
    for cable in document["cables"]:
        between_routers = {cable["from"][0], cable["to"][0]} <= routers
        if between_routers and dice.random() < gone:
            continue
        cable["rate"] = "4xEDR" if between_routers and dice.random() < slow else "4xHDR"
        kept.append(cable)
    document["cables"] = kept
    file = folder / "network.json"
    file.write_text(json.dumps(document), encoding="utf-8")
    return f"json:{file}"


def drawn_case(seed: int, folder: Path) -> Case | None:
    """None for a job in several parts of a network, and for a network without enough LIDs."""
    dice = random.Random(seed)
    source = formula(dice)
    network = ayatori.open_source(damaged(source, dice, folder))
    lmc, lmc_in_use, method = dice.randint(0, 4), dice.choice([0, 0, 0, 1, 2]), dice.choice(PLAN_METHODS)
    try:
        routes, used = ayatori.make_routes(network, lmc), ayatori.make_routes(network, lmc_in_use)
    except ayatori.Error:
        return None
    ppn = dice.choice([1, 1, 1, 2])
    machines = dice.randint(1, min(len(network.machines), MAX_RANKS // ppn))
    contiguous = dice.random() < 0.3
    job = (
        ayatori.contiguous_jobs(network, [machines], ppn)[0]
        if contiguous
        else ayatori.random_jobs(network, 1, machines, ppn, seed)[0]
    )
    if not lies_in_one_part(network, job):
        return None
    words = f"seed {seed}: {source}, {machines} machines of {ppn} ranks, {method}, LMC {lmc}, in use {lmc_in_use}"
    return Case(words, network, TablesInUse(used), routes, job, method)


def lies_in_one_part(network: Network, job: Job) -> bool:
    """True if cables lead from each endpoint of the job to all others."""
    beside = defaultdict(set)
    for a, b in network.cables():
        here, there = network.port(a).device, network.port(b).device
        beside[here].add(there)
        beside[there].add(here)
    devices = {network.port(endpoint).device for endpoint in job.endpoints(network)}
    reached, waiting = set(), [min(devices)]
    while waiting:
        device = waiting.pop()
        if device not in reached:
            reached.add(device)
            waiting += beside[device]
    return devices <= reached


class PacketWalk:
    """Follows packets through tables, one entry after the other."""

    def __init__(self, network: Network, routes: Routes) -> None:
        self.network, self.routes = network, routes
        self.peer: dict[int, int] = {}
        self.out_of: dict[tuple[int, int], int] = {}
        for a, b in network.cables():
            for here, there in ((a, b), (b, a)):
                self.peer[here] = there
                self.out_of[network.port(here).device, network.port(here).number] = here
        self.fastest = max((self._rate(port) for port in network.endpoints), default=Fraction(1))
        self.known: dict[tuple[int, int, int], list[int]] = {}

    def _rate(self, port: int) -> Fraction:
        return RATES.get(str(self.network.port(port).rate), Fraction(1))

    def weight(self, port: int) -> Fraction:
        return self.fastest / self._rate(port)

    def links(self, source: int, destination: int, bits: int) -> list[int]:
        """The ports that the packet leaves by."""
        key = (source, destination, bits)
        if key not in self.known:
            self.known[key] = self._walk(source, destination, self.routes.base_lid(destination) + bits)
        return self.known[key]

    def _walk(self, source: int, destination: int, lid: int) -> list[int]:
        links = [source]
        while self.peer[links[-1]] != destination:
            device = self.network.port(self.peer[links[-1]]).device
            links.append(self.out_of[device, self.routes.out(device, lid)])
            if len(links) > self.network.router_count + 2:
                raise AssertionError(f"LID {lid} goes round")
        return links


def shift_time(walk: PacketWalk, job: Job, plan: Plan) -> Fraction:
    """The time of the shift all-to-all: each step takes as long as its busiest link."""
    ports = job.endpoints(walk.network)
    machine = [m for m, ranks in enumerate(job.ranks_on_machines) for _ in range(ranks)]
    n = len(ports)
    steps = [[(rank, (rank + shift) % n) for rank in range(n)] for shift in range(1, n)]
    return time_of(walk, steps, ports, machine, plan)


def time_of(
    walk: PacketWalk, steps: Iterable[list[tuple[int, int]]], ports: list[int], machine: list[int], plan: Plan
) -> Fraction:
    total = Fraction(0)
    for step in steps:
        loads: Counter[int] = Counter()
        for a, b in step:
            if machine[a] != machine[b]:
                loads.update(walk.links(ports[a], ports[b], plan.path_bits(a, b)))
        total += max((load * walk.weight(link) for link, load in loads.items()), default=Fraction(0))
    return total


def plan_of(assessment: Assessment) -> Plan:
    if assessment.planned is None:
        raise Error(f"an assessment without a plan: {assessment}", internal=True)
    return assessment.planned.plan


def check_case(case: Case) -> dict[str, Any]:
    improvement = improve_jobs(case.network, case.in_use, case.routes, [case.job], case.method)[0]
    in_use, planned = PacketWalk(case.network, case.in_use.routes), PacketWalk(case.network, case.routes)
    without = shift_time(in_use, case.job, plan_of(improvement.without))
    with_plan = shift_time(planned, case.job, plan_of(improvement.planned))
    better = without if improvement.keeps_tables else with_plan
    outcome = "no plan" if improvement.keeps_tables else "as good" if better == without else "better"
    return {"worse": better > without, "method": case.method, "outcome": outcome}


def check_cases(cases: int, seed: int) -> tuple[list[str], dict[str, Counter[str]]]:
    """The cases that became worse (there should be none), and how often a plan was better, by method."""
    worse: list[str] = []
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        tried = 0
        while sum(sum(counts.values()) for counts in outcomes.values()) < cases:
            case = drawn_case(seed * 1_000_000 + tried, Path(folder))
            tried += 1
            if case is None:
                continue
            result = check_case(case)
            outcomes[result["method"]][result["outcome"]] += 1
            if result["worse"]:
                worse.append(case.words)
    return worse, outcomes


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    worse, outcomes = check_cases(arguments.cases, arguments.seed)
    print(f"{arguments.cases} cases, seed {arguments.seed}: {len(worse)} worse than no plan")
    for method, counts in sorted(outcomes.items()):
        print(f"  {method}: " + ", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    for words in worse:
        print(f"  worse: {words}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
