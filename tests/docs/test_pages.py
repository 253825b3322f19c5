"""The commands that the pages show are run, and print what the pages say.

A block of three backticks with the word `console` holds commands, each behind `$ `, and what they print. All blocks of
a page run in one folder, in order. A hidden comment `<!-- before: COMMAND -->` makes the files that they need, and so
does a block with `title="FILE"`. A line `…` stands for any lines. `UPDATE_SNAPSHOTS=1 pytest tests/docs` writes what is
printed now, except in blocks with such a line. Tutorials have no hidden comments: who reads one has an empty folder.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/tutorials").glob("*.md"))]
STEP = re.compile(
    r"<!-- before: (?P<before>.+?) -->"
    r"|```console\n(?P<block>.*?)```"
    r"|```\w+ title=\"(?P<file>[^\"/]+)\"\n(?P<content>.*?)```",
    re.DOTALL,
)
ANY_LINES = "…"
SHELL = {
    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    "NO_COLOR": "1",
    "COLUMNS": "120",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
"""The environment's Python and commands come first, and Open MPI starts in containers with few cores."""


@dataclass
class Shown:
    """A command of a page, and what the page says that it prints."""

    command: str
    output: list[str]


def commands_of(block: str) -> list[Shown]:
    shown: list[Shown] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            shown.append(Shown(line[2:], []))
        elif shown and shown[-1].command.endswith("\\"):
            shown[-1].command += "\n" + line
        else:
            shown[-1].output.append(line)
    return shown


def output_of(command: str, folder: Path, ayatori_command) -> list[str]:
    """What a person at a terminal sees. `ayatori` runs in this process, all else in a shell."""
    words = shlex.split(command.replace("\\\n", ""))
    if words[0] == "ayatori" and not re.search(r" (\||>|&&|2>)", command):
        done = ayatori_command(*words[1:], cwd=folder, env=SHELL)
        return (done.stdout + done.stderr).replace(str(folder) + "/", "").splitlines()
    ran = subprocess.run(
        ["sh", "-c", command], cwd=folder, env={**os.environ, **SHELL}, capture_output=True, text=True, check=False
    )
    return (ran.stdout + ran.stderr).splitlines()


def matches(expected: list[str], found: list[str]) -> bool:
    pattern = "".join("(?:.*\n)*?" if line == ANY_LINES else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in found)) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_the_page_shows(page: Path, tmp_path: Path, ayatori_command) -> None:
    text = page.read_text(encoding="utf-8")
    for step in STEP.finditer(text):
        if step["before"]:
            assert "tutorials" not in page.parts, "a tutorial shows all that it needs"
            output_of(step["before"], tmp_path, ayatori_command)
            continue
        if step["file"]:
            (tmp_path / step["file"]).write_text(step["content"], encoding="utf-8")
            continue
        for shown in commands_of(step["block"]):
            found = output_of(shown.command, tmp_path, ayatori_command)
            if os.environ.get("UPDATE_SNAPSHOTS") and ANY_LINES not in shown.output:
                old, new = (
                    "".join(f"{line}\n" for line in [f"$ {shown.command}", *lines]) for lines in (shown.output, found)
                )
                page.write_text(page.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
                continue
            assert matches(shown.output, found), f"$ {shown.command}\n" + "\n".join(found)
