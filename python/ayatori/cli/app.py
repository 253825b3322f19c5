"""The commands of the command line. What is not called is not imported: help lists commands without their modules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import click
import typer
from typer.core import TyperCommand, TyperGroup

from ayatori.cli.at_once import read_words, version_in_words

PANELS: Mapping[str, tuple[str, ...]] = {
    "Look at a network": ("show", "convert", "sources"),
    "Run MPI programs": ("doctor", "run", "tune", "explain", "plan", "roce", "order", "build-plugin"),
    "Run a cluster": ("route", "check", "compare", "place"),
    "Write a communication library": ("acprun", "choose", "algorithms", "lab"),
    "Measure and predict": ("bench", "calibrate", "simulate", "estimate", "demo", "report"),
}
"""The commands by who needs them (decision 28), in the order in which help lists them."""
GROUPS = ("lab", "bench", "estimate")


def command(name: str) -> click.Command:
    """The command `name`: the function of that name in the module of that name, or the `app` of that module."""
    from ayatori.cli.dashes import refusing_dashes
    from ayatori.cli.examples import with_examples
    from ayatori.cli.own_options import RUN_COMMANDS, RunsCommand
    from ayatori.cli.sources import refusing_unknown_sources

    function = name.replace("-", "_")
    module = import_module(f"ayatori.cli.{function}")
    if name in GROUPS:
        made = typer.main.get_command(module.app)
        made.name = name
    else:
        app = typer.Typer(add_completion=False)
        app.command(name, cls=RunsCommand if name in RUN_COMMANDS else TyperCommand)(getattr(module, function))
        made = typer.main.get_command(app)
    return with_examples(refusing_unknown_sources(refusing_dashes(made)), name)


class Commands(Mapping[str, click.Command]):
    """The commands, each made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._made:
            if all(name not in names for names in PANELS.values()):
                raise KeyError(name)
            self._made[name] = command(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return (name for names in PANELS.values() for name in names)

    def __len__(self) -> int:
        return sum(map(len, PANELS.values()))


def listed_commands() -> dict[str, click.Command]:
    """What help says of each command, from completion.json: to import all modules takes five times as long as to
    print the page."""
    about = {name: words["about"] for name, words in read_words()["command"]["commands"].items()}
    return {
        name: TyperCommand(name, help=about.get(name, ""), rich_help_panel=panel)
        for panel, names in PANELS.items()
        for name in names
    }


class Ayatori(TyperGroup):
    """The command line, whose commands are made late."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()  # type: ignore[assignment]  # click only reads it

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        made, self.commands = self.commands, listed_commands()
        try:
            super().format_help(ctx, formatter)
        finally:
            self.commands = made


app = typer.Typer(
    name="ayatori",
    cls=Ayatori,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Examples:\n\n$ ayatori show fattree:K=6,levels=2,nodes=30\n\n$ ayatori plan --help",
)


def print_version(wanted: bool) -> None:
    if wanted:
        print(version_in_words())
        raise typer.Exit


@app.callback()
def options_of_all(
    version: Annotated[
        bool, typer.Option("--version", callback=print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Read the network of a cluster, and optimise communication for it.

    Exit status: 0 done; 1 invalid input; 2 wrong usage; 3 bad tables, a fault, or a difference; 70 internal error; 130
    Ctrl-C; 143 SIGTERM. `run`, `acprun` and `lab` have the status of their program.
    """
