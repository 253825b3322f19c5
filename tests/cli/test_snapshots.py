"""Exit status, stdout and stderr of whole commands, pinned.

Each snapshots/NAME.txt begins with the command; `UPDATE_SNAPSHOTS=1 pytest tests/cli` rewrites the rest.
Commands run in tests/golden, so that they can name its files.
"""

import os
import shlex
from pathlib import Path

import pytest

SNAPSHOTS = sorted((Path(__file__).parent / "snapshots").glob("*.txt"))
GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.mark.parametrize("snapshot", SNAPSHOTS, ids=lambda path: path.stem)
def test_snapshot(snapshot: Path, ayatori_command) -> None:
    expected = snapshot.read_text(encoding="utf-8")
    command = expected.splitlines()[0]
    assert command.startswith("$ ayatori ")
    outcome = ayatori_command(*shlex.split(command)[2:], cwd=GOLDEN)
    seen = f"{command}\nexit {outcome.status}\n--- stdout\n{outcome.stdout}--- stderr\n{outcome.stderr}"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        snapshot.write_text(seen, encoding="utf-8")
    assert seen == expected
