"""The rows of a paper, as `paper1.toml` to `paper5.toml` have them. None has a figure of ours: rows name values, which
values.py takes from saved results."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import tomllib

MARKS = {
    "measured": "a real program ran on this machine, and what counts does not depend on the paper's hardware",
    "on real parts": "real software ran without the paper's hardware: OpenSM, Soft-RoCE, network namespaces, MPI",
    "simulated": "packets in a simulated network, or schedules in SimGrid's SMPI",
    "predicted": "a model computed it: of flows, of contention, of HPL, of memory",
    "not testable": "nothing here can show it, or nothing of ours does; the row says why",
}
KINDS = ("figure", "table", "number", "claim", "future")
PAPERS = (1, 2, 3, 4, 5)
FOLDER = Path(__file__).parent
_NAMED = re.compile(r"\{(\w+)")


def names_in(text: str) -> list[str]:
    """The values that a sentence names, the first one first."""
    return list(dict.fromkeys(_NAMED.findall(text)))


@dataclass(frozen=True)
class Row:
    where: str
    """Section, figure or table of the paper."""
    kind: str
    """One of KINDS."""
    says: str
    """What the paper says, with its number and unit."""
    mark: str
    """One of MARKS."""
    ours: str = ""
    """A sentence with names of values in braces; empty: nothing of ours shows this."""
    paper: float | None = None
    """The paper's number, where the first value in `ours` is the same quantity in the same unit."""
    because: str = ""
    """Where ours differs: why. Where nothing of ours shows it: why."""
    contradiction: str = ""
    """In what our model contradicts the paper. Shown unless `mended` is above 0."""
    mended: str = ""
    """A value above 0 where the contradiction is mended."""
    command: str = ""
    """What makes it; empty: that of the first value's experiment."""

    def names(self) -> list[str]:
        """The values that its sentences name, the first one first; without `mended`."""
        return names_in(f"{self.ours} {self.because} {self.contradiction}")


@dataclass(frozen=True)
class Paper:
    number: int
    title: str
    source: str
    rows: tuple[Row, ...]

    def count(self) -> dict[str, int]:
        """Rows by mark."""
        return {mark: sum(row.mark == mark for row in self.rows) for mark in MARKS}


def read_paper(number: int) -> Paper:
    text = (FOLDER / f"paper{number}.toml").read_text(encoding="utf-8")
    found = tomllib.loads(text)
    return Paper(number, found["title"], found["source"], tuple(Row(**row) for row in found["row"]))
