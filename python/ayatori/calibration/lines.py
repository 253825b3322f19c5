"""A time by size as few straight lines, through points that were measured."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ayatori.prediction.costs import Line, SizeCost

Point = tuple[int, float]
"""Bytes, and the seconds that they took."""

TOLERANCE = 0.04
"""A line goes on as long as it is no further from any point, as a share of the point's time."""
STEEPEST = 3
"""Between two points between which the time grows faster than the size, the lines are halved this often."""


def lines_through(points: Sequence[Point], first: int = 0) -> SizeCost:
    """From `first` bytes on; each line begins at the point where the last one ended. No number is below 0."""
    points = [(size, max(seconds, 0.0)) for size, seconds in sorted(points)]
    if len(points) < 2:
        return tuple(Line(first, seconds) for _, seconds in points)
    lines: list[Line] = []
    at = 0
    while at < len(points) - 1:
        end = at + 1
        while end + 1 < len(points) and error_of(best_line(points[at : end + 2]), points[at : end + 2]) <= TOLERANCE:
            end += 1
        lines += _lines_between(points[at : end + 1], STEEPEST)
        at = end
    lines[0] = Line(first, lines[0].seconds, lines[0].seconds_per_byte)
    return tuple(lines)


def _lines_between(points: Sequence[Point], halvings: int) -> list[Line]:
    line = best_line(points)
    (small, least), (large, most) = points[0], points[-1]
    if halvings == 0 or error_of(line, points) <= TOLERANCE or len(points) > 2 or least <= 0 or large < 4 * small:
        return [line]
    middle = (math.isqrt(small * large), math.sqrt(least * most))
    return [part for pair in ((points[0], middle), (middle, points[-1])) for part in _lines_between(pair, halvings - 1)]


def best_line(points: Sequence[Point]) -> Line:
    """The line from the first point's size on with the least squares of errors, which are shares of the times."""
    weighted = [(size, seconds) for size, seconds in points if seconds > 0]
    if not weighted:
        return Line(points[0][0], 0.0)
    ones = sum(1 / t**2 for _, t in weighted)
    sizes = sum(m / t**2 for m, t in weighted)
    squares = sum(m * m / t**2 for m, t in weighted)
    times = sum(1 / t for _, t in weighted)
    products = sum(m / t for m, t in weighted)
    determinant = ones * squares - sizes * sizes
    fixed, slope = times / ones, 0.0
    if determinant > 1e-12 * ones * squares:
        fixed = (squares * times - sizes * products) / determinant
        slope = (ones * products - sizes * times) / determinant
    if fixed < 0:
        fixed, slope = 0.0, products / squares
    if slope < 0:
        fixed, slope = times / ones, 0.0
    return Line(points[0][0], fixed, slope)


def error_of(line: Line, points: Sequence[Point]) -> float:
    return max(
        (
            abs(line.seconds + line.seconds_per_byte * size - seconds) / seconds
            for size, seconds in points
            if seconds > 0
        ),
        default=0.0,
    )
