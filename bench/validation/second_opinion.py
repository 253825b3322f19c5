"""The same schedules over the same links and routes, timed by our flow simulator and by SimGrid's SMPI: side by side.

    .venv/bin/python -m bench.validation.second_opinion [JOBS]

SMPI runs the schedule as MPI processes (execution.cpp, smpi.py). Links have 1716 MB/s (on tori 5 GB/s) and 100 ns each.
Rows of random jobs are means of JOBS of them (by default 3, seed 1). The last rows are for the speed: an all-to-all of
256 ranks.

Rows in which the two are more than 5% apart are timed once more on links without latency (docs/prediction-accuracy.md
says why). SMPI's own calls, some 10 ns each, are a part of the time of small or empty messages.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.base.errors import Error
from ayatori.base.units import format_bytes, format_seconds
from ayatori.model.jobs import contiguous_jobs, random_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import Costs, MessageCosts
from ayatori.prediction.predictor import Model, Predictor
from bench.validation import smpi

MODEL = Model(link_latency=1e-7, costs=Costs(inside=MessageCosts(bandwidth=smpi.BUS)), in_order=False)
"""In SimGrid messages between the same two ranks share links as all others do."""
PORT, TORUS_PORT = 1716e6, 5e9  # bytes a second
AT_MOST_APART = 0.05
AT_LEAST_FASTER = {"synchronous": 100, "drift": 20}


@dataclass(frozen=True)
class Site:
    """A network, its jobs, and the calls to compare there."""

    name: str
    source: str
    rate: float
    jobs: Callable[[Network], list[Job]]
    calls: list[Call]
    method: str | None = None
    lost_cables: int = 0
    """Between routers, drawn at random."""

    def open(self) -> Network:
        network = open_source(self.source)
        return without_cables(network, self.lost_cables) if self.lost_cables else network


def without_cables(network: Network, count: int) -> Network:
    data = json.loads(_core.export_network(network, "json"))
    routers = {number for number, device in enumerate(data["nodes"]) if device["kind"] == "router"}
    between = [cable for cable in data["cables"] if {cable["from"][0], cable["to"][0]} <= routers]
    for cable in random.Random(1).sample(between, count):
        data["cables"].remove(cable)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "network.json"
        file.write_text(json.dumps(data))
        return open_source(f"json:{file}")


def some(machines: int, ranks_per_machine: int = 1) -> Callable[[Network], list[Job]]:
    """Random jobs."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    return lambda network: random_jobs(network, count, machines, ranks_per_machine, 1)


def whole(network: Network) -> list[Job]:
    return contiguous_jobs(network, [len(network.machines)], 1)


def uneven(machines: int) -> Callable[[Network], list[Job]]:
    """One random job with 1, 2 and 3 ranks a machine, alternately."""

    def job(network: Network) -> list[Job]:
        chosen = random_jobs(network, 1, machines, 1, 1)[0].machines
        hosts = [f"{network.machines[machine].name} slots={i % 3 + 1}\n" for i, machine in enumerate(chosen)]
        return [_core.job_from_hostfile(network, "".join(hosts), "hosts", 0, True)]

    return job


PAPER = "fattree:K=6,levels=2,nodes=30"
TREE_CALLS = [
    Call("alltoall", "shift", 1 << 20),
    Call("alltoall", "bruck", 1 << 16),
    Call("broadcast", "binomial", 1 << 20),
    Call("broadcast", "scatter-allgather", 1 << 22),
    Call("allreduce", "ring", 1 << 22),
    Call("allreduce", "rabenseifner", 1 << 22),
    Call("allreduce", "recursive-doubling", 1 << 20),
    Call("allgather", "ring", 1 << 18),
    Call("gather", "binomial", 1 << 16),
    Call("scatter", "linear", 1 << 16, root=5),
    Call("barrier", "tree", 0),
    Call("alltoall", "shift", 1 << 10),
    Call("allreduce", "recursive-doubling", 1 << 10),
]
ODD_CALLS = [  # where the number of ranks is not a power of two
    Call("alltoall", "pairwise", 1 << 16),
    Call("reduce_scatter", "recursive-halving", 1 << 16),
    Call("allgather", "recursive-doubling", 1 << 16),
    Call("reduce", "knomial", 1 << 20, root=3),
    Call("halo", "halo", 1 << 20),
    Call("barrier", "dissemination", 0),
]
MACHINE_CALLS = [  # of several ranks a machine
    Call("alltoall", "two-level-ring", 1 << 16),
    Call("alltoall", "hierarchical", 1 << 16),
    Call("broadcast", "hierarchical", 1 << 20),
    Call("allreduce", "hierarchical", 1 << 20),
    Call("gather", "hierarchical", 1 << 16, root=5),
]
GROUP_CALLS = [
    Call("alltoall", "shift", 1 << 16),
    Call("alltoall", "bruck", 1 << 16),
    Call("allreduce", "rabenseifner", 1 << 20),
    Call("allgather", "bruck", 1 << 16),
    Call("broadcast", "chain", 1 << 22),
]
TORUS_CALLS = [
    *(Call("alltoall", algorithm, 1 << 16) for algorithm in ("shift", "pairwise", "ring", "bruck")),
    *(
        Call("broadcast", algorithm, 1 << 24)
        for algorithm in ("binomial", "chain", "scatter-allgather", "mapped-binary", "trinaryx3", "sixcolour")
    ),
    *(
        Call("allreduce", algorithm, 1 << 24)
        for algorithm in ("recursive-doubling", "rabenseifner", "ring", "swing", "bine", "trinaryx3", "sixcolour")
    ),
]
SITES = [
    Site("16 machines", PAPER, PORT, some(16), TREE_CALLS),
    Site("16 machines x 8", PAPER, PORT, some(16, 8), [Call("alltoall", "two-level-ring", 1 << 20)]),
    Site("13 machines", PAPER, PORT, some(13), ODD_CALLS),
    Site("13 machines, pair", PAPER, PORT, some(13), ODD_CALLS[:3], method="pair"),
    Site("9 machines x 1, 2, 3", PAPER, PORT, uneven(9), MACHINE_CALLS),
    Site("17 of 3 levels", "fattree:K=3,levels=3", PORT, some(17), ODD_CALLS),
    Site("17 of 3 levels, 9 cables lost", "fattree:K=3,levels=3", PORT, some(17), GROUP_CALLS, lost_cables=9),
    Site("16 of a dragonfly", "dragonfly:a=4,p=2,h=2", PORT, some(16), GROUP_CALLS),
    Site("hyperx 4x4", "hyperx:4x4", PORT, whole, GROUP_CALLS),
    Site("full 4, 8 x 1, 2, 3", "full:4,hosts=3", PORT, uneven(8), MACHINE_CALLS),
    Site("hypercube 4", "hypercube:4", PORT, whole, GROUP_CALLS),
    *(Site(shape, f"torus:{shape}", TORUS_PORT, whole, TORUS_CALLS) for shape in ("4x4", "5x3", "4x4x4")),
]

Timed = tuple[float, float]  # seconds that the call takes, and wall time for finding out


def ours(predictor: Predictor, job: Job, call: Call) -> Timed:
    start = time.perf_counter()
    [prediction] = predictor.predict([job], call)
    return prediction.seconds, time.perf_counter() - start


def theirs(predictor: Predictor, job: Job, call: Call) -> Timed:
    platform = smpi.platform_of(predictor, job, call, predictor.model.links())
    start = time.perf_counter()
    [seconds] = smpi.execute_calls(platform, job.rank_count, [smpi.words_of(call, predictor.placement(job))])
    return seconds, time.perf_counter() - start


def apart(here: list[Timed], there: list[Timed]) -> list[float]:
    """Shares of SMPI's times; nothing is apart from nothing."""
    return [(a - b) / b if b else 0 for (a, _), (b, _) in zip(here, there, strict=True)]


def span(shares: list[float]) -> str:
    return f"{min(shares):+.2%}" + (f" to {max(shares):+.2%}" if len(shares) > 1 else "")


def print_row(name: str, here: list[Timed], there: list[Timed], remark: str = "") -> None:
    ours_s, ours_wall, smpi_s, smpi_wall = (
        sum(row[i] for row in rows) / len(rows) for rows in (here, there) for i in (0, 1)
    )
    print(
        f"{name:<64}{format_seconds(ours_s):>12}{format_seconds(smpi_s):>12}{span(apart(here, there)):>20}"
        f"{smpi_wall / ours_wall:9.0f}x{remark}",
        flush=True,
    )


def compare(site: Site, network: Network, call: Call) -> None:
    model = replace(MODEL, link_bandwidth=site.rate)
    predictor = Predictor(network, site.method, model)
    jobs = site.jobs(network)
    here, there = ([timed(predictor, job, call) for job in jobs] for timed in (ours, theirs))
    remark = ""
    if call.bytes and max(map(abs, apart(here, there))) > AT_MOST_APART:
        bare = Predictor(network, site.method, replace(model, link_latency=0))
        without = apart([ours(bare, job, call) for job in jobs], [theirs(bare, job, call) for job in jobs])
        remark = f"  without latency {span(without)}"
    size = f", {format_bytes(call.bytes)}" if call.bytes else ""
    print_row(f"{call.collective} {call.algorithm}, {site.name}{size}", here, there, remark)


def compare_speed() -> None:
    """One run of SMPI against both models of steps."""
    network = open_source("fattree:K=12,levels=2")
    [job] = contiguous_jobs(network, [256], 1)
    call = Call("alltoall", "shift", 1 << 16)
    model = replace(MODEL, link_bandwidth=PORT)
    there = [theirs(Predictor(network, None, model), job, call)]
    for steps, bar in AT_LEAST_FASTER.items():
        predictor = Predictor(network, None, replace(model, steps=steps))
        here = min((ours(predictor, job, call) for _ in range(3)), key=lambda run: run[1])
        print_row(f"alltoall shift, 256 machines, 64 KiB, {steps}", [here], there, f" (at least {bar}x)")


def main() -> None:
    print(f"{'':<64}{'ours':>12}{'SMPI':>12}{'ours against SMPI':>20}{'faster':>10}")
    for site in SITES:
        network = site.open()
        for call in site.calls:
            compare(site, network, call)
    compare_speed()


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(f"error: {error.message}\n{error.cause}")
