"""The page of a report: its studies, one after another."""

from __future__ import annotations

from ayatori.report.curves import Plot, plots_of
from ayatori.report.document import document
from ayatori.report.fabric_picture import can_draw, draw_fabric, left_out
from ayatori.report.load_matrix import draw_tier, square_tier, tier_note, tiers_of
from ayatori.report.markup import Markup, count, join, tag
from ayatori.report.model import Fabric, Side, Study, WorstJob
from ayatori.report.tables import checks_table, engines_table, figures_table, headline, hot_table, method_key
from ayatori.report.tiers import NO_LOADS, bundles_of, load_class, ranks_of

LOADS = {
    1: "1 message: full speed",
    2: "2 messages: half speed",
    3: "3 messages",
    4: "4 messages or more",
}


def page_of(studies: list[Study]) -> str:
    """The whole page."""
    plots = {study.file: plots_of(study, f"s{i}") for i, study in enumerate(studies)}
    title = studies[0].title if len(studies) == 1 else "Ayatori report"
    sections = [_study(study, plots[study.file], f"study{i}") for i, study in enumerate(studies)]
    drawn_from = f"Drawn from {', '.join(study.file for study in studies)}."
    every_plot = [plot for own in plots.values() for plot in own]
    return document(title, "report", [_contents(studies), *sections], drawn_from, every_plot)


def _contents(studies: list[Study]) -> Markup:
    if len(studies) < 2:
        return join(())
    entries = [tag("li", tag("a", study.title, href=f"#study{i}")) for i, study in enumerate(studies)]
    return tag("nav", tag("ol", *entries), aria_label="Studies")


def _study(study: Study, plots: list[Plot], id: str) -> Markup:
    """One study, from the result to the evidence."""
    parts = [tag("h1", study.title), tag("p", tag("code", study.source), class_="source") if study.source else ""]
    parts += [tag("p", study.fabric.summary)] if study.fabric and study.fabric.summary else []
    parts += [headline(study), figures_table(study)]
    parts += [_fabric(study.fabric, study)] if study.fabric else []
    if plots:
        parts += [
            tag("h2", "Curves"),
            tag("div", *(_plot(study, plot) for plot in plots), class_="pair plots" if len(plots) > 1 else "plots"),
        ]
    if study.engines:
        parts += [tag("h2", "Routing engines"), tag("div", engines_table(study.engines), class_="card")]
    parts += _checks(study)
    return tag("section", *parts, class_="study", id=id)


def _checks(study: Study) -> list[Markup]:
    if not study.checks:
        return []
    passed = sum(check.passed for check in study.checks)
    heading = f"Checks: {passed} of {len(study.checks)} passed"
    return [tag("h2", heading), tag("div", checks_table(study.checks), class_="card narrow")]


def _plot(study: Study, plot: Plot) -> Markup:
    """A figure with its key; the key is ours, since Plotly's cannot show the palette by line and mark."""
    keys = [tag("li", method_key(study, method), study.methods[method]) for method in plot.methods]
    missing = tag("noscript", "The plot needs JavaScript; the table above has its figures.")
    place = tag("div", id=plot.id, class_="plot", role="img", aria_label=plot.alt)
    note = tag("p", plot.note, class_="note")
    return tag("figure", tag("h3", plot.title), note, tag("ul", *keys, class_="legend"), place, missing, class_="card")


def _fabric(fabric: Fabric, study: Study) -> Markup:
    """The fabric, with the loads of the worst job's step if there is one."""
    job = study.worst
    sides = [side for side in (job.before, job.after) if side] if job else [NO_LOADS]
    ranks = ranks_of(fabric, job) if job else {}
    bundles = bundles_of(fabric)
    reason = can_draw(fabric)
    legend = _legend(fabric, sides, with_job=bool(job), with_tree=not reason)
    parts = [tag("h2", _job_title(job) if job else "The fabric"), legend]
    names = [_side_title(study, side, i) for i, side in enumerate(sides)]
    if reason or left_out(fabric):
        parts.append(tag("p", reason or left_out(fabric), class_="note"))
    if not reason:
        pictures = [
            draw_fabric(fabric, bundles, side, ranks, f"Fabric. {name}")
            for side, name in zip(sides, names, strict=True)
        ]
        parts.append(_cards(pictures, names, _wide(pictures)))
    if job:
        parts += _matrices(fabric, sides, names)
        parts += [tag("div", tag("h3", "Hot cables of this step"), hot_table(study, job), class_="card narrow")]
    return join(parts)


def _job_title(job: WorstJob) -> str:
    return f"The worst job, {count(len(job.hosts), 'node')}, in step {job.step}"


def _wide(pictures: list[Markup]) -> bool:
    return any('class="fabric wide"' in picture for picture in pictures)


def _side_title(study: Study, side: Side, place: int) -> str:
    if side is NO_LOADS:
        return ""
    method = study.methods[side.method]
    worst = max(side.loads.values(), default=0)
    return (
        f"{('Before', 'After')[place]}: {method}. Most loaded cable: {count(worst, 'message')}; "
        f"relative bandwidth of the job {side.bandwidth:.3g}"
    )


def _cards(pictures: list[Markup], names: list[str], wide: bool) -> Markup:
    """Pictures side by side, or one below the other where they are wide."""
    cards = [
        tag("figure", _caption(name), picture, class_="card") for picture, name in zip(pictures, names, strict=True)
    ]
    return tag("div", *cards, class_="stack" if wide or len(cards) == 1 else "pair")


def _caption(name: str) -> Markup:
    """The first sentence of a side's title as a heading, the rest below it."""
    first, _, rest = name.partition(". Most loaded")
    return join((tag("h3", first), tag("p", f"Most loaded{rest}.", class_="note"))) if rest else tag("h3", name)


def _matrices(fabric: Fabric, sides: list[Side], names: list[str]) -> list[Markup]:
    """Heat maps of each tier, sides beside each other."""
    bundles = bundles_of(fabric)
    tiers = tiers_of(fabric, bundles, sides)
    square = None if tiers else square_tier(fabric, bundles, sides)
    parts = []
    for tier in [*tiers, *([square] if square else [])]:
        cards = [
            tag("figure", tag("h3", name.partition(". Most")[0]), draw_tier(fabric, tier, side), class_="card scroll")
            for side, name in zip(sides, names, strict=True)
        ]
        heading = tag("h2", f"Loads, {tier.title}")
        parts += [heading, tag("p", tier_note(tier), class_="note"), tag("div", *cards, class_="pair")]
    return parts


def _legend(fabric: Fabric, sides: list[Side], with_job: bool, with_tree: bool) -> Markup:
    """What colours, widths, dots and dashes mean, as far as they occur."""
    used = sorted({load_class(load) for side in sides for load in side.loads.values()} - {0})
    items = [_key(f"load{k}", 2.0 + 1.5 * (k - 1), LOADS[k]) for k in used]
    if with_tree:
        items += [_key("idle", 1.0, "unused cable" if with_job else "cable")]
        items += [_key("idle", 2.0, "degraded cable", "7 3")] * any(link.degraded for link in fabric.links)
        items += (
            [_dot("host mine", "node of the job"), _dot("host", "other host")] if with_job else [_dot("host", "host")]
        )
    return tag("ul", *items, class_="legend")


def _dot(style: str, said: str) -> Markup:
    return tag("li", tag("svg", tag("circle", cx=17, cy=8, r=5, class_=style), viewBox="0 0 34 16"), said)


def _key(style: str, width: float, said: str, dash: str | None = None) -> Markup:
    line = tag(
        "path", d="M1 8H30", class_="idle" if style == "idle" else "line", stroke_width=width, stroke_dasharray=dash
    )
    head = (
        ""
        if style == "idle"
        else tag("path", d=f"M34 8L25 {2.5 - width / 3:.1f}V{13.5 + width / 3:.1f}Z", class_="head")
    )
    return tag("li", tag("svg", line, head, viewBox="0 0 34 16", class_=style), said)
