"""The words and listings of a study: headline, figures next to the paper's, hot cables, engines, checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ayatori.report.curves import DASHES, WIDTHS, scaled, tone, unit
from ayatori.report.markup import Markup, cells, count, curve_key, figure, heads, join, key_line, table, tag
from ayatori.report.model import Check, Engine, Side, Study, WorstJob
from ayatori.report.tiers import hot_cables, load_text

HOT_ROWS = 12
FULL = 1 - 1e-9  # relative bandwidth from which a job counts as free of hot spots


def headline(study: Study) -> Markup:
    """The result in words; nothing if the study has none."""
    said = _headline_random(study) or _headline_contiguous(study) or _headline_worst(study)
    if not said:
        return join(())
    return tag("div", tag("strong", said[0]), tag("p", said[1]), class_="headline")


def _first_and_best(study: Study, score: dict[str, float]) -> tuple[str, str] | None:
    """The first method in the study's order, and the one with the highest score (the last of equals)."""
    order = [method for method in study.methods if method in score]
    if not order:
        return None
    return order[0], max(reversed(order), key=lambda method: score[method])


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _rise(study: Study, bandwidth: dict[str, list[float]], first: str, best: str) -> str:
    """`Mean bandwidth: 1,198 → 1,716 MB/s (+43%).`"""
    before, after = _mean(bandwidth.get(first, [])), _mean(bandwidth.get(best, []))
    if not before or not after or first == best:
        return ""
    low, high = scaled(study, [before, after])
    return f" Mean all-to-all bandwidth: {_show(low)} → {_show(high)} {unit(study)} ({after / before - 1:+.0%})."


def _headline_random(study: Study) -> tuple[str, str] | None:
    jobs = study.random
    pair = _first_and_best(study, {m: float(n) for m, n in jobs.free.items()}) if jobs else None
    if not jobs or not pair:
        return None
    first, best = pair
    what = f"{jobs.jobs:,} random {jobs.size}-host jobs"
    if first == best:
        return f"{what}: {jobs.free[best]:,} free of hot spots", f"With {study.methods[best]}."
    left = jobs.jobs - jobs.free[best]
    return (
        f"{what}: {jobs.free[first]:,} free of hot spots → {jobs.free[best]:,}",
        f"With {study.methods[first]}, {count(jobs.jobs - jobs.free[first], 'job')} share a cable somewhere; "
        f"with {study.methods[best]}, {left or 'none'}." + _rise(study, jobs.bandwidth, first, best),
    )


def _headline_contiguous(study: Study) -> tuple[str, str] | None:
    jobs = study.contiguous
    if not jobs or not jobs.sizes:
        return None
    free = {method: float(sum(v >= FULL for v in values)) for method, values in jobs.bandwidth.items()}
    pair = _first_and_best(study, free)
    if not pair:
        return None
    first, best = pair
    sizes = f"Jobs on {min(jobs.sizes)} to {max(jobs.sizes)} contiguous hosts"
    rest = f"{free[first]:.0f} of {len(jobs.sizes)} free of hot spots"
    arrow = f" → {free[best]:.0f}" if first != best else ""
    return f"{sizes}: {rest}{arrow}", f"With {study.methods[best]}." + _rise(study, jobs.bandwidth, first, best)


def _headline_worst(study: Study) -> tuple[str, str] | None:
    job = study.worst
    if not job or not job.after:
        return None
    low, high = scaled(study, [job.before.bandwidth, job.after.bandwidth])
    before, after = (study.methods[side.method] for side in (job.before, job.after))
    return (
        f"A {len(job.hosts)}-host job: {_show(low)} → {_show(high)} {unit(study)}",
        f"From {before} to {after}.",
    )


def _show(value: float) -> str:
    """A bandwidth: MB/s without decimals, relative with up to three digits."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.3f}".rstrip("0").rstrip(".")


def method_key(study: Study, method: str) -> Markup:
    """A short line in the method's colour and dash, as in the plots."""
    place = tone(study, method)
    return curve_key(place % 6, key_line(WIDTHS[place % 4], DASHES[place % 4]))


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
        curves = study.contiguous.bandwidth
        free = {method: _share(sum(v >= FULL for v in values), total) for method, values in curves.items()}
        columns.append(("contiguous jobs free", f"of {total}", free))
    return columns


def _share(number: int, total: int) -> Markup:
    """A number with a bar below it that shows its share."""
    track = tag("rect", width=64, height=4, rx=2, class_="track")
    bar = tag("rect", width=64 * number / total, height=4, rx=2, class_="share") if number else ""
    return join((f"{number:,}", tag("svg", track, bar, class_="bar", viewBox="0 0 64 4", aria_hidden="true")))


def _random_columns(study: Study) -> list[Column]:
    jobs = study.random
    assert jobs
    free = {method: _share(number, jobs.jobs) for method, number in jobs.free.items()}
    columns: list[Column] = [("random jobs free", f"of {jobs.jobs:,}", free)]
    curves = {m: scaled(study, values) for m, values in jobs.bandwidth.items() if values}
    for name, reduce in (("mean", _mean), ("min", min), ("max", max)):
        columns.append((f"{name}, {unit(study)}", "here", {m: _show(reduce(v)) for m, v in curves.items()}))
        if study.peak:
            columns.append((f"{name}, {unit(study)}", "paper", _paper_cells(study, name)))
    if study.peak:
        columns += _threshold_columns(study, curves)
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
        columns += [(group, "here", reached), (group, "paper", _paper_cells(study, key))]
    return columns


def _paper_cells(study: Study, key: str) -> dict[str, str | None]:
    paper = study.random.paper if study.random else {}
    return {method: _show(figures[key]) if key in figures else None for method, figures in paper.items()}


def _figures_row(study: Study, method: str, columns: list[Column]) -> Markup:
    cells = [_figures_cell(cells.get(method), sub) for _, sub, cells in columns]
    return tag("tr", tag("th", method_key(study, method), study.methods[method], scope="row"), *cells)


def _figures_cell(text: str | None, sub: str) -> Markup:
    return tag("td", text or "–", class_="number paper" if sub == "paper" else "number")


def _how(study: Study) -> str:
    """How the figures came about."""
    text = "Here: predicted from the loads of the cables in each step (1 ÷ mean of the most loaded one)"
    text += f", where 1 is {figure(study.peak)} MB/s." if study.peak else "."
    return text + (" Paper: measured on its cluster." if study.peak and study.random and study.random.paper else "")


def hot_listing(study: Study, job: WorstJob) -> Markup:
    """The cables that carry more than one message, by name and port."""
    fabric = study.fabric
    assert fabric
    sides = [side for side in (job.before, job.after) if side]
    hot = hot_cables(fabric, sides)
    if not hot:
        return tag("p", "No cable carries more than one message in this step.")
    names = ["from", "port", "to", "port", *(f"{word} (messages)" for word in ("before", "after")[: len(sides)])]
    rows = [_hot_row(study, sides, link, direction) for link, direction in hot[:HOT_ROWS]]
    more = f" The {HOT_ROWS} most loaded are listed." if len(hot) > HOT_ROWS else ""
    said = f"{count(len(hot), 'cable direction')} with more than one message.{more}"
    return join((tag("p", said, class_="note"), _listing(names, rows, numbers={1, 3, 4, 5})))


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
    names = ["engine", "LMC", "accepted", "seconds", "jobs free", "mean relative bandwidth", "note"]
    rows = [[e.name, e.lmc, _acceptance(e), e.seconds, e.free, e.bandwidth, e.note] for e in engines]
    return _listing(names, rows, numbers={1, 3, 4, 5})


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
        return "–" if value is None else _show(value) if isinstance(value, float) else value

    return table(heads(names, numbers), rows=(tag("tr", *cells(map(cell, row), numbers)) for row in rows))
