"""The plots as Plotly figures in plain JSON. Colours are numbers here: page.js puts the theme's colours in."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from ayatori.report.markup import figure
from ayatori.report.model import Study

# Equal curves lie on each other: the later a method, the wider and lower its line. Dashed ones let it shine through.
DASHES = ["6px 3px", "solid", "9px 6px", "solid"]
WIDTHS = [2.6, 5.0, 3.4, 8.0]
MANY = 5000  # jobs beyond which only the corners of a curve are kept
TIP = 26  # letters of a method's name in a tip
BOUND = "no plan can exceed"
SYMBOLS = ["circle", "square", "diamond", "triangle-up"]


@dataclass(frozen=True)
class Plot:
    """A figure: its id, a caption, a description for who cannot see it, and Plotly's traces and layout."""

    id: str
    title: str
    note: str
    alt: str
    methods: list[str]
    traces: list[dict[str, Any]]
    layout: dict[str, Any]


def plots_of(study: Study, prefix: str) -> list[Plot]:
    """The plots that this study has data for."""
    plots = []
    if study.random:
        plots.append(sorted_curve(study, f"{prefix}-sorted"))
    if study.contiguous and study.contiguous.sizes:
        plots.append(host_curve(study, f"{prefix}-hosts"))
    return plots


def sorted_curve(study: Study, id: str) -> Plot:
    """Figure 9 of paper 1: the jobs in the order of their bandwidth."""
    jobs = study.random
    assert jobs
    curves = {method: scaled(study, sorted(values)) for method, values in jobs.bandwidth.items()}
    ranks = list(range(1, jobs.jobs + 1))
    traces = [_line(study, m, *_corners(ranks, curves[m]), shape="hv") for m in _bottom_first(study, curves)]
    traces += [_bound(*_corners(ranks, scaled(study, sorted(jobs.bound))), shape="hv")] if jobs.bound else []
    traces += [_paper(study, method, *_paper_points(study, method)) for method in jobs.paper if study.peak]
    return Plot(
        id,
        "Bandwidth of random jobs, sorted",
        f"{jobs.jobs:,} jobs of {jobs.size} hosts each, each method's jobs in the order of their bandwidth."
        + _key_to_the_rest(bool(jobs.bound), bool(jobs.paper and study.peak)),
        _describe(study, curves),
        [method for method in study.methods if method in curves],
        traces,
        _layout(study, "jobs, sorted by bandwidth", curves, [1, jobs.jobs]),
    )


def _corners(x: list[int], y: list[float]) -> tuple[list[int], list[float]]:
    """A long staircase by its corners only: the same drawing from fewer points."""
    if len(y) <= MANY:
        return x, y
    ends = (0, len(y) - 1)
    kept = [i for i in range(len(y)) if i in ends or y[i] != y[i - 1] or y[i] != y[i + 1]]
    return [x[i] for i in kept], [y[i] for i in kept]


def host_curve(study: Study, id: str) -> Plot:
    """Figure 10 of paper 1: bandwidth against the number of hosts."""
    jobs = study.contiguous
    assert jobs
    curves = {method: scaled(study, values) for method, values in jobs.bandwidth.items()}
    traces = [_line(study, m, jobs.sizes, curves[m], marks=True) for m in _bottom_first(study, curves)]
    traces += [_bound(jobs.sizes, scaled(study, jobs.bound))] if jobs.bound else []
    for method, points in jobs.paper.items():
        if study.peak and points:
            traces.append(_paper(study, method, list(points), list(points.values())))
    return Plot(
        id,
        "Bandwidth against the number of hosts",
        "Jobs on contiguous hosts, from the first one on."
        + _key_to_the_rest(bool(jobs.bound), bool(jobs.paper and study.peak)),
        _describe(study, curves),
        [method for method in study.methods if method in curves],
        traces,
        _layout(study, "hosts of the job", curves, [min(jobs.sizes), max(jobs.sizes)]),
    )


def scaled(study: Study, values: list[float]) -> list[float]:
    """Relative bandwidth as MB/s if the peak is known."""
    return [round(value * study.peak, 1) for value in values] if study.peak else [round(v, 4) for v in values]


def unit(study: Study) -> str:
    """What `scaled` yields."""
    return "MB/s" if study.peak else "of peak"


def tone(study: Study, method: str) -> int:
    """The place of a method in the palette."""
    return list(study.methods).index(method) if method in study.methods else 0


def _bottom_first(study: Study, curves: dict[str, list[float]]) -> list[str]:
    """Drawn last = on top: the first method, with the thinnest line; so equal curves all stay visible."""
    return sorted(curves, key=lambda method: -tone(study, method))


def _name(study: Study, method: str) -> str:
    """A name short enough for a tip. Plotly reads markup in names, so it is escaped."""
    name = study.methods.get(method, method)
    return escape(name if len(name) <= TIP else name[: TIP - 1] + "…", quote=False)


def _line(study: Study, method: str, x: list[int], y: list[float], **style: Any) -> dict[str, Any]:
    place = tone(study, method)
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": _name(study, method),
        "x": x,
        "y": y,
        "mode": "lines+markers" if style.get("marks") else "lines",
        "tone": place % 6,
        "hovertemplate": "%{y:,.0f}" if study.peak else "%{y:.3f}",
        "line": {
            "width": WIDTHS[place % len(WIDTHS)],
            "dash": DASHES[place % len(DASHES)],
            "shape": style.get("shape", "linear"),
        },
    }
    if style.get("marks"):
        trace["marker"] = {"symbol": SYMBOLS[place % len(SYMBOLS)], "size": 7 + 2 * min(place, 3)}
    return trace


def _bound(x: list[int], y: list[float], shape: str = "linear") -> dict[str, Any]:
    """Above all methods, and so thin that a curve which reaches it stays visible."""
    return {
        "type": "scatter",
        "name": BOUND,
        "x": x,
        "y": y,
        "mode": "lines",
        "tone": "ink",
        "hovertemplate": "%{y:,.4~g}",
        "line": {"width": 1.2, "dash": "1px 3px", "shape": shape},
    }


def _key_to_the_rest(bound: bool, paper: bool) -> str:
    """Of what is drawn in addition to the methods."""
    return (" Dotted: no plan on our tables can exceed it." if bound else "") + (
        " Open marks: measured in the paper." if paper else ""
    )


def _paper_points(study: Study, method: str) -> tuple[list[float], list[float]]:
    """What the paper tells of its sorted curve: its ends, and where it crosses a bandwidth (`over_1500`: 20)."""
    jobs = study.random
    assert jobs
    figures = jobs.paper[method]
    points = [(1.0, figures["min"])] if "min" in figures else []
    for key, number in figures.items():
        if key.startswith("over_") and key[5:].isdigit():
            points.append((jobs.jobs - number, float(key[5:])))
    points += [(float(jobs.jobs), figures["max"])] if "max" in figures else []
    return [x for x, _ in points], [y for _, y in points]


def _paper(study: Study, method: str, x: list[float], y: list[float]) -> dict[str, Any]:
    place = tone(study, method)
    return {
        "type": "scatter",
        "name": f"paper: {_name(study, method)}",
        "x": x,
        "y": y,
        "mode": "markers",
        "tone": place % 6,
        "marker": {"symbol": f"{SYMBOLS[place % len(SYMBOLS)]}-open", "size": 13, "line": {"width": 2.5}},
        "cliponaxis": False,
        "hoverinfo": "skip",  # else it would be shown at the nearest job, not at its own
    }


def _layout(study: Study, x_title: str, curves: dict[str, list[float]], x_range: list[int]) -> dict[str, Any]:
    """The axes. The y axis begins near the lowest value; page.js adds that to its title where it is not 0."""
    top = study.peak or 1.0
    low = min((min(values) for values in curves.values() if values), default=0.0)
    floor = max(0.0, min(low, 0.75 * top) - 0.08 * top)
    pad = max((x_range[1] - x_range[0]) * 0.02, 0.5)
    y_title = "MB/s a host" if study.peak else "relative bandwidth"
    return {
        "xaxis": {"title": {"text": x_title}, "range": [x_range[0] - pad, x_range[1] + pad]},
        "yaxis": {"title": {"text": y_title}, "range": [floor, top * 1.04]},
    }


def _describe(study: Study, curves: dict[str, list[float]]) -> str:
    """The plot in words."""
    parts = [
        f"{study.methods.get(m, m)}: {figure(min(v))} to {figure(max(v))} {unit(study)}, "
        f"mean {figure(round(sum(v) / len(v), 3))}"
        for m, v in curves.items()
        if v
    ]
    return "; ".join(parts)
