"""Runs each command as a reader would type it, in a folder that goes afterwards, and keeps numbers of its output."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.cli.output import progress
from ayatori.resumable import compute_each
from experiments.page import Table, open_results, present
from experiments.single_commands.commands import COMMANDS

ROOT = Path(__file__).parent.parent.parent
_LONGEST_S = 120.0


@dataclass(frozen=True)
class Settings:
    names: tuple[str, ...] = tuple(COMMANDS)
    """Of COMMANDS."""


QUICK = Settings()


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Runs the commands, prints and saves their numbers; returns the page."""
    parameters = {"commands": {name: COMMANDS[name].line for name in settings.names}}
    results = open_results(folder, parameters, resume)
    rows = []
    with progress("command", len(settings.names)) as advance:
        for name in settings.names:
            [numbers] = compute_each(results, name, [name], run_command, advance)
            lines = [COMMANDS[name].line, *[""] * (len(numbers) - 1)]
            rows += [[line, what, f"{n:g}"] for line, (what, n) in zip(lines, numbers.items(), strict=True)]
    table = Table("Numbers by command", ["", "what", "number"], rows)
    about = "Each command is as one types it in the root of this repository; the pages of the papers quote its numbers."
    return present(results, "Single commands", about, [table], [])


def run_command(name: str) -> dict[str, float]:
    """The numbers that it gives. Commands find `ayatori` and the programs of examples/, and write into a folder that
    goes; AYATORI is the root of the repository."""
    command = COMMANDS[name]
    places = (Path(sys.executable).parent, ROOT / "build/release/examples")
    environment = os.environ | {"PATH": os.pathsep.join([*map(str, places), os.environ["PATH"]])}
    environment |= {"AYATORI": str(ROOT), "PYTHONPATH": str(ROOT)}
    with tempfile.TemporaryDirectory(prefix="ayatori-") as made:
        done = subprocess.run(
            ["sh", "-euc", command.line],
            cwd=made,
            env=environment,
            capture_output=True,
            text=True,
            timeout=_LONGEST_S,
            check=False,
        )
    if done.returncode != 0:
        raise Error(f"a command ended badly: {command.line}", cause=done.stderr.strip()[-300:], internal=True)
    return command.numbers(done.stdout)
