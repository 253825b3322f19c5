"""The part of the page about jobs that run at the same time: figures, picture, cables that they share."""

from __future__ import annotations

from ayatori.report.fabric_data import fabric_data
from ayatori.report.fabric_picture import LOOKS, draw_jobs, job_style
from ayatori.report.markup import Markup, cells, count, heads, join, json_script, listed, scrolled, table, tag
from ayatori.report.methods import method_name
from ayatori.report.model import Fabric, JobAmongOthers, SharedCable, Study, Together

COLOURS = 8  # of jobs: --job0 … in page.css
SHARED_ROWS = 20


def together_part(study: Study, together: Together, fabric: Fabric, id: str) -> Markup:
    """All of it; without the picture where the fabric has none."""
    parts = [tag("h2", f"{count(len(together.jobs), 'job')} at the same time"), _figures(together)]
    if fabric.drawing:
        parts.append(_explorer(fabric, together, id))
    else:
        parts.append(tag("p", fabric.not_drawn, class_="note"))
    return join([*parts, _shared_cables(fabric, together)])


def _swatch(number: int) -> Markup:
    return tag(
        "svg", tag("circle", cx=8, cy=8, r=6), class_=f"swatch {job_style(number, COLOURS)}", viewBox="0 0 16 16"
    )


def _figures(together: Together) -> Markup:
    """A row a job: alone, with all others, with the neighbour that disturbs it most."""
    columns = ("job", "hosts", "paths", "alone, of peak", "with all", "worst neighbour", "with it")
    rows = (_figures_row(number, job) for number, job in enumerate(together.jobs))
    note = "Bandwidths are predicted, as shares of what the NICs could."
    figures = table(heads(columns, (1, 3, 4, 6)), rows=rows)
    return tag("div", figures, tag("p", note, class_="note"), class_="card")


def _figures_row(number: int, job: JobAmongOthers) -> Markup:
    alone, together, with_neighbour = (f"{value:.3f}" for value in (job.alone, job.together, job.with_worst_neighbour))
    paths = method_name(job.method, ())
    figures = (job.machines, paths, alone, together, job.worst_neighbour or "none", with_neighbour)
    return tag("tr", tag("th", _swatch(number), job.name, scope="row"), *cells(figures, (0, 2, 3, 5)))


def _explorer(fabric: Fabric, together: Together, id: str) -> Markup:
    """The picture, and buttons that show all jobs or one of them."""
    assert fabric.drawing
    buttons = [tag("button", "all jobs", type="button", data_job="all", aria_pressed="true")]
    buttons += [
        tag("button", _swatch(number), job.name, type="button", data_job=number, aria_pressed="false")
        for number, job in enumerate(together.jobs)
    ]
    legend = [
        tag(
            "li",
            tag("svg", tag("path", d="M1 8H33", class_="shared"), viewBox="0 0 34 16"),
            "cable of several jobs: the wider and darker, the more often they meet",
        ),
        tag("li", "Each other line is a cable that one job uses, in its colour, whatever step it is in."),
    ]
    more = len(together.jobs) - COLOURS * len(LOOKS)
    legend += [tag("li", f"{count(more, 'job')} more in the same colours")] if more > 0 else []
    picture = draw_jobs(fabric, fabric.drawing, [job.hosts for job in together.jobs], COLOURS, f"{id}-jobs")
    return tag(
        "div",
        tag("div", *buttons, class_="tools jobs", role="group", aria_label="Which jobs are shown"),
        tools(),
        tag("ul", *legend, class_="legend"),
        tag("p", fabric.drawing.remark, class_="note") if fabric.drawing.remark else "",
        tag("figure", tag("figcaption", "all jobs", class_="note shown"), scrolled(picture), class_="card"),
        fabric_data(fabric, fabric.drawing, None, {}, f"{id}-jobs-data"),
        _jobs_data(together, f"{id}-jobs-uses"),
        class_="explorer",
        tabindex=0,
        data_explore=f"{id}-jobs-data",
        data_jobs=f"{id}-jobs-uses",
    )


def tools() -> Markup:
    """What fabric.js listens to: a place to search, and buttons that zoom."""
    acts = (("+", "zoom in", "in"), ("−", "zoom out", "out"), ("all", "show all", "all"))
    buttons = [tag("button", sign, type="button", title=title, data_zoom=act) for sign, title, act in acts]
    search = tag("label", "Find a host or router ", tag("input", type="search", autocomplete="off"))
    zoom = tag("span", *buttons, class_="zoom")
    return tag("div", search, zoom, tag("output", "", class_="search"), class_="tools")


def _jobs_data(together: Together, id: str) -> Markup:
    """What jobs.js shows: names, hosts and cables of each job, and who shares which cable."""
    data = {
        "colours": COLOURS,
        "names": [job.name for job in together.jobs],
        "hosts": [job.hosts for job in together.jobs],
        "cables": [job.cables for job in together.jobs],
        "shared": [[shared.cable, shared.jobs, round(shared.conflict_probability, 4)] for shared in together.shared],
    }
    return json_script(id, data)


def _shared_cables(fabric: Fabric, together: Together) -> Markup:
    """The cables that jobs share, those on which they meet most often first."""
    if not together.shared:
        return join(())
    ordered = sorted(together.shared, key=lambda shared: (-shared.conflict_probability, shared.cable))
    rows = [_shared_row(fabric, shared) for shared in ordered[:SHARED_ROWS]]
    links = table(heads(("from", "to", "jobs", "share of the time"), (3,)), rows=rows)
    rest = len(ordered) - SHARED_ROWS
    note = tag("p", f"and {count(rest, 'direction')} more", class_="note") if rest > 0 else ""
    return tag("div", tag("h3", "Cables that jobs share"), links, note, class_="card")


def _shared_row(fabric: Fabric, shared: SharedCable) -> Markup:
    link = fabric.links[shared.cable // 2]
    ends = [(link.a, link.a_port), (link.b, link.b_port)]
    start, end = reversed(ends) if shared.cable % 2 else ends
    names = [f"{fabric.routers[router].name} port {port}" for router, port in (start, end)]
    return tag("tr", *cells((*names, listed(shared.jobs), f"{shared.conflict_probability:.1%}"), (3,)))
