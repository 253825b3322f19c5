"""Exit status, stdout and stderr of whole commands, pinned.

Each command of snapshots/NAME.txt is followed by what it did; `UPDATE_SNAPSHOTS=1 pytest tests/cli` writes that again.
Commands run in tests/golden, so that they can name its files, and leave nothing there.
"""

import os
import re
import shlex
from pathlib import Path

import pytest

SNAPSHOTS = sorted((Path(__file__).parent / "snapshots").glob("*.txt"))
GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda path: path.stem)
def test_snapshot(snapshot: Path, ayatori_command) -> None:
    expected, before = snapshot.read_text(encoding="utf-8"), sorted(GOLDEN.rglob("*"))
    seen = ""
    for command in re.findall(r"^\$ ayatori .*$", expected, re.MULTILINE):
        outcome = ayatori_command(*shlex.split(command)[2:], cwd=GOLDEN)
        seen += f"{command}\nexit {outcome.status}\n--- stdout\n{outcome.stdout}--- stderr\n{outcome.stderr}"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(seen, encoding="utf-8")
    assert seen == expected
    assert sorted(GOLDEN.rglob("*")) == before


@pytest.mark.parametrize(("name", "status"), [("wrong-input", 1), ("wrong-usage", 2)])
def test_what_is_wrong_is_said_and_nothing_else(name: str, status: int) -> None:
    """One line that names it; others may have its cause and a hint."""
    text = (SNAPSHOTS[0].parent / f"{name}.txt").read_text(encoding="utf-8")
    remark, error, more = r"(no job is named.*\n)?", r"error: .+\n", r"((caused by|hint): .+\n)*"
    for block in text.split("$ ayatori ")[1:]:
        assert re.fullmatch(rf".*\nexit {status}\n--- stdout\n--- stderr\n{remark}{error}{more}", block), block
