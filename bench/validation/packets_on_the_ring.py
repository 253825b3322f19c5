"""Paper 1's all-to-all by packets (`ayatori simulate --packets`): the 2-level ring of figure 7 on random jobs of 16 of
30 nodes, 8 ranks each, over one LID, by the paper's rule, by pairs of NICs, and over all LIDs at once. Fails unless the
means of one LID and of the rule are within 8% of the paper's, several paths are below the rule for every buffer
(section 6), and pairs are not.

    python -m bench.validation.packets_on_the_ring --jobs 100 --seed 1
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from statistics import fmean

from ayatori._core import Job, Network
from ayatori.model.jobs import random_jobs
from ayatori.model.network import open_source
from ayatori.planning.plans import BASE_LIDS, MULTIPATH
from ayatori.prediction.calls import Call
from ayatori.prediction.predictor import Packets, Predictor
from ayatori.study import paper1
from experiments.fat_tree_alltoall.experiment import MAIN, NODES, PAPER_MODEL, RINGS, SOURCE
from experiments.paper_tables import tables_of_the_paper

METHODS = (BASE_LIDS, "rule", "pair", MULTIPATH)
BUFFERS = (4, 8, 32)
"""Packets in the buffer of a link; nobody tells how many the paper's switches had."""
NEARLY = 0.08
"""Of the paper's means."""


def means(network: Network, jobs: list[Job], packets: Packets, size: int) -> dict[str, float]:
    """MB/s a node by method, as figure 8 defines them."""
    call = Call("alltoall", RINGS["2-level ring"], size)
    model = replace(PAPER_MODEL, packets=packets)
    found = {}
    for method in METHODS:
        predictor = Predictor(network, method, model, tables_of_the_paper(network, method))
        found[method] = fmean((each.bandwidth or 0) / 1e6 for each in predictor.predict(jobs, call))
    return found


def faults(found: dict[str, float]) -> list[str]:
    """What differs from the paper."""
    wrong = [
        f"{method}: {found[method]:.0f} MB/s, the paper's {measured['mean']}"
        for method, measured in paper1.RANDOM.items()
        if abs(found[method] / measured["mean"] - 1) > NEARLY
    ]
    wrong += ["several paths are not below the rule"] * (found[MULTIPATH] >= found["rule"])
    return wrong + ["pairs are below the rule"] * (found["pair"] < found["rule"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kib", type=int, default=64, help="of each message; with the paper's 1024 it takes 16 times as long"
    )
    options = parser.parse_args()
    network = open_source(SOURCE)
    jobs = random_jobs(network, options.jobs, NODES, MAIN.ranks_per_node, options.seed)
    print(f"{SOURCE}, {options.jobs} jobs of {NODES}, {options.kib} KiB a pair, seed {options.seed}: MB/s a node, mean")
    print(f"{'buffer':>10}" + "".join(f"{method:>12}" for method in METHODS), flush=True)
    wrong = []
    for buffer in BUFFERS:
        found = means(network, jobs, Packets(buffer, options.seed), options.kib << 10)
        print(f"{buffer:>10}" + "".join(f"{found[method]:>12.0f}" for method in METHODS), flush=True)
        wrong += [f"buffers of {buffer}, {fault}" for fault in faults(found)]
    print(f"{'paper':>10}" + "".join(f"{paper1.RANDOM.get(method, {}).get('mean', '-'):>12}" for method in METHODS))
    for fault in wrong:
        print(fault)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
