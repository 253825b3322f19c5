"""`-` as the value of an option that names a file or a folder: stdout where the option allows it, else refused."""

from __future__ import annotations

from typing import Any

import click

from ayatori.cli.execution import UsageError


def refusing_dashes(command: click.Command) -> click.Command:
    """The command, whose options of paths, and those of its own commands, refuse `-` unless they have allow_dash.

    Most commands print what they find, and would mix a file with it; none should leave a file that is called `-`.
    """
    if isinstance(command, click.Group):
        for each in command.commands.values():
            refusing_dashes(each)
    for option in command.params:
        if isinstance(option, click.Option) and isinstance(option.type, click.Path) and not option.type.allow_dash:
            option.callback = _refuse_dash
    return command


def _refuse_dash(_: click.Context, option: click.Parameter, value: Any) -> Any:
    paths = value if isinstance(value, list | tuple) else [value]
    if any(str(path) == "-" for path in paths):
        what = "folder" if option.metavar == "DIR" else "file"
        hint = f"the name of a {what}, or ./- for one of this name; what is printed goes to stdout"
        raise UsageError(f"{option.opts[0]} names a {what}, and '-' is none", hint=hint)
    return value
