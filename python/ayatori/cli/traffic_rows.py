"""What `ayatori plan` and `ayatori roce` print of the traffics that a plan is judged by."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TypedDict

from ayatori.cli.output import print_table, say
from ayatori.planning.traffics import RANDOM, TOLERATED_LOSS, TrafficShares

ALL_ALIKE = f"all of these alike; none that it was judged by loses more than {TOLERATED_LOSS:.0%}"
ROUNDING = 1e-9
"""Shares that differ by less are equal."""


class TrafficData(TypedDict):
    traffic: str
    """Its pattern, or its file."""
    without: float
    with_plan: float
    """The jobs' mean relative bandwidth, each with its better choice; of `random` that of permutations of another seed
    than those by which plans are judged."""
    worse: int
    better: int
    """In how many jobs it is worse, or better, with the plan."""


class JudgedByTraffics(TypedDict):
    named: list[str]
    """The traffics that come first (`--traffic`); empty: all count alike."""
    traffics: list[TrafficData]
    """All that plans are judged by; none with `--path-aware`."""


def rows_of_traffics(shares: Sequence[TrafficShares]) -> list[TrafficData]:
    """From what each job gets of each traffic."""
    found: list[TrafficData] = []
    for traffic in shares[0][0] if shares else ():
        pairs = [(without[traffic], planned[traffic]) for without, planned in shares]
        found.append(
            {
                "traffic": traffic,
                "without": fmean(without for without, _ in pairs),
                "with_plan": fmean(planned for _, planned in pairs),
                "worse": sum(planned < without - ROUNDING for without, planned in pairs),
                "better": sum(planned > without + ROUNDING for without, planned in pairs),
            }
        )
    return found


def describe_traffics(data: JudgedByTraffics, seed: int, jobs: int, made_for_all: bool) -> None:
    """For which traffic the plan is, and what each gets."""
    if not data["traffics"]:
        return
    if made_for_all:  # other methods don't look at all of them
        first = ", ".join(data["named"])
        say(f"  made for      {first}, and then for all alike" if first else f"  made for      {ALL_ALIKE}")
    rows = [
        [
            f"  {traffic_in_words(each['traffic'], seed)}",
            f"{each['without']:.4f}",
            f"{each['with_plan']:.4f}",
            str(each["better"]),
            str(each["worse"]),
        ]
        for each in data["traffics"]
    ]
    means = [
        fmean(column)
        for column in zip(*((each["without"], each["with_plan"]) for each in data["traffics"]), strict=True)
    ]
    rows.append(["  mean", *(f"{mean:.4f}" for mean in means), "", ""])
    header = ["  traffic, of what the NICs could", "no plan", "plan", "jobs better", "jobs worse"]
    if jobs == 1:
        header, rows = header[:3], [row[:3] for row in rows]
    print_table("", header, rows)


def traffic_in_words(traffic: str, seed: int) -> str:
    return f"random, seed {seed + 1}; judged by seed {seed}" if traffic == RANDOM else traffic
