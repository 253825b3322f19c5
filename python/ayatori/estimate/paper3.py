"""Paper 3's estimate of its cluster (section 4.2), step by step, compared with what its own numbers multiply out to."""

from __future__ import annotations

from dataclasses import dataclass

MEASURED_BLADE = 342.0
"""GFlop/s of a QS21 blade in single-precision Linpack, measured (the paper's reference 7)."""
PEAK_BLADE = 409.0
"""GFlop/s of its two Cell/B.E. in single precision."""
BLADES_OF_A_CHASSIS = 12
CHASSIS = 15
BLADES_OF_TABLE_1 = 156
MIXED_SHARE = 0.74
"""Of single precision's speed that mixed precision reached (reference 8)."""
CLUSTER_SHARE = 0.80
"""Assumed by the paper: what the whole cluster keeps of that."""
PRINTED_CHASSIS = 2.458
PRINTED_CLUSTER = 36.88
TOP500_LAST = 24.67
"""TFlop/s of place 500 in June 2010."""


@dataclass(frozen=True)
class Step:
    what: str
    arithmetic: str
    tflops: float
    """The step, its arithmetic, and the result."""
    printed: float | None
    """What the paper prints for it; null: it does not have this step."""


@dataclass(frozen=True)
class Discrepancy:
    what: str
    """In words."""
    tflops: float
    """The cluster's TFlop/s, with this put right and what the discrepancies above it put right, too."""


@dataclass(frozen=True)
class Estimate:
    steps: tuple[Step, ...]
    discrepancies: tuple[Discrepancy, ...]


def paper_estimate() -> Estimate:
    chassis = MEASURED_BLADE * BLADES_OF_A_CHASSIS / 1e3
    mixed = chassis * MIXED_SHARE
    effective = mixed * CLUSTER_SHARE
    cluster = effective * CHASSIS
    blade = MEASURED_BLADE * MIXED_SHARE * CLUSTER_SHARE / 1e3
    real = blade * BLADES_OF_TABLE_1
    of_peak = PEAK_BLADE * MIXED_SHARE * CLUSTER_SHARE / 1e3 * BLADES_OF_TABLE_1
    steps = (
        Step("a blade in single precision, measured", f"{MEASURED_BLADE:g} GFlop/s", MEASURED_BLADE / 1e3, 0.342),
        Step("a chassis of 12 blades", f"{MEASURED_BLADE:g} x {BLADES_OF_A_CHASSIS}", chassis, 4.104),
        Step("in mixed precision", f"{chassis:.3f} x {MIXED_SHARE:g}", mixed, 3.037),
        Step("effective, 80 % of that", f"{mixed:.3f} x {CLUSTER_SHARE:g}", effective, PRINTED_CHASSIS),
        Step("15 chassis", f"{effective:.4f} x {CHASSIS}", cluster, PRINTED_CLUSTER),
    )
    discrepancies = (
        Discrepancy(
            f"{mixed:.3f} x {CLUSTER_SHARE:g} is {effective:.4f} TFlop/s a chassis; the paper prints "
            f"{PRINTED_CHASSIS:g}. 15 chassis are {cluster:.2f}, not the {PRINTED_CLUSTER:g} that the paper prints",
            cluster,
        ),
        Discrepancy(
            f"15 chassis of 12 are {CHASSIS * BLADES_OF_A_CHASSIS} blades; table 1 has {BLADES_OF_TABLE_1}, since "
            f"expansion units take the place of blades. {BLADES_OF_TABLE_1} blades are {real:.1f}",
            real,
        ),
        Discrepancy(
            f"the paper cites {MIXED_SHARE:.0%} as a share of single precision's performance, and applies it to the "
            f"{MEASURED_BLADE:g} GFlop/s that Linpack measured, which is {MEASURED_BLADE / PEAK_BLADE:.0%} of the peak "
            f"of {PEAK_BLADE:g} already. If the share is one of the peak, {BLADES_OF_TABLE_1} blades are {of_peak:.1f}",
            of_peak,
        ),
    )
    return Estimate(steps, discrepancies)
