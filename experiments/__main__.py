"""Runs the experiments: `./run experiments [NAME …]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import click
import typer

from ayatori.cli.output import note, print_error, say
from ayatori.errors import Error
from experiments import fat_tree_alltoall, low_memory_transport, torus_broadcast
from experiments.photograph import photograph

EXPERIMENTS = {
    "fat_tree_alltoall": fat_tree_alltoall,
    "torus_broadcast": torus_broadcast,
    "low_memory_transport": low_memory_transport,
}
RESULTS = Path(__file__).parent / "results"


def run_experiments(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help="All without one.")] = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Each gets a folder of its name in it.")] = RESULTS,
    resume: Annotated[bool, typer.Option(help="Take up what an interrupted run has saved.")] = False,
) -> None:
    """Makes the papers' figures and numbers again, and prints ours beside theirs."""
    for name in names or EXPERIMENTS:
        if name not in EXPERIMENTS:
            raise Error(f"no experiment is called '{name}'", hint=f"there are {', '.join(EXPERIMENTS)}")
    try:
        for name in names or EXPERIMENTS:
            run_experiment(name, out / name, resume)
    except KeyboardInterrupt:
        print_error("interrupted", hint="--resume goes on from what is saved")
        raise typer.Exit(130) from None


def run_experiment(name: str, folder: Path, resume: bool) -> None:
    note(f"{name}: {(EXPERIMENTS[name].__doc__ or '').splitlines()[0]}")
    page = EXPERIMENTS[name].run(folder, resume=resume)
    say(f"page: {page.resolve()}")
    if picture := photograph(page):
        say(f"picture: {picture.resolve()}")
    say("")


def main() -> int:
    """Exit status: 0 done, 1 the user's input, 2 our fault, 130 interrupted."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(run_experiments)
    try:
        return app(prog_name="./run experiments", standalone_mode=False) or 0
    except click.ClickException as error:
        print_error(error.format_message())
        return 1
    except Error as error:
        print_error(error.message, error.cause, error.hint)
        return 2 if error.internal else 1


if __name__ == "__main__":
    sys.exit(main())
