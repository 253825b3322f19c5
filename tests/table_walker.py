"""Walks forwarding tables by itself: a second opinion on what the project says of any tables.

It takes cables and entries as plain numbers, and shares no code with routing, contention or planning. A switch is a
number, and so is a host; a port belongs to a switch.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

_PORTS = 256
_NOWHERE = -1


class WalkError(Exception):
    """A packet that does not arrive."""


@dataclass(frozen=True)
class Wiring:
    """Cables between switches as ((switch, port), (switch, port)), and the switch of each host."""

    switches: int
    cables: Sequence[tuple[tuple[int, int], tuple[int, int]]]
    hosts: Sequence[int]

    def neighbours(self) -> Ints:
        """The switch at the other end of each port."""
        ends = np.full((self.switches, _PORTS), _NOWHERE, np.int64)
        for (a, a_port), (b, b_port) in self.cables:
            ends[a, a_port] = b
            ends[b, b_port] = a
        return ends


class TableWalker:
    """The links between switches that packets take from each switch to each host."""

    def __init__(self, wiring: Wiring, out: Mapping[tuple[int, int], int], max_hops: int = 64) -> None:
        """`out` is the output port of (switch, host). Raises WalkError where a packet between two hosts gets lost."""
        self._wiring = wiring
        self._neighbours = wiring.neighbours()
        self._of_host = np.array(wiring.hosts, np.int64)
        switches, hosts = wiring.switches, len(wiring.hosts)
        table = np.full((switches, hosts), 255, np.int64)
        for (switch, host), number in out.items():
            table[switch, host] = number
        sources = np.unique(self._of_host)
        here = np.repeat(sources[:, None], hosts, axis=1)
        towards = np.broadcast_to(np.arange(hosts), here.shape)
        hops: list[Ints] = []
        while (moving := here != self._of_host[towards]).any():
            if len(hops) == max_hops:
                raise WalkError(f"a packet is under way after {max_hops} hops")
            port = table[here, towards]
            there = self._neighbours[here, port]
            if (moving & (there == _NOWHERE)).any():
                raise WalkError("a packet leaves by a port without a switch behind it")
            hops.append(np.where(moving, here * _PORTS + port, _NOWHERE))
            here = np.where(moving, there, here)
        shape = (0, switches, hosts)
        self._links = np.full((len(hops), switches, hosts), _NOWHERE, np.int64) if hops else np.zeros(shape, np.int64)
        for number, links in enumerate(hops):
            self._links[number][sources] = links

    @property
    def longest(self) -> int:
        """Most links between switches on a path between two hosts."""
        return len(self._links)

    def loads(self) -> Ints:
        """Paths of all ordered pairs of hosts over each directed link between switches."""
        links = self._links[:, self._of_host, :].reshape(-1)
        counts = np.bincount(links[links != _NOWHERE], minlength=self._wiring.switches * _PORTS)
        loads: Ints = counts[(self._neighbours != _NOWHERE).reshape(-1)]
        return loads

    def balance(self) -> float:
        """Paths on the busiest link, divided by the mean over all links."""
        loads = self.loads()
        return float(loads.max() / loads.mean())

    def idle_links(self) -> int:
        """Directed links between switches that no path takes."""
        return int((self.loads() == 0).sum())

    def bandwidth(self, job: Iterable[int]) -> float:
        """The job's relative bandwidth in a shift all-to-all; a step lasts as long as its busiest link has messages."""
        hosts = np.array(list(job), np.int64)
        size = len(hosts)
        if size < 2:
            return 1.0
        time = 0
        for shift in range(1, size):
            links = self._links[:, self._of_host[hosts], np.roll(hosts, -shift)].reshape(-1)
            links = links[links != _NOWHERE]
            time += int(np.unique(links, return_counts=True)[1].max()) if links.size else 1
        return (size - 1) / time


def random_jobs(hosts: int, size: int, count: int, seed: int) -> list[list[int]]:
    """Jobs of different hosts in order, drawn uniformly."""
    numbers = random.Random(seed)
    return [sorted(numbers.sample(range(hosts), size)) for _ in range(count)]
