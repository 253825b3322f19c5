"""What plans among other jobs reach, measured by rounds at random phases (src/planner/contention/jobs_together.hpp).

    .venv/bin/python -m bench.validation.jobs_together [--cases 1000] [--seed 1] [--fabric SOURCE]

Prints, with the seed: pairs and triples of disjoint random jobs of 8 to 16 hosts on a 6-ary two-level tree, planned one
after the other; random jobs that fill 90% of a fabric; and how long the plan of a new job of 16 hosts takes among 50
running on 11,664 hosts. "proven" are cases in which the exact search showed that a step of a later job can't avoid the
paths of the earlier ones, which stand. "jointly" are jobs that start together (`plan --jobs`), on the first 30 cases:
what that gains is what it costs that plans stand.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from ayatori import _core
from ayatori._core import ConcurrentPlan, Job, Network, Routes
from ayatori.model.network import open_source
from ayatori.planning.routes import make_routes
from ayatori.planning.together import JobOnFabric, measure_together
from ayatori.planning.traffics import steps_of

ROUNDS = 300
JOINT_SAMPLE = 30
PEERS = 20
FILLED = 0.9


@dataclass
class Fabric:
    """A network with tables for plans, and with those of one LID a port."""

    source: str
    network: Network = field(init=False)
    routes: Routes = field(init=False)
    one_lid: Routes = field(init=False)

    def __post_init__(self) -> None:
        self.network = open_source(self.source)
        self.routes, self.one_lid = make_routes(self.network), make_routes(self.network, 0)

    def hosts(self) -> list[str]:
        return [machine.name for machine in self.network.machines if machine.name and machine.endpoints]

    def job(self, hosts: Sequence[str]) -> Job:
        return _core.job_from_hostfile(self.network, "\n".join(hosts), "drawn", 0, True)

    def plan(self, job: Job, others: Sequence[ConcurrentPlan]) -> ConcurrentPlan:
        footprints = [other.footprint for other in others]
        steps = steps_of("shift", job.rank_count)
        return _core.plan_concurrent(self.network, self.routes, job.endpoints(self.network), steps, footprints)

    def together(self, jobs: Sequence[Job], plans: Sequence[ConcurrentPlan], seed: int) -> list[float]:
        named = [JobOnFabric(str(i), job, made.plan) for i, (job, made) in enumerate(zip(jobs, plans, strict=True))]
        return [each.together for each in measure_together(self.network, self.routes, named, ROUNDS, seed).jobs]

    def unplanned(self, jobs: Sequence[Job], seed: int) -> list[float]:
        named = [JobOnFabric(str(i), job) for i, job in enumerate(jobs)]
        return [each.together for each in measure_together(self.network, self.one_lid, named, ROUNDS, seed).jobs]


def planned_one_by_one(fabric: Fabric, jobs: Sequence[Job]) -> list[ConcurrentPlan]:
    plans: list[ConcurrentPlan] = []
    for job in jobs:
        plans.append(fabric.plan(job, plans))
    return plans


def planned_jointly(fabric: Fabric, jobs: Sequence[Job]) -> list[ConcurrentPlan]:
    endpoints = [job.endpoints(fabric.network) for job in jobs]
    steps = [steps_of("shift", job.rank_count) for job in jobs]
    return _core.plan_jointly(fabric.network, fabric.routes, endpoints, steps, [])


def drawn_jobs(fabric: Fabric, count: int, sizes: tuple[int, int], cases: int, seed: int) -> Iterator[list[Job]]:
    """Cases of `count` disjoint random jobs that fit on the fabric together."""
    drawn = random.Random(seed)
    hosts = fabric.hosts()
    for _ in range(cases):
        wanted = [drawn.randint(*sizes) for _ in range(count)]
        while sum(wanted) > len(hosts):
            wanted = [drawn.randint(*sizes) for _ in range(count)]
        shuffled = drawn.sample(hosts, sum(wanted))
        yield [fabric.job(shuffled[sum(wanted[:i]) : sum(wanted[: i + 1])]) for i in range(count)]


def few_jobs(fabric: Fabric, count: int, sizes: tuple[int, int], cases: int, seed: int) -> None:
    isolated = proven = isolated_jointly = 0
    planned: list[float] = []
    unplanned: list[float] = []
    sample: list[tuple[float, float]] = []
    for case, jobs in enumerate(drawn_jobs(fabric, count, sizes, cases, seed)):
        plans = planned_one_by_one(fabric, jobs)
        isolated += all(each.isolated for each in plans)
        proven += any(each.least_conflicts > 0 for each in plans)
        here = fabric.together(jobs, plans, case)
        planned += here
        unplanned += fabric.unplanned(jobs, case)
        if case < JOINT_SAMPLE:
            jointly = planned_jointly(fabric, jobs)
            isolated_jointly += all(each.isolated for each in jointly)
            sample.append((fmean(here), fmean(fabric.together(jobs, jointly, case))))
    print(
        f"{fabric.source}, {count} jobs of {sizes[0]} to {sizes[1]} hosts, {cases} cases, seed {seed}: "
        f"isolated {isolated}, proven impossible {proven}, undecided {cases - isolated - proven}; "
        f"together mean {fmean(planned):.4f}, min {min(planned):.4f}; base-lids {fmean(unplanned):.4f}; "
        f"first {len(sample)} cases in order {fmean(a for a, _ in sample):.4f}, "
        f"jointly {fmean(b for _, b in sample):.4f}, {isolated_jointly} isolated",
        flush=True,
    )


def full_fabric(fabric: Fabric, seed: int) -> None:
    hosts = fabric.hosts()
    size = int(FILLED * len(hosts) / PEERS)
    shuffled = random.Random(seed).sample(hosts, size * PEERS)
    jobs = [fabric.job(shuffled[i * size : (i + 1) * size]) for i in range(PEERS)]
    planned = fabric.together(jobs, planned_one_by_one(fabric, jobs), seed)
    unplanned = fabric.unplanned(jobs, seed)
    worst = min(a / b for a, b in zip(planned, unplanned, strict=True))
    print(
        f"{fabric.source}, {PEERS} jobs of {size} hosts, seed {seed}: together mean {fmean(planned):.4f}, "
        f"base-lids {fmean(unplanned):.4f}, ratio {fmean(planned) / fmean(unplanned):.3f}, "
        f"worst job's {worst:.3f}",
        flush=True,
    )


def new_job_at_scale(seed: int) -> None:
    fabric = Fabric("fattree:K=18,levels=3")
    hosts = random.Random(seed).sample(fabric.hosts(), 51 * 16)
    jobs = [fabric.job(hosts[i * 16 : (i + 1) * 16]) for i in range(51)]
    running = planned_one_by_one(fabric, jobs[:50])
    began = time.monotonic()
    made = fabric.plan(jobs[50], running)
    print(
        f"{fabric.source}, a job of 16 hosts among 50, seed {seed}: planned in {time.monotonic() - began:.2f} s, "
        f"{made.reason}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--fabric", action="append", default=[], help="another one to fill, for example ib:FILE")
    parser.add_argument("--only", choices=("few", "full", "scale"))
    arguments = parser.parse_args()
    if arguments.only in (None, "full"):
        for source in ("fattree:K=18,levels=2", *arguments.fabric):
            for seed in range(arguments.seed, arguments.seed + 5):
                full_fabric(Fabric(source), seed)
    if arguments.only in (None, "scale"):
        new_job_at_scale(arguments.seed)
    if arguments.only in (None, "few"):
        for source in ("fattree:K=6,levels=2", "fattree:K=6,levels=2,nodes=36"):
            for count in (2, 3):
                few_jobs(Fabric(source), count, (8, 16), arguments.cases, arguments.seed)


if __name__ == "__main__":
    main()
