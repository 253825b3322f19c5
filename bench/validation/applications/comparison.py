"""Times of runs that alternate, compared by a sign test: what else the machine does meets all kinds of runs alike."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from ayatori.base.spreads import is_smaller


def verdict(plain: Sequence[float], other: Sequence[float]) -> str:
    """Of times of the same rounds."""
    if is_smaller(other, plain):
        return "faster"
    return "slower" if is_smaller(plain, other) else "no difference"


def gain(plain: Sequence[float], other: Sequence[float]) -> float:
    """The share of the plain time that is gained; the median over the rounds."""
    return median(1 - new / old for old, new in zip(plain, other, strict=True))
