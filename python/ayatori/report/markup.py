"""Safe HTML and SVG text: the only place that builds tags, so the only place that must escape."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from html import escape

VOID = {"input"}  # elements without content and end
ARROW = "\u00a0→\u00a0"  # which no line break parts from its figures


class Markup(str):
    """Text that is already HTML or SVG; any other text is escaped when it enters a tag."""


def safe(content: object) -> Markup:
    """The content as markup: escaped, unless it is markup already."""
    return content if isinstance(content, Markup) else Markup(escape(str(content), quote=True))


def join(parts: Iterable[object], between: str = "") -> Markup:
    """Pieces of content, one after another."""
    return Markup(between.join(safe(part) for part in parts))


def tag(name: str, *content: object, **attributes: object) -> Markup:
    """An element. `class_` becomes class, `data_tip` becomes data-tip; None and False attributes are left out."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{safe(plain(value))}"'
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>") if name in VOID else Markup(f"<{name}{written}>{join(content)}</{name}>")


def curve_key(tone: int, mark: Markup) -> Markup:
    """What stands for a curve in a legend, in its colour."""
    return tag("svg", mark, class_=f"key tone{tone}", viewBox="0 0 26 12", aria_hidden="true")


_DASHES = {"dot": (1, 1), "dash": (3, 3), "longdash": (5, 5), "dashdot": (3, 1, 1, 1)}
"""Plotly's words, in widths of the line."""


def key_line(width: float, dash: str) -> Markup:
    """A short piece of a curve; `dash` as Plotly takes it."""
    widths = _DASHES.get(dash)
    lengths = dash.replace("px", "") if widths is None else " ".join(f"{part * width:g}" for part in widths)
    dashes = None if dash == "solid" else lengths
    return tag("line", x1=0, y1=6, x2=26, y2=6, stroke="currentColor", stroke_width=width, stroke_dasharray=dashes)


def json_script(id: str, data: object) -> Markup:
    """An element that holds data for our scripts."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    safe_text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return Markup(f'<script type="application/json" id="{id}">{safe_text}</script>')


def table(*head: Markup, rows: Iterable[Markup]) -> Markup:
    return scrolled(tag("table", tag("thead", *head), tag("tbody", *rows)))


def scrolled(content: Markup) -> Markup:
    """As wide as it is: it scrolls in its place, and page.js says so where it does not fit."""
    return tag("div", content, class_="scroll")


def heads(names: Iterable[str], numbers: Container[int]) -> Markup:
    """A row of headings; those of `numbers` stand to the right."""
    return tag("tr", *(tag("th", name, scope="col", class_=_number(i in numbers)) for i, name in enumerate(names)))


def cells(values: Iterable[object], numbers: Container[int]) -> Iterator[Markup]:
    return (tag("td", value, class_=_number(i in numbers)) for i, value in enumerate(values))


def _number(is_one: bool) -> str | None:
    return "number" if is_one else None


def plain(value: object) -> object:
    """Coordinates with one decimal at most, to keep drawings small."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def figure(value: float) -> str:
    """A number for a reader: thousands separated, three digits where it is small."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def listed(names: Sequence[str]) -> str:
    """`a, b and c`"""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def count(number: float, one: str, many: str = "") -> str:
    """`1 cable`, `2 cables`."""
    return f"{figure(number)} {one if number == 1 else many or one + 's'}"
