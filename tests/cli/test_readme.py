"""The examples of the README, in both languages, are what the command prints."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
README = pytest.mark.parametrize("readme", [ROOT / "README.md", ROOT / "README.ja.md"], ids=["en", "ja"])


@README
def test_readme_example(ayatori_command, readme: Path) -> None:
    example = re.search(r"```\n\$ ayatori (.*?)\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)
    outcome = ayatori_command(*shlex.split(example[1]))
    assert outcome.stdout == example[2]
    assert outcome.status == 0


@README
def test_readme_python(capsys, readme: Path) -> None:
    code = re.search(r"```python\n(.*?)```", readme.read_text(encoding="utf-8"), re.DOTALL)[1]
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == "True\n"
