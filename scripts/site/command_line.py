"""Pages of the command line, from its own help."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click
import typer

from ayatori.cli.app import PANELS, app


def command_pages() -> dict[str, str]:
    """A page for `ayatori`, then one for each command."""
    root = typer.main.get_command(app)
    context = click.Context(root, info_name="ayatori")
    assert isinstance(root, click.Group)
    pages = {}
    rows: list[str] = []
    panel = ""
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        if command is None or command.hidden:
            continue
        lines = [f"# ayatori {name}", *_command(command, click.Context(command, info_name=name, parent=context), "##")]
        pages[f"reference/commands/{name}.md"] = "\n".join(lines) + "\n"
        first, *_ = (command.help or "").split("\n\n")
        if panel != (panel := next(title for title, names in PANELS.items() if name in names)):
            rows += ["", f"## {panel}", "", "| command | effect |", "|---|---|"]
        rows.append(f"| [`{name}`]({name}.md) | {_cell(first)} |")
    start = ["# ayatori", "", *_paragraphs(root.help or ""), "", *rows]
    return {"reference/commands/ayatori.md": "\n".join(start) + "\n", **pages}


def _command(command: click.Command, context: click.Context, level: str) -> Iterator[str]:
    yield ""
    yield f"    {context.command_path} {' '.join(command.collect_usage_pieces(context))}"
    yield ""
    yield from _paragraphs(command.help or "")
    if command.epilog:
        yield ""
        yield from (f"    {line.removeprefix('$ ')}" for line in command.epilog.split("\n\n")[1:])
    for panel, records in _by_panel(command, context).items():
        yield from ("", f"**{panel}**", "") if panel else ("",)
        yield from ("| argument, option | meaning |", "|---|---|")
        yield from (f"| `{term}` | {_cell(text)} |" for term, text in records)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None and not inner.hidden:
                yield from ("", f"{level} {name}")
                yield from _command(inner, click.Context(inner, info_name=name, parent=context), level + "#")


def _by_panel(command: click.Command, context: click.Context) -> dict[str, list[tuple[str, str]]]:
    """The arguments and options as help has them: those without a panel first."""
    panels: dict[str, list[tuple[str, str]]] = {"": []}
    for parameter in command.get_params(context):
        if record := parameter.get_help_record(context):
            panels.setdefault(getattr(parameter, "rich_help_panel", None) or "", []).append(record)
    return {panel: records for panel, records in panels.items() if records}


def _paragraphs(text: str) -> list[str]:
    plain = re.sub(r"\[/?(bold|dim|cyan|green)\]", "", text.replace("\b", ""))
    return [_escaped(" ".join(part.split())) + "\n" for part in plain.strip().split("\n\n")]


def _cell(text: str) -> str:
    return _escaped(" ".join(text.split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("*", "\\*")
