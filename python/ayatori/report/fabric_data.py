"""What fabric.js needs to show loads, tips and what was searched for: names, places and the loads of each step."""

from __future__ import annotations

from typing import Any

from ayatori.report.fabric_picture import machines_of
from ayatori.report.markup import Markup, json_script
from ayatori.report.model import Drawing, Fabric, Loads, WorstJob


def fabric_data(fabric: Fabric, drawing: Drawing, job: WorstJob | None, ranks: dict[int, int], id: str) -> Markup:
    """A script element that holds it as JSON. A cable's direction is a number: 2 × link, + 1 from its end b to a."""
    rates = sorted({link.rate for link in fabric.links})
    place = {rate: i for i, rate in enumerate(rates)}
    data: dict[str, Any] = {
        "width": drawing.width,
        "height": drawing.height,
        "dot": drawing.dot,
        "routers": [router.name for router in fabric.routers],
        "boxes": [[box.x, box.y, box.width, box.height] for box in drawing.boxes],
        "boxOf": drawing.box_of if drawing.box_names else None,
        "hosts": [host.name for host in fabric.hosts],
        "at": [[host.router, host.port, host.rail] for host in fabric.hosts],
        "dots": [drawing.dots.get(index) for index in range(len(fabric.hosts))],
        "rates": rates,
        "links": [[link.a, link.a_port, link.b, link.b_port, place[link.rate]] for link in fabric.links],
        "degraded": [index for index, link in enumerate(fabric.links) if link.degraded],
        "bundles": [[bundle.form, bundle.points, bundle.cables] for bundle in drawing.bundles],
        "ranks": ranks,
        "mine": sorted(machines_of(fabric, ranks)),
        "steps": [[step.number, *map(_flat, step.sides)] for step in job.steps] if job else [],
        "shown": [step.number for step in job.steps].index(job.step) if job else 0,
    }
    return json_script(id, data)


def _flat(loads: Loads) -> list[float]:
    """Direction, load, direction, load, …"""
    values = (value for (link, way), load in loads.items() for value in (2 * link + (way == "ba"), load))
    return [int(value) if value == int(value) else value for value in values]
