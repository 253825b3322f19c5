"""What is printed and drawn of the streams."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from ayatori.planning.plans import METHODS
from experiments.page import STYLES, Curve, Figure, Table, axis, upright

PATH_AWARE_SCHEDULE = "path-aware schedule"
MEANINGS = METHODS | {PATH_AWARE_SCHEDULE: "one LID a node, no plan, steps made for the paths"}


@dataclass
class Streams:
    """By allocation: the share of the nodes' time in which they are busy, and each job's bandwidth by method."""

    utilisation: dict[str, float]
    bandwidth: dict[str, dict[str, list[float]]]


def tables_of(found: Streams) -> list[Table]:
    rows = [["node utilisation", *(f"{share:.1%}" for share in found.utilisation.values())]]
    for method, meaning in MEANINGS.items():
        by_allocation = [found.bandwidth[name][method] for name in found.utilisation]
        rows.append([f"{method}: {meaning}", *(f"{fmean(jobs):.3f}" for jobs in by_allocation)])
        rows.append([f"{method}, the worst job", *(f"{min(jobs):.3f}" for jobs in by_allocation)])
    return [
        Table(
            "Mean bandwidth of the jobs' all-to-all, of what the NICs could",
            ["", *found.utilisation],
            rows,
            "Each job by itself, steps synchronous. Jobs begin in the order in which they came; one always waits.",
        )
    ]


def figures_of(found: Streams) -> list[Figure]:
    shares = [100 * share for share in found.utilisation.values()]
    curves = [
        Curve.of_method(method, shares, [fmean(found.bandwidth[name][method]) for name in found.utilisation])
        for method in sorted(MEANINGS, key=lambda method: -STYLES[method].width)
    ]
    return [
        Figure(
            "section24",
            "Node utilisation against bandwidth",
            f"Left: {'; right: '.join(found.utilisation)}. The higher and the further right, the better.",
            curves,
            axis("nodes that are busy, %"),
            upright("mean bandwidth, of what the NICs could", range=[0, 1.06]),
        )
    ]
