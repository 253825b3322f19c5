"""The plan of a job among running jobs, with the best that it could have, by an integer program for each step.

    .venv/bin/python -m bench.validation.last_job_exactly [--hosts 36] [--jobs 3] [--cases 1000] [--seed 1]

The jobs are those of jobs_together.py, planned one after the other. The earlier ones stand; over all phases each step
of the last job delays them and itself independently of its other steps. A program for each step (CP-SAT) sees all paths
of its messages, and minimises what its delays cost by the gradient of the mean bandwidth at our plan. It shares no code
with the planner. Prints the mean bandwidth with our plans and with the best steps, and in how many cases all of these
are proven.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

import numpy
from ortools.sat.python import cp_model

from bench.validation.exact_plans import Sent, Traffic, expected_times, is_isolated, together
from bench.validation.jobs_together import Fabric, drawn_jobs, planned_one_by_one
from bench.validation.jobs_together_exactly import FABRICS, SIZES
from bench.validation.never_worse import PacketWalk

PRECISION = 10_000
"""Prices are whole numbers in CP-SAT."""
SECONDS = 10


class StepProgram:
    """The paths of one step of the last job; `standing` has, for each earlier job, which steps use which links."""

    def __init__(self, messages: Sequence[Sent], standing: Sequence[numpy.ndarray]) -> None:
        self.model = cp_model.CpModel()
        self.standing = standing
        self.takes: list[tuple[cp_model.IntVar, tuple[int, ...]]] = []
        on_link: dict[int, list[cp_model.IntVar]] = defaultdict(list)
        for message in messages:
            paths = [(self.model.new_bool_var(""), links) for links in sorted(set(message.paths))]
            self.model.add_exactly_one(takes for takes, _ in paths)
            self.takes += paths
            for takes, links in paths:
                for link in links:
                    on_link[link].append(takes)
        self.used = {}
        for link, takes_link in on_link.items():
            self.used[link] = self.model.new_bool_var("")
            self.model.add(sum(takes_link) == self.used[link])
        self.meets = [[self._any_of(steps[step]) for step in range(len(steps))] for steps in standing]

    def _any_of(self, uses: numpy.ndarray) -> cp_model.IntVar:
        """Is one of these links used?"""
        any_of = self.model.new_bool_var("")
        for link in numpy.flatnonzero(uses):
            if int(link) in self.used:
                self.model.add_implication(self.used[int(link)], any_of)
        return any_of

    def minimise(self, prices: Sequence[int]) -> bool:
        """Least Σ price · delay, over all combinations of steps of the other jobs. Was it proven?"""
        if len(self.standing) == 1:
            cost = [(prices[0] + prices[1]) * meets for meets in self.meets[0]]
        else:
            cost = self._costs_with_two(prices)
        self.model.minimize(sum(cost))
        self.solver = cp_model.CpSolver()
        self.solver.parameters.max_time_in_seconds = SECONDS
        self.solver.parameters.num_workers = 1
        return bool(self.solver.solve(self.model) == cp_model.OPTIMAL)

    def _costs_with_two(self, prices: Sequence[int]) -> list[cp_model.LinearExpr]:
        first, second = self.standing
        cost = []
        for a in range(len(first)):
            for b in range(len(second)):
                either = self.model.new_bool_var("")
                self.model.add_implication(self.meets[0][a], either)
                self.model.add_implication(self.meets[1][b], either)
                cost.append(prices[2] * either)
                both = first[a] & second[b]
                if both.any():
                    cost.append(sum(prices) * self._any_of(both))
                else:
                    cost += [prices[0] * self.meets[0][a], prices[1] * self.meets[1][b]]
        return cost

    def links(self) -> list[int]:
        return [link for takes, links in self.takes if self.solver.value(takes) for link in links]


def best_last_job(traffic: Traffic, loads: Sequence[numpy.ndarray]) -> tuple[numpy.ndarray, bool]:
    """The last job's loads with the best paths among the others', and whether all of its steps are proven."""
    standing = [each > 0 for each in loads[:-1]]
    prices = [round(PRECISION / time**2) for time in expected_times(loads)]
    best = numpy.zeros_like(loads[-1])
    proven = True
    for step in range(len(best)):
        messages = [message for message in traffic.sent[-1] if message.step == step]
        if not messages:
            continue
        program = StepProgram(messages, standing)
        proven = program.minimise(prices) and proven
        numpy.add.at(best[step], program.links(), 1)
    return best, proven


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, choices=sorted(FABRICS), default=36)
    parser.add_argument("--jobs", type=int, choices=(2, 3), default=3)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    fabric = Fabric(FABRICS[arguments.hosts])
    walk = PacketWalk(fabric.network, fabric.routes)
    reached: list[tuple[float, float]] = []
    proven = isolated = can_be = 0
    for jobs in drawn_jobs(fabric, arguments.jobs, SIZES, arguments.cases, arguments.seed):
        traffic = Traffic(walk, jobs)
        loads = traffic.loads_of_plans([made.plan for made in planned_one_by_one(fabric, jobs)])
        best, all_proven = best_last_job(traffic, loads)
        reached.append((together(loads), together([*loads[:-1], best])))
        proven += all_proven
        isolated += is_isolated(loads)
        can_be += is_isolated([*loads[:-1], best])
    ours, theirs = fmean(a for a, _ in reached), fmean(b for _, b in reached)
    print(
        f"{FABRICS[arguments.hosts]}, {arguments.jobs} jobs, seed {arguments.seed}, {len(reached)} cases: "
        f"mean together {ours:.4f}, with the best plans of the last job {theirs:.4f} (ratio {ours / theirs:.4f}, worst "
        f"{min(a / b for a, b in reached):.4f}; all steps proven in {proven} cases); isolated {isolated} of {can_be}"
    )


if __name__ == "__main__":
    main()
