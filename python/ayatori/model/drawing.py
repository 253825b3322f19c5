"""Where everything stands in the picture of a network, in plain data: what the report draws from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from ayatori import _core
from ayatori._core import Drawing, Network
from ayatori.base.errors import Error


class PositionsData(TypedDict, total=False):
    drawing: dict[str, Any]
    """Where everything stands, in pixels, as the report reads it."""
    not_drawn: str
    """Instead of `drawing`: why there is none."""


def positions_as_data(network: Network, hosts: dict[int, int], cables: list[tuple[int, int]]) -> PositionsData:
    """`drawing`, or `not_drawn` with the reason why not.

    Indices in it are places: of hosts as `hosts` gives them for endpoints (port ids), of links as in `cables` (both
    port ids of each), of routers by their ids. `cables` of a bundle are 2 × link, + 1 if it begins at the link's end b.
    Where boxes stand for several routers, `box_of` has each router's box and `box_names` what each box is.
    """
    try:
        drawing = _core.draw(network)
    except Error as error:
        return {"not_drawn": error.message}
    return {"drawing": _as_data(drawing, hosts, cables)}


def _as_data(drawing: Drawing, hosts: dict[int, int], cables: list[tuple[int, int]]) -> dict[str, Any]:
    ends = {port: 2 * link + end for link, both in enumerate(cables) for end, port in enumerate(both)}
    joined = _members(drawing, "box_of", "box_names") if drawing.box_of else {}
    place = ("x", "y", "width", "height")
    return joined | {
        "width": _short(drawing.width),
        "height": _short(drawing.height),
        "dot": round(drawing.dot, 2),
        **_members(drawing, "thickness", "opacity", "remark", "labels"),
        "boxes": [_members(box, *place, "round", shortened=place) for box in drawing.boxes],
        "frames": [_members(frame, *place, "round", "label", shortened=place) for frame in drawing.frames],
        "dots": [[hosts[dot.endpoint], _short(dot.x), _short(dot.y)] for dot in drawing.dots],
        "bundles": [
            {
                "form": bundle.form,
                "points": [_short(value) for value in bundle.points],
                "cables": [ends[port] for port in bundle.ports],
                "faint": bundle.faint,
            }
            for bundle in drawing.bundles
        ],
        "missing": [
            {"a": missing.from_router, "b": missing.to_router}
            | _members(missing, "cables", "usual")
            | {"points": [_short(value) for value in missing.points]}
            for missing in drawing.missing
        ],
        "texts": [
            _members(text, "x", "y", "text", "anchor", "angle", "inside", "size", shortened=("x", "y", "angle"))
            for text in drawing.texts
        ],
    }


def _members(part: Any, *names: str, shortened: Sequence[str] = ()) -> dict[str, Any]:
    values = {name: getattr(part, name) for name in names}
    return values | {name: _short(values[name]) for name in shortened}


def _short(value: float) -> float:
    """A tenth of a pixel is fine enough."""
    return round(value, 1)
