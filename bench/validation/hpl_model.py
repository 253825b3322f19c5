"""HPL's time as modelled from its parts, compared with HPL: `python -m bench.validation.hpl_model [--matrix-order N]
…`.

Parts and HPL are measured alternately, by the same number of processes. The error of a grid and NB is the median over
the rounds, in each of which model and HPL are compared: the machine may be slower in another. The bar is an error of 10
%, and NB in the order of their measured speed, where they differ by more than the runs of one NB do."""

from __future__ import annotations

import argparse
import itertools
from statistics import median

from ayatori.cli.output import note, print_table, say
from ayatori.estimate.hpl_model import PartTimes, model_hpl
from ayatori.linpack.kernels import measure_parts
from ayatori.linpack.running import Launcher, find_hpl, run_hpl
from ayatori.linpack.settings import Point, Variant

BAR = 0.10


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--matrix-order", type=int, default=4000)
    parser.add_argument("--nb", default="32,64,128")
    parser.add_argument("--processes", default="1,2,4")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="of measuring parts, each time")
    asked = parser.parse_args()
    blocks, counts = ([int(word) for word in words.split(",")] for words in (asked.nb, asked.processes))
    points = [Point(asked.matrix_order, block, 1, count) for count in counts for block in blocks]
    modelled, measured = rounds(points, asked.rounds, asked.seconds)
    rows, worst = [], 0.0
    for point in points:
        ours, theirs = median(modelled[point]), median(measured[point])
        error = median(model / run for model, run in zip(modelled[point], measured[point], strict=True)) - 1
        worst = max(worst, abs(error))
        spread = max(measured[point]) / min(measured[point]) - 1
        rows.append([f"1 x {point.columns}", str(point.block), f"{ours:.3f}", f"{theirs:.3f}", f"{error:+.1%}"])
        rows[-1].append(f"{spread:.1%}")
    print_table(
        f"N = {asked.matrix_order}", ["grid", "NB", "modelled, s", "measured, s", "error", "runs differ by"], rows
    )
    right = sum(same_order(points, modelled, measured, count) for count in counts)
    say(f"largest error {worst:.1%} (bar {BAR:.0%}); NB ranked as measured on {right} of {len(counts)} grids")


def rounds(
    points: list[Point], count: int, seconds: float
) -> tuple[dict[Point, list[float]], dict[Point, list[float]]]:
    """Seconds of each point, modelled and measured."""
    modelled: dict[Point, list[float]] = {point: [] for point in points}
    measured: dict[Point, list[float]] = {point: [] for point in points}
    program, launcher, variant = find_hpl(), Launcher(), Variant()
    for number, point in itertools.product(range(count), points):
        note(f"round {number + 1}: NB = {point.block}, 1 x {point.columns}")
        parts = measure_parts(launcher, point, seconds)
        found = model_hpl(point, PartTimes(parts.kernels), variant.depth, parts.placement)
        modelled[point].append(found.seconds)
        measured[point].append(run_hpl(program, launcher, point, variant).seconds)
    return modelled, measured


def same_order(
    points: list[Point], modelled: dict[Point, list[float]], measured: dict[Point, list[float]], columns: int
) -> bool:
    """Pairs of NB whose runs overlap have no order that could be right or wrong."""
    own = [point for point in points if point.columns == columns]
    return all(
        median(modelled[fast]) <= median(modelled[slow])
        for fast, slow in itertools.permutations(own, 2)
        if max(measured[fast]) < min(measured[slow])
    )


if __name__ == "__main__":
    main()
