"""Is what was chosen about as fast as the best? Judged by times that were measured in rounds, in each of which
everything that is compared is measured once: so what the machine does meanwhile meets all of it alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb, exp, log1p
from random import Random
from statistics import NormalDist, fmean, median

CONFIDENCE = 0.95


def interval_of_median(values: Sequence[float]) -> tuple[float, float]:
    """In which the median of all times that could have been measured lies, with a probability of at least CONFIDENCE,
    whatever their distribution: between two of the values, as those below the median are binomially many. The whole
    range, if the values are fewer than six and can't say that."""
    ordered = sorted(values)
    tails = accumulate(comb(len(ordered), k) / 2 ** len(ordered) for k in range(len(ordered)))
    outside = max(1, sum(2 * tail <= 1 - CONFIDENCE for tail in tails))
    return ordered[outside - 1], ordered[-outside]


@dataclass(frozen=True)
class Timed:
    """One algorithm in a cell, or several that send the same messages."""

    name: str
    predicted: float
    rounds: Sequence[float]
    """Seconds, round by round."""
    is_chosen: bool = False

    @property
    def measured(self) -> float:
        return median(self.rounds)

    @property
    def error(self) -> float:
        return abs(self.predicted - self.measured) / self.measured

    @property
    def rounds_between(self) -> Sequence[float]:
        """Those that every other round predicts; all, if there is but one."""
        return self.rounds[1::2] or self.rounds

    @property
    def error_of_itself(self) -> float:
        """Of the times of every other round, as a prediction of those of the rounds between."""
        return Timed(self.name, median(self.rounds[0::2]), self.rounds_between).error


@dataclass(frozen=True)
class Judged:
    """What was chosen, and what was the best."""

    chosen: Timed
    best: Timed

    @property
    def slower(self) -> float:
        """A share of the best's time."""
        return self.chosen.measured / self.best.measured - 1

    @property
    def interval(self) -> tuple[float, float]:
        """Of `slower`, from each round by itself."""
        if self.chosen is self.best:
            return 0.0, 0.0
        return interval_of_median(
            [mine / its - 1 for mine, its in zip(self.chosen.rounds, self.best.rounds, strict=True)]
        )

    @property
    def width(self) -> float:
        low, high = self.interval
        return high - low


def judged(rows: Sequence[Timed]) -> Judged:
    """One of them is chosen."""
    return Judged(next(row for row in rows if row.is_chosen), min(rows, key=lambda row: row.measured))


def judged_between(rows: Sequence[Timed]) -> tuple[Judged, Judged]:
    """In the rounds between every other one: what was chosen, and what these other ones choose, the best of their own.
    The second knows what each algorithm took a moment before, from as many rounds."""
    own = min(rows, key=lambda row: median(row.rounds[0::2]))

    def chosen_is(is_it: Callable[[Timed], bool]) -> Judged:
        return judged([Timed(row.name, row.predicted, row.rounds_between, is_it(row)) for row in rows])

    return chosen_is(lambda row: row.is_chosen), chosen_is(lambda row: row is own)


def share_with_errors(cells: Sequence[Sequence[Timed]], error: float, bar: float, seed: int = 1) -> float:
    """How many of the cells a model would choose well whose predictions are the measured medians with errors drawn at
    random: log-normal, of this median, and each for itself. The mean over many such models."""
    models, draw = 200, Random(seed)
    spread = log1p(error) / NormalDist().inv_cdf(0.75)

    def is_good(rows: Sequence[Timed]) -> bool:
        chosen = min(rows, key=lambda row: row.measured * exp(draw.gauss(0, spread)))
        return chosen.measured <= (1 + bar) * min(row.measured for row in rows)

    return fmean(is_good(rows) for _ in range(models) for rows in cells)


def merged(rows: Sequence[Timed], are_the_same: Callable[[Timed, Timed], bool]) -> list[Timed]:
    """Those that are the same as one: of each round the median of their times, which differ by chance alone."""
    groups: list[list[Timed]] = []
    for row in rows:
        group = next((group for group in groups if are_the_same(group[0], row)), None)
        if group is None:
            groups.append([row])
        else:
            group.append(row)
    return [
        Timed(
            group[0].name,
            group[0].predicted,
            [median(times) for times in zip(*(row.rounds for row in group), strict=True)],
            any(row.is_chosen for row in group),
        )
        for group in groups
    ]


@dataclass(frozen=True)
class Share:
    """Of cells that are chosen well."""

    good: int
    certainly_good: int
    """The whole interval is within the bar."""
    certainly_bad: int
    """The whole interval is beyond the bar."""
    cells: int
    width: float
    """Of the intervals, in the middle."""

    def __str__(self) -> str:
        undecided = self.cells - self.certainly_good - self.certainly_bad
        return (
            f"{self.good / self.cells:.0%} of {self.cells} cells ({self.certainly_good} certainly, "
            f"{self.certainly_bad} certainly not, {undecided} within the noise; intervals are {self.width:.1%} wide in "
            "the middle)"
        )


def share_of(cells: Iterable[Judged], bar: float) -> Share:
    found = list(cells)
    return Share(
        good=sum(cell.slower <= bar for cell in found),
        certainly_good=sum(cell.interval[1] <= bar for cell in found),
        certainly_bad=sum(cell.interval[0] > bar for cell in found),
        cells=len(found),
        width=median(cell.width for cell in found),
    )
