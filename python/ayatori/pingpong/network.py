"""Networks as files of the kind `json:`: of what hosts say of their interfaces, and with links as measured."""

from __future__ import annotations

import json
from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from typing import Any

from ayatori import _core
from ayatori._core import Network, Port
from ayatori.base.errors import Error
from ayatori.diagnosis import Facts
from ayatori.pingpong.measuring import Result
from ayatori.pingpong.stretches import plane_of

_NANOSECONDS = 1e9


def network_of_facts(facts: Facts) -> str:
    """The JSON of a network with a switch for each subnet that several hosts are on, and the hosts' interfaces on it.

    What lies between the hosts nobody knows who asks only them. Cables have the rate that was measured between
    neighbours of the list. Interfaces that do not reach those of other hosts are left out. Raises Error if no two hosts
    reach each other.
    """
    members: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for host in facts.hosts:
        for address in host.addresses():
            is_first = (host.name, address.interface) not in members[address.network]
            others = [other for (one, other), reached in facts.reached.items() if reached and one == address]
            if is_first and others:
                members[address.network].append((host.name, address.interface))
    subnets = [subnet for subnet, ends in members.items() if len({host for host, _ in ends}) > 1]
    if not subnets:
        raise Error("no two of the hosts reach each other")
    names = _distinct([plane_of(members[subnet][0][1]) for subnet in subnets])
    rails = {end: rail for rail, end in enumerate(_rails(members, subnets))}
    nodes: list[dict[str, Any]] = [
        {"kind": "router", "name": subnet, "ports": len(members[subnet]), "plane": plane}
        for plane, subnet in enumerate(subnets)
    ]
    cables: list[dict[str, Any]] = []
    for plane, subnet in enumerate(subnets):
        for port, (machine, interface) in enumerate(members[subnet], 1):
            nic = {"kind": "nic", "name": interface, "ports": 1, "plane": plane, "machine": machine}
            cable: dict[str, Any] = {"from": [len(nodes), 1], "to": [plane, port]}
            rate = facts.bytes_per_second.get(subnet)
            if rate:
                cable["rate"] = _rate(rate)
            nodes.append(nic | {"rail": rails[subnet, interface]})
            cables.append(cable)
    return json.dumps(_document(names, nodes, cables), indent=0) + "\n"


def _rails(members: Mapping[str, Sequence[tuple[str, str]]], subnets: Sequence[str]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((subnet, interface) for subnet in subnets for _, interface in members[subnet]))


def _document(planes: list[str], nodes: list[Any], cables: list[Any]) -> dict[str, Any]:
    head = {"format": "nwtopo-json", "version": 1, "direct": False}
    return head | {"planes": planes, "nodes": nodes, "cables": cables}


def _distinct(names: Sequence[str]) -> list[str]:
    """Of several equal names the later ones get a number."""
    found: list[str] = []
    for name in names:
        number = 2
        distinct = name
        while distinct in found:
            distinct, number = f"{name}-{number}", number + 1
        found.append(distinct)
    return found


def _rate(bytes_per_second: float) -> str:
    return f"{max(1, round(bytes_per_second * 8 / 1e6))}Mbit/s"


def with_measured_links(network: Network, results: Sequence[Result]) -> tuple[str, dict[str, int]]:
    """The JSON of the network with the rates and latencies of what was measured on its planes; and by plane how many
    links lie between the near hosts.

    Of a plane, all cables get faster or slower in the same proportion: the slowest one between the near hosts has then
    the measured rate. Their latency is by how much longer a message of one byte takes to the far host, for each link
    that lies between in addition; where there is no such host it is not known. Cables of hosts have at most what the
    near hosts' latency leaves for them: where a host's processors do what a switch does elsewhere, as in labs, a cable
    to the next switch takes less than one between switches.
    """
    data = json.loads(_core.export_network(network, "json"))
    links_of_planes: dict[str, int] = {}
    for plane, name in enumerate(network.planes):
        near = _find(results, name, "near")
        if near is None:
            continue
        links, slowest = _way(network, plane, near.stretch.hosts)
        links_of_planes[name] = links
        factor = near.costs.bandwidth / slowest if slowest > 0 and near.costs.bandwidth > 0 else 0.0
        between_switches = _link_latency(network, plane, near, _find(results, name, "far"), links)
        to_host = min(between_switches, max(1, round(near.costs.latency / links * _NANOSECONDS)))  # 0 is not known.
        for cable in data["cables"]:
            if data["nodes"][cable["from"][0]].get("plane", 0) != plane:
                continue
            device, number = cable["from"]
            port = network.cabled_port(device, number)
            rate = network.port(port).bytes_per_second if port is not None else 0
            if rate > 0 and factor > 0:
                cable["rate"] = _rate(rate * factor)
            cable.pop("latency", None)
            ends = [data["nodes"][cable[end][0]]["kind"] for end in ("from", "to")]
            latency = to_host if "nic" in ends else between_switches
            if latency > 0:
                cable["latency"] = latency
    return json.dumps(data, indent=0) + "\n", links_of_planes


def _find(results: Sequence[Result], plane: str, place: str) -> Result | None:
    return next((one for one in results if one.stretch.plane == plane and one.stretch.place == place), None)


def _link_latency(network: Network, plane: int, near: Result, far: Result | None, links: int) -> int:
    """In nanoseconds; 0: not known."""
    if far is None:
        return 0
    more = _way(network, plane, far.stretch.hosts)[0] - links
    if more <= 0:
        return 0
    smallest = min(near.half_round_trip)
    seconds = (far.half_round_trip[smallest] - near.half_round_trip[smallest]) / more
    return max(0, round(seconds * _NANOSECONDS))


def _way(network: Network, plane: int, hosts: tuple[str, str]) -> tuple[int, float]:
    """How many links lie between two hosts on a plane, and how many bytes a second the slowest of them carries."""
    start, end = (_endpoint(network, plane, host) for host in hosts)
    neighbours: dict[int, list[Port]] = defaultdict(list)
    for port in (network.port(one) for ends in network.cables() for one in ends):
        neighbours[port.device].append(port)
    devices = {network.port(start).device: (0, float("inf"))}
    waiting = deque(devices)
    while waiting:
        device = waiting.popleft()
        links, slowest = devices[device]
        if device == network.port(end).device:
            return links, slowest
        for port in neighbours[device]:
            peer = network.port(port.peer).device
            if peer not in devices:
                devices[peer] = links + 1, min(slowest, port.bytes_per_second)
                waiting.append(peer)
    raise Error(f"no cables lead from '{hosts[0]}' to '{hosts[1]}' on {network.planes[plane]}")


def _endpoint(network: Network, plane: int, host: str) -> int:
    for machine in network.machines:
        if machine.name == host:
            for endpoint in machine.endpoints:
                if network.plane_of(network.port(endpoint).device) == plane:
                    return int(endpoint)
    raise Error(f"the network has no host '{host}' on {network.planes[plane]}")
