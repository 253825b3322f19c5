"""From which latency on is PIPECG faster than CG? Predicted for the lab from what the methods compute on this machine
and from reductions with the least latency, and measured with each latency."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ayatori.base.errors import Error
from ayatori.base.units import format_seconds, parse_seconds
from ayatori.prediction.krylov_model import (
    CG_BYTES,
    CG_REDUCTION_BYTES,
    JACOBI_BYTES,
    PIPECG_REDUCTION_BYTES,
    PRODUCT_BYTES,
    Work,
    cg_seconds,
    crossing,
    pipecg_seconds,
)
from ayatori.prediction.overlap_model import Communication, Mover, Progress
from experiments.communication_hiding.lab_measurement import ITERATIONS, LATENCIES
from experiments.page import Table

CABLES = 2
"""Between the hosts."""
STEPS = 2
"""Of Open MPI's reduction that does not block, with two ranks: up the tree and down again."""
PROGRESS = {"none": Progress(Mover.nobody), "thread": Progress(Mover.polls, 300e-6, 5e-6)}
"""The plug-in's thread has no core of its own in the lab."""
_LEAST, _MOST = 1e-6, 1.0
_WILD = 0.25
"""A share by which halves of the times of a method may differ, if they are to be compared."""


@dataclass(frozen=True)
class Parts:
    """What the prediction is made of. Seconds."""

    work: Work
    blocking: float
    """A reduction of CG with cables of the latency `first`."""
    non_blocking: float
    """One of PIPECG."""
    first: float

    def cg(self, latency: float) -> float:
        """Of an iteration, with cables of this latency."""
        reduction = self.blocking + CABLES * (latency - self.first)
        return cg_seconds(self.work, Communication(max(0.0, reduction)), self._product(latency))

    def pipecg(self, latency: float, mechanism: str, on: float = 1.0) -> float:
        """`on`: of the runs with this mechanism, the share that it was on in; the others had nobody to move anything.

        pipecg = on · pipecg(mechanism) + (1 − on) · pipecg(none)
        """
        if on < 1:
            return on * self.pipecg(latency, mechanism) + (1 - on) * self.pipecg(latency, "none")
        travelling = STEPS * CABLES * latency
        busy = max(0.0, self.non_blocking - STEPS * CABLES * self.first)
        reduction = Communication(travelling + busy, busy, STEPS)
        return pipecg_seconds(self.work, reduction, PROGRESS[mechanism], self._product(latency))

    def _product(self, latency: float) -> float:
        """Borders are exchanged while the other rows are computed."""
        return max(self.work.product, CABLES * latency)

    def crossing(self, mechanism: str, on: float = 1.0) -> float:
        """The latency of a cable. Raises Error if there is none up to a second."""
        return crossing(lambda latency: self.cg(latency) - self.pipecg(latency, mechanism, on), _LEAST, _MOST)


def parts_of(measured: dict[str, list[dict[str, Any]]]) -> Parts | None:
    """None where something could not be measured."""
    computed: dict[str, float] = {}
    for result in measured.get("here", []):
        if result["times"]:
            times = result["times"]
            computed[result["what"]] = (times["total"]["median"] - times["communication"]["median"]) / ITERATIONS
    waited: dict[int, dict[str, float]] = {}
    for result in measured.get("reductions", []):
        waited[result["size"]] = {name: one["median"] for name, one in result["times"].items()}
    short, longer = waited.get(CG_REDUCTION_BYTES), waited.get(PIPECG_REDUCTION_BYTES)
    if len(computed) < 2 or not short or not longer:
        return None
    product = computed["cg"] * (PRODUCT_BYTES + JACOBI_BYTES) / (PRODUCT_BYTES + JACOBI_BYTES + CG_BYTES)
    work = Work(product, computed["cg"] - product, computed["pipecg"] - product)
    blocking = short["sequential"] - short["computation"]
    return Parts(work, blocking, longer["communication"], parse_seconds(LATENCIES[0]))


def measured_crossing(times: Sequence[tuple[float, float, float]]) -> float | None:
    """The latency from which on PIPECG is faster, between two that were measured by a straight line. `times`: latency,
    CG, PIPECG, rising. None if there is no such place."""
    for (low, cg_low, pipecg_low), (high, cg_high, pipecg_high) in zip(times, times[1:], strict=False):
        before, after = cg_low - pipecg_low, cg_high - pipecg_high
        if before <= 0 < after:
            return low + (high - low) * -before / (after - before)
    return None


def times_of(measured: dict[str, list[dict[str, Any]]], mechanism: str) -> list[tuple[float, float, float]]:
    """Latency of a cable, and seconds of an iteration by CG and by PIPECG, where both were measured."""
    found = []
    for latency in LATENCIES:
        own = {
            result["what"]: result["times"]["total"]["low"] / ITERATIONS
            for result in measured.get(latency, [])
            if result["times"] and result["mechanism"] == mechanism and (result["noise"] or 0.0) <= _WILD
        }
        if len(own) == 2:
            found.append((parse_seconds(latency), own["cg"], own["pipecg"]))
    return found


def share_on(results: Sequence[dict[str, Any]]) -> float:
    """Of PIPECG's runs that have told whether the trial of the plug-in's thread left it on: the share in which it did.
    1 where none has."""
    told = [one["thread"] for one in results if one["what"] == "pipecg" and one.get("thread") is not None]
    return sum(told) / len(told) if told else 1.0


def predicted_crossing(parts: Parts, mechanism: str, on: float) -> float | None:
    try:
        return parts.crossing(mechanism, on)
    except Error:
        return None


def crossing_table(measured: dict[str, list[dict[str, Any]]]) -> Table | None:
    """Measured and predicted iterations by latency, and where PIPECG becomes faster; None if nothing was measured."""
    parts = parts_of(measured)
    if parts is None:
        return None
    rows = []
    for mechanism in PROGRESS:
        times = times_of(measured, mechanism)
        for latency, cg, pipecg in times:
            on = share_on(_cells(measured, latency, mechanism))
            seconds = [cg, parts.cg(latency), pipecg, parts.pipecg(latency, mechanism, on)]
            noise = max(one["noise"] or 0.0 for one in _cells(measured, latency, mechanism))
            rows.append([f"{mechanism}, {format_seconds(latency)}", *map(format_seconds, seconds), f"{noise:.0%}"])
        on = share_on([one for latency, *_ in times for one in _cells(measured, latency, mechanism)])
        found, predicted = measured_crossing(times), predicted_crossing(parts, mechanism, on)
        if times:
            told = [format_seconds(one) if one is not None else "none" for one in (found, predicted)]
            factor = max(found / predicted, predicted / found) if found and predicted else None
            verdict = f"factor {factor:.2f}" if factor else ""
            name = f"{mechanism}, on in {on:.0%} of the runs" if on < 1 else mechanism
            rows.append([f"{name}: PIPECG is faster from", "measured", told[0], "predicted", told[1], verdict])
    noise = max((one["noise"] or 0.0 for name in ("here", "reductions") for one in measured[name]), default=0.0)
    note = (
        "By the latency of a cable; a message passes two. Measured are lower quartiles; latencies with halves that "
        f"differ by more than {_WILD:.0%} are left out. Predicted from both methods on this machine without a network "
        f"and from reductions at the least latency, whose halves differ by up to {noise:.0%}: if that is more than "
        "5 %, the prediction is as noisy. The plug-in's thread is on where its own trial left it on; runs in which it "
        "was off are predicted without it."
    )
    columns = ["an iteration", "CG", "CG predicted", "PIPECG", "PIPECG predicted", "halves differ by"]
    return Table("CG and PIPECG over cables with latency, two ranks", columns, rows, note)


def _cells(measured: dict[str, list[dict[str, Any]]], latency: float, mechanism: str) -> list[dict[str, Any]]:
    name = next(name for name in LATENCIES if parse_seconds(name) == latency)
    return [result for result in measured[name] if result["mechanism"] == mechanism]
