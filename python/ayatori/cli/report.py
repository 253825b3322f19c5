"""ayatori report: one HTML page from saved results; other commands save theirs for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori.base.files import make_folder, write_json
from ayatori.cli.output import note, say
from ayatori.report import write_report


def report(
    folder: Annotated[
        Path,
        typer.Argument(metavar="DIR", help="Folder with study-*.json, as demo and --report write them."),
    ],
) -> None:
    """Draw the saved results of a folder as one HTML page."""
    say(str(write_report(folder)))


def save_report(folder: Path, name: str, study: dict[str, Any]) -> None:
    """Writes a study into the folder, and draws the page of all studies there."""
    make_folder(folder)
    write_json(folder / name, study)
    note(f"wrote {write_report(folder)}")
