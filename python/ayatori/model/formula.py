"""Networks that are a formula, described without making them."""

from __future__ import annotations

from math import prod

from ayatori._core import Topology
from ayatori.model.network import PURPOSES, NetworkData

LARGE = 100_000  # machines; smaller networks are made and looked at


def formula_as_data(topology: Topology) -> NetworkData:
    """What network_as_data() gives of the explicit network of the same grid."""
    grid = topology.object_at(topology.max_height, 0)
    lengths, around = topology.grid_dimensions(grid), topology.grid_periodic(grid)
    machines = prod(lengths)
    cables = sum(
        machines // length * (length if ring and length > 2 else length - 1)
        for length, ring in zip(lengths, around, strict=True)
    )
    links = cables + machines  # a machine's own, to the router built into it
    rate = topology.link(0, 0).rate
    return {
        "machines": machines,
        "unnamed_machines": 0,
        "hcas": machines,
        "routers": machines,
        "aggregation_nodes": 0,
        "links": links,
        "planes": [{"name": topology.planes[0], "link_rates": {rate: links}, "for": list(PURPOSES)}],
        "background": [],
        "shape": {
            "kind": "grid",
            "summary": f"{grid_in_words(lengths, around)}, 1 cable a pair, {machines} hosts with 1 rail",
            "dimensions": lengths,
            "periodic": around,
            "machines": machines,
            "rails": 1,
            "irregularities": [],
            "irregularity_counts": {},
        },
        "degraded_links": [],
    }


def grid_in_words(lengths: list[int], around: list[bool]) -> str:
    size = "x".join(map(str, lengths))
    if all(around):
        return f"torus {size}"
    if not any(around):
        return f"mesh {size}"
    edges = " and ".join(str(i) for i, ring in enumerate(around, 1) if not ring)
    return f"grid {size} with edges in dimension {edges}"
