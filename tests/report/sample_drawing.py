"""Drawings for the fabrics of the tests: the fabric becomes a Network, whose drawing takes the fabric's indices."""

import json
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from ayatori.model.drawing import positions_as_data
from ayatori.model.network import open_source, router_cables, router_endpoints

MAX_PORT = 250


def with_drawing(study: dict[str, Any]) -> dict[str, Any]:
    """The study, its fabric with a drawing."""
    return study | {"fabric": study["fabric"] | drawing_of(study["fabric"])}


def drawing_of(fabric: dict[str, Any]) -> dict[str, Any]:
    """What a fabric lacks: `drawing`, or `not_drawn`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "fabric.json"
        path.write_text(json.dumps(_as_network(fabric)))
        network = open_source(f"json:{path}")
    router = {network.name(i): i for i in range(network.router_count)}
    link_at = {(router[link["a"]], link["a_port"]): i for i, link in enumerate(fabric["links"])}
    cables: list[tuple[int, int]] = [(0, 0)] * len(fabric["links"])
    for a, b in router_cables(network):
        for near, far in ((a, b), (b, a)):
            port = network.port(near)
            if (port.device, port.number) in link_at:
                cables[link_at[port.device, port.number]] = (near, far)
    host_at = {(router[host["router"]], host["port"]): i for i, host in enumerate(fabric["hosts"])}
    hosts = {}
    for endpoint in router_endpoints(network):
        port = network.port(network.port(endpoint).peer)
        hosts[endpoint] = host_at[port.device, port.number]
    return positions_as_data(network, hosts, cables)


def _as_network(fabric: dict[str, Any]) -> dict[str, Any]:
    """In the format of docs/json-format.md. Of hosts with one name and rail, each is a machine of its own."""
    index = {router["name"]: i for i, router in enumerate(fabric["routers"])}
    devices = [
        {"kind": "router", "name": name, "ports": MAX_PORT, "guid": f"{0x1000 + i:#x}"} for name, i in index.items()
    ]
    cables = [
        {"from": [index[link["a"]], link["a_port"]], "to": [index[link["b"]], link["b_port"]], "rate": "4xHDR"}
        for link in fabric["links"]
    ]
    seen: Counter[tuple[str, int]] = Counter()
    for i, host in enumerate(fabric["hosts"]):
        turn = seen[host["name"], host["rail"]]
        seen[host["name"], host["rail"]] += 1
        nic = {"kind": "nic", "name": f"nic {i}", "ports": 1, "guid": f"{0x100000 + 16 * i:#x}", "rail": host["rail"]}
        devices.append(nic | {"machine": f"{host['name']} {turn}"})
        cables.append({"from": [len(devices) - 1, 1], "to": [index[host["router"]], host["port"]], "rate": "4xHDR"})
    return {"format": "nwtopo-json", "version": 1, "planes": ["infiniband"], "nodes": devices, "cables": cables}
