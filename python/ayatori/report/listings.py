"""The listings of a study: figures next to the paper's, hot cables, engines, checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean

from ayatori.report.curves import scaled, unit
from ayatori.report.headlines import bandwidth_text, free_of_congestion
from ayatori.report.loads import hot_cables, load_text
from ayatori.report.markup import Markup, cells, figure, heads, join, table, tag
from ayatori.report.methods import STYLES, key_of, method_name, style_of
from ayatori.report.model import Check, Engine, Side, Study, WorstJob

HOT_ROWS = 12


def figures_listing(study: Study) -> Markup:
    """A row a method: jobs free of hot spots, bandwidth here and in the paper."""
    if not study.random and not study.contiguous:
        return join(())
    columns = [column for column in _columns(study) if any(cell is not None for cell in column[2].values())]
    if not columns:
        return join(())
    first = tag("tr", tag("td", ""), *_group_heads(columns))
    second = tag("tr", tag("th", "method", scope="col"), *(_head(sub) for _, sub, _ in columns))
    used = {method for _, _, cells in columns for method in cells}
    rows = [_figures_row(study, method, columns) for method in study.methods if method in used]
    return tag("div", table(first, second, rows=rows), tag("p", _how(study), class_="note"), class_="card")


Column = tuple[str, str, Mapping[str, str | None]]  # group, sub-heading, method -> cell


def _head(text: str) -> Markup:
    return tag("th", text, scope="col", class_="number paper" if text == "paper" else "number")


def _group_heads(columns: list[Column]) -> list[Markup]:
    """A heading over each run of columns of one group."""
    runs = [(name, len(list(run))) for name, run in groupby(group for group, _, _ in columns)]
    return [tag("th", name, scope="colgroup", colspan=span, class_="number") for name, span in runs]


def _columns(study: Study) -> list[Column]:
    columns: list[Column] = []
    if study.random:
        columns += _random_columns(study)
    if study.contiguous and study.contiguous.sizes:
        total = len(study.contiguous.sizes)
        free = free_of_congestion(study.contiguous.bandwidth)
        shares = {method: _share(study, method, number, total) for method, number in free.items()}
        columns.append(("contiguous jobs without congestion", f"of {total:,}", shares))
    return columns


def _share(study: Study, method: str, number: int, total: int) -> Markup:
    """A number with a bar below it that shows its share, in the method's colour."""
    tone = style_of(method, study.methods).tone
    track = tag("rect", width=64, height=4, rx=2, class_="track")
    bar = tag("rect", width=64 * number / total, height=4, rx=2, class_="share") if number else ""
    return join(
        (f"{number:,}", tag("svg", track, bar, class_=f"bar tone{tone}", viewBox="0 0 64 4", aria_hidden="true"))
    )


def _random_columns(study: Study) -> list[Column]:
    jobs = study.random
    assert jobs
    free = {method: _share(study, method, number, jobs.jobs) for method, number in jobs.free.items()}
    columns: list[Column] = [("random jobs without congestion", f"of {jobs.jobs:,}", free)]
    for name, reduce in (("mean", fmean), ("min", min), ("max", max)):
        own = {m: bandwidth_text(reduce(v) * (study.peak or 1)) for m, v in jobs.bandwidth.items() if v}
        columns.append((f"{name}, {unit(study)}", "predicted", own))
        if study.peak:
            columns.append((f"{name}, {unit(study)}", "paper", _paper_cells(study, name)))
    if study.peak:
        columns += _threshold_columns(study, {m: scaled(study, values) for m, values in jobs.bandwidth.items()})
    return columns


def _threshold_columns(study: Study, curves: dict[str, list[float]]) -> list[Column]:
    """Jobs that reach a bandwidth that the paper counts, such as `over_1500`."""
    jobs = study.random
    assert jobs
    keys = sorted({k for figures in jobs.paper.values() for k in figures if k.startswith("over_") and k[5:].isdigit()})
    columns: list[Column] = []
    for key in keys:
        reached = {m: f"{sum(v >= int(key[5:]) for v in values):,}" for m, values in curves.items()}
        group = f"jobs ≥ {int(key[5:]):,} {unit(study)}"
        columns += [(group, "predicted", reached), (group, "paper", _paper_cells(study, key))]
    return columns


def _paper_cells(study: Study, key: str) -> dict[str, str | None]:
    paper = study.random.paper if study.random else {}
    return {method: figure(figures[key]) if key in figures else None for method, figures in paper.items()}


def _figures_row(study: Study, method: str, columns: list[Column]) -> Markup:
    cells = [_figures_cell(cells.get(method), sub) for _, sub, cells in columns]
    name = method_name(method, study.methods)
    means = study.methods[method]
    about = tag("div", means, class_="note") if means != method else ""
    return tag("tr", tag("th", name, about, scope="row"), *cells)


def _figures_cell(text: str | None, sub: str) -> Markup:
    return tag("td", text or "–", class_="number paper" if sub == "paper" else "number")


def _how(study: Study) -> str:
    """How the figures came about."""
    text = "A job is without congestion if no cable carries two of its messages in a step. "
    text += "Predicted: 1 ÷ the mean, over the steps, of the messages on the most loaded cable"
    text += f"; 1 is {figure(study.peak)} MB/s." if study.peak else "."
    return text + (" Paper: measured on its cluster." if study.peak and study.random and study.random.paper else "")


def hot_listing(study: Study, job: WorstJob) -> Markup:
    """The cables that carry more than one message, by name and port."""
    fabric = study.fabric
    assert fabric
    sides = [side for side in (job.before, job.after) if side]
    hot = hot_cables(sides)
    if not hot:
        return tag("p", "No cable carries more than one message.")
    names = ["from", "port", "to", "port", *(["messages before", "messages after"] if job.after else ["messages"])]
    rows = [_hot_row(study, sides, link, direction) for link, direction in hot[:HOT_ROWS]]
    listing = _listing(names, rows, numbers={1, 3, 4, 5})
    if len(hot) <= HOT_ROWS:
        return listing
    return join((tag("p", f"The {HOT_ROWS} most loaded of {len(hot):,} directions.", class_="note"), listing))


def _hot_row(study: Study, sides: Iterable[Side], link: int, direction: str) -> list[object]:
    fabric = study.fabric
    assert fabric
    cable = fabric.links[link]
    ends = [(cable.a, cable.a_port), (cable.b, cable.b_port)]
    ends = ends if direction == "ab" else ends[::-1]
    names = [cell for router, port in ends for cell in (fabric.routers[router].name, port)]
    return [*names, *(load_text(side.loads.get((link, direction), 0)) for side in sides)]


def _acceptance(engine: Engine) -> Markup | None:
    """Tables that can deadlock count as failed, also where OpenSM accepted them."""
    if engine.accepted and engine.deadlock_free is False:
        return _verdict(False, "", "accepted, can deadlock")
    return _verdict(engine.accepted, "accepted", "refused")


def engines_listing(engines: list[Engine]) -> Markup:
    """A row an engine."""
    names = ["engine", "LMC", "accepted", "OpenSM's run, s", "jobs without congestion", "mean, of peak", "note"]
    rows = [[_engine(e), e.lmc, _acceptance(e), e.seconds, e.free, e.bandwidth, e.note] for e in engines]
    return _listing(names, rows, numbers={1, 3, 4, 5})


def _engine(engine: Engine) -> Markup:
    """Its name, with the key of the method that it ends with."""
    method = engine.name.rpartition(", ")[2]
    return tag("span", key_of(STYLES[method]) if method in STYLES else "", engine.name, class_="method")


def checks_listing(checks: list[Check]) -> Markup:
    """A row a check, failed ones first."""
    ordered = sorted(checks, key=lambda check: check.passed)
    rows = [[_verdict(check.passed, "passed", "failed"), check.what, check.figure] for check in ordered]
    return _listing(["", "what was checked", "figure"], rows, numbers=set())


def _verdict(good: bool | None, yes: str, no: str) -> Markup | None:
    if good is None:
        return None
    return tag("span", f"✓ {yes}" if good else f"✗ {no}", class_="passed" if good else "failed")


def _listing(names: list[str], rows: Sequence[Sequence[object]], numbers: set[int]) -> Markup:
    """A plain listing; None becomes a dash, numbers are set to the right."""

    def cell(value: object) -> object:
        if value is None:
            return "–"
        return bandwidth_text(value) if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value

    return table(heads(names, numbers), rows=(tag("tr", *cells(map(cell, row), numbers)) for row in rows))
