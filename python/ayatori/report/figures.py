"""Tables and plots of curves, as parts of a page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ayatori.report.curves import Plot
from ayatori.report.document import document
from ayatori.report.headlines import headline_of
from ayatori.report.markup import Markup, curve_key, heads, key_line, table, tag
from ayatori.report.methods import STYLES


@dataclass(frozen=True)
class Table:
    """Rows whose first column is text and whose others are figures. Those that begin with "paper" are distinguished.

    One column without a heading is a list.
    """

    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str = ""

    def markup(self) -> Markup:
        if self.columns == [""]:
            listed = tag("ul", *(tag("li", text) for (text,) in self.rows))
            return tag("div", tag("h3", self.title), listed, *self._note(), class_="card")
        head = heads(self.columns, range(1, len(self.columns)))
        figures = table(head, rows=map(self._row, self.rows))
        return tag("div", tag("h3", self.title), figures, *self._note(), class_="card")

    def _row(self, row: list[str]) -> Markup:
        figures = (f"{int(figure):,}" if figure.isdecimal() else figure for figure in row[1:])
        cells = [tag("td", figure, class_="number") for figure in figures]
        return tag("tr", tag("th", row[0], scope="row"), *cells, class_="paper" if row[0].startswith("paper") else None)

    def _note(self) -> list[Markup]:
        return [tag("p", self.note, class_="note")] if self.note else []


@dataclass(frozen=True)
class Curve:
    """One line or row of marks of a figure. `tone` is a place in the report's palette of six."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    tone: int
    width: float = 2.5
    dash: str = "solid"
    symbol: str = ""
    """Plotly's name of a mark; empty: none."""
    line: bool = True
    shape: str = "linear"

    @staticmethod
    def of_method(
        method: str, x: Sequence[float], y: Sequence[float], shape: str = "linear", marks: bool = True
    ) -> Curve:
        """In the look that the method has in every chart."""
        look = STYLES[method]
        return Curve(method, x, y, look.tone, look.width, look.dash, look.symbol if marks else "", shape=shape)

    def trace(self) -> dict[str, Any]:
        mode = "+".join(["lines"] * self.line + ["markers"] * bool(self.symbol))
        trace: dict[str, Any] = {"type": "scatter", "name": self.name, "x": list(self.x), "y": list(self.y)}
        trace |= {"mode": mode, "tone": self.tone, "cliponaxis": False}
        if self.line:
            trace["line"] = {"width": self.width, "dash": self.dash, "shape": self.shape}
        if self.symbol:
            trace["marker"] = {"symbol": self.symbol, "size": 8 if self.line else 13, "line": {"width": 2}}
        return trace | ({} if self.line else {"hoverinfo": "skip"})

    def key(self) -> Markup:
        """A short piece of it, for the legend."""
        outline = {"fill": "none", "stroke": "currentColor", "stroke_width": 2}
        square = tag("rect", x=8.5, y=1.5, width=9, height=9, **outline)
        mark = square if self.symbol.startswith("square") else tag("circle", cx=13, cy=6, r=4.5, **outline)
        return tag("li", curve_key(self.tone, key_line(self.width, self.dash) if self.line else mark), self.name)


Axis = dict[str, Any]
"""As Plotly takes it."""


def axis(title: str, **settings: Any) -> Axis:
    return {"title": {"text": title}} | settings


def upright(title: str, **settings: Any) -> Axis:
    """One whose title stands next to its numbers."""
    return {"title": {"text": title, "standoff": 12}} | settings


def log_axis(title: str, values: Sequence[float], words: Callable[[Any], str] = str) -> Axis:
    """With these numbers."""
    return axis(title, type="log", tickvals=list(values), ticktext=list(map(words, values)))


@dataclass(frozen=True)
class Figure:
    """Curves over common axes, the last one on top."""

    id: str
    title: str
    note: str
    curves: list[Curve]
    x_axis: Axis = field(default_factory=dict)
    y_axis: Axis = field(default_factory=dict)

    def plot(self) -> Plot:
        traces = [curve.trace() for curve in self.curves]
        names = [curve.name for curve in self.curves]
        layout = {"xaxis": self.x_axis, "yaxis": self.y_axis}
        return Plot(self.id, self.title, self.note, self.title, names, traces, layout)

    def markup(self) -> Markup:
        place = tag("div", id=self.id, class_="plot", role="img", aria_label=self.title)
        legend = tag("ul", *(curve.key() for curve in reversed(self.curves)), class_="legend")
        missing = tag("noscript", "The plot needs JavaScript; the tables have its figures.")
        return tag(
            "figure", tag("h3", self.title), tag("p", self.note, class_="note"), legend, place, missing, class_="card"
        )


def page_of_figures(
    title: str, kind: str, about: str, tables: list[Table], figures: list[Figure], drawn_from: str, result: str = ""
) -> str:
    """A page of its own: the result in words, the figures, and the tables below them."""
    pictures = tag(
        "div", *(figure.markup() for figure in figures), class_="plots pair" if len(figures) > 1 else "plots"
    )
    heading = tag("h1", title), tag("p", about, class_="source")
    headline = [headline_of(result)] if result else []
    section = tag("section", *heading, *headline, pictures, *(table.markup() for table in tables), class_="study")
    return document(title, kind, [section], drawn_from, [figure.plot() for figure in figures])
