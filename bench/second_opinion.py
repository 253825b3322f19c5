"""The same schedules over the same links and ways, timed by our flow simulator and by SimGrid's SMPI: side by side.

    .venv/bin/python bench/second_opinion.py [JOBS]

SMPI runs the schedule as MPI processes (mpi/play.cpp, smpi.py). On the 30-node 6-ary-2-tree of paper 1, a row takes the
mean of JOBS random jobs (by default 3, seed 1) on destination-mod-K tables, with links of 1716 MB/s; on tori it takes
all nodes, by dimension order, with links of 5 GB/s. The last rows are for the speed: an all-to-all of 256 ranks.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass

from smpi import BUS, play

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.errors import Error
from ayatori.jobs import contiguous_jobs, random_jobs
from ayatori.network import open_source
from ayatori.planning import plan
from ayatori.routes import make_routes
from ayatori.units import format_bytes

LATENCY = 1e-7  # seconds a link
AT_MOST_APART = 0.05
AT_LEAST_FASTER = {"synchronous": 100, "drift": 20}


@dataclass(frozen=True)
class Case:
    collective: str
    algorithm: str
    bytes: int
    ranks_per_node: int = 1


TREE_CASES = [
    Case("alltoall", "shift", 1 << 20),
    Case("alltoall", "ring2", 1 << 20, 8),
    Case("alltoall", "bruck", 1 << 16),
    Case("broadcast", "binomial", 1 << 20),
    Case("broadcast", "scatter-allgather", 1 << 22),
    Case("allreduce", "ring", 1 << 22),
    Case("allreduce", "rabenseifner", 1 << 22),
    Case("allreduce", "recursive-doubling", 1 << 20),
    Case("allgather", "ring", 1 << 18),
]
TORUS_CASES = [
    *(Case("alltoall", algorithm, 1 << 16) for algorithm in ("shift", "pairwise", "ring", "bruck")),
    *(
        Case("broadcast", algorithm, 1 << 24)
        for algorithm in ("binomial", "chain", "scatter-allgather", "mapped-binary", "trinaryx3", "sixcolour")
    ),
    *(
        Case("allreduce", algorithm, 1 << 24)
        for algorithm in ("recursive-doubling", "rabenseifner", "ring", "swing", "bine", "trinaryx3", "sixcolour")
    ),
]
TORI = ("4x4", "4x4x4")


class Ground:
    """A network with what both simulators need to know of it."""

    def __init__(self, source: str, rate: float) -> None:
        self.network: Network = open_source(source)
        self.grid = source.partition("torus:")[2]
        self.routes = None if self.grid else make_routes(self.network, 0)
        self.links = _core.LinkDefaults()
        self.links.bytes_per_second = rate
        self.links.latency = LATENCY

    def _plan(self, job: Job):
        return plan(self.network, self.routes, job, "base").plan if self.routes else None

    def ours(self, job: Job, case: Case, steps: str = "drift") -> tuple[float, float]:
        """Predicted seconds, and the wall time that took."""
        ranks = job.rank_count
        places = (
            _core.places_of_job(self.network, job) if self.grid else _core.places_of_ranks(ranks, case.ranks_per_node)
        )
        schedule = _core.make_schedule(case.algorithm, case.collective, 0, case.bytes, places, _core.AlgorithmOptions())
        plans = [self._plan(job)] if self.routes else []
        options = _core.FlowOptions()
        options.steps = _core.StepMode[steps]
        options.bus = BUS
        start = time.perf_counter()
        results = _core.simulate_jobs(self.network, self.routes, plans, [job], [schedule], options, self.links, [])
        return results[0]["seconds"], time.perf_counter() - start

    def smpi(self, job: Job, case: Case) -> tuple[float, float]:
        where = f"grid={self.grid}" if self.grid else f"ppn={case.ranks_per_node}"
        call = [case.collective, case.algorithm, str(case.bytes), where]
        return play(self.network, self.routes, self._plan(job), job, self.links, call)


def print_row(name: str, ours: list[tuple[float, float]], smpi: list[tuple[float, float]], bar: str = "") -> None:
    apart = [a / b - 1 for (a, _), (b, _) in zip(ours, smpi, strict=True)]
    seconds = [sum(row[i] for row in rows) / len(rows) for rows in (ours, smpi) for i in (0, 1)]
    span = f"{min(apart):+.2%}" + (f" to {max(apart):+.2%}" if len(apart) > 1 else "")
    far = " *" if max(map(abs, apart)) > AT_MOST_APART else ""
    print(
        f"{name:<52}{seconds[0] * 1e3:10.3f} ms{seconds[2] * 1e3:10.3f} ms{span:>20}{far:<2}"
        f"{seconds[3] / seconds[1]:9.0f}x{bar}",
        flush=True,
    )


def compare(name: str, ground: Ground, jobs: list[Job], case: Case) -> None:
    said = f"{case.collective} {case.algorithm}, {name}, {format_bytes(case.bytes)}"
    print_row(said, [ground.ours(job, case) for job in jobs], [ground.smpi(job, case) for job in jobs])


def compare_speed() -> None:
    """One run of SMPI against both models of steps."""
    ground = Ground("fattree:K=12,levels=2", 1716e6)
    job = contiguous_jobs(ground.network, [256], 1)[0]
    case = Case("alltoall", "shift", 1 << 16)
    theirs = [ground.smpi(job, case)]
    for steps, bar in AT_LEAST_FASTER.items():
        ours = min((ground.ours(job, case, steps) for _ in range(3)), key=lambda run: run[1])
        print_row(f"alltoall shift, 256 nodes, 64 KiB, {steps}", [ours], theirs, f" (at least {bar}x)")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(f"{'':<52}{'ours':>13}{'SMPI':>13}{'ours against SMPI':>20}{'faster':>12}")
    tree = Ground("fattree:K=6,levels=2,nodes=30", 1716e6)
    for case in TREE_CASES:
        jobs = random_jobs(tree.network, count, 16, case.ranks_per_node, 1)
        compare(f"16 nodes x {case.ranks_per_node}", tree, jobs, case)
    for shape in TORI:
        torus = Ground(f"torus:{shape}", 5e9)
        whole = contiguous_jobs(torus.network, [len(torus.network.machines)], 1)
        for case in TORUS_CASES:
            compare(shape, torus, whole, case)
    compare_speed()


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(f"error: {error.message}\n{error.cause}")
