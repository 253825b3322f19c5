"""`python -m ayatori.cli.man_pages DIR` writes a manual page for each command, from the command line's own help."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import click
import typer

import ayatori
from ayatori.base.files import make_folder, write_bytes
from ayatori.cli.app import app


def write_man_pages(folder: Path) -> list[Path]:
    """Writes ayatori.1, ayatori-show.1, …; returns their paths."""
    make_folder(folder)
    written = []
    for name, text in man_pages():
        path = folder / f"{name}.1"
        write_bytes(path, text.encode("utf-8"))
        written.append(path)
    return written


def man_pages() -> Iterator[tuple[str, str]]:
    """The name and the text, in the man macros, of each command's page."""
    root = typer.main.get_command(app)
    yield from _pages(root, click.Context(root, info_name="ayatori"))


def _pages(command: click.Command, context: click.Context) -> Iterator[tuple[str, str]]:
    name = context.command_path.replace(" ", "-")
    yield name, _page(command, context, name)
    if isinstance(command, click.Group):
        for inner_name in command.list_commands(context):
            inner = command.get_command(context, inner_name)
            if inner is not None and not inner.hidden:
                yield from _pages(inner, click.Context(inner, info_name=inner_name, parent=context))


def _page(command: click.Command, context: click.Context, name: str) -> str:
    about, *details = (command.help or "").strip().split("\n\n")
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [
        f'.TH "{name.upper()}" 1 "" "ayatori {ayatori.__version__}" "Ayatori"',
        *(".SH NAME", f"{_roff(name)} \\- {_roff(_one_line(about))}"),
        *(".SH SYNOPSIS", f".B {_roff(context.command_path)}", _roff(usage)),
        *(".SH DESCRIPTION", _roff(_one_line(about))),
    ]
    for paragraph in details:
        lines += [".PP", _roff(_one_line(paragraph))]
    records = [record for parameter in command.get_params(context) if (record := parameter.get_help_record(context))]
    if records:
        lines.append(".SH OPTIONS")
    for term, text in records:
        lines += [".TP", f".B {_roff(term)}", _roff(_one_line(text)) or "\\&"]
    if command.epilog:
        _, *examples = command.epilog.split("\n\n")
        lines += [".SH EXAMPLES", ".nf", *map(_roff, examples), ".fi"]
    if isinstance(command, click.Group):
        lines.append(".SH COMMANDS")
        for inner in command.list_commands(context):
            short = command.get_command(context, inner)
            lines += [
                ".TP",
                f".B {_roff(name)}-{_roff(inner)}(1)",
                _roff(short.get_short_help_str(90) if short else ""),
            ]
    return "\n".join(lines) + "\n"


def _one_line(text: str) -> str:
    """The text without line breaks, and without the backslash by which Typer hides a [ from Rich."""
    return " ".join(text.split()).replace("\\[", "[")


def _roff(text: str) -> str:
    """The text with what roff would take as a request or an escape made harmless."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    plain = "".join(c if c.isascii() else f"\\[u{ord(c):04X}]" for c in escaped)
    return f"\\&{plain}" if plain[:1] in (".", "'") else plain


if __name__ == "__main__":
    for page in write_man_pages(Path(sys.argv[1])):
        print(page)
