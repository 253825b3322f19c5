"""Schedules that know the network against what Open MPI's and MPICH's selectors choose, in SimGrid's SMPI.

    .venv/bin/python -m bench.validation.selectors [JOBS]

The selectors are SMPI's (coll-selector ompi and mpich); execution.cpp calls SMPI's own MPI functions, or executes our
schedules. Each call is executed with real data first, which every rank checks, and then timed.

Broadcast on the torus of paper 2, SimGrid's own 4x6x16 torus with links of 5 GB/s and 0.1 us: Trinaryx3 shall have
2.5 times the bandwidth of both selectors, six colours 4 times, from 1 MiB on. The answers of all ranks are checked at
1 MiB.

All-to-all of 16 random machines with 8 ranks each on the fat tree of paper 1 (means of JOBS jobs, by default 3, seed
1), with one LID for each NIC and with paper 1's rule: what the 2-level ring gains over pairwise exchange shall be, in
SMPI, what our flow simulator predicts, at most 5% apart. Pairwise exchange is our schedule, and SMPI's own
function where a selector chooses it: Open MPI's at 1 MiB. (What it chooses at 64 KiB is none of our schedules.)
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from ayatori._core import Job
from ayatori.base.errors import Error
from ayatori.base.units import format_bytes, format_seconds
from ayatori.model.jobs import random_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import Costs, MessageCosts
from ayatori.prediction.predictor import Model, Predictor
from bench.validation import smpi

SELECTORS = {"ompi": "Open MPI", "mpich": "MPICH"}
CONFIGURATIONS = {"fluid model": smpi.FLUID, "SMPI as it comes": smpi.AS_IT_COMES}

TORUS = (4, 6, 16)
TORUS_BYTES = (1 << 20, 4 << 20, 16 << 20)
LINK, LATENCY = 5e9, 1e-7
BARS = {"trinaryx3": 2.5, "sixcolour": 4.0}

TREE = "fattree:K=6,levels=2,nodes=30"
TREE_MODEL = Model(
    link_bandwidth=1716e6, link_latency=1e-7, costs=Costs(inside=MessageCosts(bandwidth=smpi.BUS)), in_order=False
)
MACHINES, RANKS_EACH = 16, 8
TREE_BYTES = (1 << 16, 1 << 20)
AT_MOST_APART = 0.05
METHODS = ("base-lids", "rule")
RING = "two-level-ring"
SCHEDULES = (RING, "pairwise", "shift")
CHOSEN = {("ompi", 1 << 20): "pairwise", ("mpich", 1 << 16): "shift", ("mpich", 1 << 20): "shift"}
"""Our schedules of what the selectors choose for an all-to-all of 128 ranks."""


def torus_platform(shape: Sequence[int]) -> bytes:
    """SimGrid's own torus. Its first dimension is the one in which the hosts' numbers follow each other: our last.
    In a zone: SimGrid 4.0 crashes at a torus without."""
    dimensions = ",".join(str(length) for length in reversed(shape))
    return f"""<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
 <zone id="world" routing="Full">
 <cluster id="torus" prefix="node-" suffix="" radical="0-{math.prod(shape) - 1}" speed="1Gf"
  bw="{LINK}Bps" lat="{LATENCY}s"
  topology="TORUS" topo_parameters="{dimensions}" loopback_bw="{smpi.BUS}Bps" loopback_lat="0s"/>
 </zone>
</platform>
""".encode()


@dataclass(frozen=True)
class Broadcasts:
    """Seconds on a torus, of each of the sizes: by selector, and by algorithm of ours."""

    sizes: Sequence[int]
    selected: dict[str, list[float]]
    ours: dict[str, list[float]]

    def gains(self, algorithm: str) -> list[float]:
        """Times the bandwidth of the better selector, at each size."""
        better = [min(seconds) for seconds in zip(*self.selected.values(), strict=True)]
        return [theirs / seconds for theirs, seconds in zip(better, self.ours[algorithm], strict=True)]


def time_broadcasts(shape: Sequence[int], sizes: Sequence[int], configuration: Sequence[str]) -> Broadcasts:
    """Of the first size the answers are checked."""
    platform, ranks = torus_platform(shape), math.prod(shape)
    grid = f"grid={'x'.join(map(str, shape))}"

    def seconds_of(algorithm: str, keys: str, selector: str | None = None) -> list[float]:
        timed = [f"broadcast {algorithm} {size}{keys}" for size in sizes]
        return smpi.execute_calls(platform, ranks, [f"{timed[0]} check=1", *timed], "node-{}", configuration, selector)[
            1:
        ]

    return Broadcasts(
        sizes,
        {selector: seconds_of("mpi", "", selector) for selector in SELECTORS},
        {algorithm: seconds_of(algorithm, f" {grid}") for algorithm in BARS},
    )


@dataclass(frozen=True)
class Alltoalls:
    """Seconds of one job's all-to-all: in SMPI and predicted, by schedule and by selector whose choice is known."""

    executed: dict[str, float]
    predicted: dict[str, float]

    def gain_over(self, other: str) -> float:
        """What the 2-level ring gains in SMPI, times."""
        return self.executed[other] / self.executed[RING]

    def predicted_gain_over(self, other: str) -> float:
        return self.predicted[other] / self.predicted[RING]

    def apart(self, other: str) -> float:
        return self.gain_over(other) / self.predicted_gain_over(other) - 1


def time_alltoalls(predictor: Predictor, job: Job, size: int) -> Alltoalls:
    """Schedules, and the choices of selectors on the paths of the schedule that they are."""
    placement = predictor.placement(job)
    found = Alltoalls({}, {})
    for algorithm in SCHEDULES:
        call = Call("alltoall", algorithm, size)
        platform = smpi.platform_of(predictor, job, call, predictor.model.links())
        found.predicted[algorithm] = predictor.predict([job], call)[0].seconds
        [found.executed[algorithm]] = smpi.execute_calls(platform, job.rank_count, [smpi.words_of(call, placement)])
        for selector in SELECTORS:
            if CHOSEN.get((selector, size)) != algorithm:
                continue
            own = f"alltoall mpi {size}"
            found.predicted[selector] = found.predicted[algorithm]
            [found.executed[selector]] = smpi.execute_calls(platform, job.rank_count, [own], selector=selector)
    return found


def check_answers_of_alltoalls(predictor: Predictor, job: Job, size: int = 1 << 12) -> None:
    """With real data, of a size of which all ranks' messages fit into memory."""
    placement = predictor.placement(job)
    platform = smpi.platform_of(predictor, job, Call("alltoall", RING, size), predictor.model.links())
    calls = [smpi.words_of(Call("alltoall", algorithm, size), placement) for algorithm in SCHEDULES]
    checked = [f"{call} check=1" for call in [*calls, f"alltoall mpi {size}"]]
    for selector in SELECTORS:
        smpi.execute_calls(platform, job.rank_count, checked, selector=selector)


def show_broadcasts() -> None:
    name = "x".join(map(str, TORUS))
    for configuration, options in CONFIGURATIONS.items():
        found = time_broadcasts(TORUS, TORUS_BYTES, options)
        print(f"\nbroadcast on the {name} torus, {configuration}")
        print(f"{'':24}" + "".join(f"{format_bytes(size):>14}" for size in found.sizes))
        for selector, seconds in found.selected.items():
            print(f"{SELECTORS[selector]:24}" + "".join(f"{format_seconds(each):>14}" for each in seconds))
        for algorithm, seconds in found.ours.items():
            print(f"{algorithm:24}" + "".join(f"{format_seconds(each):>14}" for each in seconds))
            gains = "".join(f"{gain:13.1f}x" for gain in found.gains(algorithm))
            print(f"{'  better selector':24}{gains}   (at least {BARS[algorithm]}x)", flush=True)


def show_alltoalls(count: int) -> None:
    network = open_source(TREE)
    jobs = random_jobs(network, count, MACHINES, RANKS_EACH, 1)
    print(f"{RING} against other all-to-alls, {MACHINES} random machines of {TREE}, {RANKS_EACH} ranks each")
    print(f"{'':48}{'SMPI':>10}{'predicted':>11}   apart, each of {count} jobs (at most {AT_MOST_APART:.0%})")
    for method in METHODS:
        predictor = Predictor(network, method, TREE_MODEL)
        check_answers_of_alltoalls(predictor, jobs[0])
        for size in TREE_BYTES:
            timed = [time_alltoalls(predictor, job, size) for job in jobs]
            for other in [name for name in timed[0].executed if name != RING]:
                gain = sum(each.gain_over(other) for each in timed) / count
                predicted = sum(each.predicted_gain_over(other) for each in timed) / count
                name = f"{SELECTORS[other]} chooses {CHOSEN[other, size]}" if other in SELECTORS else other
                aparts = " ".join(f"{each.apart(other):+.2%}" for each in timed)
                print(
                    f"{method:18}{format_bytes(size):>7}  {name:27}{gain:9.3f}x{predicted:10.3f}x   {aparts}",
                    flush=True,
                )


def main() -> None:
    show_alltoalls(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    show_broadcasts()


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(f"error: {error.message}\n{error.cause}")
