"""Steps made for the paths of OpenSM's own tables: how much of the bound by load do random jobs reach?

    .venv/bin/python -m bench.validation.opensm_steps [--jobs 1000] [--seed 1]

OpenSM routes paper 1's fabric (30 hosts, one LID a port) in a simulator with each of its engines. Of each random job of
16 hosts, means over all jobs, as a share of what the NICs could:

    shift     the shift all-to-all as it is, the paper's conventional method (it measured 1198 of 1716 MB/s)
    steps     steps made for the paths of these tables, without a plan
    bound     what no order of the messages can beat on these tables
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from statistics import fmean

import ayatori
from ayatori import _core
from ayatori._core import Job, Network, Plan, Routes
from ayatori.lab.fabric import Engine, SimulatedFabric
from ayatori.lab.fabric.verification import net_text
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor
from ayatori.study.paper1 import PEAK_MBPS, SOURCE

NODES = 16
ENGINES: tuple[Engine, ...] = ("ftree", "updn", "minhop")


def tables_of(network: Network, engine: Engine) -> Routes:
    """The tables that OpenSM sends to the switches."""
    with SimulatedFabric(net_text(network)) as fabric:
        run = fabric.run_opensm(engine)
        return _core.parse_tables(run.lfts_dump, f"OpenSM's {engine}", network)


def figures(network: Network, routes: Routes, jobs: Sequence[Job]) -> dict[str, float]:
    shift, steps, bound, worst = [], [], [], 1.0
    for job in jobs:
        plan = Plan.base_lids(job.rank_count)
        shift.append(ayatori.contention(network, routes, job, plan).relative_bandwidth)
        made = _core.make_steps(network, routes, job.endpoints(network), plan)
        steps.append(made.bound.endpoint_time / made.time)
        bound.append(made.bound.endpoint_time / made.bound.time)
        worst = min(worst, steps[-1] / bound[-1])
    return {"shift": fmean(shift), "steps": fmean(steps), "bound": fmean(bound), "worst": worst}


def drifting(network: Network, routes: Routes, jobs: Sequence[Job]) -> dict[str, float]:
    """MB/s a node of ranks that go on as soon as they can."""
    model = Model(link_bandwidth=PEAK_MBPS * 1e6, link_latency=0, costs=FREE)
    predictor = Predictor(network, model=model, routes=routes)
    return {
        name: fmean(
            (prediction.bandwidth or 0) / 1e6
            for prediction in predictor.predict(jobs, Call("alltoall", algorithm, 1 << 20))
        )
        for name, algorithm in (("shift", "shift"), ("steps", "path-aware"))
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    network = ayatori.open_source(SOURCE)
    jobs = ayatori.random_jobs(network, arguments.jobs, NODES, seed=arguments.seed)
    print(f"{SOURCE}: {arguments.jobs} random jobs of {NODES} hosts, seed {arguments.seed}, MB/s of {PEAK_MBPS}")
    for engine in ENGINES:
        routes = tables_of(network, engine)
        found, drift = figures(network, routes, jobs), drifting(network, routes, jobs)
        print(
            f"  {engine:7} shift {found['shift'] * PEAK_MBPS:5.0f}, steps {found['steps'] * PEAK_MBPS:5.0f}, "
            f"bound {found['bound'] * PEAK_MBPS:5.0f}: {found['steps'] / found['bound']:.3f} of it, the worst job "
            f"{found['worst']:.3f}; drifting {drift['shift']:5.0f} and {drift['steps']:5.0f}"
        )


if __name__ == "__main__":
    main()
