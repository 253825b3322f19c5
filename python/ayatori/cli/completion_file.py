"""`python -m ayatori.cli.completion_file` writes completion.json, from which ayatori.cli.at_once answers shells."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path
from typing import Any

import click
import typer
from click.shell_completion import ShellComplete, get_completion_class
from rich.console import Console
from typer._completion_classes import completion_init

from ayatori.base.files import write_bytes
from ayatori.cli.app import app
from ayatori.cli.at_once import VARIABLE, WORDS

SHELLS = ("bash", "zsh", "fish")
NAME = "ayatori"


def completion_file() -> str:
    """The text of the file: the scripts that shells source, and the words that they are offered."""
    root = typer.main.get_command(app)
    scripts = {shell: _script(root, shell) for shell in SHELLS}
    command = json.dumps(_command_as_data(root, _context_of(root, NAME, None)), indent=1, ensure_ascii=False)
    an_option_a_line = re.sub(r"\{[^{}]*\}", lambda option: " ".join(option[0].split()), command)
    return f'{{"scripts": {json.dumps(scripts, indent=1)},\n"command": {an_option_a_line}}}\n'


def _script(root: click.Command, shell: str) -> str:
    """What the shell sources, by Typer's template."""
    completion_init()
    kind = get_completion_class(shell)
    assert kind is not None
    return ShellComplete.source(kind(root, {}, NAME, VARIABLE))


def _context_of(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
    return command.make_context(name, [], parent, resilient_parsing=True)


def _command_as_data(command: click.Command, context: click.Context) -> dict[str, Any]:
    """A command with its options, and with those under it."""
    options = [each for each in command.get_params(context) if isinstance(each, click.Option) and not each.hidden]
    inner: dict[str, Any] = {}
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            if found is not None and not found.hidden:
                inner[name] = _command_as_data(found, _context_of(found, name, context))
    data = {
        "help": _plain(command.get_short_help_str()),
        "about": _about(command),
        "options": list(map(_option_as_data, options)),
    }
    return data | ({"commands": inner} if inner else {})


def _option_as_data(option: click.Option) -> dict[str, Any]:
    names = sorted([*option.opts, *option.secondary_opts], key=len)  # click has those of --help in any order
    data: dict[str, Any] = {"names": " ".join(names), "help": _plain(option.help or "")}
    if not option.is_flag and not option.count:
        data["takes_value"] = True
    if option.multiple:
        data["repeats"] = True
    if isinstance(option.type, click.Choice):
        data["words"] = list(map(str, option.type.choices))
    return data


def _about(command: click.Command) -> str:
    """What the list of commands says: the first paragraph of its help."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def _plain(text: str) -> str:
    """The text in one line, without markup."""
    console = Console(file=StringIO(), width=len(text) + 1)
    return "".join(segment.text for segment in console.render(" ".join(text.split()))).strip()


if __name__ == "__main__":
    write_bytes(Path(WORDS), completion_file().encode("utf-8"))
