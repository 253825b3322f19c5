"""How figures of several jobs, runs or messages are printed as data, and compared."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import TypedDict

ERROR_RATE = 0.01
"""Of sign tests."""


class Mean(TypedDict):
    mean: float


class MeanAndLeast(Mean):
    min: float


class Spread(MeanAndLeast):
    max: float


class PerhapsSpread(TypedDict):
    """Of figures that there may be none of: then null."""

    mean: float | None
    min: float | None
    max: float | None


class MedianSpread(TypedDict):
    median: float
    min: float
    max: float


def is_smaller(numbers: Sequence[float], others: Sequence[float]) -> bool:
    """Whether `numbers` are smaller than `others`, pair by pair, by a one-sided sign test: as often or more often only
    one comparison of equals in a hundred comes out so. As is_significant() of ayatori/tuning/veto.hpp."""
    smaller = sum(a < b for a, b in zip(numbers, others, strict=True))
    larger = sum(a > b for a, b in zip(numbers, others, strict=True))
    outcomes: int = sum(comb(smaller + larger, k) for k in range(larger + 1))
    return outcomes <= ERROR_RATE * float(2 ** (smaller + larger))
