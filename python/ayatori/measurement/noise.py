"""Are figures too noisy, and what was measured that says why?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any

from ayatori.base.units import format_seconds
from ayatori.measurement.machine import Condition, Speed, middle

TOO_NOISY = 0.05
"""A share by which medians of both halves of the repetitions may differ, by which the machine may have been slower than
it is elsewhere, as far as the cell's time depends on that, and which others may have had of the cores."""
_APART = 0.1
"""Two groups of times have a gap of this share of the lower one between them, and each a quarter of the times."""


@dataclass(frozen=True)
class Noise:
    """`halves`: by which share medians of the earlier and the later half of the runs differ; None of a single time.
    `slower`: by which share the cell takes longer since the machine was slower than usual (below 0: faster). `others`,
    `stolen`: what other processes, and the host of a virtual machine, had of the cores."""

    halves: float | None
    slower: float = 0.0
    others: float = 0.0
    stolen: float = 0.0

    @property
    def is_too_much(self) -> bool:
        signs = (self.halves or 0.0, abs(self.slower), self.others, self.stolen)
        return max(signs) > TOO_NOISY

    def causes(self, runs: Sequence[Sequence[float]]) -> list[str]:
        """What was seen, most important first; what the times themselves say (seconds, run by run) if nothing was."""
        found = []
        for share, words in (
            (self.others, f"other processes had {self.others:.0%} of the cores"),
            (self.stolen, f"{self.stolen:.0%} of the cores was stolen by other virtual machines"),
            (abs(self.slower), _of_speed(self.slower)),
        ):
            if share > TOO_NOISY:
                found.append((share, words))
        if found:
            return [words for _, words in sorted(found, reverse=True)]
        return [_shape_of(runs)]


def _of_speed(slower: float) -> str:
    if slower > 0:
        return f"the machine was slower than usual, which makes this {slower:.0%} longer"
    return f"the machine was faster than usual, which makes this {-slower:.0%} shorter"


def is_quiet(condition: Condition) -> bool:
    """Whether nobody else used much of the machine: then its speed can be called usual."""
    return not Noise(None, 0.0, condition.others, condition.stolen).is_too_much


def condition_of(runs: Sequence[Mapping[str, Any]]) -> Condition | None:
    """Medians of what was noted with runs; None if nothing was."""
    noted = [run["machine"] for run in runs if run.get("machine")]
    if not noted:
        return None
    speeds = [Speed(**one["speed"]) for one in noted]
    return Condition(middle(speeds), *(median(one[name] for one in noted) for name in ("others", "stolen")))


def noted(condition: Condition) -> dict[str, Any]:
    """As plain data, for condition_of()."""
    return asdict(condition)


def noise_of(
    runs: Sequence[Sequence[float]], condition: Condition | None, usual: Speed | None, share: float, in_registers: bool
) -> Noise:
    """Of the times of some runs, of which `share` is computed: in registers and caches, or from memory."""
    halves = difference_of_halves(runs)
    if condition is None:
        return Noise(halves)
    slower = 0.0
    if usual is not None:
        now = condition.speed
        ratio = now.arithmetic / usual.arithmetic if in_registers else now.memory / usual.memory
        slower = share * (ratio - 1)
    return Noise(halves, slower, condition.others, condition.stolen)


def difference_of_halves(runs: Sequence[Sequence[float]]) -> float | None:
    """By which share medians of the earlier and the later half differ: of the runs, or of the times of a single one.
    None if there are not two."""
    halves = [runs[: len(runs) // 2], runs[(len(runs) + 1) // 2 :]]
    if len(runs) == 1:
        only = runs[0]
        halves = [[only[: len(only) // 2]], [only[(len(only) + 1) // 2 :]]]
    earlier, later = ([time for run in half for time in run] for half in halves)
    if not earlier or not later:
        return None
    low, high = sorted((median(earlier), median(later)))
    return high / low - 1 if low > 0 else 0.0


def _shape_of(runs: Sequence[Sequence[float]]) -> str:
    """How the times lie: in two groups, apart from run to run, or anywhere."""
    times = sorted(time for run in runs for time in run)
    least = max(1, len(times) // 4)
    gaps = [(times[i] / times[i - 1] - 1, i) for i in range(least, len(times) - least + 1) if times[i - 1] > 0]
    if len(times) >= 8 and gaps and max(gaps)[0] > _APART:
        cut = max(gaps)[1]
        low, high = median(times[:cut]), median(times[cut:])
        share = cut / len(times)
        return f"two groups of times: {share:.0%} about {format_seconds(low)}, the others about {format_seconds(high)}"
    middles = sorted(median(run) for run in runs if run)
    between = middles[-1] / middles[0] - 1 if middles and middles[0] > 0 else 0.0
    within = median(max(run) / min(run) - 1 for run in runs if run and min(run) > 0)
    where = "more from run to run than within one" if between > within else "within each run"
    return (
        f"the machine was as usual; times differ {where} (medians of runs by {between:.0%}, times of a run by "
        f"{within:.0%})"
    )
