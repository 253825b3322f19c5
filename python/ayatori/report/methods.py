"""How each method looks, in every chart and listing of every page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ayatori.report.markup import Markup, curve_key, key_line, tag


@dataclass(frozen=True)
class Style:
    """`tone` is a place in the palette of page.css. Where curves coincide, the wider one lies below."""

    tone: int
    width: float
    dash: str
    symbol: str

    @property
    def size(self) -> float:
        """Of its marks, so that a narrower curve's fits inside."""
        return self.width + 5


STYLES = {
    "tables in use": Style(0, 1.6, "2px 3px", "x"),
    "base-lids": Style(5, 2.4, "7px 4px", "circle"),
    "rule": Style(4, 5.2, "solid", "square"),
    "colour": Style(2, 3.2, "12px 6px", "diamond"),
    "pair": Style(3, 7.4, "solid", "triangle-up"),
    "path-aware schedule": Style(1, 1.6, "solid", "cross"),
}
OTHERS = (Style(1, 2.0, "solid", "x"), Style(0, 3.6, "4px 4px", "cross"))
"""Of methods that a study alone names."""


def style_of(method: str, methods: Iterable[str]) -> Style:
    """`methods`: all of the study."""
    if method in STYLES:
        return STYLES[method]
    others = [name for name in methods if name not in STYLES] or [method]
    return OTHERS[others.index(method) % len(OTHERS)]


def key_of(style: Style) -> Markup:
    """A short line in a method's colour and dash, as in the charts."""
    return curve_key(style.tone, key_line(style.width, style.dash))


def method_name(method: str, methods: Iterable[str]) -> Markup:
    """A method with its key, where it is named."""
    return tag("span", key_of(style_of(method, methods)), tag("b", method), class_="method")
