"""Networks that other sources know, as planes of the hosts that said which interfaces they have: InfiniBand as its
subnet manager sees it, Ethernet by LLDP. Both know the switches between hosts, of which hosts know nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ayatori import _core
from ayatori._core import Network
from ayatori.base.errors import Error
from ayatori.diagnosis import Facts, ServedPlane

Data = dict[str, Any]
_End = tuple[str, str]
"""A host and one of its interfaces."""


def join_fabrics(
    survey: str, facts: Facts, fabrics: Mapping[str, Network], note: Callable[[str], None] = lambda _text: None
) -> str:
    """The JSON of the hosts' networks (network_of_facts) with the planes of `fabrics`, by source, in addition.

    Machines are found as hostfiles find them, also by a fabric's aliases. A NIC of a fabric is called as the interface
    over it: by the port's GUID, which IP over InfiniBand has in its hardware address, or by the last word of its name.
    A network of the hosts all of whose interfaces are NICs of a fabric is the fabric's plane, and left out; where the
    fabric does not know the rate of a host's cable, it is the one that was measured. `note` hears which hosts a fabric
    does not have. Raises Error for a fabric with none of them.
    """
    data: Data = json.loads(survey)
    for source, fabric in fabrics.items():
        other: Data = json.loads(_core.export_network(fabric, "json"))
        found = _call_as_hosts_do(other, _names_of_hosts(fabric, facts), facts)
        lacking = [host.name for host in facts.hosts if host.name not in found]
        if not found:
            called = f"they are called {', '.join(lacking[:3])}"
            raise Error(
                f"{source} has none of the hosts", hint=f"{called}; --aliases FILE says what else they are called"
            )
        if lacking:
            more = f" and {len(lacking) - 3} more" if len(lacking) > 3 else ""
            note(f"{source} has {len(found)} of {len(facts.hosts)} hosts, and not {', '.join(lacking[:3])}{more}")
        ours = {_end(node) for node in other["nodes"] if node["kind"] == "nic"}
        replaced = [plane for plane in range(len(data["planes"])) if _ends_on(data, plane) <= ours]
        for plane in replaced:
            _take_rates(other, data, plane)
        data = _with_planes(_without_planes(data, replaced), other)
    return json.dumps(data, indent=0) + "\n"


def _end(node: Data) -> _End:
    return node.get("machine", ""), node["name"]


def _ends_on(data: Data, plane: int) -> set[_End]:
    return {_end(node) for node in data["nodes"] if node["kind"] == "nic" and node.get("plane", 0) == plane}


def _names_of_hosts(network: Network, facts: Facts) -> dict[str, str]:
    """By the name of a network's machine, what it calls itself."""
    names = {}
    for host in facts.hosts:
        with suppress(Error):  # a host that the network does not have
            [(machine, _)] = _core.job_of_hosts(network, [(host.name, 1)], "").runs
            names[network.machines[machine].name] = host.name
    return names


def _call_as_hosts_do(fabric: Data, hosts: Mapping[str, str], facts: Facts) -> set[str]:
    """Names machines and NICs of a fabric as the hosts do. Returns those of the hosts that it has."""
    by_guid = {one.port_guid: one.name for host in facts.hosts for one in host.interfaces if one.port_guid}
    interfaces = {(host.name, one.name) for host in facts.hosts for one in host.interfaces}
    found = set()
    for node in fabric["nodes"]:
        name = hosts.get(node.get("machine", ""))
        if node["kind"] != "nic" or name is None:
            continue
        node["machine"] = name
        node.setdefault("rail", 0)
        last_word = node["name"].split(" ")[-1]
        named = last_word if (name, last_word) in interfaces else node["name"]
        node["name"] = next((by_guid[guid] for guid in _port_guids(node) if guid in by_guid), named)
        found.add(name)
    return found


def served_planes(network: Network, facts: Facts) -> tuple[list[str], list[ServedPlane]]:
    """The hosts that a network has, as they call themselves, and its planes by their interfaces there: a NIC is called
    as its interface, whatever comes before."""
    hosts = _names_of_hosts(network, facts)
    planes: list[dict[str, list[str]]] = [{} for _ in network.planes]
    known = []
    for machine in network.machines:
        if (name := hosts.get(machine.name)) is None:
            continue
        known.append(name)
        for end in machine.endpoints:
            device = network.port(end).device
            planes[network.plane_of(device)].setdefault(name, []).append(network.name(device).split(" ")[-1])
    described = zip(network.planes, network.plane_uses, planes, strict=True)
    return known, [
        ServedPlane(
            name,
            tuple(purpose.name for purpose in use.purposes),
            not use.fibre_channel,
            {host: tuple(interfaces) for host, interfaces in by_host.items()},
        )
        for name, use, by_host in described
    ]


def _port_guids(node: Data) -> list[int]:
    """What the file tells of a NIC's ports, or as HCAs commonly have it."""
    guids = {one["port"]: int(one["guid"], 16) for one in node.get("details", []) if "guid" in one}
    own = int(node.get("guid", "0"), 16)
    return [guids.get(port, own + port if own else 0) for port in range(1, node["ports"] + 1)]


def _take_rates(fabric: Data, data: Data, plane: int) -> None:
    """Measured rates for the fabric's cables of hosts that have none."""
    measured = {
        _end(data["nodes"][cable[end][0]]): cable["rate"]
        for cable in data["cables"]
        for end in ("from", "to")
        if "rate" in cable and data["nodes"][cable[end][0]].get("plane", 0) == plane
    }
    for cable in fabric["cables"]:
        for end in ("from", "to"):
            rate = measured.get(_end(fabric["nodes"][cable[end][0]]))
            if rate and fabric["nodes"][cable[end][0]]["kind"] == "nic":
                cable.setdefault("rate", rate)


def _without_planes(data: Data, planes: Sequence[int]) -> Data:
    kept = [number for number in range(len(data["planes"])) if number not in planes]
    place = {plane: number for number, plane in enumerate(kept)}
    nodes = [number for number, node in enumerate(data["nodes"]) if node.get("plane", 0) in place]
    moved = {number: index for index, number in enumerate(nodes)}
    return data | {
        "planes": [data["planes"][plane] for plane in kept],
        "nodes": [data["nodes"][number] | {"plane": place[data["nodes"][number].get("plane", 0)]} for number in nodes],
        "cables": [_moved(cable, moved) for cable in data["cables"] if cable["from"][0] in moved],
    }


def _with_planes(data: Data, fabric: Data) -> Data:
    """Planes, rails and nodes of the fabric follow those that are there."""
    first_plane, first_node = len(data["planes"]), len(data["nodes"])
    first_rail = 1 + max((node["rail"] for node in data["nodes"] if "rail" in node), default=-1)
    nodes = [
        node
        | {"plane": first_plane + node.get("plane", 0)}
        | ({"rail": first_rail + node["rail"]} if "rail" in node else {})
        for node in fabric["nodes"]
    ]
    moved = {number: first_node + number for number in range(len(nodes))}
    planes = list(data["planes"])
    for plane in fabric["planes"]:
        taken = _name_of(plane) in map(_name_of, planes)
        planes.append(_called(plane, f"{_name_of(plane)}-{len(planes) + 1}") if taken else plane)
    lists = ("cables", "background") if "background" in fabric else ("cables",)
    moved_lists = {key: data.get(key, []) + [_moved(one, moved) for one in fabric[key]] for key in lists}
    return data | {"planes": planes, "nodes": data["nodes"] + nodes} | moved_lists


def _name_of(plane: str | Data) -> str:
    """A plane that does not carry everything is an object in the file."""
    return plane if isinstance(plane, str) else str(plane["name"])


def _called(plane: str | Data, name: str) -> str | Data:
    return name if isinstance(plane, str) else plane | {"name": name}


def _moved(cable: Data, places: Mapping[int, int]) -> Data:
    return cable | {end: [places[cable[end][0]], cable[end][1]] for end in ("from", "to")}
