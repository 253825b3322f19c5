"""Reads the drawing of a fabric: positions by index of router, host and link."""

from __future__ import annotations

from ayatori.report.model import Bundle, Drawing, MissingCables, Shape, Text
from ayatori.report.values import Value

FORMS = {"line": 4, "curve": 8, "ends": 8}  # how many coordinates each has
ANCHORS = ("start", "middle", "end")
LARGEST = 1e6  # pixels


def read_drawing(value: Value, routers: int, hosts: int, links: int) -> Drawing:
    """The drawing of so many routers, hosts and links."""
    boxes = [_shape(item) for item in value.at("boxes").items()]
    labels = [item.text() for item in value.at("labels").items()]
    if len(labels) != routers:
        value.at("labels").fail("one for each of fabric.routers")
    box_of, box_names = _boxes_of_routers(value, routers, len(boxes))
    return Drawing(
        width=_coordinate(value.at("width"), least=1),
        height=_coordinate(value.at("height"), least=1),
        dot=_coordinate(value.at("dot")),
        thickness=_coordinate(value.at("thickness")),
        opacity=_coordinate(value.at("opacity")),
        remark=value.at("remark").text(),
        labels=labels,
        boxes=boxes,
        box_of=box_of,
        box_names=box_names,
        frames=[_shape(item, with_label=True) for item in value.at("frames").items()],
        dots=dict(_dot(item, hosts) for item in value.at("dots").items()),
        bundles=[_bundle(item, links) for item in value.at("bundles").items()],
        missing=[_missing(item, routers) for item in value.at("missing").items()],
        texts=[_text(item) for item in value.at("texts").items()],
    )


def _boxes_of_routers(value: Value, routers: int, boxes: int) -> tuple[list[int], list[str]]:
    """The box of each router, and the names of boxes that stand for several routers."""
    if not value.has("box_of"):
        if boxes != routers:
            value.at("boxes").fail("one for each of fabric.routers")
        return list(range(routers)), []
    box_of = [item.whole(most=boxes - 1) for item in value.at("box_of").items()]
    names = [item.text() for item in value.at("box_names").items()]
    if len(box_of) != routers:
        value.at("box_of").fail("one for each of fabric.routers")
    if len(names) != boxes:
        value.at("box_names").fail("one for each of boxes")
    return box_of, names


def _coordinate(value: Value, least: float = -LARGEST) -> float:
    number = value.number(least)
    return number if number <= LARGEST else value.fail(f"a number up to {LARGEST:g}")


def _points(value: Value, count: int) -> list[float]:
    points = [_coordinate(item) for item in value.items()]
    return points if len(points) == count else value.fail(f"{count} numbers")


def _shape(value: Value, with_label: bool = False) -> Shape:
    x, y, width, height = (_coordinate(value.at(key)) for key in ("x", "y", "width", "height"))
    return Shape(x, y, width, height, value.at("round").truth(), value.at("label").text() if with_label else "")


def _dot(value: Value, hosts: int) -> tuple[int, tuple[float, float]]:
    """[host index, x, y]."""
    parts = value.items()
    if len(parts) != 3:
        value.fail("[host index, x, y]")
    return parts[0].whole(most=hosts - 1), (_coordinate(parts[1]), _coordinate(parts[2]))


def _bundle(value: Value, links: int) -> Bundle:
    form = value.at("form").text()
    if form not in FORMS:
        value.at("form").fail("line, curve or ends")
    return Bundle(
        form=form,
        points=_points(value.at("points"), FORMS[form]),
        cables=[item.whole(most=2 * links - 1) for item in value.at("cables").items()],
        faint=value.at("faint").truth(),
    )


def _missing(value: Value, routers: int) -> MissingCables:
    a, b = (value.at(key).whole(most=routers - 1) for key in ("a", "b"))
    cables, usual = (value.at(key).whole() for key in ("cables", "usual"))
    return MissingCables(a, b, cables, usual, _points(value.at("points"), 4))


def _text(value: Value) -> Text:
    anchor = value.at("anchor").text()
    if anchor not in ANCHORS:
        value.at("anchor").fail("start, middle or end")
    x, y, angle, size = (_coordinate(value.at(key)) for key in ("x", "y", "angle", "size"))
    return Text(x, y, value.at("text").text(), anchor, angle, value.at("inside").truth(), size)
