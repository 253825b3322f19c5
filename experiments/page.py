"""One self-contained page an experiment: tables and plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ayatori.base.files import write_bytes
from ayatori.cli.output import print_table, say
from ayatori.report.figures import Curve, Figure, Table, page_of_figures
from ayatori.resumable import SavedResults

__all__ = ["Axis", "Curve", "Figure", "Table", "axis", "open_results", "present", "show", "ticks"]

Axis = dict[str, Any]
"""As Plotly takes it."""


def open_results(folder: Path, parameters: dict[str, Any], resume: bool, save_every: float = 0) -> SavedResults:
    """Where an experiment with these parameters keeps what it has computed; with `resume` what is there already."""
    results = SavedResults(folder / "results.json", parameters, save_every)
    if resume:
        results.load()
    return results


def axis(title: str, *, upright: bool = False, **settings: Any) -> Axis:
    """`upright`: its title stands beside the numbers."""
    return {"title": {"text": title} | ({"standoff": 12} if upright else {})} | settings


def ticks(title: str, values: Sequence[float], words: Callable[[Any], str] = str) -> Axis:
    """A logarithmic axis with these numbers."""
    return axis(title, type="log", tickvals=list(values), ticktext=list(map(words, values)))


def present(results: SavedResults, title: str, about: str, tables: list[Table], figures: list[Figure]) -> Path:
    """Prints the tables, saves them beside the figures, and writes the page into the same folder; returns its path."""
    say(title)
    say(about)
    say("")
    for table in tables:
        show(table)
    results.save(tables=[asdict(table) for table in tables])
    page = results.path.with_name("index.html")
    text = page_of_figures(title, "experiments", about, tables, figures, "Drawn from results.json.")
    write_bytes(page, text.encode("utf-8"))
    return page


def show(table: Table) -> None:
    print_table(table.title, table.columns, table.rows)
    if table.note:
        say(table.note)
    say("")
