"""How figures of several jobs, runs or messages are printed as data."""

from __future__ import annotations

from typing import TypedDict


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
