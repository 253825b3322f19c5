"""Draws fabrics, damage, jobs, methods and LMCs at random, and checks that no choice of `ayatori plan` is worse than no
plan on the tables in use: alone, and for some among other jobs. The ranks are in the order of a launch, which may
be any order of the hosts. Nor may new tables be worse for who has no plan. All of this is measured here alone: packets
are followed through the tables entry by entry.

Among others the measure is that of `ayatori plan --running` (concurrent_bandwidth.hpp): each other job is in any of its
steps, and has one message on each link that it uses there.

    python -m bench.validation.never_worse --cases 10000 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import ayatori
from ayatori import _core
from ayatori._core import Job, Network, Plan, Routes
from ayatori.base.errors import Error
from ayatori.planning.concurrent import plan_concurrent, unplanned
from ayatori.planning.improvement import Effort, TablesInUse, improve_jobs
from ayatori.planning.plans import PLAN_METHODS, Assessment

MAX_RANKS = 24
MAX_OTHER_RANKS = 5
RATES = {"4xHDR": Fraction(1), "4xEDR": Fraction(1, 2)}


@dataclass
class Case:
    """One random problem, with what it was drawn as."""

    words: str
    network: Network
    in_use: TablesInUse
    routes: Routes
    job: Job
    others: list[Job]
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
    hosts = [machine.name for machine in network.machines]
    if dice.random() >= 0.3:  # else contiguous
        dice.shuffle(hosts)
    in_order = in_launch_order(hosts[:machines], dice)
    runs = [(host, 1) for host in in_order] * ppn if dice.random() < 0.5 else [(host, ppn) for host in in_order]
    job = _core.job_of_hosts(network, runs, "job")
    others = drawn_others(network, hosts[machines:], dice)
    if not all(lies_in_one_part(network, each) for each in (job, *others)):
        return None
    among = f", among {len(others)}" if others else ""
    what = f"{source}, {machines} machines of {ppn} ranks{among}"
    words = f"seed {seed}: {what}, {method}, LMC {lmc}, in use {lmc_in_use}"
    return Case(words, network, TablesInUse(used), routes, job, others, method)


def in_launch_order(hosts: list[str], dice: random.Random) -> list[str]:
    return dice.sample(hosts, len(hosts)) if dice.random() < 0.7 else hosts


def drawn_others(network: Network, free: list[str], dice: random.Random) -> list[Job]:
    """None, or one or two small jobs on other hosts."""
    others: list[Job] = []
    for _ in range(dice.choice([0, 0, 1, 2])):
        size = dice.randint(2, MAX_OTHER_RANKS)
        if len(free) >= size:
            taken, free = free[:size], free[size:]
            hosts = [(host, 1) for host in in_launch_order(taken, dice)]
            others.append(_core.job_of_hosts(network, hosts, "another job"))
    return others


def lies_in_one_part(network: Network, job: Job) -> bool:
    """True if cables lead from each endpoint of the job to all others."""
    neighbours = defaultdict(set)
    for a, b in network.cables():
        here, there = network.port(a).device, network.port(b).device
        neighbours[here].add(there)
        neighbours[there].add(here)
    devices = {network.port(endpoint).device for endpoint in job.endpoints(network)}
    reached, waiting = set(), [min(devices)]
    while waiting:
        device = waiting.pop()
        if device not in reached:
            reached.add(device)
            waiting += neighbours[device]
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


def shift_loads(walk: PacketWalk, job: Job, plan: Plan) -> list[Counter[int]]:
    """Messages on each link in each step of the shift all-to-all."""
    ports = job.endpoints(walk.network)
    machine = job.machine_of_rank
    steps = []
    for shift in range(1, len(ports)):
        loads: Counter[int] = Counter()
        for a in range(len(ports)):
            b = (a + shift) % len(ports)
            if machine[a] != machine[b]:
                loads.update(walk.links(ports[a], ports[b], plan.path_bits(a, b)))
        steps.append(loads)
    return steps


def shift_time(walk: PacketWalk, job: Job, plan: Plan) -> Fraction:
    """The time of the shift all-to-all: each step takes as long as its busiest link."""
    return time_with_others(walk, job, plan, [])


def time_with_others(walk: PacketWalk, job: Job, plan: Plan, others: list[Job]) -> Fraction:
    """The mean over all combinations of the others' steps; they have no plan."""
    theirs = [shift_loads(walk, other, Plan.base_lids(other.rank_count)) for other in others]
    phases = [Counter(link for loads in phase for link in loads) for phase in product(*theirs)]
    total = Fraction(0)
    for loads in shift_loads(walk, job, plan):
        for there in phases:
            times = ((load + there[link]) * walk.weight(link) for link, load in loads.items())
            total += max(times, default=Fraction(0)) / len(phases)
    return total


def plan_of(assessment: Assessment) -> Plan:
    if assessment.planned is None:
        raise Error(f"an assessment without a plan: {assessment}", internal=True)
    return assessment.planned.plan


def check_case(case: Case) -> dict[str, Any]:
    improvement = improve_jobs(case.network, case.in_use, case.routes, [case.job], Effort(case.method))[0]
    in_use, planned = PacketWalk(case.network, case.in_use.routes), PacketWalk(case.network, case.routes)
    without = shift_time(in_use, case.job, plan_of(improvement.without))
    with_plan = shift_time(planned, case.job, plan_of(improvement.planned))
    better = without if improvement.keeps_tables else with_plan
    kept = "equal" if improvement.equal else "no plan"
    outcome = "better" if better < without else kept if improvement.keeps_tables else "fewer hot spots"
    on_new_tables = shift_time(planned, case.job, Plan.base_lids(case.job.rank_count))
    worse = better > without or on_new_tables != without
    return {"worse": worse or is_worse_with_others(case, planned), "method": case.method, "outcome": outcome}


def is_worse_with_others(case: Case, walk: PacketWalk) -> bool:
    """Whether the plan among the others takes longer than none would."""
    if not case.others:
        return False
    running = [unplanned(case.network, case.routes, f"job {i}", other) for i, other in enumerate(case.others)]
    plan = plan_concurrent(case.network, case.routes, [case.job], running)[0].plan
    base_lids = Plan.base_lids(case.job.rank_count)
    return time_with_others(walk, case.job, plan, case.others) > time_with_others(
        walk, case.job, base_lids, case.others
    )


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
