"""Commands that pages show without their output need hosts and are not run here; but the command line takes them.

tests/docs/test_pages.py runs the others, which stand behind `$ `.
"""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from command_line import parse_command

ROOT = Path(__file__).parent.parent.parent
PAGES = [
    *sorted(ROOT.glob("README*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs/tutorials").glob("*.md")),
]
PLACEHOLDERS = {
    **{"…": "x", "N": "4", "A": "1", "SIZE": "1KiB", "TIME": "1s", "SHARE": "0.5", "NAME": "ring"},
    "SOURCE": "torus:4",
}


def shown_on(page: Path) -> Iterator[list[str]]:
    """The words behind `ayatori` of each indented command; lines that end in a backslash go on."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL).replace("\\\n", " ")
    for found in re.finditer(r"^ {4}(?:\w+=\S+ )*ayatori (.*)$", text, re.MULTILINE):
        words = shlex.split(found[1], comments=True)
        stop = next((number for number, word in enumerate(words) if word in ("|", ">", "&&", ";")), len(words))
        yield [PLACEHOLDERS.get(word, word) for word in words[:stop]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_command_line_takes_the_commands_that_a_page_shows(page: Path) -> None:
    wrong = []
    for words in shown_on(page):
        try:
            parse_command(list(words))
        except click.ClickException as error:
            wrong.append(f"ayatori {shlex.join(words)}: {error.format_message()}")
    assert wrong == []
