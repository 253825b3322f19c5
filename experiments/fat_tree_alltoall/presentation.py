"""What is printed and drawn of the bandwidths, beside what the paper tells."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import fmean

from ayatori.planning.plans import METHODS
from ayatori.study import paper1
from experiments.page import STYLES, Axis, Curve, Figure, Table, axis, upright

NEARLY = 1e-9  # what rounding may make of equal bandwidths
CONTENDED_FROM, PER_LEAF = 12, 6  # paper 1, 5.3: good up to 2K nodes, and for multiples of K


@dataclass
class Bandwidths:
    """MB/s a node: of random and of contiguous jobs, by variant and method. The first variant is the paper's."""

    seed: int
    sizes: list[int]
    random: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    contiguous: dict[str, dict[str, list[float]]] = field(default_factory=dict)

    @property
    def as_the_paper(self) -> dict[str, list[float]]:
        return next(iter(self.random.values()))


def tables_of(found: Bandwidths) -> list[Table]:
    return [_random_table(found), _variants_table(found), _contiguous_table(found)]


def _random_table(found: Bandwidths) -> Table:
    rows = []
    for method, values in found.as_the_paper.items():
        told = paper1.RANDOM.get(method)
        if told:
            figures = [str(told[key]) for key in ("mean", "min", "max")]
            rows.append([f"paper, measured: {method}", *figures, f"{told['over_1500']} of 1,000", ""])
        apart = f"{fmean(values) / told['mean'] - 1:+.1%}" if told else ""
        figures = [f"{figure:.0f}" for figure in (fmean(values), min(values), max(values))]
        rows.append([f"{method}: {METHODS[method]}", *figures, f"{count_good(values)} of {len(values):,}", apart])
    jobs = len(found.as_the_paper["pair"])
    return Table(
        f"Figure 9: {jobs} random jobs of 16 nodes, MB/s a node",
        ["", "mean", "min", "max", f"jobs ≥ {paper1.GOOD_MBPS}", "mean against the paper's"],
        rows,
        f"Seed {found.seed}. pair is the best of all methods in {count_pair_best(found)} of {jobs} jobs.",
    )


def _variants_table(found: Bandwidths) -> Table:
    rows = [["paper, measured", *(str(paper1.RANDOM[m]["mean"]) if m in paper1.RANDOM else "" for m in METHODS)]]
    for name, by_method in found.random.items():
        rows.append([name, *(f"{fmean(by_method[method]):.0f}" for method in METHODS)])
    return Table(
        "Means of the same jobs under other models, MB/s a node",
        ["", *METHODS],
        rows,
        "Each row changes what it names and leaves the rest as the first row of ours has it. The paper's row was "
        "measured, all others are predicted. The paper's T includes the time inside a node (figure 8), ours does in "
        "two rows.",
    )


def _contiguous_table(found: Bandwidths) -> Table:
    rows = [
        [f"paper, measured: {method}", str(told["16"]), f"n ≤ {CONTENDED_FROM}, and multiples of {PER_LEAF}"]
        for method, told in paper1.CONTIGUOUS.items()
    ]
    for number, (name, by_method) in enumerate(found.contiguous.items()):
        for method, values in by_method.items():
            at_16 = f"{values[found.sizes.index(16)]:.0f}" if 16 in found.sizes else ""
            good = [size for size, value in zip(found.sizes, values, strict=True) if value >= paper1.GOOD_MBPS]
            label = f"{method}: {METHODS[method]}" if number == 0 else f"{method}, {name}"
            rows.append([label, at_16, ranges(good)])
    return Table(
        f"Figure 10: contiguous jobs of {found.sizes[0]} to {found.sizes[-1]} nodes, MB/s a node",
        ["", "n = 16", f"n with {paper1.GOOD_MBPS} or more"],
        rows,
    )


def packet_tables(found: dict[str, list[float]]) -> list[Table]:
    """Of rings by packets, if they were simulated."""
    if not found:
        return []
    rows = [
        [name.removeprefix("packets, "), f"{fmean(values):.0f}", f"{min(values):.0f}", f"{max(values):.0f}"]
        for name, values in found.items()
    ]
    return [
        Table(
            "Head-of-line blocking by packets: MB/s a node",
            ["", "mean", "min", "max"],
            rows,
            "Simulated packet by packet: each link ends in a first-in-first-out buffer, with credits. Each rank waits "
            "after each message (figure 7). In the plain ring, a node's messages go to two nodes at a time, and each "
            "node receives from two: packets meet at the last link, and those behind them wait as well. Rates, as in "
            "the tables above, show nothing of this.",
        )
    ]


def figures_of(found: Bandwidths) -> list[Figure]:
    """Both figures by each model that the table of figure 10 has: as the paper, and with the time inside a node."""
    figures = []
    for number, name in enumerate(found.contiguous):
        mark, model = (f"-{number + 1}", f", {name}") if number > 0 else ("", "")
        figures += [_sorted_figure(found.random[name], mark, model), _contiguous_figure(found, name, mark, model)]
    return figures


def _sorted_figure(by_method: dict[str, list[float]], mark: str, model: str) -> Figure:
    jobs = len(by_method["base-lids"])
    curves = [
        Curve.of_method(method, range(1, jobs + 1), sorted(values), shape="hv", marks=False)
        for method, values in _bottom_first(by_method)
    ]
    for method, told in paper1.RANDOM.items():
        look = STYLES[method]
        points = {1: told["min"], jobs * (1 - told["over_1500"] / 1000): paper1.GOOD_MBPS, jobs: told["max"]}
        marks = Curve(
            f"paper: {method}", list(points), list(points.values()), look.tone, symbol=f"{look.symbol}-open", line=False
        )
        level = Curve(f"paper: mean of {method}", [1, jobs], [told["mean"]] * 2, look.tone, 1.2, "1px 4px")
        curves += [marks, level]
    return Figure(
        f"figure9{mark}",
        f"Figure 9: random jobs, sorted by bandwidth{model}",
        f"{jobs} jobs of 16 nodes, 8 ranks each; every method's jobs in the order of their bandwidth. Open marks: the "
        "paper's least, greatest, and where it crosses 1500 MB/s; dotted: its means.",
        curves,
        axis("jobs, sorted by bandwidth", range=[0, jobs]),
        _mbps_axis(),
    )


def _contiguous_figure(found: Bandwidths, name: str, mark: str, model: str) -> Figure:
    curves = [Curve.of_method(method, found.sizes, values) for method, values in _bottom_first(found.contiguous[name])]
    told = paper1.CONTIGUOUS["base-lids"]["16"]
    curves.append(
        Curve("paper: d-mod-k and rule", [16], [told], STYLES["base-lids"].tone, symbol="circle-open", line=False)
    )
    return Figure(
        f"figure10{mark}",
        f"Figure 10: contiguous nodes{model}",
        "Jobs on the first n nodes. The paper's text tells of one value, 1310 MB/s for 16 nodes by either method.",
        curves,
        axis("nodes of the job", range=[0, found.sizes[-1] + 0.5], dtick=3),
        _mbps_axis(),
    )


def _bottom_first(by_method: dict[str, list[float]]) -> list[tuple[str, list[float]]]:
    """Equal curves lie on each other: the wider a line, the lower it lies."""
    return sorted(by_method.items(), key=lambda item: -STYLES[item[0]].width)


def _mbps_axis() -> Axis:
    return upright("MB/s a node", range=[0, paper1.PEAK_MBPS * 1.06])


def count_good(values: list[float]) -> int:
    return sum(value >= paper1.GOOD_MBPS for value in values)


def count_pair_best(found: Bandwidths) -> int:
    """Jobs in which no method is better than pair."""
    per_job = zip(*found.as_the_paper.values(), strict=True)
    best = [max(values) * (1 - NEARLY) for values in per_job]
    return sum(pair >= least for pair, least in zip(found.as_the_paper["pair"], best, strict=True))


def ranges(numbers: list[int]) -> str:
    """[3, 4, 5, 7] → "3–5, 7"."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1].append(number)
        else:
            parts.append([number])
    return ", ".join(f"{part[0]}–{part[-1]}" if len(part) > 1 else str(part[0]) for part in parts)
