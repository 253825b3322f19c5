"""Networks: how to open one, and what it is in plain data."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import Any

from ayatori import _core
from ayatori._core import Network


def open_source(source: str, host_pattern: str = "") -> Network:
    """Opens "fattree:K=6,levels=2,nodes=30", "ib:FILE", "ib:live", …

    `host_pattern` is a regular expression that reads the host (first group) and device (second group)
    off an InfiniBand node description; empty takes the built-in rules. Raises Error.
    """
    return _core.open_source(source, host_pattern)


def fingerprint(network: Network) -> str:
    """Another one if anything is: what a source is the name of may change."""
    return sha256(_core.export_network(network, "json")).hexdigest()


def link_as_data(network: Network, link: int) -> dict[str, Any]:
    """The directed link that leaves port `link`: names and port numbers of both ends."""
    here = network.port(link)
    there = network.port(here.peer)
    return {
        "from": network.name(here.device),
        "from_port": here.number,
        "to": network.name(there.device),
        "to_port": there.number,
        "rate": here.rate,
    }


def shape_as_data(network: Network) -> dict[str, Any]:
    shape = network.shape()
    data: dict[str, Any] = {"kind": shape.kind, "summary": shape.summary}
    if shape.kind == "fat_tree":
        data |= {
            "levels": len(shape.routers),
            "routers": shape.routers,
            "cables": shape.cables,
            "oversubscription": shape.oversubscription,
        }
    if shape.kind == "grid":
        data |= {"dimensions": shape.dimensions, "periodic": shape.periodic}
    data |= {"machines": shape.machines, "rails": shape.rails, "irregularities": shape.irregularities}
    return data


def network_as_data(network: Network) -> dict[str, Any]:
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
            {"name": name, "link_rates": dict(sorted(counts.items(), key=lambda item: -item[1]))}
            for name, counts in zip(network.planes, rates, strict=True)
        ],
        "shape": shape_as_data(network),
        "degraded_links": [link_as_data(network, link) for link in network.degraded_links],
    }


def drawing_as_data(network: Network) -> dict[str, Any]:
    """What the report needs to draw a fabric; link i of `links` is cable i of `router_cables`."""
    levels = network.levels()
    degraded = set(network.degraded_links)
    labels = router_labels(network)
    hosts = []
    for endpoint in network.endpoints:
        router = network.router_of(endpoint)
        if router is None:
            continue
        port = network.port(endpoint)
        hosts.append(
            {
                "name": network.machines[network.machine_of(port.device)].name,
                "router": labels[router],
                "port": network.port(port.peer).number,
                "rail": network.rail(port.device),
            }
        )
    links = []
    for a, b in router_cables(network):
        near, far = network.port(a), network.port(b)
        links.append(
            {
                "a": labels[near.device],
                "a_port": near.number,
                "b": labels[far.device],
                "b_port": far.number,
                "rate": near.rate,
                "degraded": a in degraded,
            }
        )
    routers = [{"name": label, "level": levels[router] if levels else None} for router, label in enumerate(labels)]
    return {"summary": network.shape().summary, "routers": routers, "hosts": hosts, "links": links}


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
