"""Plans of few small jobs by an integer program (CP-SAT of OR-tools): a second opinion on plans among other jobs.

What is measured is what `measure_together` (contention/jobs_together.hpp) estimates by rounds at random phases, but
over all phases: each job is in a step of its own, all combinations of steps are equally likely, and with load(l) the
messages of all jobs on link l

    E_j = mean over the combinations of  max over the links l that job j uses in its step of load(l)
    together = mean over the jobs of 1 / E_j

The integer program sees every message with every path that the tables have for it, as `never_worse.PacketWalk` follows
them entry by entry, and shares no code with the planner. Its plans have no hot spot of their own: in no step do two
messages of one job share a link.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import Any

import numpy
from ortools.sat.python import cp_model

from ayatori._core import Job, Plan
from bench.validation.never_worse import PacketWalk

FOUND, OPTIMAL, IMPOSSIBLE, UNKNOWN = "found", "optimal", "impossible", "unknown"
WORKERS = 2


@dataclass(frozen=True)
class Sent:
    """A message of a job's shift all-to-all, with the links between routers of each path that it can take."""

    step: int
    pair: tuple[int, int]
    paths: tuple[tuple[int, ...], ...]


@dataclass
class Traffic:
    """The jobs' messages on links between routers, which are numbered as they are met."""

    walk: PacketWalk
    jobs: Sequence[Job]
    link_number: dict[int, int] = field(default_factory=dict)
    sent: list[list[Sent]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for job in self.jobs:
            ports, n = job.endpoints(self.walk.network), job.rank_count
            messages = []
            for step in range(n - 1):
                for source in range(n):
                    to = (source + step + 1) % n
                    paths = tuple(
                        self._between_routers(ports[source], ports[to], bits)
                        for bits in range(2 ** self.walk.routes.lmc(ports[to]))
                    )
                    if any(paths):
                        messages.append(Sent(step, (source, to), paths))
            self.sent.append(messages)

    def _between_routers(self, source: int, to: int, bits: int) -> tuple[int, ...]:
        links = self.walk.links(source, to, bits)[1:-1]
        return tuple(self.link_number.setdefault(link, len(self.link_number)) for link in links)

    def steps(self, job: int) -> int:
        return self.jobs[job].rank_count - 1

    def loads(self, job: int, chosen: dict[tuple[int, int], int]) -> numpy.ndarray:
        """By step and link: the job's messages, each on the path with these bits."""
        loads = numpy.zeros((self.steps(job), len(self.link_number)), dtype=numpy.int8)
        for message in self.sent[job]:
            for link in message.paths[chosen[message.pair]]:
                loads[message.step, link] += 1
        return loads

    def loads_of_plans(self, plans: Sequence[Plan]) -> list[numpy.ndarray]:
        return [self.loads(j, {m.pair: plan.path_bits(*m.pair) for m in self.sent[j]}) for j, plan in enumerate(plans)]


def expected_times(loads: Sequence[numpy.ndarray]) -> list[float]:
    """E_j of two or three jobs."""
    shape = [len(each) for each in loads]
    totals = numpy.zeros((*shape, loads[0].shape[1]), dtype=numpy.int8)
    for axis, each in enumerate(loads):
        totals = totals + _along(each, axis, len(loads))
    times = []
    for axis, each in enumerate(loads):
        used = _along(each > 0, axis, len(loads))
        times.append(float(numpy.maximum(1, (totals * used).max(axis=-1)).mean()))
    return times


def _along(by_step: numpy.ndarray, axis: int, jobs: int) -> numpy.ndarray:
    shape = [1] * jobs + [by_step.shape[1]]
    shape[axis] = by_step.shape[0]
    return by_step.reshape(shape)


def together(loads: Sequence[numpy.ndarray]) -> float:
    return float(numpy.mean([1 / time for time in expected_times(loads)]))


def is_isolated(loads: Sequence[numpy.ndarray]) -> bool:
    used = [each.any(axis=0) for each in loads]
    return not any((a & b).any() for a, b in combinations(used, 2)) and all((each <= 1).all() for each in loads)


@dataclass
class Exact:
    """What the integer program found."""

    outcome: str
    loads: list[numpy.ndarray] = field(default_factory=list)
    """By job, if plans were found."""
    least_time: float = 1.0
    """No plans have a smaller mean of E_j than this (proven)."""


class IntegerProgram:
    """The paths of jobs; those in `fixed`, by number, stand with these loads."""

    def __init__(self, traffic: Traffic, fixed: dict[int, numpy.ndarray] | None = None) -> None:
        self.traffic = traffic
        self.model = cp_model.CpModel()
        self.fixed = fixed or {}
        self.takes: dict[tuple[int, tuple[int, int], int], cp_model.IntVar] = {}
        self.on_link: dict[tuple[int, int, int], list[cp_model.IntVar]] = defaultdict(list)
        for job, messages in enumerate(traffic.sent):
            if job not in self.fixed:
                self._add_messages(job, messages)

    def _add_messages(self, job: int, messages: Sequence[Sent]) -> None:
        for message in messages:
            different = {links: bits for bits, links in reversed(list(enumerate(message.paths)))}
            paths = []
            for links, bits in different.items():
                takes = self.model.new_bool_var("")
                self.takes[job, message.pair, bits] = takes
                paths.append(takes)
                for link in links:
                    self.on_link[job, message.step, link].append(takes)
            self.model.add_exactly_one(paths)

    def isolate(self, seconds: float) -> Exact:
        """Looks for plans by which no job shares a link with another one, whatever step each is in."""
        owners: dict[int, dict[int, cp_model.IntVar]] = defaultdict(dict)
        for (job, _, link), messages in self.on_link.items():
            owner = owners[link].get(job)
            if owner is None:
                owner = owners[link][job] = self.model.new_bool_var("")
                if any(loads[:, link].any() for loads in self.fixed.values()):
                    self.model.add(owner == 0)
            self.model.add(sum(messages) <= owner)
        for jobs in owners.values():
            self.model.add_at_most_one(jobs.values())
        return self._solve(seconds)

    def minimise(self, seconds: float, begin: Sequence[Plan]) -> Exact:
        """Looks for plans with the least mean of E_j, beginning with plans that are known.

        Of three jobs what they lose where all three meet on one link is left out, so that `least_time` is a bound of
        the mean all the same.
        """
        uses = self._uses(begin)
        shape = [self.traffic.steps(job) for job in range(len(self.traffic.jobs))]
        meets = {
            (j, k): [[self._meets(uses, (j, s), (k, t)) for t in range(shape[k])] for s in range(shape[j])]
            for j, k in combinations(range(len(shape)), 2)
        }
        delays = []
        for job in range(len(shape)):
            with_others = {pair: table for pair, table in meets.items() if job in pair}
            delays += self._delays(with_others, shape)
        constant = sum(delay for delay in delays if isinstance(delay, int))
        self.model.minimize(sum(delay for delay in delays if not isinstance(delay, int)) + constant)
        for (job, pair, bits), takes in self.takes.items():
            self.model.add_hint(takes, int(begin[job].path_bits(*pair) == bits))
        exact = self._solve(seconds)
        terms = len(shape) * int(numpy.prod(shape))
        exact.least_time = 1 + max(0.0, exact.least_time) / terms
        return exact

    def _uses(self, begin: Sequence[Plan]) -> dict[tuple[int, int], dict[int, Any]]:
        """By job and step: the links that the step may use, each with a variable, or 1 where it does for sure."""
        known = self.traffic.loads_of_plans(begin)
        uses: dict[tuple[int, int], dict[int, Any]] = defaultdict(dict)
        for (job, step, link), messages in self.on_link.items():
            used = self.model.new_bool_var("")
            self.model.add(sum(messages) == used)
            self.model.add_hint(used, int(known[job][step, link] > 0))
            uses[job, step][link] = used
        for job, loads in self.fixed.items():
            for step, link in zip(*numpy.nonzero(loads), strict=True):
                uses[job, int(step)][int(link)] = 1
        return uses

    def _meets(self, uses: dict[tuple[int, int], dict[int, Any]], a: tuple[int, int], b: tuple[int, int]) -> Any:
        """A variable that is 1 if two steps share a link, or the number if that stands."""
        common = uses[a].keys() & uses[b].keys()
        both = [[use for use in (uses[a][link], uses[b][link]) if not isinstance(use, int)] for link in common]
        if not all(both):
            return 1
        if not both:
            return 0
        meets = self.model.new_bool_var("")
        for variables in both:
            self.model.add_bool_or([*(variable.negated() for variable in variables), meets])
        return meets

    def _delays(self, meets: dict[tuple[int, int], list[list[Any]]], shape: Sequence[int]) -> list[Any]:
        """Of one job: for each combination of steps, or of its own and one other, whether it meets another job."""
        if len(shape) == 2:
            [table] = meets.values()
            return [conflict for row in table for conflict in row]
        delays = []
        for steps in product(*(range(count) for count in shape)):
            met = [table[steps[j]][steps[k]] for (j, k), table in meets.items()]
            variables = [conflict for conflict in met if not isinstance(conflict, int)]
            if 1 in [conflict for conflict in met if isinstance(conflict, int)]:
                delays.append(1)
            elif len(variables) < 2:
                delays += variables
            else:
                delay = self.model.new_bool_var("")
                for conflict in variables:
                    self.model.add_implication(conflict, delay)
                delays.append(delay)
        return delays

    def _solve(self, seconds: float) -> Exact:
        solver = cp_model.CpSolver()
        solver.parameters.max_time_in_seconds = seconds
        solver.parameters.num_workers = WORKERS
        solver.parameters.random_seed = 1
        status = solver.solve(self.model)
        if status == cp_model.INFEASIBLE:
            return Exact(IMPOSSIBLE)
        if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
            return Exact(UNKNOWN)
        chosen: dict[int, dict[tuple[int, int], int]] = defaultdict(dict)
        for (job, pair, bits), takes in self.takes.items():
            if solver.value(takes):
                chosen[job][pair] = bits
        loads = [
            self.fixed[job] if job in self.fixed else self.traffic.loads(job, chosen[job])
            for job in range(len(self.traffic.jobs))
        ]
        outcome = OPTIMAL if status == cp_model.OPTIMAL else FOUND
        return Exact(outcome, loads, solver.best_objective_bound)
