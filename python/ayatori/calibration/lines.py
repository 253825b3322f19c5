"""A time by size as few straight lines, through points that were measured."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ayatori.prediction.costs import Line, SizeCost

Point = tuple[int, float, float]
"""Bytes, the seconds that they took, and the seconds of which an error is a share."""

TOLERANCE = 0.04
"""A line goes on as long as it is no further from any point, as a share of that point's time."""
STEEPEST = 3
"""Between two points between which the time grows faster than the size, the lines are halved this often."""


def lines_through(
    times: Sequence[tuple[int, float]], first: int = 0, whole: Mapping[int, float] | None = None
) -> SizeCost:
    """From `first` bytes on; each line begins at the point where the last one ended. No number is below 0. The times
    may be parts of longer ones: errors are shares of these, `whole` by size."""
    points = [(size, max(t, 0.0), whole[size] if whole else t) for size, t in sorted(times)]
    if len(points) < 2:
        return tuple(Line(first, seconds) for _, seconds, _ in points)
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
    (small, least, of_least), (large, most, of_most) = points[0], points[-1]
    if halvings == 0 or error_of(line, points) <= TOLERANCE or len(points) > 2 or least <= 0 or large < 4 * small:
        return [line]
    middle = (math.isqrt(small * large), math.sqrt(least * most), math.sqrt(of_least * of_most))
    return [part for pair in ((points[0], middle), (middle, points[-1])) for part in _lines_between(pair, halvings - 1)]


def best_line(points: Sequence[Point]) -> Line:
    """The line from the first point's size on with the least squares of errors, which are shares of the times."""
    weighted = [(size, seconds, of) for size, seconds, of in points if of > 0]
    if not weighted:
        return Line(points[0][0], 0.0)
    ones = sum(1 / of**2 for _, _, of in weighted)
    sizes = sum(m / of**2 for m, _, of in weighted)
    squares = sum(m * m / of**2 for m, _, of in weighted)
    times = sum(t / of**2 for _, t, of in weighted)
    products = sum(m * t / of**2 for m, t, of in weighted)
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
        (abs(line.seconds + line.seconds_per_byte * size - seconds) / of for size, seconds, of in points if of > 0),
        default=0.0,
    )
