"""Is what `ayatori choose` takes the best in another's simulation? A grid of networks, jobs, collectives and sizes.

    .venv/bin/python bench/choice_grid.py [--quick]

In every cell all candidates (algorithms, pipelines with several segments) are played by SimGrid's SMPI over the same
links and ways (bench/smpi.py). A cell is good if what was chosen takes at most 1.05 times the fastest one's time there.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from smpi import play

from ayatori import _core
from ayatori._core import Job, Places
from ayatori.choice import Ranking, candidates_for, rank_algorithms
from ayatori.jobs import contiguous_jobs, random_jobs
from ayatori.network import open_source
from ayatori.prediction import Call, Model, Predictor, make_schedule
from ayatori.units import format_bytes, format_seconds

MODEL = Model(link_bandwidth=1716e6, link_latency=5e-7)
GOOD = 1.05
BAR = 0.95
COLLECTIVES = ("alltoall", "broadcast", "allreduce", "allgather", "reduce_scatter")
SIZES = tuple(1 << power for power in range(10, 23, 2))


@dataclass(frozen=True)
class Site:
    """A network with one job on it: random machines, or the first ones."""

    source: str
    machines: int
    ranks_per_machine: int = 1
    method: str | None = None
    seed: int | None = 1

    def __str__(self) -> str:
        job = f"{self.machines}x{self.ranks_per_machine}" + (f" seed {self.seed}" if self.seed else " contiguous")
        return f"{self.source} {job}" + (f" {self.method}" if self.method else "")

    def open(self) -> tuple[Predictor, Job]:
        network = open_source(self.source)
        if self.seed is None:
            job = contiguous_jobs(network, [self.machines], self.ranks_per_machine)[0]
        else:
            job = random_jobs(network, 1, self.machines, self.ranks_per_machine, self.seed)[0]
        return Predictor(network, self.method, MODEL), job


PAPER = "fattree:K=6,levels=2,nodes=30"
SITES = [
    Site(PAPER, 8),
    Site(PAPER, 13),
    Site(PAPER, 16),
    Site(PAPER, 16, seed=2),
    Site(PAPER, 16, method="pair"),
    Site(PAPER, 8, 8),
    Site(PAPER, 13, 8),
    Site("fattree:K=3,levels=3", 20),
    Site("fattree:K=3,levels=3", 16, 2),
    Site("torus:4x4", 16, seed=None),
    Site("torus:4x4", 11),
    Site("torus:2x3x2", 12, seed=None),
    Site("torus:3x3x3", 27, seed=None),
    Site("torus:3x3x3", 27, 2, seed=None),
    Site("dragonfly:a=4,p=2,h=2", 16),
    Site("dragonfly:a=4,p=2,h=2", 32),
]
QUICK_SITES = [Site(PAPER, 8), Site("torus:2x3x2", 12, seed=None)]
QUICK_SIZES = (1 << 12, 1 << 20)


@dataclass
class Cell:
    site: Site
    ranking: Ranking
    smpi: dict[tuple[str, int], float]
    """Seconds of each candidate (algorithm, segment)."""

    @property
    def chosen(self) -> tuple[str, int]:
        return self.ranking.best.algorithm, self.ranking.best.segment

    @property
    def fastest(self) -> tuple[str, int]:
        return min(self.smpi, key=lambda candidate: self.smpi[candidate])

    @property
    def ratio(self) -> float:
        return self.smpi[self.chosen] / self.smpi[self.fastest]


def words_for_places(places: Places) -> str:
    """The job's places as play takes them."""

    def listed(numbers: list[int]) -> str:
        return ",".join(str(int(number)) for number in numbers)

    words = [f"ranks={listed([places.node.count(node) for node in range(places.node_count)])}"]
    words.append(f"groups={listed(places.group)}")
    if places.dimensions:
        words.append(f"grid={'x'.join(map(str, places.dimensions))}")
        words.append(f"rings={listed(places.periodic)} points={listed(places.point)}")
    return " ".join(words)


def platforms(predictor: Predictor, job: Job, calls: list[Call]) -> Iterator[tuple[bytes, list[Call]]]:
    """Calls that take the same paths, with the platform that has them."""
    by_platform: dict[bytes, list[Call]] = {}
    places = predictor.places(job)
    platform = b""
    for call in calls:
        if not platform or predictor.method not in ("modk", "dimension-order"):
            planned = predictor.plan(job, make_schedule(call, places))
            plan = planned.plan if planned else None
            platform = _core.smpi_platform(
                predictor.network, predictor.routes, plan, job, predictor.model.links(), predictor.model.bus
            )
        by_platform.setdefault(platform, []).append(call)
    yield from by_platform.items()


def measure(site: Site, sizes: tuple[int, ...]) -> list[Cell]:
    predictor, job = site.open()
    where = words_for_places(predictor.places(job))
    rankings = [rank_algorithms(predictor, [job], collective, size) for collective in COLLECTIVES for size in sizes]
    calls = [
        call for ranking in rankings for call in candidates_for(predictor, [job], ranking.collective, ranking.bytes)[0]
    ]
    seconds: dict[Call, float] = {}
    for platform, group in platforms(predictor, job, calls):
        words = [f"{call.collective} {call.algorithm} {call.bytes} segment={call.segment} {where}" for call in group]
        seconds |= zip(group, play(platform, job.rank_count, words), strict=True)
    return [cell_of(site, ranking, seconds) for ranking in rankings]


def cell_of(site: Site, ranking: Ranking, seconds: dict[Call, float]) -> Cell:
    here = {
        (call.algorithm, call.segment): time
        for call, time in seconds.items()
        if (call.collective, call.bytes) == (ranking.collective, ranking.bytes)
    }
    return Cell(site, ranking, here)


def print_misses(cells: list[Cell]) -> None:
    for cell in cells:
        if cell.ratio <= GOOD:
            continue
        ours = {candidate.algorithm: candidate.seconds for candidate in cell.ranking.ranked}
        what = f"{cell.site} {cell.ranking.collective} {format_bytes(cell.ranking.bytes)}"
        print(f"{what:<78} {cell.ratio:.3f}")
        for role, candidate in (("chosen", cell.chosen), ("best", cell.fastest)):
            algorithm, segment = candidate
            name = algorithm + (f" in {format_bytes(segment)}" if segment else "")
            print(
                f"    {role:<7}{name:<40} SMPI {format_seconds(cell.smpi[candidate]):>10}"
                f"   ours {format_seconds(ours[algorithm]):>10}"
            )


def main() -> None:
    quick = sys.argv[1:] == ["--quick"]
    start = time.monotonic()
    sites, sizes = (QUICK_SITES, QUICK_SIZES) if quick else (SITES, SIZES)
    cells: list[Cell] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for site, measured in zip(sites, pool.map(lambda site: measure(site, sizes), sites), strict=True):
            good = sum(cell.ratio <= GOOD for cell in measured)
            print(f"{site!s:<60}{good:4} of {len(measured)} cells   {time.monotonic() - start:6.0f} s", flush=True)
            cells += measured
    print_misses(cells)
    good = sum(cell.ratio <= GOOD for cell in cells)
    print(f"{good} of {len(cells)} cells good: {good / len(cells):.1%} (bar: {BAR:.0%})")
    sys.exit(good < BAR * len(cells))


if __name__ == "__main__":
    main()
