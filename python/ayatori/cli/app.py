"""The verbs of the command line. What is not called is not imported: half of the time that a short command takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Annotated, Any

import click
import typer
from typer.core import TyperCommand, TyperGroup

from ayatori.cli.at_once import version_in_words
from ayatori.cli.dashes import refusing_dashes
from ayatori.cli.own_options import RunsCommand


def sources_in_words() -> str:
    """For the help of verbs that take one."""
    from ayatori.cli import options

    return options.sources_in_words()


def sources_and_algorithms_in_words() -> str:
    """For the help of verbs that take both: the sources, and each collective with its algorithms."""
    from ayatori import _core

    by_collective: dict[str, list[str]] = {}
    for algorithm in _core.algorithms():
        by_collective.setdefault(algorithm.collective, []).append(algorithm.name)
    algorithms = "; ".join(f"{name}: {', '.join(names)}" for name, names in by_collective.items())
    return f"{sources_in_words()}\n\nAlgorithms: {algorithms}."


def command(
    name: str,
    epilog: Callable[[], str] | None = None,
    cls: type[TyperCommand] = TyperCommand,
) -> click.Command:
    """The verb `name`, which is the function of that name in the module of that name."""
    app = typer.Typer(add_completion=False)
    function = getattr(import_module(f"ayatori.cli.{name}"), name)
    app.command(name, epilog=epilog and epilog(), cls=cls)(function)
    return refusing_dashes(typer.main.get_command(app))


def group(name: str) -> click.Command:
    """The verbs under `name`: the `app` of the module of that name."""
    made = typer.main.get_command(import_module(f"ayatori.cli.{name}").app)
    made.name = name
    return refusing_dashes(made)


VERBS: Mapping[str, Callable[[], click.Command]] = {
    "show": lambda: command("show", sources_in_words),
    "convert": lambda: command("convert", sources_in_words),
    "route": lambda: command("route", sources_in_words),
    "check": lambda: command("check", sources_in_words),
    "compare": lambda: command("compare", sources_in_words),
    "plan": lambda: command("plan", sources_in_words),
    "place": lambda: command("place", sources_in_words),
    "order": lambda: command("order", sources_and_algorithms_in_words),
    "calibrate": lambda: command("calibrate"),
    "choose": lambda: command("choose", sources_and_algorithms_in_words),
    "simulate": lambda: command("simulate", sources_and_algorithms_in_words),
    "run": lambda: command("run", cls=RunsCommand),
    "doctor": lambda: command("doctor"),
    "explain": lambda: group("explain"),
    "lab": lambda: group("lab"),
    "bench": lambda: group("bench"),
    "estimate": lambda: group("estimate"),
    "report": lambda: command("report"),
    "demo": lambda: command("demo", sources_in_words),
}
"""In the order in which help lists them."""


class Commands(Mapping[str, click.Command]):
    """The verbs as commands, each made when it is asked for."""

    def __init__(self) -> None:
        self._made: dict[str, click.Command] = {}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._made:
            self._made[name] = VERBS[name]()
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


class Ayatori(TyperGroup):
    """The command line, whose commands are made late."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = Commands()  # type: ignore[assignment]  # click only reads it


app = typer.Typer(
    name="ayatori",
    cls=Ayatori,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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
    """See the network that HPC software runs on, and use it.

    Exit status: 0 done; 1 it can't be done with this input; 2 the command line is wrong; 3 what was checked is bad, or
    there are differences; 70 a defect or a failed resource of ours; 130 interrupted (Ctrl-C); 143 ended by SIGTERM.
    `run` has that of its program.
    """
