"""The same schedules over the same links and ways, timed by our flow simulator and by SimGrid's SMPI: side by side.

    .venv/bin/python bench/second_opinion.py [JOBS]

SMPI runs the schedule as MPI processes (mpi/play.cpp) in its fluid model, without its correction factors. Each row
takes the mean of JOBS random jobs (by default 3, seed 1) of the 30-node 6-ary-2-tree of paper 1, on destination-mod-K
tables, links of 1716 MB/s. The last row is for the speed: an all-to-all of 256 ranks.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from smpi import play

from ayatori import _core
from ayatori.jobs import contiguous_jobs, random_jobs
from ayatori.network import open_source
from ayatori.routes import make_routes

RATE = 1716e6
BUS = 1e15  # messages inside a node take no time, in both
CASES = [
    ("alltoall", "shift", 1 << 20, 16, 1),
    ("alltoall", "ring2", 1 << 20, 16, 8),
    ("alltoall", "bruck", 1 << 16, 16, 1),
    ("broadcast", "binomial", 1 << 20, 16, 1),
    ("broadcast", "scatter-allgather", 1 << 22, 16, 1),
    ("allreduce", "ring", 1 << 22, 16, 1),
    ("allreduce", "rabenseifner", 1 << 22, 16, 1),
    ("allreduce", "recursive-doubling", 1 << 20, 16, 1),
    ("allgather", "ring", 1 << 18, 16, 1),
]


@dataclass
class Case:
    collective: str
    algorithm: str
    bytes: int
    ranks_per_node: int


def ours(network, routes, job, case: Case, links) -> tuple[float, float]:
    """Predicted seconds, and the wall time that took."""
    places = _core.places_of_ranks(job.rank_count, case.ranks_per_node)
    schedule = _core.make_schedule(case.algorithm, case.collective, 0, case.bytes, places, _core.AlgorithmOptions())
    plan = _core.make_plan(
        network, routes, job.endpoints(network), _core.shift_all_to_all(job.rank_count), _core.Method.base
    ).plan
    options = _core.FlowOptions()
    options.bus = BUS
    start = time.perf_counter()
    result = _core.simulate_jobs(network, routes, [plan], [job], [schedule], options, links, [])[0]
    return result["seconds"], time.perf_counter() - start


def smpi(network, routes, job, case: Case, links) -> tuple[float, float]:
    plan = _core.make_plan(
        network, routes, job.endpoints(network), _core.shift_all_to_all(job.rank_count), _core.Method.base
    ).plan
    platform = _core.smpi_platform(network, routes, plan, job, links, BUS)
    call = f"{case.collective} {case.algorithm} {case.bytes} ppn={case.ranks_per_node}"
    start = time.perf_counter()
    seconds = play(platform, job.rank_count, [call])[0]
    return seconds, time.perf_counter() - start


def compare(name: str, network, routes, jobs, case: Case, links) -> None:
    mine = [ours(network, routes, job, case, links) for job in jobs]
    theirs = [smpi(network, routes, job, case, links) for job in jobs]
    apart = [a / b - 1 for (a, _), (b, _) in zip(mine, theirs, strict=True)]
    seconds = [sum(row[i] for row in rows) / len(rows) for rows in (mine, theirs) for i in (0, 1)]
    print(
        f"{name:<56}{seconds[0] * 1e3:10.3f} ms{seconds[2] * 1e3:10.3f} ms"
        f"{min(apart):+9.2%} to {max(apart):+.2%}{seconds[3] / seconds[1]:9.0f}x"
    )


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    links = _core.LinkDefaults()
    links.bytes_per_second = RATE
    links.latency = 1e-7
    print(f"{'':<56}{'ours':>13}{'SMPI':>13}{'ours against SMPI':>21}{'faster':>12}")
    network = open_source("fattree:K=6,levels=2,nodes=30")
    routes = make_routes(network, 0)
    for collective, algorithm, size, nodes, ppn in CASES:
        jobs = random_jobs(network, count, nodes, ppn, 1)
        name = f"{collective} {algorithm}, {nodes} nodes x {ppn}, {size >> 10} KiB"
        compare(name, network, routes, jobs, Case(collective, algorithm, size, ppn), links)
    network = open_source("fattree:K=12,levels=2")
    jobs = contiguous_jobs(network, range(256, 257), 1)
    compare(
        "alltoall shift, 256 nodes, 64 KiB", network, make_routes(network, 0), jobs,
        Case("alltoall", "shift", 1 << 16, 1), links,
    )  # fmt: skip


if __name__ == "__main__":
    main()
