"""What is printed and drawn: figures 3 to 16, as predicted for ITO and as measured, and the paper's findings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ayatori.base.units import format_bytes, format_seconds
from ayatori.measurement.collectives import FAMILIES
from experiments.communication_hiding.crossing import crossing_table
from experiments.communication_hiding.findings import findings_table
from experiments.communication_hiding.found import Found
from experiments.communication_hiding.ito import OverlapPoint
from experiments.page import Curve, Figure, Table, log_axis, upright

_WAYS = {
    "none": "no overlap",
    "isend": "Isend (ISND)",
    "isend, thread": "Isend, thread on a core of its own",
    "fence": "fences (ACTV)",
    "put": "puts (PASV, ACP)",
}
_SYMBOLS = ("circle", "square", "diamond", "circle-open", "square-open", "diamond-open")
_STENCIL_FIGURES = {512: (3, 6), 1024: (4, 7), 2048: (5, 8)}
_OVERLAP_FIGURES = {(1, 16): 9, (4, 16): 10, (9, 16): 11, (1, 4096): 12}
_KRYLOV_FIGURES = {(16, 1536): 13, (16, 3072): 14, (128, 1536): 15, (128, 3072): 16}


def tables_of(found: Found) -> list[Table]:
    tables = [findings_table(found), _predicted_overlap(found), _predicted_krylov(found)]
    if found.measured.get("stencil"):
        tables.append(_measured_stencil(found))
    if found.measured.get("overlap"):
        tables.append(_measured_overlap(found))
    if found.measured.get("krylov"):
        tables.append(_measured_krylov(found))
    if table := crossing_table(found.crossing):
        tables.append(table)
    return tables


def _predicted_overlap(found: Found) -> Table:
    rows = []
    for point, by_whom in found.overlaps:
        for whom, own in by_whom.items():
            alone = [own["communication"], own["communication"] + own["computation"]]
            for mover, both in own["both"].items():
                name = f"{_of_overlap(point)}, by {whom}, moved by {mover}"
                rows.append([name, *map(format_seconds, [*alone, both])])
    note = (
        "As much is computed as the blocking reduction between hosts takes alone. That which does not block has twice "
        "as many steps there, as in Open MPI. The model: overlap_model.py."
    )
    return Table("Figures 9 to 12, predicted", ["", "Comm", "Comm+Comp", "Total"], rows, note)


def _predicted_krylov(found: Found) -> Table:
    rows = []
    for point, by_whom in found.krylovs:
        name = f"{point.nodes} nodes, N = {point.order}, {point.ranks_on_a_node} ranks a node"
        hosts, switches = by_whom["hosts"], by_whom["switches"]
        thread = next(seconds for mover, seconds in hosts.items() if "thread" in mover)
        figures = [hosts["CG"], hosts["PIPECG, nobody"], thread, switches["CG"], switches["PIPECG, offload"]]
        rows.append([name, *map(format_seconds, figures)])
    columns = ["an iteration", "CG", "PIPECG", "PIPECG, thread", "CG, SHARP", "PIPECG, SHARP"]
    note = "The model: krylov_model.py. Exchanges of borders and caches are not in it."
    return Table("Figures 13 to 16, predicted", columns, rows, note)


def _measured_stencil(found: Found) -> Table:
    rows = []
    for result in found.results("stencil"):
        total, seen = (result["times"][name] for name in ("total", "communication"))
        without = _same(found, result, "total")
        ratio = f"{total['median'] / without - 1:+.0%}" if without else ""
        name = f"{FAMILIES[result['family']]}, {result['ranks']} ranks, N = {result['size']}, {result['what']}"
        rows.append([name, format_seconds(seen["median"]), format_seconds(total["median"]), ratio, _noise(result)])
    columns = ["", "communication", "total", "total against no overlap", "halves differ by"]
    return Table("Figures 3 to 8, measured: 30 steps", columns, rows + _failures(found, "stencil", len(columns)))


def _same(found: Found, result: dict[str, Any], time: str) -> float | None:
    """Of the same stencil without overlap."""
    same = {name: result[name] for name in ("family", "size", "ranks")}
    return found.median("stencil", time, what="none", **same)


def _measured_overlap(found: Found) -> Table:
    rows = []
    for result in found.results("overlap"):
        name = f"{FAMILIES[result['family']]}, {result['ranks']} ranks, {format_bytes(result['size'])}"
        times = [format_seconds(result["times"][time]["median"]) for time in ("communication", "sequential", "both")]
        rows.append([f"{name}, {result['mechanism']}", *times, f"{result['overlap']['ours']:.0%}", _noise(result)])
    columns = ["", "Comm", "Comm+Comp", "Total", "hidden", "halves differ by"]
    title = "Figures 9 to 12, measured: Iallreduce beside a product of a matrix and a vector"
    note = "As much is computed as each reduction takes alone. The last size is not the paper's."
    return Table(title, columns, rows + _failures(found, "overlap", len(columns)), note)


def _measured_krylov(found: Found) -> Table:
    rows = []
    for result in found.results("krylov"):
        name = f"Open MPI, {result['ranks']} ranks, N = {result['size']}, {result['what']}, {result['mechanism']}"
        times = [format_seconds(result["times"][time]["median"]) for time in ("total", "communication")]
        rows.append([name, *times, str(result["solution"]["iterations"]), _noise(result)])
    columns = ["", "total", "reductions", "iterations", "halves differ by"]
    return Table("Figures 13 to 16, measured", columns, rows + _failures(found, "krylov", len(columns)))


def _failures(found: Found, task: str, columns: int) -> list[list[str]]:
    """A row of so many columns for each cell without a result."""
    failed = [result for result in found.measured[task] if not result["times"]]
    names = [f"{one['family']}, {one['ranks']} ranks, {one['what']}, {one['size']}: {one['failed']}" for one in failed]
    return [[name] + [""] * (columns - 1) for name in names]


def _noise(result: dict[str, Any]) -> str:
    if result["noise"] is None:
        return ""
    return f"{result['noise']:.1%}" + (", too noisy" if result["too_noisy"] else "")


def figures_of(found: Found) -> list[Figure]:
    numbers = {order: _STENCIL_FIGURES.get(order, (f"N{order}", f"N{order}-total")) for order in found.orders}
    figures = [_exposed_figure(found, order, f"figure{seen}") for order, (seen, _) in numbers.items()]
    figures += [_total_figure(found, order, f"figure{total}") for order, (_, total) in numbers.items()]
    figures += [_overlap_figure(point, by_whom) for point, by_whom in found.overlaps]
    for nodes, order in dict.fromkeys((point.nodes, point.order) for point, _ in found.krylovs):
        figures.append(_krylov_figure(found, nodes, order))
    figures += [
        _measured_stencil_figure(found, order) for order in found.orders if found.results("stencil", size=order)
    ]
    return figures


def _exposed_figure(found: Found, order: int, id: str) -> Figure:
    curves = _stencil_curves(found, order, lambda seconds: seconds[1] * 1e6)
    return Figure(
        id,
        f"{_title(id)}: stencil, N = {order}, communication that is not hidden",
        "Predicted for ITO, of one step.",
        curves,
        log_axis("nodes", found.nodes),
        upright("us", rangemode="tozero"),
    )


def _total_figure(found: Found, order: int, id: str) -> Figure:
    without = {point.nodes: seconds["none"][0] for point, seconds in found.stencils if point.order == order}
    curves = _stencil_curves(found, order, lambda seconds: seconds[0], without)
    return Figure(
        id,
        f"{_title(id)}: stencil, N = {order}, time against that without overlap",
        "Predicted for ITO, of one step: 0.1 is a tenth longer.",
        curves,
        log_axis("nodes", found.nodes),
        upright(""),
    )


def _stencil_curves(
    found: Found, order: int, value: Callable[[list[float]], float], without: dict[int, float] | None = None
) -> list[Curve]:
    """`without`: seconds by nodes that values are compared with."""
    curves = []
    own = [(point.nodes, seconds) for point, seconds in found.stencils if point.order == order]
    for number, (way, name) in enumerate(_WAYS.items()):
        values = [value(seconds[way]) for _, seconds in own]
        if without is not None:
            values = [one / without[nodes] - 1 for one, (nodes, _) in zip(values, own, strict=True)]
        curves.append(Curve(name, [nodes for nodes, _ in own], values, number % 6, symbol=_SYMBOLS[number]))
    return curves


def _of_overlap(point: OverlapPoint) -> str:
    ranks = "1 rank" if point.ranks_on_a_node == 1 else f"{point.ranks_on_a_node} ranks"
    return f"{ranks} a node, {format_bytes(point.bytes)}"


def _overlap_figure(point: OverlapPoint, by_whom: dict[str, dict[str, Any]]) -> Figure:
    bars = [(f"{whom}: {mover}", own, both) for whom, own in by_whom.items() for mover, both in own["both"].items()]
    places = list(range(len(bars)))
    alone = [own["communication"] * 1e6 for _, own, _ in bars]
    sequential = [(own["communication"] + own["computation"]) * 1e6 for _, own, _ in bars]
    together = [both * 1e6 for _, _, both in bars]
    curves = [
        Curve("Comm", places, alone, 0, symbol="circle", dash="dot"),
        Curve("Comm+Comp", places, sequential, 1, symbol="square", dash="dash"),
        Curve("Total", places, together, 2, symbol="diamond"),
    ]
    number = _OVERLAP_FIGURES[point.ranks_on_a_node, point.bytes]
    shorter = {"the plug-in's thread": "thread", ", a core of its own": ", own core", " every 10 us": ""}
    labels = [name for name, *_ in bars]
    for words, short in shorter.items():
        labels = [label.replace(words, short) for label in labels]
    return Figure(
        f"figure{number}",
        f"Figure {number}: Overlap Test, {_of_overlap(point)}",
        f"Predicted for {point.nodes} nodes of ITO: a reduction by hosts or switches, by what moves it.",
        curves,
        # Labels end below their points: those that begin there leave the last one no room, and Plotly hides it.
        {"tickvals": places, "ticktext": labels, "automargin": True, "tickangle": -30},
        upright("us", rangemode="tozero"),
    )


def _krylov_figure(found: Found, nodes: int, order: int) -> Figure:
    own = [(p, by_whom) for p, by_whom in found.krylovs if (p.nodes, p.order) == (nodes, order)]
    ranks = [point.ranks_on_a_node for point, _ in own]
    curves = []
    for number, (whom, name, label) in enumerate(
        (
            ("hosts", "CG", "CG"),
            ("hosts", "PIPECG, nobody", "PIPECG"),
            ("switches", "CG", "CG, SHARP"),
            ("switches", "PIPECG, offload", "PIPECG, SHARP"),
        )
    ):
        values = [by_whom[whom][name] * 1e6 for _, by_whom in own]
        dash = "solid" if whom == "hosts" else "dash"
        curves.append(Curve(label, ranks, values, number, symbol=_SYMBOLS[number], dash=dash))
    id = _KRYLOV_FIGURES.get((nodes, order), f"krylov-{nodes}-{order}")
    return Figure(
        f"figure{id}",
        f"{_title(f'figure{id}')}: PETSc, {nodes} nodes, N = {order}",
        "Predicted for ITO, of one iteration.",
        curves,
        log_axis("ranks a node", ranks),
        upright("us", type="log"),
    )


def _measured_stencil_figure(found: Found, order: int) -> Figure:
    ways = list(dict.fromkeys(result["what"] for result in found.results("stencil", size=order)))
    curves = []
    kinds = dict.fromkeys((result["family"], result["ranks"]) for result in found.results("stencil", size=order))
    for number, (family, ranks) in enumerate(kinds):
        own = {r["what"]: r for r in found.results("stencil", size=order, family=family, ranks=ranks)}
        places = [place for place, way in enumerate(ways) if way in own]
        for time, dash in (("total", "solid"), ("communication", "dot")):
            values = [own[ways[place]]["times"][time]["median"] * 1e3 for place in places]
            name = f"{FAMILIES[family]}, {ranks} ranks, {time}"
            curves.append(Curve(name, places, values, number % 6, symbol=_SYMBOLS[number % 6], dash=dash))
    return Figure(
        f"measured-stencil-{order}",
        f"Measured: stencil, N = {order}",
        "Two hosts of a lab, 30 steps.",
        curves,
        {"tickvals": list(range(len(ways))), "ticktext": ways},
        upright("ms", rangemode="tozero"),
    )


def _title(id: str) -> str:
    return "Figure " + id.removeprefix("figure") if id.removeprefix("figure").isdecimal() else "Figure"
