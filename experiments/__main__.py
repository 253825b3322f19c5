"""Runs the experiments: `./run experiments [NAME …]`."""

from __future__ import annotations

import sys
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from ayatori.base.errors import Error
from ayatori.cli.execution import execute, leave
from ayatori.cli.output import note, print_table, say
from experiments import (
    communication_hiding,
    fat_tree_alltoall,
    job_stream,
    low_memory_transport,
    mixed_cluster,
    single_commands,
    torus_broadcast,
)
from experiments.papers.pages import SUMMARY_HEADS, as_json, summary, write_pages
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
QUICK_RESULTS = RESULTS / "quick"
PAGES = "papers"
"""This name alone makes the pages of the papers, of results that are there."""


def run_experiments(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="All without one; papers: only the pages of the papers."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Each gets a folder of its name in it.", show_default=False)
    ] = None,
    resume: Annotated[bool, typer.Option(help="Take up what an interrupted run has saved.")] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="Smaller runs, in 10 minutes; by default in results/quick.")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="Print the rows of the papers as JSON.")] = False,
) -> None:
    """Makes the papers' figures and numbers again, and prints ours beside theirs.

    At the end each paper has a page with all of its figures, tables, numbers and claims.
    """
    wanted = names or list(EXPERIMENTS)
    for name in wanted:
        if name not in EXPERIMENTS and name != PAGES:
            raise Error(f"no experiment is called '{name}'", hint=f"there are {', '.join([*EXPERIMENTS, PAGES])}")
    folder = out or (QUICK_RESULTS if quick else RESULTS)
    with redirect_stdout(sys.stderr) if json_output else nullcontext():
        for name in wanted:
            if name != PAGES:
                run_experiment(name, folder / name, resume, quick)
    index, answers = write_pages(folder, list(EXPERIMENTS))
    if json_output:
        sys.stdout.write(as_json(answers))
        return
    print_table("The five papers, row by row", SUMMARY_HEADS, summary(answers))
    say(f"page: {index.resolve()}")


def run_experiment(name: str, folder: Path, resume: bool, quick: bool) -> None:
    module = EXPERIMENTS[name]
    note(f"{name}: {(module.__doc__ or '').splitlines()[0]}")
    page = module.run(folder, module.QUICK if quick else module.Settings(), resume)
    say(f"page: {page.resolve()}")
    if not quick and (picture := take_screenshot(page)):  # a browser takes ten seconds for each
        say(f"picture: {picture.resolve()}")
    say("")


def main() -> None:
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(run_experiments)
    leave(execute(app, sys.argv[1:], "./run experiments"))


if __name__ == "__main__":
    main()
