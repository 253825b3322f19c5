"""What pictures and listings of loads have in common."""

from __future__ import annotations

from collections.abc import Iterable

from ayatori.report.markup import figure
from ayatori.report.model import Side

HEAVY = 4  # the last class of loads: this many messages or more
NO_LOADS = Side("", 0, {})


def load_class(load: float) -> int:
    """0 nothing, 1 one message (full speed), 2, 3, and 4 for four or more."""
    return min(HEAVY, -int(-load // 1))


def hot_cables(sides: Iterable[Side]) -> list[tuple[int, str]]:
    """Cable directions that carry more than one message on any side, the worst of the first side first."""
    sides = list(sides)
    hot = {key for side in sides for key, load in side.loads.items() if load > 1}

    def order(key: tuple[int, str]) -> tuple[object, ...]:
        return (*(-side.loads.get(key, 0) for side in sides), key)

    return sorted(hot, key=order)


def load_text(load: float) -> str:
    """A load as it stands on a badge."""
    return figure(round(load, 1))
