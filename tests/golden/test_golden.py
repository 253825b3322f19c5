"""Golden triples: a fabric, a command, and what it must print.

Each line of fabrics.txt is "NAME SOURCE"; NAME.json holds what `show`, `route` and `check` say of it as JSON.
`UPDATE_SNAPSHOTS=1 pytest tests/golden` rewrites them: a changed answer shows as a diff.
"""

import json
import os
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent
FABRICS = [line.split() for line in (GOLDEN / "fabrics.txt").read_text().splitlines() if line and line[0] != "#"]
COMMANDS = {
    "show": ("show",),
    "route": ("route",),
    "check": ("check", "--random-jobs", "5", "--job-size", "2", "--seed", "5"),
}


@pytest.mark.parametrize(("name", "source"), FABRICS)
def test_golden(name: str, source: str, ayatori_command) -> None:
    seen = {}
    for key, (verb, *options) in COMMANDS.items():
        outcome = ayatori_command(verb, source, *options, "--json", cwd=GOLDEN)
        seen[key] = json.loads(outcome.stdout) if outcome.status == 0 else outcome.stderr.splitlines()
    expected = GOLDEN / f"{name}.json"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        expected.write_text(json.dumps(seen, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert seen == json.loads(expected.read_text(encoding="utf-8"))
