"""Random jobs planned as `ayatori plan` does by default, or with --traffic: what each traffic gets without and with the
plan. Traffics and bandwidths are worked out here alone: packets are followed through the tables entry by entry, and
the permutations are drawn by another generator, from another seed.

    python -m bench.validation.plans_for_traffics --jobs 100 --sizes 16..16 --order shuffled
    python -m bench.validation.plans_for_traffics --fabric fattree:K=8,levels=3 --jobs 50 --sizes 8..128
    python -m bench.validation.plans_for_traffics --gone 0.05 --jobs 50 --sizes 8..30
    python -m bench.validation.plans_for_traffics --traffic shift --order sorted

It exits with 1 if a traffic loses more than 2% in the mean, or a job more than 1% in the mean over the traffics; with
--traffic if the first one has more than 1% less than by `--method pair` alone.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from statistics import fmean

import ayatori
from ayatori import _core
from ayatori._core import Network, Plan, Routes
from ayatori.planning.plans import Messages, assess_jobs
from bench.validation.never_worse import PacketWalk, plan_of
from bench.validation.plans_against_adaptive import Case, drawn

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
            if ports[a] == ports[b]:
                continue
            links = walk.links(ports[a], ports[b], plan.path_bits(a, b))
            loads.update(links)
            cables.update((links[0], links[-1]))
        ideal += max((load * walk.weight(link) for link, load in cables.items()), default=Fraction(0))
        total += max((load * walk.weight(link) for link, load in loads.items()), default=Fraction(0))
    return float(ideal / total) if total else 1.0


def gains(network: Network, routes: Routes, job: _core.Job, traffic: tuple[str, ...]) -> dict[str, tuple[float, ...]]:
    """By traffic: without and with the plan; of the first of those that come first also with a plan for it alone."""
    walk, ports, n = PacketWalk(network, routes), job.endpoints(network), job.rank_count
    (assessed,) = assess_jobs(network, routes, [job], "pair", Messages(named=traffic))
    plans = [Plan.base_lids(n), plan_of(assessed)]
    found = {name: tuple(bandwidth(walk, ports, plan, steps(n)) for plan in plans) for name, steps in TRAFFICS.items()}
    for name in traffic[:1]:
        (alone,) = assess_jobs(network, routes, [job], "pair", Messages(pattern=name))
        found[name] += (bandwidth(walk, ports, plan_of(alone), TRAFFICS[name](n)),)
    return found


def drawn_job(network: Network, dice: random.Random, given: argparse.Namespace) -> _core.Job:
    hosts = [machine.name for machine in network.machines]
    first, last = map(int, given.sizes.split(".."))
    chosen = dice.sample(range(len(hosts)), dice.randint(first, min(last, len(hosts))))
    runs = [(hosts[i], given.ranks) for i in (sorted(chosen) if given.order == "sorted" else chosen)]
    if given.order == "scattered":
        runs = [(host, 1) for host, ranks in runs for _ in range(ranks)]
        dice.shuffle(runs)
    return _core.job_of_hosts(network, runs, "job")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fabric", default=README_TREE, help="source (%(default)s)")
    parser.add_argument("--gone", type=float, default=0, help="share of cables between routers that each job lacks")
    parser.add_argument("--jobs", type=int, default=100, help="random jobs (%(default)s)")
    parser.add_argument("--sizes", default="16..16", help="FIRST..LAST hosts (%(default)s)")
    parser.add_argument("--ranks", type=int, default=1, help="on each host (%(default)s)")
    parser.add_argument(
        "--order",
        choices=["sorted", "shuffled", "scattered"],
        default="shuffled",
        help="of the hosts; scattered: of the ranks (%(default)s)",
    )
    parser.add_argument("--traffic", action="append", default=[], help="that comes first; repeatable")
    parser.add_argument("--seed", type=int, default=1, help="of the jobs (%(default)s)")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    dice = random.Random(given.seed)
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in TRAFFICS}
    below, worse = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given.jobs):
            network = drawn(Case("", given.fabric, given.gone), dice, Path(folder))
            job = drawn_job(network, dice, given)
            of_job = gains(network, ayatori.make_routes(network, "auto"), job, tuple(given.traffic))
            for name, shares in of_job.items():
                found[name].append(shares)
            without, planned = (fmean(shares[which] for shares in of_job.values()) for which in (0, 1))
            worse += planned < without * (1 - TOLERATED / 2)
            below += any(shares[1] < shares[2] * (1 - TOLERATED / 2) for shares in of_job.values() if len(shares) > 2)
    gone = f", {given.gone:.0%} of the cables gone" if given.gone else ""
    ranks = f", {given.ranks} ranks a host" if given.ranks > 1 else ""
    print(f"{given.fabric}{gone}: {given.jobs} jobs of {given.sizes} hosts{ranks}, {given.order}, seed {given.seed}")
    print(f"{'traffic':10}{'no plan':>9}{'plan':>9}" + f"{'alone':>9}" * bool(given.traffic))
    losers = []
    for name, of_jobs in found.items():
        means = [fmean(each[which] for each in of_jobs) for which in range(len(of_jobs[0]))]
        if means[1] < means[0] * (1 - TOLERATED):
            losers.append(name)
        print(f"{name:10}" + "".join(f"{mean:9.4f}" for mean in means) + "   loses" * (name in losers))
    print(f"{worse} jobs whose mean over the traffics is worse by more than {TOLERATED / 2:.0%}")
    if given.traffic:
        print(f"{below} jobs with more than {TOLERATED / 2:.0%} less of {given.traffic[0]} than by a plan for it alone")
        return int(below > 0)
    return int(bool(losers) or worse > 0)


if __name__ == "__main__":
    sys.exit(main())
