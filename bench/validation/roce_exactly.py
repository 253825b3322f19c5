"""Plans of RoCE source ports compared with a search of its own: which steps can be without a shared link at all?

    .venv/bin/python -m bench.validation.roce_exactly [--source SOURCE] [--jobs 20] [--job-size 16] [--hash crc32]

Shares no code with the planner but the network: the hashes are those of Python's zlib and binascii, packets walk by
hop counts of their own, and for each step of a shift all choices of paths are tried, message by message. For each job
it says in how many steps the plan shares no link, and in how many any ports could do so: the two must be equal, and all
other steps proven. Exits with 3 if they are not. `--ipv6` gives the hosts addresses of IPv6.
"""

from __future__ import annotations

import argparse
import binascii
import json
import operator
import struct
import sys
import zlib
from collections import deque
from collections.abc import Callable
from functools import cached_property, reduce
from ipaddress import IPv4Address, IPv6Address, ip_address
from itertools import count

from ayatori import _core
from ayatori._core import Network
from ayatori.model.jobs import random_jobs
from ayatori.model.network import open_source
from ayatori.planning.source_ports import PlannedPorts, Switches, plan_ports

Address = IPv4Address | IPv6Address
Path = frozenset[int]

PORTS = range(0xC000, 0x10000)
MAX_CABLES = 128
"""Ports at a switch that are looked at."""


def head_of(source: Address, destination: Address, seed: int) -> bytes:
    """What is hashed before the ports."""
    return struct.pack(">I", seed) + source.packed + destination.packed + b"\x11"


TAILS = [struct.pack(">HH", port, 4791) for port in PORTS]


def xor(tail: bytes, before: int) -> int:
    """Of 16-bit words."""
    return before ^ int(reduce(operator.xor, (word for (word,) in struct.iter_unpack(">H", tail))))


HASHES: dict[str, tuple[Callable[[bytes], int], Callable[[bytes, int], int]]] = {
    "xor": (lambda head: xor(head[:-1] + b"\0" + head[-1:], 0), xor),
    "crc16": (lambda head: binascii.crc_hqx(head, 0xFFFF), binascii.crc_hqx),
    "crc32": (zlib.crc32, zlib.crc32),
}
"""How each begins, and how it goes on."""


class Walk:
    """Which links packets take from one of a job's NICs to another, by the source port."""

    def __init__(self, network: Network, endpoints: list[int], addresses: list[Address], hash: str) -> None:
        self.network, self.endpoints, self.addresses, self.hash = network, endpoints, addresses, HASHES[hash]

    @cached_property
    def cables(self) -> list[list[tuple[int, int]]]:
        """Of each switch: its ports that lead to switches, in order of their numbers, and which switch it is."""
        found = []
        for switch in range(self.network.router_count):
            ports = [self.network.cabled_port(switch, number) for number in range(MAX_CABLES)]
            ends = [(port, self.network.port(port).peer) for port in ports if port is not None]
            to = [(port, self.network.port(peer).device) for port, peer in ends]
            found.append([(port, device) for port, device in to if device < self.network.router_count])
        return found

    def leaf(self, end: int) -> int:
        return self.network.port(self.network.port(self.endpoints[end]).peer).device

    def hops_to(self, leaf: int) -> dict[int, int]:
        hops, queue = {leaf: 0}, deque([leaf])
        while queue:
            switch = queue.popleft()
            for _, near in self.cables[switch]:
                if near not in hops:
                    hops[near] = hops[switch] + 1
                    queue.append(near)
        return hops

    def paths(self, source: int, destination: int) -> set[Path]:
        """All that some source port takes."""
        hops = self.hops_to(self.leaf(destination))
        begin, go_on = self.hash
        nearer: dict[int, tuple[int, list[tuple[int, int]]]] = {}  # of each switch: the hash so far, and its cables
        for switch, cables in enumerate(self.cables):
            head = head_of(self.addresses[source], self.addresses[destination], switch + 1)
            nearer[switch] = begin(head), [cable for cable in cables if hops[cable[1]] == hops[switch] - 1]
        found = set()
        for tail in TAILS:
            switch, links = self.leaf(source), []
            while hops[switch] > 0:
                before, cables = nearer[switch]
                link, switch = cables[go_on(tail, before) % len(cables)]
                links.append(link)
            found.add(frozenset(links))
        return found


def can_be_disjoint(choices: list[set[Path]]) -> bool:
    """Whether one path can be taken of each set so that no link is in two: all choices are tried, few first."""
    if not choices:
        return True
    first = min(choices, key=len)
    rest = [each for each in choices if each is not first]
    for path in first:
        left = [{other for other in each if not other & path} for each in rest]
        if all(left) and can_be_disjoint(left):
            return True
    return False


def free_steps(walk: Walk) -> int:
    """In how many steps of a shift ports can keep all messages apart."""
    ends = len(walk.endpoints)
    known = {(i, j): walk.paths(i, j) for i in range(ends) for j in range(ends) if i != j}
    return sum(can_be_disjoint([known[i, (i + step) % ends] for i in range(ends)]) for step in range(1, ends))


def compare(network: Network, planned: PlannedPorts, hash: str) -> dict[str, int]:
    endpoints = _core.job_of_nics(network, planned.job).endpoints(network)
    walk = Walk(network, endpoints, [ip_address(each) for each in planned.addresses], hash)
    ours = planned.planned
    return {
        "steps": ours.contention.steps,
        "free": ours.contention.free_steps,
        "proven": ours.proven_steps,
        "can_be_free": free_steps(walk),
    }


def agrees(line: dict[str, int]) -> bool:
    return line["free"] == line["can_be_free"] and line["free"] + line["proven"] == line["steps"]


def switches_of(network: Network, hash: str, ipv6: bool) -> Switches:
    if not ipv6:
        return Switches(hash)
    machines = [machine for machine in network.machines if machine.endpoints]
    first = IPv6Address("fd00:1:2:3::1")
    endpoint = count()
    addresses = {each.name: [str(first + next(endpoint)) for _ in each.endpoints] for each in machines}
    return Switches(hash, addresses=addresses)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", default="fattree:K=4,levels=3,nodes=64")
    parser.add_argument("--jobs", type=int, default=20)
    parser.add_argument("--job-size", type=int, default=16)
    parser.add_argument("--hash", choices=sorted(HASHES), default="crc32")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--ipv6", action="store_true")
    arguments = parser.parse_args()
    network = open_source(arguments.source)
    switches = switches_of(network, arguments.hash, arguments.ipv6)
    differ = 0
    for number, job in enumerate(random_jobs(network, arguments.jobs, arguments.job_size, seed=arguments.seed)):
        line = compare(network, plan_ports(network, job, switches), arguments.hash)
        differ += not agrees(line)
        print(json.dumps({"job": number, **line, "agrees": agrees(line)}), flush=True)
    print(f"{arguments.hash}: {arguments.jobs - differ} of {arguments.jobs} jobs as the other search has them")
    return 3 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
