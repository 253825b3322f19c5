"""The README's example is what the command prints."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

README = Path(__file__).parent.parent.parent / "README.md"


def test_readme_example(ayatori_command) -> None:
    example = re.search(r"```\n\$ ayatori (.*?)\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    outcome = ayatori_command(*shlex.split(example[1]))
    assert outcome.stdout == example[2]
    assert outcome.status == 0


def test_readme_python(capsys) -> None:
    code = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)[1]
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == "True\n"
