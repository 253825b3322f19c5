"""Counts lines of code as paper 2's table 2 does: without empty lines and comments, of the parts between marks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

_PART = re.compile(r"/\* The (\w+), from here.*?\*/(.*?)/\* The \1, to here\. \*/", re.DOTALL)


def count(text: str) -> dict[str, int]:
    """Lines of each part, by its name."""
    return {name: _lines(part) for name, part in _PART.findall(text)}


def _lines(part: str) -> int:
    code = re.sub(r"/\*.*?\*/", "", part, flags=re.DOTALL)
    return sum(bool(line.strip()) for line in code.splitlines())


if __name__ == "__main__":
    found: dict[str, int] = {}
    for file in sys.argv[1:]:
        found |= count(Path(file).read_text(encoding="utf-8"))
    print(json.dumps(found | {"lines": sum(found.values())}))
