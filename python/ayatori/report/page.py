"""The page of a report: its studies, one after another."""

from __future__ import annotations

from ayatori.report.curves import Plot, plots_of
from ayatori.report.document import document
from ayatori.report.fabric_data import fabric_data
from ayatori.report.fabric_picture import draw_again, draw_fabric, is_narrow, marks_boxes, ranks_of
from ayatori.report.headlines import bandwidth_text, headline
from ayatori.report.listings import checks_listing, engines_listing, figures_listing, hot_listing
from ayatori.report.loads import NO_LOADS, load_class
from ayatori.report.markup import Markup, count, join, scrolled, tag
from ayatori.report.methods import method_name
from ayatori.report.model import Drawing, Fabric, Origin, Side, Study, WorstJob
from ayatori.report.together_part import together_part, tools

FAULTS = 12  # that are listed without a click
NO_DRAWING = "The study has no drawing of the fabric; studies that this version of Ayatori makes have one."
KEYS = (
    "Keys: / searches, [ and ] change the step, + and − zoom, arrows move, 0 shows all. "
    "Drag to move; Ctrl and the wheel zoom."
)
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
    return document(title, "report", [_contents(studies), *sections], drawn_from, every_plot, _pictures(studies))


def _pictures(studies: list[Study]) -> list[str]:
    """The scripts of fabrics that are drawn, and of several jobs on one."""
    drawn = [study for study in studies if study.fabric and study.fabric.drawing]
    return ["fabric.js"] * bool(drawn) + ["jobs.js"] * any(study.together for study in drawn)


def _contents(studies: list[Study]) -> Markup:
    if len(studies) < 2:
        return join(())
    entries = [tag("li", tag("a", study.title, href=f"#study{i}")) for i, study in enumerate(studies)]
    return tag("nav", tag("ol", *entries), aria_label="Studies")


def _study(study: Study, plots: list[Plot], id: str) -> Markup:
    """One study, from the result to the evidence."""
    source = study.source if study.source != study.title else ""
    parts = [tag("h1", study.title), tag("p", tag("code", source), class_="source") if source else ""]
    parts += [tag("p", study.fabric.summary)] if study.fabric and study.fabric.summary else []
    parts += [_origin(study.made)] if study.made else []
    parts += [_faults(study.fabric)] if study.fabric and study.fabric.faults else []
    parts += [headline(study), figures_listing(study)]
    if study.fabric and study.together:
        parts += [together_part(study, study.together, study.fabric, id)]
    if study.fabric and (study.worst or not study.together):
        parts += [_fabric(study.fabric, study, id)]
    if plots:
        parts += [
            tag("h2", "Bandwidth of the jobs"),
            tag("div", *(_plot(study, plot) for plot in plots), class_="pair plots" if len(plots) > 1 else "plots"),
        ]
    if study.engines:
        parts += [tag("h2", "Routing engines"), tag("div", engines_listing(study.engines), class_="card")]
    parts += _checks(study)
    return tag("section", *parts, class_="study", id=id)


def _checks(study: Study) -> list[Markup]:
    if not study.checks:
        return []
    passed = sum(check.passed for check in study.checks)
    heading = f"Checks: {passed} of {len(study.checks)} passed"
    return [tag("h2", heading), tag("div", checks_listing(study.checks), class_="card narrow")]


def _plot(study: Study, plot: Plot) -> Markup:
    """A figure with its key; the key is ours, since Plotly's cannot show the palette by line and mark."""
    keys = [tag("li", method_name(method, study.methods)) for method in plot.methods]
    missing = tag("noscript", "The plot needs JavaScript; the table above has its figures.")
    place = tag("div", id=plot.id, class_="plot", role="img", aria_label=plot.alt)
    note = tag("p", plot.note, class_="note")
    return tag("figure", tag("h3", plot.title), note, tag("ul", *keys, class_="legend"), place, missing, class_="card")


def _origin(made: Origin) -> Markup:
    """When and how the study was made."""
    parts = [made.date, f"Ayatori {made.version}" if made.version else ""]
    parts += [f"seed {made.seed}" if made.seed is not None else ""]
    command = tag("code", made.command) if made.command else ""
    return tag("p", join([part for part in (", ".join(filter(None, parts)), command) if part], ": "), class_="source")


def _faults(fabric: Fabric) -> Markup:
    """What is wrong with the fabric, before anything else."""
    heading = tag("h2", f"{count(len(fabric.faults), 'fault')} of the fabric")
    first = tag("ul", *(tag("li", fault) for fault in fabric.faults[:FAULTS]))
    rest = fabric.faults[FAULTS:]
    if not rest:
        return tag("div", heading, first, class_="card faulty")
    others = tag("details", tag("summary", f"{len(rest)} more"), tag("ul", *(tag("li", fault) for fault in rest)))
    return tag("div", heading, first, others, class_="card faulty")


def _fabric(fabric: Fabric, study: Study, id: str) -> Markup:
    """The fabric, with the loads of the worst job's step if there is one."""
    job = study.worst
    sides = [side for side in (job.before, job.after) if side] if job else [NO_LOADS]
    parts = [tag("h2", _job_title(job) if job else "The fabric")]
    parts += [_legend(fabric, sides, with_job=bool(job))]
    if fabric.drawing:
        parts.append(_explorer(fabric, fabric.drawing, study, sides, id))
    else:
        parts.append(tag("p", fabric.not_drawn or NO_DRAWING, class_="note"))
    if job:
        heading = tag("h3", f"Cables with several messages in step {job.step}")
        parts += [tag("div", heading, hot_listing(study, job), class_="card narrow")]
    return join(parts)


def _explorer(fabric: Fabric, drawing: Drawing, study: Study, sides: list[Side], id: str) -> Markup:
    """Pictures of the sides, and what searches, zooms and changes the step in all of them."""
    job = study.worst
    ranks = ranks_of(fabric, job) if job else {}
    labels = ["Fabric" if side is NO_LOADS else f"Fabric, loads by {side.method}" for side in sides]
    pictures = [draw_fabric(fabric, drawing, ranks, f"{id}-fabric", labels[0])]
    pictures += [draw_again(drawing, f"{id}-fabric", label) for label in labels[1:]]
    cards = [
        tag("figure", *_caption(study, side, when), scrolled(picture), class_="card")
        for when, side, picture in zip(
            ("Before: ", "After: ") if len(sides) > 1 else ("",), sides, pictures, strict=True
        )
    ]
    return tag(
        "div",
        _tools(job),
        tag("p", drawing.remark, class_="note") if drawing.remark else "",
        tag("div", *cards, class_="pair" if is_narrow(drawing) and len(cards) > 1 else "stack"),
        fabric_data(fabric, drawing, job, ranks, f"{id}-data"),
        class_="explorer",
        tabindex=0,
        data_explore=f"{id}-data",
    )


def _tools(job: WorstJob | None) -> Markup:
    slider = []
    if job and len(job.steps) > 1:
        place = [step.number for step in job.steps].index(job.step)
        moved = tag("input", type="range", min=0, max=len(job.steps) - 1, value=place)
        slider = [tag("label", "Step ", moved)]
    step = [tag("div", *slider, tag("output", "", class_="step"), class_="tools")] if job else []
    return join((tools(), *step, tag("p", KEYS, class_="note keys")))


def _job_title(job: WorstJob) -> str:
    return f"The job with the least bandwidth: {count(len(job.hosts), 'host')}, step {job.step}"


def _caption(study: Study, side: Side, when: str) -> list[Markup]:
    """The method of a side, and what the job gets by it."""
    if side is NO_LOADS:
        return []
    name = method_name(side.method, study.methods)
    share = f"{bandwidth_text(side.bandwidth)} of peak"
    gets = f"{bandwidth_text(side.bandwidth * study.peak)} MB/s, {share}" if study.peak else share
    return [
        tag("h3", when, name),
        tag("p", f"Bandwidth of the job per host: {gets}.", class_="note"),
    ]


def _legend(fabric: Fabric, sides: list[Side], with_job: bool) -> Markup:
    """What colours, widths, dots and dashes mean, as far as they occur."""
    used = sorted({load_class(load) for side in sides for load in side.loads.values()} - {0})
    items = [_key(f"load{k}", 2.0 + 1.5 * (k - 1), LOADS[k]) for k in used]
    if fabric.drawing:
        both = len(sides) == 2 and any(load > 1 for side in sides for load in side.loads.values())
        items += [_key("elsewhere", 8.0, "several messages in the other picture")] * both
        items += [_key("idle", 1.0, "unused cable" if with_job else "cable")]
        items += [_key("degraded", 2.0, "degraded cable")] * any(link.degraded for link in fabric.links)
        items += [_key("missing", 2.0, "missing cable")] * bool(fabric.drawing.missing)
        host = "NIC" if any(host.rail for host in fabric.hosts) else "host"
        boxed = marks_boxes(fabric, fabric.drawing)
        if boxed and fabric.drawing.box_names:
            items += [_dot("host box mine", f"box with a {host} of the job"), _dot("host box", "other box")] * with_job
        else:
            box = "host box" if boxed else "host"
            items += [_dot(f"{box} mine", f"{host} of the job"), _dot(box, f"other {host}")] if with_job else []
            items += [] if with_job else [_dot(box, host)]
    return tag("ul", *items, class_="legend")


def _dot(style: str, said: str) -> Markup:
    return tag("li", tag("svg", tag("circle", cx=17, cy=8, r=5, class_=style), viewBox="0 0 34 16"), said)


def _key(style: str, width: float, said: str) -> Markup:
    line_style = "line" if style.startswith("load") else style
    line = tag("path", d="M1 8H30", class_=line_style, stroke_width=width)
    head = tag("path", d=f"M34 8L25 {2.5 - width / 3:.1f}V{13.5 + width / 3:.1f}Z", class_="head")
    return tag("li", tag("svg", line, head if line_style == "line" else "", viewBox="0 0 34 16", class_=style), said)
