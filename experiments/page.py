"""One self-contained page an experiment: tables and plots."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from ayatori.base.files import write_bytes
from ayatori.cli.output import print_table, say
from ayatori.report.figures import Curve, Figure, Table, page_of_figures
from ayatori.resumable import SavedResults

__all__ = ["Curve", "Figure", "Table", "present", "show"]


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
