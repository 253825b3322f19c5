"""The plots as Plotly figures in plain JSON. Colours are numbers here: page.js puts the theme's colours in."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from ayatori.report.markup import figure, listed
from ayatori.report.methods import style_of
from ayatori.report.model import Study

MANY = 5000  # jobs beyond which only the corners of a curve are kept
TIP = 26  # letters of a method's name in a tip
BOUND = "no plan can exceed"


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
        f"{jobs.jobs:,} jobs of {jobs.size} hosts each; each method's jobs in the order of their bandwidth."
        + _reading(curves, bool(jobs.bound), bool(jobs.paper and study.peak)),
        _describe(study, curves),
        [method for method in study.methods if method in curves],
        traces,
        _layout(study, "jobs, sorted by bandwidth", jobs.jobs),
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
        + _reading(curves, bool(jobs.bound), bool(jobs.paper and study.peak)),
        _describe(study, curves),
        [method for method in study.methods if method in curves],
        traces,
        _layout(study, "hosts of the job", max(jobs.sizes)),
    )


def scaled(study: Study, values: list[float]) -> list[float]:
    """Relative bandwidth as MB/s if the peak is known."""
    return [round(value * study.peak, 1) for value in values] if study.peak else [round(v, 4) for v in values]


def unit(study: Study) -> str:
    """What `scaled` yields."""
    return "MB/s" if study.peak else "of peak"


def _bottom_first(study: Study, curves: dict[str, list[float]]) -> list[str]:
    """The widest line first, so that equal curves all stay visible."""
    return sorted(curves, key=lambda method: -style_of(method, study.methods).width)


def _name(method: str) -> str:
    """A name short enough for a tip. Plotly reads markup in names, so it is escaped."""
    return escape(method if len(method) <= TIP else method[: TIP - 1] + "…", quote=False)


def _line(study: Study, method: str, x: list[int], y: list[float], **style: Any) -> dict[str, Any]:
    look = style_of(method, study.methods)
    trace: dict[str, Any] = {
        "type": "scatter",
        "name": _name(method),
        "x": x,
        "y": y,
        "mode": "lines+markers" if style.get("marks") else "lines",
        "tone": look.tone,
        "hovertemplate": "%{y:,.0f}" if study.peak else "%{y:.3f}",
        "line": {"width": look.width, "dash": look.dash, "shape": style.get("shape", "linear")},
        "cliponaxis": False,
    }
    if style.get("marks"):
        trace["marker"] = {"symbol": look.symbol, "size": look.size}
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


def _reading(curves: dict[str, list[float]], bound: bool, paper: bool) -> str:
    """Which methods coincide, and what is drawn in addition to them."""
    equal: dict[tuple[float, ...], list[str]] = {}
    for method, values in curves.items():
        equal.setdefault(tuple(values), []).append(method)
    said = [f" The curves of {listed(methods)} coincide." for methods in equal.values() if len(methods) > 1]
    said += [" Dotted: no plan on our tables can exceed it."] * bound
    return "".join(said + [" Open marks: measured in the paper."] * paper)


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
    look = style_of(method, study.methods)
    return {
        "type": "scatter",
        "name": f"paper: {_name(method)}",
        "x": x,
        "y": y,
        "mode": "markers",
        "tone": look.tone,
        "marker": {"symbol": f"{look.symbol}-open", "size": 13, "line": {"width": 2.5}},
        "cliponaxis": False,
        "hoverinfo": "skip",  # else it would be shown at the nearest job, not at its own
    }


def _layout(study: Study, x_title: str, most: int) -> dict[str, Any]:
    """Axes that begin at 0: else differences look larger than they are."""
    y_title = "bandwidth per host, MB/s" if study.peak else "bandwidth per host, share of peak"
    return {
        "xaxis": {"title": {"text": x_title}, "range": [0, most * 1.02]},
        "yaxis": {"title": {"text": y_title}, "range": [0, (study.peak or 1.0) * 1.06]},
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
