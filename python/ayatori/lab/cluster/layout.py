"""What a lab is made of for a given network: bridges, hosts with interfaces and addresses, cables with their rates."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ayatori._core import HostInterface, Network
from ayatori.base.errors import Error

MAX_HOSTS = 1000
MAX_SUBNETS = 190
_INTERFACE_NAME = re.compile(r"[A-Za-z0-9._-]{1,15}")
_FIRST_SUBNET = 64
_PREFIX_LENGTH = 16
_HOSTS_IN_A_BLOCK = 250


@dataclass(frozen=True)
class Cable:
    """What a cable carries each way."""

    bits_per_second: float
    latency_ns: int
    """Of the cable and the device at its end; 0 where the network does not tell it."""


@dataclass(frozen=True)
class Interface:
    """A NIC of a host."""

    name: str
    bridge: int
    """Index in Layout.bridges: the switch at the other end of its cable."""
    subnet: int
    """NICs share one if they are of the same rail and their switches are joined."""
    addresses: list[str]
    """With the length of their network: "10.64.0.1/16". The first is the one that names lead to."""
    cable: Cable

    @property
    def address(self) -> str:
        return self.addresses[0].partition("/")[0]


@dataclass(frozen=True)
class Host:
    name: str
    interfaces: list[Interface]
    others: list[HostInterface]
    """Interfaces that no cable leaves."""

    @property
    def address(self) -> str:
        """That of its name: of its first interface."""
        return self.interfaces[0].address


@dataclass(frozen=True)
class Layout:
    bridges: list[str]
    """The names of the switches."""
    hosts: list[Host]
    """In the order in which the network has them: neighbours share a switch."""
    trunks: list[tuple[int, int, Cable]]
    """Cables between two bridges. No two ways lead from one bridge to another, since Ethernet would go round in
    circles: parallel cables are one with their rates together."""
    left_out: list[str]
    """Pairs of switches whose cables would close a circle."""
    flows: list[tuple[tuple[int, int], tuple[int, int], float]]
    """Background traffic: from a host's interface to another's (both by their numbers), and how many bits a
    second it asks for."""
    own_addresses: bool
    """Whether all addresses are the lab's, which then finds routes. It makes none if the file gives an address."""


def prefix_of(subnet: int) -> str:
    """Of a subnet with the lab's own addresses."""
    return f"10.{_FIRST_SUBNET + subnet}.0.0/{_PREFIX_LENGTH}"


def lay_out(network: Network, slower: float = 1.0, given: Sequence[HostInterface] = ()) -> Layout:
    """The lab of a network whose machines have names, with all rates divided by `slower`. `given` are the interfaces
    whose addresses are not the lab's choice. Raises Error if there is no
    such lab: hosts or subnets too many, a name that no interface can have, a NIC at no switch, a cable without a rate.
    """
    machines = [network.machines[index] for index in network.machines_in_order]
    if not machines:
        raise Error("the network has no hosts")
    if len(machines) > MAX_HOSTS:
        raise Error(f"the network has {len(machines)} hosts, and a lab at most {MAX_HOSTS}")
    trunks, parts, left_out = _trunks(network, slower)
    subnets = _number_subnets(network, parts)
    hosts = []
    for number, machine in enumerate(machines):
        if not machine.endpoints:
            raise Error(f"host '{machine.name}' has no cable")
        given_by_name = {one.name: one.addresses for one in given if one.host == machine.name and one.cabled}
        interfaces = [
            _interface(network, port, number, subnets, parts, given_by_name, slower) for port in machine.endpoints
        ]
        others = [one for one in given if one.host == machine.name and not one.cabled]
        for other in others:
            _check_name(other.name)
        hosts.append(Host(machine.name, interfaces, others))
    bridges = [network.name(router) for router in range(network.router_count)]
    flows = _flows(network, slower)
    return Layout(bridges, hosts, trunks, left_out, flows, not any(one.cabled for one in given))


def _flows(network: Network, slower: float) -> list[tuple[tuple[int, int], tuple[int, int], float]]:
    place = {
        endpoint: (host, interface)
        for host, index in enumerate(network.machines_in_order)
        for interface, endpoint in enumerate(network.machines[index].endpoints)
    }
    return [(place[leaves], place[arrives], rate * 8 / slower) for leaves, arrives, rate in network.background]


def _number_subnets(network: Network, parts: list[int]) -> dict[tuple[int, int], int]:
    """By rail and part: 0, 1, …"""
    found = set()
    for endpoint in network.endpoints:
        bridge = network.router_of(endpoint)
        if bridge is None:
            raise Error(f"{network.describe_link(endpoint)}: a lab has cables between hosts and switches only")
        found.add((network.rail(network.port(endpoint).device), parts[bridge]))
    if len(found) > MAX_SUBNETS:
        raise Error(f"the network has {len(found)} subnets, and a lab at most {MAX_SUBNETS}")
    return {key: number for number, key in enumerate(sorted(found))}


def _interface(
    network: Network,
    endpoint: int,
    host: int,
    subnets: Mapping[tuple[int, int], int],
    parts: list[int],
    given_by_name: Mapping[str, list[str]],
    slower: float,
) -> Interface:
    device = network.port(endpoint).device
    bridge = network.router_of(endpoint)
    assert bridge is not None
    name = network.name(device)
    _check_name(name)
    subnet = subnets[network.rail(device), parts[bridge]]
    block, place = divmod(host, _HOSTS_IN_A_BLOCK)
    own = f"10.{_FIRST_SUBNET + subnet}.{block}.{place + 1}/{_PREFIX_LENGTH}"
    return Interface(name, bridge, subnet, given_by_name.get(name, [own]), _cable(network, endpoint, slower))


def _check_name(name: str) -> None:
    if not _INTERFACE_NAME.fullmatch(name):
        raise Error(f"no interface can be called '{name}'", hint="at most 15 letters, digits, '.', '_' and '-'")


def _cable(network: Network, link: int, slower: float, count: int = 1) -> Cable:
    port = network.port(link)
    if port.bytes_per_second <= 0:
        plane = network.planes[network.plane_of(port.device)]
        raise Error(
            f"{_whose(network, port.device)} has a cable without a rate on the plane '{plane}'",
            hint=f'[planes.{plane}] rate = "1Gbit/s", or a rate of the link',
        )
    return Cable(port.bytes_per_second * 8 * count / slower, port.latency_ns)


def _whose(network: Network, device: int) -> str:
    """The host of a NIC, or the switch."""
    if device < network.router_count:
        return f"switch '{network.name(device)}'"
    return f"host '{network.machines[network.machine_of(device)].name}'"


def _trunks(network: Network, slower: float) -> tuple[list[tuple[int, int, Cable]], list[int], list[str]]:
    """The trunks, for each switch a number that those have that are joined with it, and what is left out."""
    bundles: dict[tuple[int, int], list[int]] = defaultdict(list)
    for link, _ in network.cables():
        near, far = network.port(link).device, network.port(network.port(link).peer).device
        if near < network.router_count and far < network.router_count and near != far:
            bundles[min(near, far), max(near, far)].append(link)
    trunks, left_out = [], []
    part = list(range(network.router_count))
    for (near, far), links in sorted(bundles.items()):
        if part[near] == part[far]:
            left_out.append(f"{network.name(near)} - {network.name(far)}")
            continue
        part = [part[near] if number == part[far] else number for number in part]
        trunks.append((near, far, _cable(network, links[0], slower, len(links))))
    return trunks, part, left_out
