"""What is printed and drawn of the broadcasts."""

from __future__ import annotations

from dataclasses import dataclass, field

from ayatori.base.units import format_bytes
from experiments.page import Curve, Figure, Table, log_axis, upright

UNAWARE = ["binomial", "chain", "binary", "scatter-allgather"]
AWARE = ["mapped-binary", "trinaryx3", "sixcolour"]
TREES = [*UNAWARE, *AWARE]
COLOURS = ["trinaryx1", "trinaryx3", "sixcolour"]
ALLREDUCES = ["binomial", "recursive-doubling", "rabenseifner", "ring", "trinaryx3"]
BARS = {"trinaryx3": 2.5, "sixcolour": 4.0}  # times one colour
LINK = 5e9
TONES = {tree: tone for tone, tree in enumerate(["trinaryx3", "sixcolour", "mapped-binary"])}
UNAWARE_DASHES = ["1px 3px", "4px 3px", "8px 4px", "12px 4px 2px 4px"]


def no_limit(tree: str) -> str:
    """The tree's name where a node may use all of its links at once."""
    return f"{tree}, on all links at once"


@dataclass
class Broadcasts:
    """Seconds by shape, tree (some with no_limit()) and size; and of COLOURS on the box, ours and SMPI's."""

    sizes: list[int]
    box: str
    box_bytes: int
    seconds: dict[str, dict[str, list[float]]] = field(default_factory=dict)
    allreduce: list[float] = field(default_factory=list)
    """Of ALLREDUCES, the last of the sizes on the last of the shapes."""
    ours: list[float] = field(default_factory=list)
    smpi: list[float] = field(default_factory=list)

    def gigabytes(self, shape: str, tree: str) -> list[float]:
        return [size / seconds / 1e9 for size, seconds in zip(self.sizes, self.seconds[shape][tree], strict=True)]


def tables_of(found: Broadcasts) -> list[Table]:
    return [*(_shape_table(found, shape) for shape in found.seconds), _allreduce_table(found), _colours_table(found)]


def _shape_table(found: Broadcasts, shape: str) -> Table:
    """Of a few sizes only: the plot has them all."""
    shown = [i for i, size in enumerate(found.sizes) if size >= 1 << 12][::3]
    shown = list(dict.fromkeys([*shown, len(found.sizes) - 1]))
    rows = []
    for tree in found.seconds[shape]:
        bandwidths = found.gigabytes(shape, tree)
        rows.append([tree, *(f"{bandwidths[i]:.2f}" for i in shown)])
    best = max(found.gigabytes(shape, tree)[-1] for tree in UNAWARE)
    gain = found.gigabytes(shape, "trinaryx3")[-1] / best
    return Table(
        f"Figure 6: broadcast on {shape} nodes, GB/s",
        ["", *(format_bytes(found.sizes[i]) for i in shown)],
        rows,
        "A node of FX10 sends and receives on four links at once; the last two rows show what that costs. "
        f"Trinaryx3 has {gain:.1f} times the bandwidth of the best tree that does not know the network, at "
        f"{format_bytes(found.sizes[-1])}.",
    )


def _allreduce_table(found: Broadcasts) -> Table:
    size = found.sizes[-1]
    rows = [
        [algorithm, f"{size / seconds / 1e9:.2f}", f"{seconds / found.allreduce[-1]:.2f}"]
        for algorithm, seconds in zip(ALLREDUCES, found.allreduce, strict=True)
    ]
    return Table(
        f"Allreduce on {list(found.seconds)[-1]} nodes, {format_bytes(size)}, GB/s",
        ["", "GB/s", "what trinaryx3 gains, times"],
        [["paper's reference 13, measured on the K computer", "", "5"], *rows],
        "The reference's abstract compares with an algorithm that does not know the network, and names neither it nor "
        "the shape.",
    )


def _colours_table(found: Broadcasts) -> Table:
    rows = []
    for i, tree in enumerate(COLOURS):
        ours = found.box_bytes / found.ours[i] / 1e9
        row = [tree, f"{ours:.2f}", f"{found.ours[0] / found.ours[i]:.2f}", f"{BARS[tree]}" if tree in BARS else ""]
        if found.smpi:
            theirs = found.box_bytes / found.smpi[i] / 1e9
            row += [f"{theirs:.2f}", f"{found.smpi[0] / found.smpi[i]:.2f}", f"{ours / theirs - 1:+.2%}"]
        rows.append(row)
    columns = ["", "GB/s", "times one colour", "at least"]
    columns += ["SMPI, GB/s", "SMPI, times one colour", "ours against SMPI"] if found.smpi else []
    return Table(
        f"Colours on {found.box} nodes, {found.box_bytes // 10**6} MB, GB/s",
        columns,
        rows,
        "Links of 5 GB/s and 1 us, no limit of a node's own: up to six links at once.",
    )


def figures_of(found: Broadcasts) -> list[Figure]:
    return [_shape_figure(found, shape, f"figure6{chr(ord('a') + i)}") for i, shape in enumerate(found.seconds)]


def _shape_figure(found: Broadcasts, shape: str, id: str) -> Figure:
    curves = [_curve(found, shape, tree) for tree in found.seconds[shape]]
    return Figure(
        id,
        f"Figure 6: broadcast on {shape} nodes",
        "Solid: trees that follow the cables; dashed: trees that do not know the network. One link carries 5 GB/s; a "
        "node sends on four links at once (dotted: on all six).",
        curves,
        log_axis("message", found.sizes[:: -(-len(found.sizes) // 6)], format_bytes),
        upright("GB/s", rangemode="tozero"),
    )


def _curve(found: Broadcasts, shape: str, tree: str) -> Curve:
    bandwidths = found.gigabytes(shape, tree)
    for aware, tone in TONES.items():
        if tree == no_limit(aware):
            return Curve(tree, found.sizes, bandwidths, tone, 1.6, "2px 4px")
    if tree in TONES:
        return Curve(tree, found.sizes, bandwidths, TONES[tree], 3.2, symbol="circle")
    place = UNAWARE.index(tree)
    return Curve(tree, found.sizes, bandwidths, 3 + place % 3, 2.4, UNAWARE_DASHES[place])
