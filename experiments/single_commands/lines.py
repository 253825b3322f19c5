"""Counts lines of code as paper 2's table 2 does: without empty lines and comments, of the part between two marks."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

BEGINS, ENDS = "Ours begin here", "And end here"


def count(text: str) -> int:
    part = text.partition(BEGINS)[2].partition(ENDS)[0].partition("*/")[2].rpartition("/*")[0]
    code = re.sub(r"/\*.*?\*/", "", part, flags=re.DOTALL)
    return sum(bool(line.strip()) for line in code.splitlines())


if __name__ == "__main__":
    print(json.dumps({"lines": count(Path(sys.argv[1]).read_text(encoding="utf-8"))}))
