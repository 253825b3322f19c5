"""A rank order that suits the network and the pattern: hosts change places until the predicted time falls no more."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from random import Random

from ayatori import _core
from ayatori._core import Job, SearchControl, StepSequence
from ayatori.base.errors import Error
from ayatori.prediction.calls import Call
from ayatori.prediction.predictor import Predictor, PreparedRun

CORES = os.cpu_count() or 1
"""So many orders are predicted in parallel."""
AT_ONCE = 4 * CORES
"""Orders of which the fastest is taken, if one is faster than what is known."""
MESSAGES_TO_PREDICT = 20_000_000
"""Of all orders together, where the caller does not say how many orders are tried: about a minute on two cores."""
MIN_TRIALS, MAX_TRIALS = 20, 5_000
MAX_PAIRS = 100_000
"""Of two hosts; where there are more, random ones are tried."""
SHAKES, SWAPS_OF_A_SHAKE = 6, 3


@dataclass(frozen=True)
class Pattern:
    """Messages of one size."""

    steps: StepSequence
    """Over the job's ranks."""
    message_bytes: int


Traffic = Call | Pattern
"""What the job will do: a collective by an algorithm, or a pattern of messages."""


@dataclass(frozen=True)
class Ordered:
    """The best order that was found."""

    job: Job
    seconds: float
    given_seconds: float
    """In the order that was given."""
    trials: int
    """Orders that were predicted."""
    settled: bool
    """No change of places of two hosts makes it faster."""

    @property
    def gain(self) -> float:
        """The given order takes this many times as long."""
        return self.given_seconds / self.seconds if self.seconds > 0 else 1.0


Order = tuple[int, ...]
"""order[i]: which of the given job's hosts stands i-th."""
Cost = tuple[float, float]
"""The predicted time, and the mean over ranks of when each is done, which tells orders apart that take equally long."""


def order_ranks(
    predictor: Predictor,
    job: Job,
    traffic: Traffic,
    trials: int | None = None,
    seed: int = 1,
    control: SearchControl | None = None,
) -> Ordered:
    """The fastest order found, never one that is predicted to take longer than the given one.

    Hosts with as many ranks change places, so that each rank keeps its number of neighbours on its host; others stay
    where they are. The search starts from the given order, from the network's (machines_in_order), and from one in
    which hosts that send much to each other are near (embedding.py). It takes the best change of places of two hosts
    again and again, all pairs where `trials` allow and random ones otherwise.
    `control` expects trials_for() of them. Where it stops the search, the best so far; the given order is always tried.
    """
    control = control or SearchControl()
    search = _Search(predictor, job, traffic, trials_for(job, traffic, predictor, trials), Random(seed), control)
    return search.run()


def trials_for(job: Job, traffic: Traffic, predictor: Predictor, trials: int | None) -> int:
    """How many orders are predicted at most."""
    if trials is not None:
        if trials < 1:
            raise Error(f"{trials} trials are none")
        return trials
    run = _prepare(predictor, job, traffic)
    steps = run.schedule.steps()
    messages = sum(len(steps.messages(step)) for step in _some(steps.step_count)) * max(1, steps.step_count // 16)
    return max(MIN_TRIALS, min(MAX_TRIALS, MESSAGES_TO_PREDICT // max(1, messages)))


def _some(steps: int) -> range:
    """At most 16 steps, spread over all of them."""
    return range(0, steps, max(1, steps // 16))


def _prepare(predictor: Predictor, job: Job, traffic: Traffic) -> PreparedRun:
    if isinstance(traffic, Call):
        return predictor.prepare(job, traffic)
    schedule = _core.schedule_of_pattern(traffic.steps, traffic.message_bytes)
    return PreparedRun(job, predictor.placement(job), schedule, predictor.plan(job, schedule), None)


class _Search:
    def __init__(
        self,
        predictor: Predictor,
        job: Job,
        traffic: Traffic,
        trials: int,
        random: Random,
        control: SearchControl,
    ) -> None:
        self._predictor = predictor
        self._job = job
        self._traffic = traffic
        self._left = trials
        self._random = random
        self._control = control
        self._tried = 0
        control.expect(trials)
        self._known: dict[Order, Cost] = {}
        self._settled: set[Order] = set()
        places: dict[int, list[int]] = {}
        self._machines = [machine for machine, _ in job.runs]
        for place, (_, ranks) in enumerate(job.runs):
            places.setdefault(ranks, []).append(place)
        self._classes = [own for own in places.values() if len(own) > 1]
        """Placement of runs of as many ranks."""
        self._pair_counts = [math.comb(len(own), 2) for own in self._classes]

    def run(self) -> Ordered:
        given = tuple(range(len(self._machines)))
        network = self._network_order()
        starts = list(dict.fromkeys([given, network, *self._embedded_order(network)]))
        self._predict(starts, at_least=1)
        best = given
        for start in sorted((order for order in starts if order in self._known), key=self._known.__getitem__):
            best = min(best, self._descend(start), key=self._known.__getitem__)
        best = self._shaken(best)
        if self._known[best][0] >= self._known[given][0]:  # not faster, if only more even
            best = given
        return Ordered(
            self._job.in_order(best),
            self._known[best][0],
            self._known[given][0],
            self._tried,
            best in self._settled or not self._classes,
        )

    def _shaken(self, best: Order) -> Order:
        """Starts again some changes away from the best order, until that has not helped a few times."""
        failures = 0
        while failures < SHAKES and self._left > 0 and self._classes:
            other = list(best)
            for a, b in (self._random_pair() for _ in range(SWAPS_OF_A_SHAKE)):
                other[a], other[b] = other[b], other[a]
            self._predict([tuple(other)])
            if tuple(other) not in self._known:
                break
            found = self._descend(tuple(other))
            failures = 0 if self._known[found] < self._known[best] else failures + 1
            best = min(best, found, key=self._known.__getitem__)
        return best

    def _network_order(self) -> Order:
        """Hosts with as many ranks in the order of the network, in the places of such hosts."""
        position = {machine: i for i, machine in enumerate(self._predictor.network.machines_in_order)}
        order = list(range(len(self._machines)))
        for places in self._classes:
            hosts = sorted(places, key=lambda place: position[self._machines[place]])
            for place, host in zip(places, hosts, strict=True):
                order[place] = host
        return tuple(order)

    def _embedded_order(self, network: Order) -> list[Order]:
        """None for a job of very many hosts."""
        from ayatori.ordering.embedding import MAX_HOSTS, embed, hops_between, traffic_between

        hosts = len(self._machines)
        if hosts > MAX_HOSTS or not self._classes:
            return []
        run = _prepare(self._predictor, self._job, self._traffic)
        run_of_rank = [number for number, (_, ranks) in enumerate(self._job.runs) for _ in range(ranks)]
        traffic = traffic_between(run.schedule.steps(), run_of_rank, hosts)
        hops = hops_between(self._predictor.network, self._machines)
        return [embed(traffic, hops, self._classes, network)]

    def _descend(self, order: Order) -> Order:
        """Changes places of two hosts while that helps and trials are left."""
        while True:
            better = None
            complete = sum(self._pair_counts) <= MAX_PAIRS
            for batch in self._swaps(order):
                if self._left == 0:
                    return order
                self._predict(batch)
                complete &= all(other in self._known for other in batch)
                fastest = min((other for other in batch if other in self._known), key=self._known.__getitem__)
                if self._known[fastest] < self._known[order]:
                    better = fastest
                    break
            if better is None:
                if complete:
                    self._settled.add(order)
                return order
            order = better

    def _swaps(self, order: Order) -> Iterator[list[Order]]:
        """All changes of places of two hosts in random order, in batches; of very many pairs a part."""
        if sum(self._pair_counts) <= MAX_PAIRS:
            pairs = [pair for own in self._classes for pair in combinations(own, 2)]
            self._random.shuffle(pairs)
        else:
            pairs = [self._random_pair() for _ in range(self._left)]
        for first in range(0, len(pairs), AT_ONCE):
            batch = []
            for a, b in pairs[first : first + AT_ONCE]:
                other = list(order)
                other[a], other[b] = other[b], other[a]
                batch.append(tuple(other))
            yield batch

    def _random_pair(self) -> tuple[int, int]:
        (own,) = self._random.choices(self._classes, self._pair_counts)
        a, b = self._random.sample(own, 2)
        return a, b

    def _predict(self, orders: Sequence[Order], at_least: int = 0) -> None:
        """Those that are not known yet, as many as trials are left."""
        new = [order for order in orders if order not in self._known]
        new = new[: max(self._left, at_least)]
        for first in range(0, len(new), CORES):
            self._predict_at_once(new[first : first + CORES])
            if self._control.stopped:
                self._left = 0
                return

    def _predict_at_once(self, orders: Sequence[Order]) -> None:
        jobs = [self._job.in_order(order) for order in orders]
        runs = [_prepare(self._predictor, job, self._traffic) for job in jobs]
        for order, prediction in zip(orders, self._predictor.predict_prepared(runs), strict=True):
            times = prediction.rank_seconds or [prediction.seconds]
            self._known[order] = (float(f"{prediction.seconds:.9g}"), float(f"{sum(times) / len(times):.9g}"))
        self._left -= min(self._left, len(orders))
        self._tried += len(orders)
        self._control.did(len(orders))
