"""ayatori report: one HTML page from saved results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ayatori.cli.output import say
from ayatori.report import write_report


def report(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="A folder with study-*.json, as `ayatori demo` writes.")
    ],
) -> None:
    """Draws a folder's saved results as one self-contained HTML page."""
    say(str(write_report(folder)))
