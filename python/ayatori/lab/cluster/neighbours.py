"""The kernel's table of neighbours, one for all namespaces: it holds 1,024 entries by default, and drops those of other
hosts when there are more. Entries that are permanent do not count, and cost memory alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from ayatori.lab.cluster.layout import Layout

_LEARNED_AT_MOST = 600
"""Entries. Hosts of smaller labs ask for each other's hardware addresses, as real ones do."""
_ENTRY_BYTES = 1024
_MOST_PORTS = 1023
"""Of a bridge."""


def hardware_address(host: int, interface: int) -> str:
    """Of a lab's own choice, so that nobody has to ask."""
    return f"02:a1:{host >> 8:02x}:{host & 255:02x}:{interface >> 8:02x}:{interface & 255:02x}"


def permanent_neighbours(layout: Layout) -> list[list[str]]:
    """By host the lines of `ip -batch` with all others of its subnets; none in small labs."""
    on: Mapping[int, list[tuple[int, int]]] = defaultdict(list)
    for number, host in enumerate(layout.hosts):
        for index, nic in enumerate(host.interfaces):
            on[nic.subnet].append((number, index))
    if _entries(layout) <= _LEARNED_AT_MOST:
        return [[] for _ in layout.hosts]
    return [
        [
            f"neighbour replace {address.partition('/')[0]} lladdr {hardware_address(peer, index)} "
            f"dev {nic.name} nud permanent"
            for nic in host.interfaces
            for peer, index in on[nic.subnet]
            if peer != number
            for address in layout.hosts[peer].interfaces[index].addresses
        ]
        for number, host in enumerate(layout.hosts)
    ]


def why_too_large(layout: Layout) -> str:
    """Why the kernel does not hold such a lab; empty if it does."""
    ports = [0] * len(layout.bridges)
    for host in layout.hosts:
        for nic in host.interfaces:
            ports[nic.bridge] += 1
    for near, far, _ in layout.trunks:
        ports[near] += 1
        ports[far] += 1
    most = max(ports, default=0)
    if most > _MOST_PORTS:
        return f"switch '{layout.bridges[ports.index(most)]}' has {most} cables, and a bridge {_MOST_PORTS} at most"
    needed, free = _entries(layout) * _ENTRY_BYTES, _available_bytes()
    if needed > free // 4:
        return (
            f"{len(layout.hosts)} hosts have {_entries(layout):,} neighbours, which take {needed >> 20} MiB of the "
            f"kernel's memory; {free >> 20} MiB are free"
        )
    return ""


def _entries(layout: Layout) -> int:
    members: dict[int, int] = defaultdict(int)
    for host in layout.hosts:
        for nic in host.interfaces:
            members[nic.subnet] += 1
    return sum(count * (count - 1) for count in members.values())


def _available_bytes() -> int:
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    return 1 << 62
