"""The page of `ayatori bench hpl`: GFlop/s by NB and by processes, one figure a plane (paper 3, figures 8 and 9)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ayatori.report.figures import Curve, Figure, Table, log_axis, page_of_figures, upright
from ayatori.report.markup import figure

_SYMBOLS = ("circle", "square", "diamond", "circle-open", "square-open", "diamond-open")
_TONES = 6


def hpl_page(data: Mapping[str, Any]) -> str:
    """`data`: what `ayatori bench hpl --json` prints."""
    orders = ", ".join(f"{order:,}" for order in sorted({result["order"] for result in data["results"]}))
    repeats = data["repeats"]
    runs = f"medians of {repeats} runs" if repeats > 1 else "one run each"
    about = f"{data['program']}, N = {orders}, BCAST {data['broadcast']}, look-ahead {data['depth']}; {runs}"
    planes = list(dict.fromkeys(result["plane"] for result in data["results"]))
    figures = [hpl_figure(data["results"], plane, f"hpl{number}") for number, plane in enumerate(planes)]
    tables = [hpl_table(data["results"])]
    title, result = "High Performance Linpack", fastest(data["results"])
    return page_of_figures(title, "bench hpl", about, tables, figures, "", result)


def fastest(results: Sequence[Mapping[str, Any]]) -> str:
    """The best point in words."""
    best = max(results, key=lambda point: point["gflops"]["median"])
    where = f"{best['plane']}, {best['p']} × {best['q']} processes, NB {best['nb']}"
    return f"Fastest: {figure(best['gflops']['median'])} GFlop/s on {where}, measured"


def hpl_figure(results: Sequence[Mapping[str, Any]], plane: str, id: str, title: str = "") -> Figure:
    """A curve for each order and grid, and a dashed one of mixed precision."""
    own = [result for result in results if result["plane"] == plane]
    curves = []
    keys = list(dict.fromkeys((result["order"], result["p"], result["q"]) for result in own))
    several = len({order for order, _, _ in keys}) > 1
    for number, (order, rows, columns) in enumerate(keys):
        of_key = [result for result in own if (result["order"], result["p"], result["q"]) == (order, rows, columns)]
        name = f"{rows} x {columns}" + (f", N = {order:,}" if several else "")
        tone, symbol = number % _TONES, _SYMBOLS[number % len(_SYMBOLS)]
        blocks = [result["nb"] for result in of_key]
        if all(result["mixed"] for result in of_key):
            mixed = [result["mixed"]["gflops"]["median"] for result in of_key]
            curves.append(Curve(f"{name}, mixed precision", blocks, mixed, dash="6px 3px", tone=tone, symbol=symbol))
        curves.append(Curve(name, blocks, [result["gflops"]["median"] for result in of_key], tone=tone, symbol=symbol))
    blocks = sorted({result["nb"] for result in own})
    note = "Each line is a grid P x Q of processes."
    return Figure(id, title or f"HPL: {plane}", note, curves, log_axis("block size NB", blocks), upright("GFlop/s"))


def hpl_table(results: Sequence[Mapping[str, Any]]) -> Table:
    columns, rows = hpl_rows(results)
    return Table("Figures of each point", columns, rows)


def hpl_rows(results: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Columns, and a row a point; the spread only if there is one, mixed precision only if it was asked for."""
    spread = any(result["gflops"]["min"] < result["gflops"]["max"] for result in results)
    mixed = any(result["mixed"] for result in results)
    columns = ["plane, P x Q", "N", "NB", "GFlop/s", *(["least", "most"] * spread), "residual", ""]
    columns += ["mixed", "refined", "residual", ""] if mixed else []
    return columns, [_row(result, spread, mixed) for result in results]


def _row(result: Mapping[str, Any], spread: bool, mixed: bool) -> list[str]:
    rates = [f"{result['gflops'][key]:.2f}" for key in (["median", "min", "max"] if spread else ["median"])]
    row = [f"{result['plane']}, {result['p']} x {result['q']}", str(result["order"]), str(result["nb"]), *rates]
    row += [f"{result['residual']:.4f}", _verdict(result["passed"], result["too_noisy"])]
    if mixed:
        other = result["mixed"]
        row += [f"{other['gflops']['median']:.2f}", _times(other["iterations"]), f"{other['residual']:.4f}"]
        row.append(_verdict(other["passed"], result["too_noisy"]))
    return row


def _times(refinements: int) -> str:
    return f"{refinements} x" if refinements >= 0 else "in vain"


def _verdict(passed: bool, too_noisy: bool) -> str:
    """A right solution is no figure of the machine if others had its cores."""
    return ("too noisy" if too_noisy else "ok") if passed else "FAILED"
