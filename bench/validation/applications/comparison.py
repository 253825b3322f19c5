"""Times of runs that alternate, compared by a sign test: what else the machine does meets all kinds of runs alike."""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from statistics import median

ERROR_RATE = 0.05
"""At which a difference is said to be one, where there is none."""


def sign_test(wins: int, losses: int) -> float:
    """How likely at least so uneven a count is, if neither is faster."""
    pairs = wins + losses
    return min(1.0, 2 * sum(comb(pairs, k) for k in range(min(wins, losses) + 1)) / float(2**pairs))


def verdict(plain: Sequence[float], other: Sequence[float]) -> str:
    """Of times of the same rounds."""
    pairs = list(zip(plain, other, strict=True))
    wins = sum(new < old for old, new in pairs)
    losses = sum(new > old for old, new in pairs)
    if sign_test(wins, losses) >= ERROR_RATE:
        return "no difference"
    return "faster" if wins > losses else "slower"


def gain(plain: Sequence[float], other: Sequence[float]) -> float:
    """The share of the plain time that is gained; the median over the rounds."""
    return median(1 - new / old for old, new in zip(plain, other, strict=True))
