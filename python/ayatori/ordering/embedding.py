"""An order made at once: hosts that send much to each other are put where they are near.

One place after the other gets a host: always the place that has most traffic with those that have one, and the free
host from which that traffic has the fewest links to cross. The search (search.py) starts from there, too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ayatori._core import Network, StepSequence

MAX_HOSTS = 512
"""Of a job; for larger ones it would take longer than the predictions that it saves."""
STEPS_LOOKED_AT = 16

Matrix = NDArray[np.float64]


def hops_between(network: Network, machines: Sequence[int]) -> Matrix:
    """Cables on the shortest path between any two of the machines; infinite if there is none."""
    no_machine = max((network.machine_of(device) for device in range(network.device_count)), default=0)
    is_one = no_machine >= len(network.machines)
    first_device = len(network.machines)

    def vertex(device: int) -> int:
        machine = network.machine_of(device)
        return first_device + device if is_one and machine == no_machine else machine

    neighbours: list[set[int]] = [set() for _ in range(first_device + network.device_count)]
    for a, b in network.cables():
        ends = vertex(network.port(a).device), vertex(network.port(b).device)
        neighbours[ends[0]].add(ends[1])
        neighbours[ends[1]].add(ends[0])
    hops = np.full((len(machines), len(machines)), np.inf)
    for row, machine in enumerate(machines):
        distance = _distances(neighbours, machine)
        hops[row] = [distance.get(other, np.inf) for other in machines]
    return hops


def _distances(neighbours: Sequence[Iterable[int]], start: int) -> dict[int, int]:
    distance = {start: 0}
    queue = deque([start])
    while queue:
        vertex = queue.popleft()
        for other in neighbours[vertex]:
            if other not in distance:
                distance[other] = distance[vertex] + 1
                queue.append(other)
    return distance


def traffic_between(steps: StepSequence, place_of_rank: Sequence[int], places: int) -> Matrix:
    """Bytes between any two places, both ways together, in some of the steps, spread over all. A message without bytes
    counts as one byte."""
    traffic = np.zeros((places, places))
    for step in range(0, steps.step_count, max(1, steps.step_count // STEPS_LOOKED_AT)):
        for message in steps.messages(step):
            a, b = place_of_rank[message.from_rank], place_of_rank[message.to_rank]
            if a != b:
                traffic[a, b] += max(1, message.bytes)
    return traffic + traffic.T


def embed(traffic: Matrix, hops: Matrix, classes: Sequence[Sequence[int]], preferred: Sequence[int]) -> tuple[int, ...]:
    """order[i]: the host of place i. Hosts are numbered as the places; a class has those that may change places.
    Of hosts that are as good the first in `preferred` is taken."""
    order = list(range(len(traffic)))
    kind = {place: number for number, own in enumerate(classes) for place in own}
    near = np.where(np.isfinite(hops), hops, 1 + np.max(hops, initial=0, where=np.isfinite(hops)))
    free = [[host for host in preferred if kind.get(host) == number] for number in range(len(classes))]
    placed = [place for place in order if place not in kind]
    waiting = [place for place in order if place in kind]
    attraction = traffic[:, placed].sum(axis=1)
    while waiting:
        place = max(waiting, key=lambda other: (attraction[other], -other))
        hosts = free[kind[place]]
        weights = traffic[place, placed]
        costs = near[np.ix_(hosts, [order[other] for other in placed])] @ weights
        order[place] = hosts.pop(int(np.argmin(costs)))
        attraction += traffic[:, place]
        waiting.remove(place)
        placed.append(place)
    return tuple(order)
