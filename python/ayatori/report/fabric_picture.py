"""The fabric as SVG: each bundle of cables is two strands, one a direction, coloured and widened by load."""

from __future__ import annotations

from math import hypot

from ayatori.report.fabric_layout import WIDEST, Box, Layout, lay_out
from ayatori.report.markup import Markup, count, join, tag
from ayatori.report.model import Fabric, Side
from ayatori.report.tiers import Bundle, Traffic, levels_of, load_class, load_text

MANY = 400  # bundles beyond which unused ones become one faint path without tips
BADGES = 60  # numbers on hot strands, at most
DRAWN = 3000  # loaded strands that are drawn, the heaviest first

Strand = tuple[float, Bundle, bool]  # load, bundle, up


def can_draw(fabric: Fabric) -> str:
    """Empty if the fabric can be drawn as a tree, else the reason why not."""
    widths: dict[int, int] = {}
    for router in fabric.routers:
        if router.level is not None:
            widths[router.level] = widths.get(router.level, 0) + 1
    if len(widths) < 2:
        return "The fabric is no tree, so it is not drawn as one."
    if max(widths.values()) > WIDEST:
        return f"With {count(max(widths.values()), 'router')} on one level the tree is too wide to draw."
    return ""


def left_out(fabric: Fabric) -> str:
    """A sentence about routers without a level; empty if there are none."""
    outside = sum(router.level is None for router in fabric.routers)
    return f"{count(outside, 'router')} outside the tree not drawn." if outside else ""


def draw_fabric(fabric: Fabric, bundles: list[Bundle], side: Side, ranks: dict[int, int], label: str) -> Markup:
    """One drawing. `ranks` maps the index of each of the job's hosts to its rank."""
    layout = lay_out(fabric, levels_of(fabric, bundles), bundles)
    traffic = Traffic(fabric, side)
    drawn = [bundle for bundle in bundles if (bundle.lower, bundle.upper) in layout.ends]
    strands = sorted(((traffic.load(b, up), b, up) for b in drawn for up in (True, False)), key=lambda s: s[0])
    loaded = [strand for strand in strands if strand[0] > 0][-DRAWN:]
    return tag(
        "svg",
        _idle(layout, drawn, strands, traffic),
        tag("g", *(_strand(layout, strand, traffic) for strand in loaded), class_="strands"),
        tag("g", *(_badge(layout, strand) for strand in loaded[-BADGES:] if strand[0] > 1), class_="badges"),
        tag("g", *(_router(fabric, layout, router, box) for router, box in layout.boxes.items()), class_="routers"),
        tag("g", *(_host(fabric, layout, index, ranks) for index in layout.dots), class_="hosts"),
        class_="fabric" if layout.width < 1000 else "fabric wide",
        viewBox=f"0 0 {layout.width:g} {layout.height:.0f}",
        role="img",
        aria_label=label,
    )


def _idle(layout: Layout, drawn: list[Bundle], strands: list[Strand], traffic: Traffic) -> Markup:
    """Bundles in the background; each has a tip of its own unless there are too many. Degraded ones always have."""
    busy = {(bundle.lower, bundle.upper) for load, bundle, _ in strands if load > 0}
    idle = [bundle for bundle in drawn if (bundle.lower, bundle.upper) not in busy]
    told = [bundle for bundle in idle if len(drawn) <= MANY or _is_degraded(traffic, bundle)]
    mute = {(bundle.lower, bundle.upper) for bundle in idle} - {(bundle.lower, bundle.upper) for bundle in told}
    path = "".join(_line(layout, bundle) for bundle in idle if (bundle.lower, bundle.upper) in mute)
    return tag("g", tag("path", class_="idle", d=path), *(_idle_line(layout, bundle, traffic) for bundle in told))


def _is_degraded(traffic: Traffic, bundle: Bundle) -> bool:
    return any(traffic.fabric.links[index].degraded for index in bundle.cables)


def _idle_line(layout: Layout, bundle: Bundle, traffic: Traffic) -> Markup:
    line = _line(layout, bundle)
    dash = "7 3" if _is_degraded(traffic, bundle) else None
    tip = traffic.tip(bundle, True).replace("→", "–")
    return tag(
        "g",
        tag("path", class_="idle", d=line, stroke_dasharray=dash),
        tag("path", class_="reach", d=line),
        data_tip=tip,
    )


def _line(layout: Layout, bundle: Bundle) -> str:
    x1, y1, x2, y2 = layout.ends[bundle.lower, bundle.upper]
    return f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"


def _width(load: float, layout: Layout) -> float:
    """The width of a strand; in a wide drawing the harmless ones are thinner, so that hot ones stand out."""
    thin = 1.8 if layout.width < 1000 else 1.0
    return min(thin + 1.5 * (load - 1), 8.0) if load > 1 else thin


def _route(layout: Layout, bundle: Bundle, up: bool, width: float) -> tuple[float, float, float, float]:
    """Start and end of a strand in the direction of travel, a little to one side of the bundle's middle."""
    x1, y1, x2, y2 = layout.ends[bundle.lower, bundle.upper]
    length = hypot(x2 - x1, y2 - y1) or 1
    aside = (width / 2 + 0.4) * (-1 if up else 1)
    dx, dy = -(y2 - y1) / length * aside, (x2 - x1) / length * aside
    ends = (x1 + dx, y1 + dy, x2 + dx, y2 + dy)
    return ends if up else (ends[2], ends[3], ends[0], ends[1])


def _strand(layout: Layout, strand: Strand, traffic: Traffic) -> Markup:
    """A coloured line with an arrowhead towards its end."""
    load, bundle, up = strand
    width = _width(load, layout)
    x1, y1, x2, y2 = _route(layout, bundle, up, width)
    path = f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"
    dash = "7 3" if _is_degraded(traffic, bundle) else None
    return tag(
        "g",
        tag("path", class_="line", stroke_width=width, d=path, stroke_dasharray=dash),
        tag("path", class_="head", d=_arrow(x1, y1, x2, y2, 3.2 + width)),
        tag("path", class_="reach", d=path),
        class_=f"load{load_class(load)}",
        data_tip=traffic.tip(bundle, up),
    )


def _arrow(x1: float, y1: float, x2: float, y2: float, size: float) -> str:
    """A triangle near the end of the way, pointing along it."""
    length = hypot(x2 - x1, y2 - y1) or 1
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    x, y = x2 - ux * 4, y2 - uy * 4
    bx, by, wing = x - ux * size * 1.5, y - uy * size * 1.5, size * 0.55
    return f"M{x:.1f} {y:.1f}L{bx - uy * wing:.1f} {by + ux * wing:.1f}L{bx + uy * wing:.1f} {by - ux * wing:.1f}Z"


def _badge(layout: Layout, strand: Strand) -> Markup:
    """The number of messages, written on a hot strand near its end."""
    load, bundle, up = strand
    x1, y1, x2, y2 = _route(layout, bundle, up, _width(load, layout))
    x, y = x1 + (x2 - x1) * 0.8, y1 + (y2 - y1) * 0.8
    circle = tag("circle", cx=x, cy=y, r=7.5)
    return tag("g", circle, tag("text", load_text(load), x=x, y=y + 3.6), class_=f"load{load_class(load)}")


def _router(fabric: Fabric, layout: Layout, index: int, box: Box) -> Markup:
    router = fabric.routers[index]
    hosts = sum(host.router == index for host in fabric.hosts) if router.level == 0 else 0
    tip = f"{router.name}\nlevel {router.level}" + (f", {count(hosts, 'host')}" if hosts else "")
    body = tag("rect", x=box.x - box.width / 2, y=box.y - box.height / 2, width=box.width, height=box.height, rx=3.0)
    return tag("g", body, _label(layout, box), data_tip=tip)


def _label(layout: Layout, box: Box) -> Markup:
    if box.style == "inside":
        return tag("text", box.label, x=box.x, y=box.y + 4)
    if box.style == "above":
        return tag("text", box.label, x=box.x, y=box.y - 9, class_="out")
    if box.style == "upright":
        place = f"translate({box.x + 3.5:.1f} {layout.label_top:.1f}) rotate(-90)"
        return tag("text", box.label, transform=place, class_="upright")
    return join(())


def _host(fabric: Fabric, layout: Layout, index: int, ranks: dict[int, int]) -> Markup:
    host, (x, y) = fabric.hosts[index], layout.dots[index]
    lines = [host.name, f"{fabric.routers[host.router].name} port {host.port}, rail {host.rail}"]
    lines += [f"rank {ranks[index]} of the job"] if index in ranks else []
    style = "host mine" if index in ranks else "host"
    return tag("circle", cx=x, cy=y, r=layout.dot, class_=style, data_tip="\n".join(lines))
