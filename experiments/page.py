"""One self-contained page an experiment: tables and plots."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ayatori.base.files import write_bytes
from ayatori.cli.output import print_table, say
from ayatori.report.figures import Axis, Curve, Figure, Table, axis, log_axis, page_of_figures, upright
from ayatori.report.methods import STYLES
from ayatori.resumable import SavedResults

__all__ = [
    "STYLES",
    "Axis",
    "Curve",
    "Figure",
    "Table",
    "axis",
    "log_axis",
    "open_results",
    "present",
    "show",
    "upright",
]


def open_results(folder: Path, parameters: dict[str, Any], resume: bool, save_every: float = 0) -> SavedResults:
    """Where an experiment with these parameters keeps what it has computed; with `resume` what is there already."""
    results = SavedResults(folder / "results.json", parameters, save_every)
    if resume:
        results.load()
    return results


def present(results: SavedResults, title: str, about: str, tables: list[Table], figures: list[Figure]) -> Path:
    """Prints the tables, saves them beside the figures, and writes the page into the same folder; returns its path."""
    say(title)
    say(about)
    say("")
    for table in tables:
        show(table)
    results.save(tables=[asdict(table) for table in tables], machine=this_machine())
    assert results.path is not None  # open_results() gives it one
    page = results.path.with_name("index.html")
    text = page_of_figures(title, "experiments", about, tables, figures, "Drawn from results.json.")
    write_bytes(page, text.encode("utf-8"))
    return page


def _processor_seconds() -> tuple[float, float]:
    """Of all programs on this machine, and of this one with its children."""
    own = os.times()
    path = Path("/proc/stat")
    ticks = list(map(int, path.read_text(encoding="utf-8").split()[1:9])) if path.exists() else []
    idle_and_waiting = slice(3, 5)
    return (sum(ticks) - sum(ticks[idle_and_waiting])) / os.sysconf("SC_CLK_TCK"), sum(own[:4])


_BEGUN, _USED = time.monotonic(), _processor_seconds()
_BUSY = 0.1


def share_of_others() -> float:
    """Of this machine's cores, since this program began."""
    everyone, own = (now - before for now, before in zip(_processor_seconds(), _USED, strict=True))
    return max(0.0, everyone - own) / max(1e-9, (time.monotonic() - _BEGUN) * (os.cpu_count() or 1))


def this_machine() -> str:
    """The processor and how many cores it has, the kernel, and whether others were busy: times are then too long."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8") if Path("/proc/cpuinfo").exists() else ""
    names = [line.partition(":")[2].strip() for line in text.splitlines() if line.startswith("model name")]
    others = share_of_others()
    busy = f"; busy: other programs took {others:.0%} of the cores" if others >= _BUSY else ""
    machine = names[0] if names else platform.machine()
    return f"{machine}, {os.cpu_count()} cores, {platform.system()} {platform.release()}{busy}"


def show(table: Table) -> None:
    print_table(table.title, table.columns, table.rows)
    if table.note:
        say(table.note)
    say("")
