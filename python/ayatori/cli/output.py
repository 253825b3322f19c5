"""Printing: data to stdout, talk to stderr."""

from __future__ import annotations

import json
import re
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from ayatori.cli.lines import BOLD, CYAN, DIM, RED, YELLOW, is_terminal, write_line

WIDTH = 100
"""Columns that output for people fits into."""
MAX_GROUPS = 3
MAX_NAMES = 4
MIN_TEXT = 40
MIN_COLUMNS = 4

OUTPUT_VERSION = 1
"""Of all kinds of JSON output: another one as soon as a key goes or means something else; keys may be added."""


def print_error(message: str, cause: str = "", hint: str = "") -> None:
    write_line(sys.stderr, message, BOLD, RED, head="error:")
    if cause:
        write_line(sys.stderr, cause, RED, head="caused by:")
    if hint:
        write_line(sys.stderr, hint, CYAN, head="hint:")


def print_warning(message: str) -> None:
    write_line(sys.stderr, message, BOLD, YELLOW, head="warning:")


def print_json(kind: str, value: Mapping[str, object]) -> None:
    """Prints data after the name and the version of their format. json_kinds.py has the type of each kind."""
    head = {"format": f"ayatori-{kind}-output", "version": OUTPUT_VERSION}
    json.dump({**head, **value}, sys.stdout, indent=1, ensure_ascii=False)
    sys.stdout.write("\n")


def say(text: str) -> None:
    """A sentence or a figure for people: one line, or as many as it needs to fit WIDTH."""
    for line in wrapped(text):
        write_line(sys.stdout, line)


def say_unbroken(text: str) -> None:
    """A line that people copy, a command: as it is, however long."""
    write_line(sys.stdout, text)


def wrapped(text: str) -> list[str]:
    """The text in lines of at most WIDTH, but for words that are longer; the second line and others stand indented."""
    indent = " " * (len(text) - len(text.lstrip()) + 4)
    lines = textwrap.wrap(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return lines or [""]


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def say_first(title: str, items: list[str]) -> None:
    """One line: a title, the number of items, and the first few; those that say the same are grouped."""
    if not items:
        return
    groups = grouped(items)
    first = "; ".join(groups[:MAX_GROUPS])
    say(f"  {title}: {len(items)} ({first}{'; …' if len(groups) > MAX_GROUPS else ''})")


def grouped(items: list[str]) -> list[str]:
    """Sentences, with those that say the same of different subjects as one."""
    subjects: dict[tuple[str, str], list[str]] = {}
    for item in items:
        found = re.fullmatch(r"(the host )?(.+?) (has .+)", item)
        key = ("host" if found[1] else "device", found[3]) if found else ("", item)
        subjects.setdefault(key, []).append(found[2] if found else "")
    texts = []
    for (kind, predicate), names in subjects.items():
        subject = {"host": "the host ", "device": ""}.get(kind, "")
        if not kind:
            texts.append(predicate)
        elif len(names) == 1:
            texts.append(f"{subject}{names[0]} {predicate}")
        else:
            plural = predicate.replace("has ", "have ", 1)
            rest = ", …" if len(names) > MAX_NAMES else ""
            texts.append(f"{len(names)} {kind}s {plural}: {', '.join(names[:MAX_NAMES])}{rest}")
    return texts


def note(text: str) -> None:
    """One line of talk: what is being done, what to know."""
    write_line(sys.stderr, text, DIM)


@contextmanager
def saying_what_is_done(every_seconds: float = 8.0) -> Iterator[Callable[[str], None]]:
    """Yields a note() whose text is repeated, with the seconds that it took so far, until the next one or the end.

    Where there is no terminal to show a progress bar, whoever reads the log can see that the program goes on.
    """
    doing, begun = "", time.monotonic()
    changed, over = threading.Condition(), False

    def say_now(text: str) -> None:
        nonlocal doing, begun
        with changed:
            doing, begun = text, time.monotonic()
            note(text)
            changed.notify()

    def repeat() -> None:
        with changed:
            while not over:
                if not changed.wait(every_seconds) and doing:
                    note(f"{doing} ({time.monotonic() - begun:.0f} s)")

    speaker = threading.Thread(target=repeat, daemon=True)
    if not is_terminal(sys.stderr):
        speaker.start()
    try:
        yield say_now
    finally:
        with changed:
            over = True
            changed.notify()
        if speaker.ident is not None:
            speaker.join()


def print_table(title: str, columns: list[str], rows: list[list[str]], remark: str = "") -> None:
    """A table whose first column is text and whose others are figures, aligned to the right.

    Where it does not fit WIDTH, the text is shortened, and then the last columns are left out; a line says so. The
    remark is a line below the table.
    """
    columns, rows, left_out = fitted(columns, rows)
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    if title:
        write_line(sys.stdout, title, BOLD)
    for row in [columns, *rows]:
        text, *figures = row
        aligned = [figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True)]
        write_line(sys.stdout, "  ".join([text.ljust(widths[0]), *aligned]).rstrip())
    for line in (remark, left_out):
        if line:
            write_line(sys.stdout, line)


def fitted(columns: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]], str]:
    """The table within WIDTH, and what to say about what is missing."""

    def width() -> int:
        return sum(max(len(row[i]) for row in table) + 2 for i in range(len(table[0]))) - 2

    table = [list(columns), *map(list, rows)]
    dropped = 0
    longest = max(len(row[0]) for row in table)
    while width() - longest + min(longest, MIN_TEXT) > WIDTH and len(table[0]) > MIN_COLUMNS:
        dropped += 1
        for row in table:
            row.pop()
    too_much = width() - WIDTH
    if too_much > 0:
        for row in table:
            if len(row[0]) > (room := longest - too_much):
                row[0] = row[0][: room - 1] + "…"
    notes = [f"{dropped} more columns"] * (dropped > 0) + ["names in full"] * (too_much > 0)
    return table[0], table[1:], f"  ({' and '.join(notes)}: --json)" if notes else ""


class Advance(Protocol):
    def __call__(self, pieces: int = 1, /) -> None: ...


@contextmanager
def progress(what: str, total: int) -> Iterator[Advance]:
    """A progress_bar(); call what it yields after one or more of `total` pieces."""
    with progress_bar(what) as show:
        done = 0
        show(done, total)

        def advance(pieces: int = 1, /) -> None:
            nonlocal done
            done += pieces
            show(done, total)

        yield advance


@contextmanager
def progress_bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on a terminal, nothing elsewhere; call what it yields with how many pieces of how many are done.
    Of 0 pieces the number is not known yet."""
    if not is_terminal(sys.stderr):
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    with Progress(*columns, console=console, transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total or None)
