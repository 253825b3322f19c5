"""Loads as a heat map: rows are lower routers, columns upper ones; the left half of a cell is up, the right down."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ayatori.report.markup import Markup, count, join, tag
from ayatori.report.model import Fabric, Side
from ayatori.report.tiers import (
    Bundle,
    Traffic,
    blocks_between,
    labels_of,
    levels_of,
    load_class,
    load_text,
)

BLOCKS = 16  # blocks shown, the most loaded ones
CELLS = 2000  # pairs of routers in all of them
ROWS = 64  # rows of one block, the most loaded ones
LETTER = 5.6


@dataclass(frozen=True)
class Block:
    """A connected part of two neighbouring levels: its rows, columns and the bundles between them."""

    rows: list[int]
    columns: list[int]
    bundles: list[Bundle]


@dataclass(frozen=True)
class Tier:
    """Two neighbouring levels: what is shown of them, and how many blocks there are in all."""

    title: str
    blocks: list[Block]
    total: int


def tiers_of(fabric: Fabric, bundles: list[Bundle], sides: Iterable[Side]) -> list[Tier]:
    """The heat maps that are worth showing, the same for every side, so that sides can be compared."""
    levels = levels_of(fabric)
    traffics = [Traffic(fabric, side) for side in sides]
    tiers = []
    for depth in range(len(levels) - 1):
        lower, upper = levels[depth], levels[depth + 1]
        blocks = [_block(part, lower, upper, bundles) for part in blocks_between(lower, upper, bundles)]
        blocks = [block for block in blocks if block.bundles]
        shown = _most_loaded(blocks, traffics)
        if shown:
            tiers.append(Tier(_tier_title(depth, len(levels)), [_trim(b, traffics) for b in shown], len(blocks)))
    return tiers


def _tier_title(depth: int, levels: int) -> str:
    names = ["leaf", "spine"] if levels == 2 else ["leaf", *(["mid"] * (levels - 2)), "root"]
    return f"{names[depth]} × {names[depth + 1]}"


def _block(part: set[int], lower: list[int], upper: list[int], bundles: list[Bundle]) -> Block:
    rows, columns = [i for i in lower if i in part], [i for i in upper if i in part]
    inside = [b for b in bundles if b.lower in part and b.upper in part]
    return Block(rows, columns, inside)


def _total(bundles: Iterable[Bundle], traffics: list[Traffic]) -> tuple[float, float]:
    """The heaviest load, then the sum of all loads: how interesting these bundles are."""
    loads = [traffic.load(b, up) for b in bundles for traffic in traffics for up in (True, False)]
    return max(loads, default=0), sum(loads)


def _most_loaded(blocks: list[Block], traffics: list[Traffic]) -> list[Block]:
    """As many blocks as fit, in their own order; blocks without any load are left out."""
    weights = [_total(block.bundles, traffics) for block in blocks]
    best = sorted((i for i in range(len(blocks)) if weights[i][0] > 0), key=lambda i: weights[i], reverse=True)
    most = next((n for n in range(1, len(best)) if sum(len(blocks[i].bundles) for i in best[: n + 1]) > CELLS), BLOCKS)
    return [blocks[i] for i in sorted(best[: min(most, BLOCKS)])]


def _trim(block: Block, traffics: list[Traffic]) -> Block:
    """A block with no more than ROWS rows and columns."""
    rows = _busiest(block.rows, [b.lower for b in block.bundles], block, traffics)
    columns = _busiest(block.columns, [b.upper for b in block.bundles], block, traffics)
    kept_rows, kept_columns = set(rows), set(columns)
    inside = [b for b in block.bundles if b.lower in kept_rows and b.upper in kept_columns]
    return Block(rows, columns, inside)


def _busiest(routers: list[int], ends: list[int], block: Block, traffics: list[Traffic]) -> list[int]:
    if len(routers) <= ROWS:
        return routers
    by_router: dict[int, list[Bundle]] = {router: [] for router in routers}
    for end, bundle in zip(ends, block.bundles, strict=True):
        by_router[end].append(bundle)
    best = sorted(routers, key=lambda router: _total(by_router[router], traffics), reverse=True)[:ROWS]
    return [router for router in routers if router in set(best)]


def square_tier(fabric: Fabric, bundles: list[Bundle], sides: Iterable[Side]) -> Tier | None:
    """For fabrics that are not trees: the routers with any load against themselves; None if nothing is loaded."""
    traffics = [Traffic(fabric, side) for side in sides]
    busy = [bundle for bundle in bundles if _total([bundle], traffics)[0] > 0]
    order = sorted({end for bundle in busy for end in (bundle.lower, bundle.upper)})
    if not order or len(order) > 2 * ROWS:
        return None
    return Tier("from × to", [Block(order, order, busy)], 1)


def draw_tier(fabric: Fabric, tier: Tier, side: Side) -> Markup:
    """The heat maps of one tier under one side, as a contact sheet."""
    grids = _grids(fabric, tier)
    traffic = Traffic(fabric, side)
    return tag(
        "div",
        *(_draw_block(block, grid, traffic) for block, grid in zip(tier.blocks, grids, strict=True)),
        class_="sheet",
    )


def tier_note(tier: Tier) -> str:
    """How to read the cells, and what is not shown."""
    if tier.blocks[0].rows is tier.blocks[0].columns:
        return "Messages on the most loaded cable from the router of the row to the router of the column."
    text = (
        "Each cell is the cables between two routers: the left half is upwards, the right half downwards. "
        "The numbers are messages on the most loaded cable."
    )
    if any(len(block.bundles) < len(block.rows) * len(block.columns) for block in tier.blocks):
        text += " A gap is a pair without a cable."
    if len(tier.blocks) < tier.total:
        text += f" {count(len(tier.blocks), 'block')} of {tier.total} shown, those with the heaviest loads."
    return text


@dataclass(frozen=True)
class Grid:
    """Names and sizes of a drawn block."""

    rows: list[str]
    columns: list[str]
    left: float
    top: float
    width: float  # of a cell
    height: float


def _grids(fabric: Fabric, tier: Tier) -> list[Grid]:
    """One grid a block, all with the same room for names, so that they align."""
    rows = [labels_of(fabric, block.rows) for block in tier.blocks]
    columns = [labels_of(fabric, block.columns) for block in tier.blocks]
    left = max(len(name) for names in rows for name in names) * LETTER + 8
    top = max(len(name) for names in columns for name in names) * LETTER + 8
    width, height = max(9.0, min((268 - left) / max(map(len, columns)), 14.0)), 11.0
    if len(tier.blocks) == 1:
        width = max(15.0, min((570 - left) / len(columns[0]), 52.0))
        height = 24.0 if len(rows[0]) <= 12 else 17.0
    return [Grid(r, c, left, top, width, height) for r, c in zip(rows, columns, strict=True)]


def _draw_block(block: Block, grid: Grid, traffic: Traffic) -> Markup:
    x = {router: grid.left + i * grid.width for i, router in enumerate(block.columns)}
    y = {router: grid.top + i * grid.height for i, router in enumerate(block.rows)}
    square = block.rows is block.columns
    cells = [_cell(traffic, b, x, y, grid, square) for b in block.bundles]
    wide, high = grid.left + len(grid.columns) * grid.width + 4, grid.top + len(grid.rows) * grid.height + 4
    return tag(
        "svg",
        join(
            _row_name(name, grid.left - 5, grid.top + (i + 0.5) * grid.height + 3.5) for i, name in enumerate(grid.rows)
        ),
        join(
            _column_name(name, grid.left + (i + 0.5) * grid.width + 3.5, grid.top - 5)
            for i, name in enumerate(grid.columns)
        ),
        join(cells),
        class_="matrix",
        viewBox=f"0 0 {wide:.0f} {high:.0f}",
        width=f"{wide:.0f}",
        role="img",
        aria_label=f"Loads of {count(len(block.bundles), 'pair')} of routers; the hot ones are in the table below",
    )


def _row_name(name: str, x: float, y: float) -> Markup:
    return tag("text", name, x=x, y=y, class_="row")


def _column_name(name: str, x: float, y: float) -> Markup:
    return tag("text", name, transform=f"translate({x:.1f} {y:.1f}) rotate(-90)")


def _cell(traffic: Traffic, b: Bundle, x: dict[int, float], y: dict[int, float], grid: Grid, square: bool) -> Markup:
    """Two halves, up on the left and down on the right; in a square, two cells."""
    half, high = grid.width / 2 - 0.5, grid.height - 1
    if square:
        return join(
            (
                _part(traffic, b, True, x[b.upper], y[b.lower], grid.width - 1, high),
                _part(traffic, b, False, x[b.lower], y[b.upper], grid.width - 1, high),
            )
        )
    return join(
        (
            _part(traffic, b, True, x[b.upper], y[b.lower], half, high),
            _part(traffic, b, False, x[b.upper] + half, y[b.lower], half, high),
        )
    )


def _part(traffic: Traffic, bundle: Bundle, up: bool, x: float, y: float, width: float, height: float) -> Markup:
    load = traffic.load(bundle, up)
    style = f"load{load_class(load)}"
    tip = traffic.tip(bundle, up) if load else traffic.ends(bundle, up)
    box = tag("rect", x=x, y=y, width=width, height=height, class_=f"cell {style}", data_tip=tip)
    if load <= 1:
        return box
    middle = y + height / 2 + 3.6
    return join((box, tag("text", load_text(load), x=x + width / 2, y=middle, class_=f"on {style}")))
