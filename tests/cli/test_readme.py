"""The README says what the command prints, in both languages. tests/docs/test_pages.py runs what it shows in blocks."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
READMES = [ROOT / "README.md", ROOT / "README.ja.md"]
README = pytest.mark.parametrize("readme", READMES, ids=["en", "ja"])
MOST_LINES = 80
STEP = re.compile(r"<!-- before: .+? -->|```console\n.*?```", re.DOTALL)


@README
def test_readme_is_short(readme: Path) -> None:
    assert len(readme.read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_both_readmes_show_the_same_output() -> None:
    english, japanese = (STEP.findall(readme.read_text(encoding="utf-8")) for readme in READMES)
    assert english == japanese
    assert any("missing cables" in block for block in english)


@README
def test_the_first_sentence_is_what_its_command_prints(ayatori_command, readme: Path) -> None:
    text = readme.read_text(encoding="utf-8")
    command = re.search(r"`ayatori (plan .*?--random-jobs.*?)`", text)[1]
    printed = ayatori_command(*shlex.split(command)).good().stdout
    assert re.findall(r"(\d+) of (\d+) free of hot spots", printed) == [("2", "1000"), ("997", "1000")]
    assert re.search(r"\b2 of 1,000 jobs.* and 997 with plans|1,000 ジョブのうち 2 .*プランありでは 997 ", text)
