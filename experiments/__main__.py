"""Runs the experiments: `./run experiments [NAME …]`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ayatori.base.errors import Error
from ayatori.cli.execution import execute, leave
from ayatori.cli.output import note, say
from experiments import (
    communication_hiding,
    fat_tree_alltoall,
    job_stream,
    low_memory_transport,
    mixed_cluster,
    single_commands,
    torus_broadcast,
)
from experiments.screenshot import take_screenshot

EXPERIMENTS = {
    "fat_tree_alltoall": fat_tree_alltoall,
    "job_stream": job_stream,
    "torus_broadcast": torus_broadcast,
    "mixed_cluster": mixed_cluster,
    "communication_hiding": communication_hiding,
    "low_memory_transport": low_memory_transport,
    "single_commands": single_commands,
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
    for name in names or EXPERIMENTS:
        run_experiment(name, out / name, resume)


def run_experiment(name: str, folder: Path, resume: bool) -> None:
    note(f"{name}: {(EXPERIMENTS[name].__doc__ or '').splitlines()[0]}")
    page = EXPERIMENTS[name].run(folder, resume=resume)
    say(f"page: {page.resolve()}")
    if picture := take_screenshot(page):
        say(f"picture: {picture.resolve()}")
    say("")


def main() -> None:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(run_experiments)
    leave(execute(app, sys.argv[1:], "./run experiments"))


if __name__ == "__main__":
    main()
