"""Which way leads to a network that a host has no NIC on: through a host that is on both."""

from __future__ import annotations

from collections import defaultdict, deque

from ayatori.base.errors import Error
from ayatori.lab.cluster.layout import Layout


def find_routes(layout: Layout) -> list[dict[int, str]]:
    """By host: for each subnet that it is not on the address of its gateway.

    That is the host with the fewest further gateways on the way, among these one with the fewest switches between;
    hosts that have the same choice take it round-robin. Raises Error for a host from which no path leads to another.
    """
    subnets = sorted({nic.subnet for host in layout.hosts for nic in host.interfaces})
    further = {subnet: _gateways_to(layout, subnet) for subnet in subnets}
    switches = _switch_distances(layout)
    uses: dict[tuple[str, ...], int] = defaultdict(int)
    routes: list[dict[int, str]] = []
    for host in layout.hosts:
        routes.append({})
        own = {nic.subnet: nic for nic in host.interfaces}
        for subnet in (subnet for subnet in subnets if subnet not in own):
            ways = [
                (gateways, switches[own[nic.subnet].bridge][nic.bridge], nic.address)
                for number, gateways in further[subnet].items()
                for nic in layout.hosts[number].interfaces
                if nic.subnet in own
            ]
            if not ways:
                raise Error(
                    f"no path leads from host '{host.name}' to host '{_a_host_on(layout, subnet)}'",
                    hint="a link between their switches, or a host with a link to both",
                )
            shortest = min(ways)[:2]
            choice = tuple(sorted(address for *length, address in ways if tuple(length) == shortest))
            routes[-1][subnet] = choice[uses[choice] % len(choice)]
            uses[choice] += 1
    return routes


def _a_host_on(layout: Layout, subnet: int) -> str:
    return next(host.name for host in layout.hosts for nic in host.interfaces if nic.subnet == subnet)


def _gateways_to(layout: Layout, subnet: int) -> dict[int, int]:
    """By host that is on several subnets: how many more gateways are on its way to this one."""
    hosts = layout.hosts
    on: dict[int, list[int]] = defaultdict(list)
    for number, host in enumerate(hosts):
        for interface in host.interfaces:
            on[interface.subnet].append(number)
    forwarding = {number for number, host in enumerate(hosts) if len(host.interfaces) > 1}
    distance = {number: 0 for number in on[subnet] if number in forwarding}
    waiting = deque(distance)
    reached = {subnet}
    while waiting:
        number = waiting.popleft()
        for other in {interface.subnet for interface in hosts[number].interfaces} - reached:
            reached.add(other)
            for further in on[other]:
                if further in forwarding and further not in distance:
                    distance[further] = distance[number] + 1
                    waiting.append(further)
    return distance


def _switch_distances(layout: Layout) -> list[dict[int, int]]:
    """From each bridge to those that it can reach: how many trunks lie between."""
    neighbours: dict[int, list[int]] = defaultdict(list)
    for near, far, _ in layout.trunks:
        neighbours[near].append(far)
        neighbours[far].append(near)
    distances = []
    for start in range(len(layout.bridges)):
        distance = {start: 0}
        waiting = deque([start])
        while waiting:
            bridge = waiting.popleft()
            for other in neighbours[bridge]:
                if other not in distance:
                    distance[other] = distance[bridge] + 1
                    waiting.append(other)
        distances.append(distance)
    return distances
