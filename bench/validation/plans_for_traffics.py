"""Random jobs planned as `ayatori plan` does by default, or with --traffic: what each traffic gets without and with the
plan. Traffics and bandwidths are worked out here alone: packets are followed through the tables entry by entry, and
the permutations are drawn by another generator, from another seed.

    python -m bench.validation.plans_for_traffics --jobs 100 --sizes 16..16 --order shuffled
    python -m bench.validation.plans_for_traffics --fabric fattree:K=8,levels=3 --jobs 50 --sizes 8..128
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from statistics import fmean

import ayatori
from ayatori import _core
from ayatori._core import Network, Plan, Routes
from ayatori.planning.plans import Messages, assess_jobs
from bench.validation.never_worse import PacketWalk

Step = list[tuple[int, int]]
PERMUTATIONS = 200
README_TREE = "fattree:K=6,levels=2,nodes=30"
TOLERATED = 0.02
"""What a traffic may lose; a job's mean over all traffics may lose half of it."""


def shift(n: int) -> Iterator[Step]:
    return ([(i, (i + s) % n) for i in range(n)] for s in range(1, n))


def xor(n: int) -> Iterator[Step]:
    return ([(i, i ^ s) for i in range(n) if i ^ s < n] for s in range(1, 1 << (n - 1).bit_length()))


def spread(n: int) -> Iterator[Step]:
    yield [(i, j) for i in range(n) for j in range(n) if i != j]


def ring(n: int) -> Iterator[Step]:
    yield [(i, (i + 1) % n) for i in range(n)]


def halo(n: int, dimensions: int) -> Iterator[Step]:
    lengths = factors(n, dimensions)
    points = [[]]  # type: list[list[int]]
    for length in lengths:
        points = [[*point, i] for point in points for i in range(length)]
    number = {tuple(point): i for i, point in enumerate(points)}
    step = []
    for axis, length in enumerate(lengths):
        for by in (1, -1) if length > 1 else ():
            for point in points:
                there = list(point)
                there[axis] = (there[axis] + by) % length
                step.append((number[tuple(point)], number[tuple(there)]))
    yield step


def factors(n: int, count: int) -> list[int]:
    """As equal as they can be had by giving the largest prime to the smallest factor; the largest first."""
    primes, rest = [], n
    for p in range(2, n + 1):
        while rest % p == 0:
            primes.append(p)
            rest //= p
    found = [1] * count
    for prime in reversed(primes):
        found[found.index(min(found))] *= prime
    return sorted(found, reverse=True)


def tree(n: int) -> Iterator[Step]:
    strides = [1 << i for i in range((n - 1).bit_length())]
    yield from ([(i + s, i) for i in range(0, n - s, 2 * s)] for s in strides)
    yield from ([(i, i + s) for i in range(0, n - s, 2 * s)] for s in reversed(strides))


def permutations(n: int, seed: int) -> Iterator[Step]:
    dice = random.Random(seed)
    for _ in range(PERMUTATIONS):
        yield [(i, j) for i, j in enumerate(dice.sample(range(n), n)) if i != j]


TRAFFICS: dict[str, Callable[[int], Iterator[Step]]] = {
    "shift": shift,
    "xor": xor,
    "spread": spread,
    "random": lambda n: permutations(n, 99),
    "ring": ring,
    "halo-2d": lambda n: halo(n, 2),
    "halo-3d": lambda n: halo(n, 3),
    "tree": tree,
}


def bandwidth(walk: PacketWalk, ports: list[int], plan: Plan, steps: Iterator[Step]) -> float:
    """Of each step the time on the NICs' cables by that on the busiest link, each summed over the steps."""
    ideal = total = Fraction(0)
    for step in steps:
        loads: Counter[int] = Counter()
        cables: Counter[int] = Counter()
        for a, b in step:
            links = walk.links(ports[a], ports[b], plan.path_bits(a, b))
            loads.update(links)
            cables.update((links[0], links[-1]))
        ideal += max((load * walk.weight(link) for link, load in cables.items()), default=Fraction(0))
        total += max((load * walk.weight(link) for link, load in loads.items()), default=Fraction(0))
    return float(ideal / total) if total else 1.0


def gains(network: Network, routes: Routes, job: _core.Job, traffic: tuple[str, ...]) -> dict[str, tuple[float, float]]:
    """By traffic: without and with the plan."""
    (assessed,) = assess_jobs(network, routes, [job], "pair", Messages(named=traffic))
    assert assessed.planned is not None
    walk, ports, n = PacketWalk(network, routes), job.endpoints(network), job.rank_count
    without, planned = Plan.base_lids(n), assessed.planned.plan
    return {
        name: (bandwidth(walk, ports, without, steps(n)), bandwidth(walk, ports, planned, steps(n)))
        for name, steps in TRAFFICS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fabric", default=README_TREE, help="source (%(default)s)")
    parser.add_argument("--jobs", type=int, default=100, help="random jobs (%(default)s)")
    parser.add_argument("--sizes", default="16..16", help="FIRST..LAST hosts (%(default)s)")
    parser.add_argument("--order", choices=["sorted", "shuffled"], default="shuffled", help="of ranks (%(default)s)")
    parser.add_argument("--traffic", action="append", default=[], help="that comes first; repeatable")
    parser.add_argument("--seed", type=int, default=1, help="of the jobs (%(default)s)")
    given = parser.parse_args()
    network = ayatori.open_source(given.fabric)
    routes = ayatori.make_routes(network, "auto")
    dice = random.Random(given.seed)
    first, last = map(int, given.sizes.split(".."))
    hosts = [machine.name for machine in network.machines]
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in TRAFFICS}
    worse = 0
    for _ in range(given.jobs):
        chosen = dice.sample(range(len(hosts)), dice.randint(first, min(last, len(hosts))))
        order = sorted(chosen) if given.order == "sorted" else chosen
        job = _core.job_of_hosts(network, [(hosts[i], 1) for i in order], "job")
        of_job = gains(network, routes, job, tuple(given.traffic))
        for name, pair in of_job.items():
            found[name].append(pair)
        without, planned = (fmean(pair[which] for pair in of_job.values()) for which in (0, 1))
        worse += planned < without * (1 - TOLERATED / 2)
    print(f"{given.fabric}: {given.jobs} jobs of {given.sizes} hosts, ranks {given.order}, seed {given.seed}")
    print(f"{'traffic':10}{'no plan':>9}{'plan':>9}")
    for name, pairs in found.items():
        without, planned = fmean(each[0] for each in pairs), fmean(each[1] for each in pairs)
        lost = "   loses" if planned < without * (1 - TOLERATED) else ""
        print(f"{name:10}{without:9.4f}{planned:9.4f}{lost}")
    print(f"{worse} jobs whose mean over the traffics is worse by more than {TOLERATED / 2:.0%}")


if __name__ == "__main__":
    main()
