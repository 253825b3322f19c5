"""Plans compared with adaptive routing and a hash per flow: all-to-alls of fragmented jobs on regular, tapered and
damaged trees, alone (as flows, and by packets that queue) and together. Prints the tables of
docs/plans-against-adaptive.md.

    python -m bench.validation.plans_against_adaptive --jobs 20 --seed 1
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import ayatori
from ayatori import _core
from ayatori._core import Job, Network
from ayatori.planning.concurrent import plan_concurrent
from ayatori.planning.plans import BASE_LIDS, Messages
from ayatori.planning.routes import make_routes
from ayatori.planning.together import JobOnFabric
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import ADAPTIVE, ECMP, Model, Packets, Predictor
from ayatori.prediction.together import ConcurrentSimulation

CALL = Call("alltoall", "shift", 1 << 20)
PATH_AWARE = "pair, path-aware schedule"
METHODS = (BASE_LIDS, "rule", "pair", PATH_AWARE, ECMP, ADAPTIVE)
JOB_SIZE = 24
NEIGHBOURS = 3
ROUNDS = 10


@dataclass
class Case:
    """A kind of tree; damage is drawn anew for each job."""

    words: str
    source: str
    gone: float = 0
    """Share of the cables between routers that are missing."""


CASES = (
    Case("regular", "fattree:K=6,levels=2"),
    Case("regular, 3 levels", "fattree:K=4,levels=3"),
    Case("tapered 2:1", "xgft:h=2;m=12,6;w=1,6"),
    Case("tapered 3:1", "xgft:h=2;m=12,6;w=1,4"),
    Case("damaged, 5% gone", "fattree:K=6,levels=2", 0.05),
    Case("damaged, 20% gone", "fattree:K=6,levels=2", 0.2),
)


def drawn(case: Case, dice: random.Random, folder: Path) -> Network:
    """The fabric, with the damage of this draw; cut through, it is drawn again."""
    if case.gone == 0:
        return ayatori.open_source(case.source)
    while True:
        document = json.loads(_core.export_network(ayatori.open_source(case.source), "json"))
        routers = {i for i, node in enumerate(document["nodes"]) if node["kind"] == "router"}
        document["cables"] = [
            cable
            for cable in document["cables"]
            if not {cable["from"][0], cable["to"][0]} <= routers or dice.random() >= case.gone
        ]
        file = folder / "damaged.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        network = ayatori.open_source(f"json:{file}")
        if not any("parts" in line for line in network.shape().irregularities):
            return network


def job_of(network: Network, names: Iterable[str]) -> Job:
    """Ranks in the order of the network, as a batch system gives them."""
    order = {machine.name: number for number, machine in enumerate(network.machines)}
    hosts = [(name, 1) for name in sorted(names, key=order.__getitem__)]
    return _core.job_of_hosts(network, hosts, "drawn")


def hosts_of(network: Network) -> list[str]:
    return [machine.name for machine in network.machines]


def seconds(network: Network, job: Job, method: str, model: Model) -> float:
    call = CALL if method != PATH_AWARE else Call("alltoall", "path-aware", CALL.bytes)
    name = "pair" if method == PATH_AWARE else method
    return Predictor(network, name, model).predict([job], call)[0].seconds


def model_of(seed: int, packets: Packets | None = None) -> Model:
    """Only paths cost time, and queues of packets: no latency, no overheads."""
    return Model(link_latency=0, costs=FREE, hash_seed=seed, packets=packets)


def least_seconds(network: Network, job: Job) -> float:
    """The NICs' time: no routing and no order of the messages is faster."""
    rate = min(network.port(endpoint).bytes_per_second for endpoint in job.endpoints(network))
    return (job.rank_count - 1) * CALL.bytes / rate


def alone(case: Case, jobs: int, seed: int, folder: Path, packets: Packets | None) -> dict[str, float]:
    """Mean share of the NICs' bandwidth by each method, over fragmented jobs."""
    dice = random.Random(seed)
    reached: dict[str, list[float]] = {method: [] for method in METHODS}
    for _ in range(jobs):
        network = drawn(case, dice, folder)
        model = model_of(seed, packets)
        job = job_of(network, dice.sample(hosts_of(network), JOB_SIZE))
        peak = least_seconds(network, job)
        for method in METHODS:
            reached[method].append(peak / seconds(network, job, method, model))
    return {method: fmean(values) for method, values in reached.items()}


def together(case: Case, jobs: int, seed: int, folder: Path) -> dict[str, float]:
    """The same for three jobs at random phases; plans are made jointly."""
    dice = random.Random(seed)
    reached: dict[str, list[float]] = {method: [] for method in (BASE_LIDS, "pair", ECMP, ADAPTIVE)}
    for draw in range(jobs):
        network = drawn(case, dice, folder)
        names = dice.sample(hosts_of(network), NEIGHBOURS * JOB_SIZE // 2)
        each = [job_of(network, names[number::NEIGHBOURS]) for number in range(NEIGHBOURS)]
        routes = make_routes(network, "auto")
        placed = plan_concurrent(network, routes, each, [], Messages(seed=seed))
        for method, values in reached.items():
            plans = [one.plan if method == "pair" else None for one in placed]
            members = [
                JobOnFabric(f"job {number}", job, plan)
                for number, (job, plan) in enumerate(zip(each, plans, strict=True))
            ]
            tables = routes if method == "pair" else None
            model = model_of(seed + draw)
            simulation = ConcurrentSimulation(network, members, CALL, method, model, tables, ROUNDS, seed)
            concurrent = simulation.run()
            peak = fmean(least_seconds(network, job) for job in each)
            values.append(peak / fmean(job.seconds for job in concurrent.jobs))
    return {method: fmean(values) for method, values in reached.items()}


def print_rows(title: str, rows: dict[str, dict[str, float]]) -> None:
    columns = list(next(iter(rows.values())))
    print(f"\n{title}\n")
    print("| tree | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for words, values in rows.items():
        print(f"| {words} | " + " | ".join(f"{values[column]:.3f}" for column in columns) + " |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=20, help="drawn for each tree")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.jobs} draws a tree; share of what the NICs could, mean")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for more, packets in {"": None, ", by packets": Packets(seed=options.seed)}.items():
            rows = {case.words: alone(case, options.jobs, options.seed, folder, packets) for case in CASES}
            print_rows(f"{JOB_SIZE} hosts, alone{more}", rows)
        rows = {case.words: together(case, options.jobs, options.seed, folder) for case in CASES}
        print_rows(f"{NEIGHBOURS} jobs of {JOB_SIZE // 2} hosts, at the same time", rows)


if __name__ == "__main__":
    main()
