"""Options that were called otherwise, or ask for what is usual now: they are taken, and shown nowhere."""

from __future__ import annotations

from collections.abc import Mapping

import click
from typer.core import TyperCommand


def taking(former: Mapping[str, str]) -> type[TyperCommand]:
    """The class of a command that takes these names of options, too: former name -> the name that help shows,
    or nothing for a flag that changes nothing any more."""

    class Command(TyperCommand):
        former_names = former

        def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
            options = args[: args.index("--")] if "--" in args else args
            renamed = [_renamed(word, former) for word in options if former.get(word) != ""]
            return super().parse_args(ctx, renamed + args[len(options) :])

    return Command


def _renamed(word: str, former: Mapping[str, str]) -> str:
    """`--old` or `--old=value` by its name of today; any other word as it is."""
    name, equals, value = word.partition("=")
    return former.get(name, name) + equals + value
