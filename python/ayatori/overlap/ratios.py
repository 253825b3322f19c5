"""Which share of a communication is hidden: three definitions that are in use, of the same times."""

from __future__ import annotations

from dataclasses import dataclass

DEFINITIONS = {
    "ours": "(communication + computation - both) / min(communication, computation)",
    "OSU": "max(0, 1 - (both - (computing - testing)) / communication)",
    "IMB": "max(0, min(1, (communication + computation - both) / min(communication, computation)))",
}
"""Ours is negative where the two hinder each other. OSU's subtracts the computation as it took together with the
communication, so that what slows the computation down counts as hidden; its tests count as communication."""


@dataclass(frozen=True)
class Ratios:
    ours: float
    osu: float
    imb: float
    """The overlap by each of `definitions`."""


def ratios(communication: float, computation: float, both: float, computing: float, testing: float = 0.0) -> Ratios:
    """Of times in seconds: the communication alone, the computation alone, both (the communication begun, computed,
    waited for), and of both the part in which was computed, which has the program's tests in it."""
    shorter = min(communication, computation)
    ours = (communication + computation - both) / shorter if shorter > 0 else 0.0
    osu = 1 - (both - (computing - testing)) / communication if communication > 0 else 0.0
    return Ratios(ours, max(0.0, osu), max(0.0, min(1.0, ours)))
