"""Networks: how to open one, and what it is in plain data."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from pathlib import Path
from typing import Annotated, TypedDict

from ayatori import _core
from ayatori._core import Network, Port, Purpose
from ayatori.base.errors import SourceWarning
from ayatori.base.sources import with_kind
from ayatori.model.drawing import PositionsData, positions_as_data


def open_source(
    source: str, host_pattern: str = "", purpose: Purpose = Purpose.everything, aliases: Path | None = None
) -> Network:
    """Opens "fattree:K=6,levels=2,nodes=30", "ib:FILE", "ib:live", …; of a file without a kind the content tells it.

    `host_pattern` is a regular expression that reads the host (first group) and device (second group)
    off an InfiniBand node description; empty takes the built-in rules. Some sources say what their planes are
    for: the network has those that carry `purpose`. `aliases` is a file that says what else hosts are called: lines
    `NAME OTHER…`, as /etc/hosts has them. Raises Error.
    Issues a SourceWarning for each line of Network.warnings: a part of the network may be missing; a SourceTaken for a
    file without a kind.
    """
    network = _core.open_source(with_kind(source), host_pattern, purpose, "" if aliases is None else os.fspath(aliases))
    for line in network.warnings:
        warnings.warn(line, SourceWarning, stacklevel=2)
    return network


PURPOSES = ("collectives", "neighbours", "storage")
"""What a plane may be for: names of Purpose."""


def fingerprint(network: Network) -> str:
    """Another one if anything is: what a source is the name of may change."""
    from hashlib import sha256

    return sha256(_core.export_network(network, "json")).hexdigest()


LinkEnds = TypedDict(
    "LinkEnds",
    {
        "from": str,
        "from_port": Annotated[int, "The device that the link leaves, and the port's number on it."],
        "from_guid": Annotated[str, "The device's GUID, unique where names are not; `0x0000000000000000`: none."],
        "from_lid": Annotated[int, "The LID of the end: a switch's own, or that of an adapter's port; 0: none."],
        "to": str,
        "to_port": int,
        "to_guid": str,
        "to_lid": Annotated[int, "The same of the device that the link reaches."],
    },
)


class LinkData(LinkEnds):
    """A directed link."""

    rate: str
    """`4xHDR`, for example, or `?` if it is not known."""


def link_as_data(network: Network, link: int) -> LinkData:
    """The directed link that leaves port `link`."""
    here = network.port(link)
    there = network.port(here.peer)

    def guid(port: Port) -> str:
        return f"{network.guid(port.device):#018x}"

    def lid(port: Port) -> int:
        return network.lid(port.device) if port.device < network.router_count else port.lid

    return {
        "from": network.name(here.device),
        "from_port": here.number,
        "from_guid": guid(here),
        "from_lid": lid(here),
        "to": network.name(there.device),
        "to_port": there.number,
        "to_guid": guid(there),
        "to_lid": lid(there),
        "rate": here.rate,
    }


class ShapeDetails(TypedDict, total=False):
    levels: int
    """Fat tree: levels, without switches that no host needs."""
    groups: int
    """Dragonfly, dragonfly+: groups."""
    routers: list[int]
    """Fat tree: routers of each level. Dragonfly: routers of a group. Dragonfly+: leaves and spines of a group."""
    dimensions: list[int]
    """Grid, HyperX: lengths. Dragonfly whose groups are each a HyperX (Cray's Aries): their lengths; else empty."""
    hosts: int
    """Dragonfly: hosts of a router. Dragonfly+: hosts of a leaf."""
    cables: list[int]
    """Cables between two routers: per level, per dimension, in a group. The last one: between two groups."""
    oversubscription: list[float]
    """Fat tree: from each level to the next."""
    periodic: list[bool]
    """Grid: whether the ends of each dimension are joined."""


class ShapeData(ShapeDetails):
    """What the cables of a network form."""

    kind: str
    """`fat_tree`, `grid`, `full`, `hyperx`, `dragonfly`, `dragonfly_plus` or `graph`."""
    summary: str
    """The same in words."""
    machines: int
    """Hosts."""
    rails: int
    """NICs of a host."""
    irregularities: list[str]
    """What does not fit the shape, a sentence each: first what is missing, then what is odd."""
    irregularity_counts: dict[str, int]
    """The number of each kind, in their order: `missing cables`, `hosts with fewer rails`, …"""


def shape_as_data(network: Network) -> ShapeData:
    shape = network.shape()
    details: ShapeDetails = {}
    if shape.kind == "fat_tree":
        details = {
            "levels": len(shape.routers),
            "routers": shape.routers,
            "cables": shape.cables,
            "oversubscription": shape.oversubscription,
        }
    if shape.kind == "grid":
        details = {"dimensions": shape.dimensions, "periodic": shape.periodic}
    if shape.kind == "hyperx":
        details = {"dimensions": shape.dimensions, "cables": shape.cables}
    if shape.kind in ("dragonfly", "dragonfly_plus"):
        details = {
            "groups": len(shape.groups),
            "routers": shape.routers,
            "dimensions": shape.dimensions,
            "hosts": shape.hosts,
            "cables": shape.cables,
        }
    return {
        "kind": shape.kind,
        "summary": shape.summary,
        **details,
        "machines": shape.machines,
        "rails": shape.rails,
        "irregularities": shape.irregularities,
        "irregularity_counts": dict(Counter(shape.irregularity_kinds)),
    }


class PlaneAlone(TypedDict, total=False):
    machines: int
    routers: int
    links: int
    shape: ShapeData
    """One of several planes by itself, as the whole network below."""


PlanePurpose = TypedDict(
    "PlanePurpose",
    {"for": Annotated[list[str], "What the plane carries: some of `collectives`, `neighbours`, `storage`, or none."]},
)


class PlaneData(PlanePurpose, PlaneAlone):
    name: str
    """The plane's name."""
    link_rates: dict[str, int]
    """How many cables have each rate."""


BackgroundData = TypedDict(
    "BackgroundData",
    {
        "from": str,
        "to": Annotated[str, "The hosts that send and receive."],
        "plane": Annotated[str, "The plane's name."],
        "bytes_per_second": Annotated[float, "The rate that the traffic asks for."],
    },
)


class NetworkData(TypedDict):
    machines: int
    """Hosts."""
    unnamed_machines: int
    """How many of them are HCAs that name no host."""
    hcas: int
    """NICs."""
    routers: int
    """Switches or routers."""
    aggregation_nodes: int
    """Aggregation engines."""
    links: int
    """Cables."""
    planes: list[PlaneData]
    """Separate networks."""
    shape: ShapeData
    """What the cables form."""
    degraded_links: list[LinkData]
    """Links that are slower than their like."""
    background: list[BackgroundData]
    """Background traffic, as the source states it."""


class ShowData(NetworkData):
    source: str
    """As given."""


def network_as_data(network: Network) -> NetworkData:
    """What `ayatori show --json` prints."""
    kinds = [network.kind(device) for device in range(network.device_count)]
    cables = network.cables()
    rates: list[dict[str, int]] = [{} for _ in network.planes]
    for link, _ in cables:
        port = network.port(link)
        counts = rates[network.plane_of(port.device)]
        counts[port.rate] = counts.get(port.rate, 0) + 1
    return {
        "machines": len(network.machines),
        "unnamed_machines": sum(not machine.named for machine in network.machines),
        "hcas": kinds.count("nic"),
        "routers": network.router_count,
        "aggregation_nodes": kinds.count("aggregation"),
        "links": network.link_count,
        "planes": [
            {
                "name": name,
                "link_rates": dict(sorted(counts.items(), key=lambda item: -item[1])),
                "for": [purpose.name for purpose in network.plane_uses[plane].purposes],
                **_plane_as_data(network, plane),
            }
            for plane, (name, counts) in enumerate(zip(network.planes, rates, strict=True))
        ],
        "shape": shape_as_data(network),
        "degraded_links": [link_as_data(network, link) for link in network.degraded_links],
        "background": background_as_data(network),
    }


def background_as_data(network: Network) -> list[BackgroundData]:
    """Background traffic, as the source has it."""

    def host(port: int) -> str:
        return network.machines[network.machine_of(network.port(port).device)].name

    return [
        {
            "from": host(leaves),
            "to": host(arrives),
            "plane": network.planes[network.plane_of(network.port(leaves).device)],
            "bytes_per_second": rate,
        }
        for leaves, arrives, rate in network.background
    ]


def _plane_as_data(network: Network, plane: int) -> PlaneAlone:
    """Of one of several planes what it is by itself."""
    if len(network.planes) < 2:
        return {}
    alone = network.on_plane(plane)
    return {
        "machines": len(alone.machines),
        "routers": alone.router_count,
        "links": alone.link_count,
        "shape": shape_as_data(alone),
    }


class RouterData(TypedDict):
    name: str
    level: int | None
    """A router and its level: 0 for the leaves, null without levels."""


class HostData(TypedDict):
    name: str
    router: str
    port: int
    rail: int
    """A NIC: its host, the router and the port of it that it is on, and its rail."""


class CableData(TypedDict):
    a: str
    a_port: int
    b: str
    b_port: int
    """The two routers, and the ports on them."""
    rate: str
    degraded: bool
    """The rate, and whether it is lower than that of others alike."""


class FabricData(PositionsData):
    summary: str
    """What is drawn."""
    faults: list[str]
    """What is irregular or degraded, a line each."""
    routers: list[RouterData]
    """Switches or routers."""
    hosts: list[HostData]
    """One entry per NIC on a router."""
    links: list[CableData]
    """Cables between routers."""


def drawing_as_data(network: Network) -> FabricData:
    """What the report needs to draw a fabric.

    Host i is endpoint i of `router_endpoints`, link i is cable i of `router_cables`.
    """
    levels = network.levels()
    labels = router_labels(network)
    endpoints, cables = router_endpoints(network), router_cables(network)
    degraded = set(network.degraded_links)
    links = [_cable_as_data(network, labels, degraded, a, b) for a, b in cables]
    names = [machine.name for machine in network.machines]  # the core lists all of them each time it is asked
    return {
        "summary": network.shape().summary,
        "faults": faults(network),
        "routers": [
            {"name": label, "level": levels[router] if levels else None} for router, label in enumerate(labels)
        ],
        "hosts": [_host_as_data(network, names, labels, endpoint) for endpoint in endpoints],
        "links": links,
        **positions_as_data(network, {endpoint: i for i, endpoint in enumerate(endpoints)}, cables),
    }


def _host_as_data(network: Network, names: list[str], labels: list[str], endpoint: int) -> HostData:
    port = network.port(endpoint)
    router = network.router_of(endpoint)
    return {
        "name": names[network.machine_of(port.device)],
        "router": labels[router] if router is not None else "",
        "port": network.port(port.peer).number,
        "rail": network.rail(port.device),
    }


def _cable_as_data(network: Network, labels: list[str], degraded: set[int], a: int, b: int) -> CableData:
    near, far = network.port(a), network.port(b)
    return {
        "a": labels[near.device],
        "a_port": near.number,
        "b": labels[far.device],
        "b_port": far.number,
        "rate": near.rate,
        "degraded": a in degraded,
    }


TO_MEND = ("missing cables", "parts without cables between them", "hosts without a cable", "hosts with fewer rails")
"""Kinds of irregularities that an administrator acts on; all others are merely odd."""
NO_FAULTS = ("more cables than usual", "why no regular shape")


def faults(network: Network) -> list[str]:
    """What is irregular or degraded, a line each: what is missing, what is slow, what is odd."""
    shape = network.shape()
    irregular = list(zip(shape.irregularity_kinds, shape.irregularities, strict=True))
    missing = [line for kind, line in irregular if kind in TO_MEND]
    slow = [f"{network.describe_link(link)} runs at {network.port(link).rate}" for link in network.degraded_links]
    odd = [line for kind, line in irregular if kind not in TO_MEND + NO_FAULTS]
    return [*missing, *slow, *odd]


def router_endpoints(network: Network) -> list[int]:
    """Endpoints (port ids) that are plugged into a router."""
    return [endpoint for endpoint in network.endpoints if network.router_of(endpoint) is not None]


def router_labels(network: Network) -> list[str]:
    """A name for each router that no other has: routers that nobody named share their factory's."""
    names = [network.name(router) for router in range(network.router_count)]
    shared = {name for name, count in Counter(names).items() if count > 1}
    return [f"{name} {network.guid(router):#x}" if name in shared else name for router, name in enumerate(names)]


def router_cables(network: Network) -> list[tuple[int, int]]:
    """Port ids of the cables between two different routers."""

    def joins_routers(a: int, b: int) -> bool:
        near, far = network.port(a).device, network.port(b).device
        return near != far and near < network.router_count and far < network.router_count

    return [(a, b) for a, b in network.cables() if joins_routers(a, b)]


def rates_by_port(network: Network) -> dict[tuple[str, int], str]:
    """Link rate of routers' cabled ports, by the router's label and the port's number."""
    labels = router_labels(network)
    ports = (network.port(end) for ends in router_cables(network) for end in ends)
    return {(labels[port.device], port.number): port.rate for port in ports}
