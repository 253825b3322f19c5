"""Commands that start another: their own options end at its first word, as those of env, nice and sudo do."""

from __future__ import annotations

import click
from typer.core import TyperCommand

RUN_COMMANDS = ("run", "tune", "acprun", "explain")
"""And those of `lab` that start a command."""


class RunsCommand(TyperCommand):
    """A command whose last argument takes the words of another, options among them. `--` may be left out."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.allow_interspersed_args = False  # options end where a word stands that is none
        own_options = click.Command(self.name, params=[each for each in self.params if isinstance(each, click.Option)])
        own_words = sum(isinstance(each, click.Argument) and each.nargs == 1 for each in self.params)
        options: list[str] = []
        words: list[str] = []
        left = list(args)
        for number in range(own_words + 1):
            _, rest, _ = own_options.make_parser(ctx).parse_args(list(left))
            taken = left[: len(left) - len(rest)]
            options += taken[:-1] if taken[-1:] == ["--"] else taken
            is_own = number < own_words
            words, left = [*words, *rest[:is_own]], rest[is_own:]
        return super().parse_args(ctx, [*options, "--", *words, *left] if words or left else options)
