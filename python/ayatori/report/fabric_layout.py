"""Where everything stands in the drawing of a tree: roots above, leaves below, hosts under their leaf."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

from ayatori.report.model import Fabric
from ayatori.report.tiers import Bundle, short_names

WIDEST = 200  # routers on one level that a drawing can still show
SMALL = 12  # up to so many routers on a level, two drawings fit side by side
MARGIN = 10
LETTER = 5.9  # width of a letter, in units of the drawing


@dataclass(frozen=True)
class Box:
    """A router: the centre of its box, its size, its short name, and whether that is written inside."""

    x: float
    y: float
    width: float
    height: float
    label: str
    style: str  # "inside", "above", "upright" (turned, below the hosts) or "none"


@dataclass
class Layout:
    """A drawing of `width` x `height` units."""

    width: float
    height: float = 0
    boxes: dict[int, Box] = field(default_factory=dict)
    dots: dict[int, tuple[float, float]] = field(default_factory=dict)  # host index -> centre
    dot: float = 3  # radius of a host
    label_top: float = 0  # where upright labels begin
    ends: dict[tuple[int, int], tuple[float, float, float, float]] = field(default_factory=dict)  # by lower, upper


def lay_out(fabric: Fabric, levels: list[list[int]], bundles: list[Bundle]) -> Layout:
    """Places routers, hosts and the ends of bundles."""
    small = max(map(len, levels)) <= SMALL
    layout = Layout(width=620 if small else 1240)
    y = 26.0
    for depth, level in reversed(list(enumerate(levels))):
        _place_level(fabric, layout, level, y, depth)
        y += _gap(levels, depth, small)
    _place_hosts(fabric, layout, levels[0])
    _spread_ends(layout, bundles)
    return layout


def _gap(levels: list[list[int]], depth: int, small: bool) -> float:
    """The room below a level."""
    if depth == 0:
        return 0
    return 250 if small else max(150.0, 340.0 - 60 * (len(levels) - 2))


def _place_level(fabric: Fabric, layout: Layout, level: list[int], y: float, depth: int) -> None:
    """One row of boxes."""
    pitch = (layout.width - 2 * MARGIN) / len(level)
    width = min(pitch * 0.84, 92.0)
    labels = short_names([fabric.routers[i].name for i in level])
    style = _label_style(max(map(len, labels)) * LETTER, width, pitch, depth)
    height = 22.0 if style == "inside" else 10.0
    for i, (router, label) in enumerate(zip(level, labels, strict=True)):
        x = MARGIN + (i + 0.5) * pitch
        layout.boxes[router] = Box(x, y, width, height, label, style)


def _label_style(needed: float, width: float, pitch: float, depth: int) -> str:
    """How a row's names are written, so that they are legible or not there at all."""
    if needed + 6 <= width:
        return "inside"
    if depth == 0:
        return "upright" if pitch >= 11 else "none"
    return "above" if needed + 4 <= pitch else "none"


def _place_hosts(fabric: Fabric, layout: Layout, leaves: list[int]) -> None:
    """Dots below each leaf, in the order of ports; hosts on other routers sit below theirs too."""
    under: dict[int, list[int]] = defaultdict(list)
    for index, host in enumerate(fabric.hosts):
        under[host.router].append(index)
    crowd = max(map(len, under.values()), default=0)
    leaf = layout.boxes[leaves[0]]
    room = min((layout.width - 2 * MARGIN) / len(leaves) - 2, 100.0)
    columns = next((c for c in range(min(crowd, 8), 0, -1) if room / c >= 6.5), 1)
    pitch = min(room / columns, 15.0)
    layout.dot = min(pitch * 0.38, 5.0)
    top = leaf.y + leaf.height / 2 + 6
    for router, hosts in under.items():
        if router in layout.boxes:
            hosts.sort(key=lambda index: fabric.hosts[index].port)
            _place_dots(layout, layout.boxes[router], hosts, columns, pitch)
    rows = -(-crowd // columns)
    layout.label_top = top + rows * pitch + 4
    layout.height = layout.label_top + _label_room(layout, leaves)


def _place_dots(layout: Layout, box: Box, hosts: list[int], columns: int, pitch: float) -> None:
    across = min(columns, len(hosts))
    top = box.y + box.height / 2 + 6
    for i, index in enumerate(hosts):
        x = box.x + (i % columns - (across - 1) / 2) * pitch
        layout.dots[index] = (x, top + (i // columns + 0.5) * pitch)


def _label_room(layout: Layout, leaves: list[int]) -> float:
    boxes = [layout.boxes[leaf] for leaf in leaves]
    if boxes[0].style != "upright":
        return 4
    return max(len(box.label) for box in boxes) * LETTER + 6


def _spread_ends(layout: Layout, bundles: list[Bundle]) -> None:
    """Spreads the ends of the bundles along the boxes, in the order of the boxes at the other end."""
    drawn = [b for b in bundles if b.lower in layout.boxes and b.upper in layout.boxes]
    tops: dict[int, list[int]] = defaultdict(list)
    bottoms: dict[int, list[int]] = defaultdict(list)
    for bundle in drawn:
        tops[bundle.lower].append(bundle.upper)
        bottoms[bundle.upper].append(bundle.lower)
    at_lower = {key: x for router, others in tops.items() for key, x in _slots(layout, router, others)}
    at_upper = {key: x for router, others in bottoms.items() for key, x in _slots(layout, router, others)}
    for bundle in drawn:
        low, high = layout.boxes[bundle.lower], layout.boxes[bundle.upper]
        layout.ends[bundle.lower, bundle.upper] = (
            at_lower[bundle.lower, bundle.upper],
            low.y - low.height / 2,
            at_upper[bundle.upper, bundle.lower],
            high.y + high.height / 2,
        )


def _slots(layout: Layout, router: int, others: list[int]) -> list[tuple[tuple[int, int], float]]:
    """A place along the router's box for the bundle to each of the others."""
    box = layout.boxes[router]
    others.sort(key=lambda other: layout.boxes[other].x)
    span = box.width * 0.86
    return [((router, other), box.x + ((i + 0.5) / len(others) - 0.5) * span) for i, other in enumerate(others)]
