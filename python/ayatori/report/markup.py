"""Safe HTML and SVG text: the only place that builds tags, so the only place that must escape."""

from __future__ import annotations

from html import escape

VOID = {"input"}  # elements without content and end


class Markup(str):
    """Text that is already HTML or SVG; any other text is escaped when it enters a tag."""


def safe(content: object) -> Markup:
    """The content as markup: escaped, unless it is markup already."""
    return content if isinstance(content, Markup) else Markup(escape(str(content), quote=True))


def join(parts: object, between: str = "") -> Markup:
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


def plain(value: object) -> object:
    """Coordinates with one decimal at most, to keep drawings small."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else value


def figure(value: float) -> str:
    """A number for a reader: thousands separated, three digits where it is small."""
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.3g}"


def count(number: float, one: str, many: str = "") -> str:
    """`1 cable`, `2 cables`."""
    return f"{figure(number)} {one if number == 1 else many or one + 's'}"
