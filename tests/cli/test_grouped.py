"""Options that belong together reach a verb as one object, and the command line as options."""

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from ayatori.cli.grouped import grouped


@dataclass(frozen=True)
class Colours:
    """Options of a test."""

    front: Annotated[str, typer.Option(help="Of the front.")] = "red"
    back: Annotated[str | None, typer.Option(help="Of the back.")] = None


@grouped
def paint(*, what: Annotated[str, typer.Argument()], colours: Colours, coats: int = 1) -> None:
    """Paints."""
    print(what, colours, coats)


def run(*arguments: str) -> str:
    app = typer.Typer()
    app.command()(paint)
    return CliRunner().invoke(app, list(arguments)).output


def test_fields_of_a_group_are_options_with_their_defaults() -> None:
    assert run("door") == f"door {Colours()} 1\n"
    assert run("door", "--back", "blue", "--coats", "3") == f"door {Colours(back='blue')} 3\n"


@dataclass(frozen=True)
class House:
    """A group with a group in it, and with an option that must be given."""

    name: Annotated[str, typer.Option()]
    colours: Colours
    rooms: int = 2


def test_a_group_may_have_groups() -> None:
    @grouped
    def build(*, house: House) -> None:
        print(house)

    app = typer.Typer()
    app.command()(build)
    made = CliRunner().invoke(app, ["--name", "a", "--back", "blue"]).output
    assert made == f"{House('a', Colours(back='blue'))}\n"
    assert "Missing option '--name'" in CliRunner().invoke(app, []).output


def test_help_tells_every_option_and_no_group() -> None:
    shown = run("--help")
    assert "--front" in shown and "Of the back." in shown and "Paints." in shown
    assert "--colours" not in shown
