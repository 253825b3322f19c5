"""Printing: data to stdout, talk to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

OUTPUT_VERSION = 1
"""Of all kinds of JSON output: another one as soon as a key goes or means something else; keys may be added."""

out = Console(highlight=False, soft_wrap=True)
talk = Console(stderr=True, highlight=False, soft_wrap=True)


def print_error(message: str, cause: str = "", hint: str = "") -> None:
    talk.print(f"[bold red]error:[/] {escape(message)}")
    if cause:
        talk.print(f"[red]caused by:[/] {escape(cause)}")
    if hint:
        talk.print(f"[cyan]hint:[/] {escape(hint)}")


def print_warning(message: str) -> None:
    talk.print(f"[bold yellow]warning:[/] {escape(message)}")


def print_json(kind: str, value: dict[str, Any]) -> None:
    """Prints data after the name and the version of their format: docs/json-output.md describes each kind's keys."""
    head = {"format": f"ayatori-{kind}-output", "version": OUTPUT_VERSION}
    json.dump(head | value, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


def say(text: str) -> None:
    """One line of data for people."""
    out.print(escape(text))


def note(text: str) -> None:
    """One line of talk: what is being done, what to know."""
    talk.print(escape(text), style="dim")


def print_table(title: str, columns: list[str], rows: list[list[str]]) -> None:
    """A table whose first column is text and whose others are figures, aligned to the right.

    Never cut to the width of the terminal: a figure that is not there is worse than a long line.
    """
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    if title:
        out.print(escape(title), style="bold")
    for row in [columns, *rows]:
        text, *figures = row
        aligned = [figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True)]
        out.print(escape("  ".join([text.ljust(widths[0]), *aligned]).rstrip()))


class Advance(Protocol):
    def __call__(self, pieces: int = 1, /) -> None: ...


@contextmanager
def progress(what: str, total: int) -> Iterator[Advance]:
    """A progress bar on a terminal, nothing elsewhere; call what it yields after one or more of `total` pieces."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=talk, transient=True, disable=not talk.is_terminal) as bar:
        task = bar.add_task(what, total=total)
        yield lambda pieces=1: bar.advance(task, pieces)
