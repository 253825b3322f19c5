"""Is the algorithm that `ayatori choose` takes the best one in SimGrid's simulation, too?

Cells are networks, jobs, collectives and sizes.

    .venv/bin/python -m bench.validation.choice_grid [--quick]

In every cell SimGrid's SMPI executes all candidates (algorithms, pipelines with several chunk sizes) over the same
links and routes (smpi.py). A cell is good if the chosen algorithm takes there at most 1.05 times the time of the
fastest. In SimGrid messages between the same two ranks share links as all others do; so they do in these predictions
(Model.in_order), but not in those of `choose`.

Misses are executed once more on links without latency. SimGrid's flows share a link in inverse proportion to their
latencies (as TCP's do by round-trip times); ours share it fairly, and without latency so do SimGrid's. A miss that is
gone then comes from that.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from ayatori import _core
from ayatori._core import Job
from ayatori.base.units import format_bytes, format_seconds
from ayatori.model.jobs import contiguous_jobs, random_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.choice import LeftOut, Ranking, assess, pieces_of, rank, variants_of
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import DIMENSION_ORDER, Model, Predictor
from bench.validation import smpi

MODEL = Model(link_bandwidth=1716e6, link_latency=5e-7, costs=FREE, in_order=False)
GOOD = 1.05
BAR = 0.95
MANY_RANKS = 50  # that SMPI takes minutes for: every second size is enough
ANY_CALL = Call("alltoall", "shift", 1)
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
SITES = [  # the longest first: two of them run at a time
    Site(PAPER, 13, 8),
    Site("torus:3x3x3", 27, 2, seed=None),
    Site(PAPER, 8, 8),
    Site(PAPER, 8),
    Site(PAPER, 13),
    Site(PAPER, 16),
    Site(PAPER, 16, seed=2),
    Site(PAPER, 16, seed=None),
    Site(PAPER, 16, method="pair"),
    Site("fattree:K=3,levels=3", 20),
    Site("fattree:K=3,levels=3", 16, 2),
    Site("torus:4x4", 16, seed=None),
    Site("torus:4x4", 11),
    Site("torus:2x3x2", 12, seed=None),
    Site("torus:3x3x3", 27, seed=None),
    Site("dragonfly:a=4,p=2,h=2", 16),
    Site("dragonfly:a=4,p=2,h=2", 32),
]
QUICK_SITES = [Site(PAPER, 13), Site("torus:2x3x2", 12, seed=None)]
QUICK_SIZES = (1 << 12, 1 << 20)


@dataclass
class Cell:
    site: Site
    ranking: Ranking
    smpi: dict[tuple[str, int], float]
    """Seconds of each candidate (algorithm, chunk size)."""
    ratio_without_latency: float = 0
    """Of a miss: time of what was chosen over time of what was fastest, on links without latency."""

    @property
    def chosen(self) -> tuple[str, int]:
        return self.ranking.best.algorithm, self.ranking.best.chunk_bytes

    @property
    def fastest(self) -> tuple[str, int]:
        return min(self.smpi, key=lambda candidate: self.smpi[candidate])

    @property
    def ratio(self) -> float:
        return self.smpi[self.chosen] / self.smpi[self.fastest]

    @property
    def good(self) -> bool:
        return self.ratio <= GOOD

    def call(self, candidate: tuple[str, int]) -> Call:
        return Call(self.ranking.collective, candidate[0], self.ranking.bytes, chunk_bytes=candidate[1])


def execute_calls(predictor: Predictor, job: Job, calls: list[Call], links: _core.LinkDefaults) -> dict[Call, float]:
    """Seconds of each call under SMPI; calls that take the same paths are executed by one run."""
    placement = predictor.placement(job)
    by_platform: dict[bytes, list[Call]] = {}
    if predictor.method in ("base-lids", DIMENSION_ORDER):
        by_platform[smpi.platform_of(predictor, job, ANY_CALL, links)] = calls
    else:
        for call in calls:
            by_platform.setdefault(smpi.platform_of(predictor, job, call, links), []).append(call)
    seconds: dict[Call, float] = {}
    for platform, group in by_platform.items():
        words = [smpi.words_of(call, placement) for call in group]
        seconds |= zip(group, smpi.execute_calls(platform, job.rank_count, words), strict=True)
    return seconds


def measure(site: Site, sizes: tuple[int, ...]) -> list[Cell]:
    predictor, job = site.open()
    if job.rank_count > MANY_RANKS:
        sizes = sizes[::2]
    pieces = pieces_of((collective, size) for collective in COLLECTIVES for size in sizes)
    rankings = rank(pieces, assess(predictor, [job], pieces))
    variants = [variants_of(predictor, piece, [predictor.placement(job)]) for piece in pieces]
    calls = [call for calls in variants if not isinstance(calls, LeftOut) for call in calls]
    seconds = execute_calls(predictor, job, calls, predictor.model.links())
    cells = [cell_of(site, ranking, seconds) for ranking in rankings]
    explain_misses(predictor, job, [cell for cell in cells if not cell.good])
    return cells


def explain_misses(predictor: Predictor, job: Job, misses: list[Cell]) -> None:
    if not misses:
        return
    links = predictor.model.links()
    links.latency = 0
    pairs = [(cell.call(cell.chosen), cell.call(cell.fastest)) for cell in misses]
    seconds = execute_calls(predictor, job, sorted({call for pair in pairs for call in pair}, key=str), links)
    for cell, (chosen, fastest) in zip(misses, pairs, strict=True):
        cell.ratio_without_latency = seconds[chosen] / seconds[fastest]


def cell_of(site: Site, ranking: Ranking, seconds: dict[Call, float]) -> Cell:
    here = {
        (call.algorithm, call.chunk_bytes): time
        for call, time in seconds.items()
        if (call.collective, call.bytes) == (ranking.collective, ranking.bytes)
    }
    return Cell(site, ranking, here)


def print_misses(misses: list[Cell]) -> None:
    for cell in misses:
        what = f"{cell.site} {cell.ranking.collective} {format_bytes(cell.ranking.bytes)}"
        print(f"{what:<76}{cell.ratio:.3f}, without latency {cell.ratio_without_latency:.3f}")
        ours = {(candidate.algorithm, candidate.chunk_bytes): candidate.seconds for candidate in cell.ranking.ranked}
        for role, (algorithm, chunk) in (("chosen", cell.chosen), ("fastest", cell.fastest)):
            name = algorithm + (f" in {format_bytes(chunk)}" if chunk else "")
            there = format_seconds(cell.smpi[algorithm, chunk])
            here = format_seconds(ours[algorithm, chunk]) if (algorithm, chunk) in ours else "no faster"
            print(f"    {role:<8}{name:<30}SMPI {there:>10}   ours {here:>10}")


def main() -> None:
    sites, sizes = (QUICK_SITES, QUICK_SIZES) if sys.argv[1:] == ["--quick"] else (SITES, SIZES)
    start = time.monotonic()
    cells: list[Cell] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for site, measured in zip(sites, pool.map(lambda site: measure(site, sizes), sites), strict=True):
            good = sum(cell.good for cell in measured)
            print(f"{site!s:<60}{good:4} of {len(measured)} cells   {time.monotonic() - start:6.0f} s", flush=True)
            cells += measured
    misses = [cell for cell in cells if not cell.good]
    print_misses(misses)
    share = 1 - len(misses) / len(cells)
    print(f"{len(cells) - len(misses)} of {len(cells)} cells good: {share:.1%} (bar: {BAR:.0%})")
    sys.exit(share < BAR)


if __name__ == "__main__":
    main()
