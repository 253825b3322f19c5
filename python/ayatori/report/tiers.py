"""What load tables and matrices are made of: levels, blocks, bundles of cables, and their loads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from ayatori.report.markup import count, figure
from ayatori.report.model import Fabric, Side

HEAVY = 4  # the last class of loads: this many messages or more
NO_LOADS = Side("", 0, {})


@dataclass(frozen=True)
class Bundle:
    """All cables between two routers. `lower` stands nearer to the hosts."""

    lower: int
    upper: int
    cables: tuple[int, ...]


def load_class(load: float) -> int:
    """0 nothing, 1 one message (full speed), 2, 3, and 4 for four or more."""
    return min(HEAVY, -int(-load // 1))


def bundles_of(fabric: Fabric) -> list[Bundle]:
    """The cables grouped by pair of routers; cables from a router to itself carry nothing and are left out."""
    pairs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for index, link in enumerate(fabric.links):
        if link.a != link.b:
            pairs[_upwards(fabric, link.a, link.b)].append(index)
    return [Bundle(lower, upper, tuple(cables)) for (lower, upper), cables in pairs.items()]


def _upwards(fabric: Fabric, a: int, b: int) -> tuple[int, int]:
    """Both routers, the lower one first; by index where levels do not tell."""
    low, high = fabric.routers[a].level, fabric.routers[b].level
    if low is None or high is None or low == high:
        return min(a, b), max(a, b)
    return (a, b) if low < high else (b, a)


def levels_of(fabric: Fabric) -> list[list[int]]:
    """Routers by level, leaves first, each from left to right as drawn; without a drawing as they are listed."""
    drawing = fabric.drawing
    places = [drawing.boxes[box].x for box in drawing.box_of] if drawing else list(range(len(fabric.routers)))
    levels: dict[int, list[int]] = defaultdict(list)
    for index in sorted(range(len(fabric.routers)), key=lambda index: places[index]):
        level = fabric.routers[index].level
        if level is not None:
            levels[level].append(index)
    return [levels[level] for level in sorted(levels)]


def labels_of(fabric: Fabric, routers: Iterable[int]) -> list[str]:
    """Short names, if there is a drawing to take them from."""
    drawing = fabric.drawing
    return [drawing.labels[index] if drawing else fabric.routers[index].name for index in routers]


def blocks_between(lower: list[int], upper: list[int], bundles: list[Bundle]) -> list[set[int]]:
    """The connected parts of two neighbouring levels, for instance the pods of a 3-level tree."""
    parent = {router: router for router in [*lower, *upper]}

    def root(router: int) -> int:
        while parent[router] != router:
            parent[router] = parent[parent[router]]
            router = parent[router]
        return router

    for bundle in bundles:
        if bundle.lower in parent and bundle.upper in parent:
            parent[root(bundle.lower)] = root(bundle.upper)
    blocks: dict[int, set[int]] = defaultdict(set)
    for router in [*lower, *upper]:
        blocks[root(router)].add(router)
    return list(blocks.values())


class Traffic:
    """The loads of one step on bundles: up is from the lower to the upper router."""

    def __init__(self, fabric: Fabric, side: Side) -> None:
        self.fabric, self.side = fabric, side

    def cable(self, bundle: Bundle, index: int, up: bool) -> float:
        """Messages on one cable in one direction."""
        forward = (self.fabric.links[index].a == bundle.lower) == up
        return self.side.loads.get((index, "ab" if forward else "ba"), 0)

    def load(self, bundle: Bundle, up: bool) -> float:
        """Messages on the most loaded cable of the bundle in one direction."""
        return max(self.cable(bundle, index, up) for index in bundle.cables)

    def tip(self, bundle: Bundle, up: bool) -> str:
        """Names, then each cable's ports, rate and messages, a line each."""
        return "\n".join([self.ends(bundle, up), *(self._cable_line(bundle, index, up) for index in bundle.cables)])

    def ends(self, bundle: Bundle, up: bool) -> str:
        """The names of the routers in the direction of travel."""
        ends = (bundle.lower, bundle.upper) if up else (bundle.upper, bundle.lower)
        return " → ".join(self.fabric.routers[end].name for end in ends)

    def _cable_line(self, bundle: Bundle, index: int, up: bool) -> str:
        link = self.fabric.links[index]
        forward = (link.a == bundle.lower) == up
        ports = (link.a_port, link.b_port) if forward else (link.b_port, link.a_port)
        load = self.cable(bundle, index, up)
        carries = count(load, "message") if load else "no message"
        rate = f" ({link.rate}{', degraded' if link.degraded else ''})" if link.rate or link.degraded else ""
        return f"port {ports[0]} → port {ports[1]}{rate}: {carries}"


def hot_cables(fabric: Fabric, sides: Iterable[Side]) -> list[tuple[int, str]]:
    """Cable directions that carry more than one message on any side, the worst of the first side first."""
    sides = list(sides)
    hot = {key for side in sides for key, load in side.loads.items() if load > 1}

    def order(key: tuple[int, str]) -> tuple[object, ...]:
        return (*(-side.loads.get(key, 0) for side in sides), key)

    return sorted(hot, key=order)


def load_text(load: float) -> str:
    """A load as it stands on a badge."""
    return figure(round(load, 1))
