"""The code that the documentation shows is the code that is compiled and tested."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAX_LINES = 60


def test_the_example_of_a_source_is_short_and_as_shown() -> None:
    example = (ROOT / "examples" / "source" / "star.cpp").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "adding-a-source.md").read_text(encoding="utf-8")
    assert re.findall(r"```cpp\n(.*?)```", page, re.DOTALL) == [example]
    assert len(example.splitlines()) <= MAX_LINES
