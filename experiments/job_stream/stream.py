"""A stream of jobs on numbered nodes: who waits, who runs where, and how many nodes are busy."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from dataclasses import dataclass, field

Allocation = Callable[[set[int], int], list[int] | None]


def contiguous_only(free: set[int], size: int) -> list[int] | None:
    """The first `size` neighbouring nodes that are free."""
    for first in sorted(free):
        nodes = list(range(first, first + size))
        if free.issuperset(nodes):
            return nodes
    return None


def any_nodes(free: set[int], size: int) -> list[int] | None:
    """The first `size` nodes that are free."""
    return sorted(free)[:size] if len(free) >= size else None


ALLOCATIONS: dict[str, Allocation] = {"contiguous only": contiguous_only, "any nodes": any_nodes}


@dataclass
class Outcome:
    """What became of a stream."""

    utilisation: float = 0
    """Share of the nodes' time until the last job began in which a job had them."""
    nodes_of_jobs: list[list[int]] = field(default_factory=list)


def run_stream(nodes: int, jobs: int, sizes: tuple[int, int], allocate: Allocation, seed: int) -> Outcome:
    """Jobs begin in the order in which they came, as soon as they fit; there is always one that waits.

    Sizes are uniform, times of running exponential: the same jobs for every allocation.
    """
    dice = random.Random(seed)
    stream = [(dice.randint(*sizes), dice.expovariate(1)) for _ in range(jobs)]
    running: list[tuple[float, list[int]]] = []
    free, now, busy = set(range(nodes)), 0.0, 0.0
    outcome = Outcome()
    for size, seconds in stream:
        while (taken := allocate(free, size)) is None:
            ended, given_back = heapq.heappop(running)
            busy += (nodes - len(free)) * (ended - now)
            now = ended
            free.update(given_back)
        free.difference_update(taken)
        heapq.heappush(running, (now + seconds, taken))
        outcome.nodes_of_jobs.append(taken)
    outcome.utilisation = busy / (nodes * now) if now else 1.0
    return outcome
