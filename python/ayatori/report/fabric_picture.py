"""The fabric as SVG, without any load: fabric.js draws the loads of a step over it."""

from __future__ import annotations

from collections import Counter, defaultdict

from ayatori.report.markup import Markup, count, join, tag
from ayatori.report.model import Bundle, Drawing, Fabric, MissingCables, Shape, Text, WorstJob

SINGLE = 1500  # hosts that are circles of their own; of more only those of the job
LOOKS = ("", " ring", " outlined")  # of jobs of one colour, in page.css
NARROW = 760  # pictures up to this width stand side by side


def draw_fabric(fabric: Fabric, drawing: Drawing, ranks: dict[int, int], id: str, label: str) -> Markup:
    """The picture. `ranks` has the hosts of the job by index; `id` names its parts, for `draw_again`."""
    mine = machines_of(fabric, ranks)
    marked = {drawing.box_of[fabric.hosts[host].router] for host in mine} if marks_boxes(fabric, drawing) else set()
    over = [_boxes(fabric, drawing, marked), _texts(drawing), *_hosts(drawing, mine)]
    return _picture(drawing, _under(fabric, drawing, id), tag("g", *over, id=f"{id}-over", class_="over"), label)


def _under(fabric: Fabric, drawing: Drawing, id: str) -> Markup:
    """What lies below the loads: frames and cables."""
    frames = tag("g", *(_shape(frame, frame.label) for frame in drawing.frames), class_="frames")
    return tag("g", frames, *_cables(fabric, drawing), id=f"{id}-under")


def _boxes(fabric: Fabric, drawing: Drawing, marked: set[int]) -> Markup:
    return tag("g", *(_box(fabric, drawing, i, i in marked) for i in range(len(drawing.boxes))), class_="routers")


def _texts(drawing: Drawing) -> Markup:
    return tag("g", *(_text(text) for text in drawing.texts))


def job_style(number: int, colours: int) -> str:
    """The classes of a job's marks: its colour, and where jobs are more than colours, another look of it."""
    return f"job{number % colours}{LOOKS[number // colours % len(LOOKS)]}"


def draw_jobs(fabric: Fabric, drawing: Drawing, jobs: list[list[int]], colours: int, id: str) -> Markup:
    """The picture with the hosts of several jobs, each in one of so many colours; of boxes that stand for hosts, a
    strip for each job below the box."""
    job_of = {host: number for number, hosts in enumerate(jobs) for host in hosts}
    strips: dict[int, list[int]] = defaultdict(list)
    if marks_boxes(fabric, drawing):
        for host, number in sorted(job_of.items(), key=lambda item: (item[1], item[0])):
            box = drawing.box_of[fabric.hosts[host].router]
            if number not in strips[box]:
                strips[box].append(number)
    over = [
        _boxes(fabric, drawing, set()),
        tag("g", *(_strips(drawing.boxes[box], own, colours) for box, own in strips.items()), class_="strips"),
        _texts(drawing),
        tag("g", *(_dot_of_job(drawing, host, job_of.get(host), colours) for host in drawing.dots), class_="hosts"),
    ]
    return _picture(drawing, _under(fabric, drawing, id), tag("g", *over, class_="over"), "Fabric with several jobs")


def _dot_of_job(drawing: Drawing, host: int, job: int | None, colours: int) -> Markup:
    x, y = drawing.dots[host]
    style = "host" if job is None else f"host own {job_style(job, colours)}"
    return tag("circle", cx=x, cy=y, r=f"{drawing.dot:g}", class_=style, data_of=job)


def _strips(box: Shape, jobs: list[int], colours: int) -> Markup:
    """The jobs that have hosts there, side by side along the lower edge of a box."""
    width, height = box.width / len(jobs), max(2.0, min(5.0, box.height / 3))
    top = box.y + box.height / 2 - height
    left = box.x - box.width / 2
    return join(
        tag(
            "rect", x=left + i * width, y=top, width=width, height=height, class_=f"own job{job % colours}", data_of=job
        )
        for i, job in enumerate(jobs)
    )


def draw_again(drawing: Drawing, id: str, label: str) -> Markup:
    """The same as the picture with this id, without its bytes."""
    return _picture(drawing, tag("use", href=f"#{id}-under"), tag("use", href=f"#{id}-over"), label)


def marks_boxes(fabric: Fabric, drawing: Drawing) -> bool:
    """Whether hosts have no dots, so that boxes are marked: routers are built in, or a box stands for many."""
    return bool(fabric.hosts) and not drawing.dots


def is_narrow(drawing: Drawing) -> bool:
    return drawing.width <= NARROW


def machines_of(fabric: Fabric, ranks: dict[int, int]) -> set[int]:
    """Every host channel adapter of the machines that the job runs on: by name, and by number where names repeat."""
    seen: Counter[tuple[str, int]] = Counter()
    machine = []
    for host in fabric.hosts:
        machine.append((host.name, seen[host.name, host.rail]))
        seen[host.name, host.rail] += 1
    of_job = {machine[index] for index in ranks}
    return {index for index, own in enumerate(machine) if own in of_job}


def ranks_of(fabric: Fabric, job: WorstJob) -> dict[int, int]:
    """Host index -> the lowest rank on it. Without `endpoints`, hosts of one name are taken once each, in order."""
    if job.endpoints:
        return {index: rank for rank, index in reversed(list(enumerate(job.endpoints)))}
    places: dict[str, list[int]] = defaultdict(list)
    for index, host in reversed(list(enumerate(fabric.hosts))):
        places[host.name].append(index)
    ranks: dict[int, int] = {}
    for rank, name in enumerate(job.hosts):
        index = places[name].pop() if len(places[name]) > 1 else places[name][0]
        ranks.setdefault(index, rank)
    return ranks


def _picture(drawing: Drawing, under: Markup, over: Markup, label: str) -> Markup:
    """Frames and cables, then the loads on these, then what must stay legible."""
    return tag(
        "svg",
        under,
        tag("g", class_="loads"),
        over,
        tag("g", class_="found"),
        class_="fabric" if is_narrow(drawing) else "fabric wide",
        viewBox=f"0 0 {drawing.width:g} {drawing.height:g}",
        role="img",
        aria_label=label,
    )


def _shape(shape: Shape, tip: str, style: str | None = None) -> Markup:
    if shape.round:
        return tag("circle", cx=shape.x, cy=shape.y, r=shape.width / 2, class_=style, data_tip=tip)
    corner = {"x": shape.x - shape.width / 2, "y": shape.y - shape.height / 2}
    return tag("rect", **corner, width=shape.width, height=shape.height, rx=3, class_=style, data_tip=tip)


def path_of(bundle: Bundle) -> str:
    """Its path data, as of svg.cpp."""
    p = [f"{value:g}" for value in bundle.points]
    if bundle.form == "curve":
        return f"M{p[0]} {p[1]}C{' '.join(p[2:])}"
    return "".join(f"M{p[i]} {p[i + 1]}L{p[i + 2]} {p[i + 3]}" for i in range(0, len(p), 4))


def _cables(fabric: Fabric, drawing: Drawing) -> list[Markup]:
    """Sound cables as one path, or two; over them, red, those that are degraded or missing."""
    degraded = [bundle for bundle in drawing.bundles if _is_degraded(fabric, bundle)]
    faulty = {id(bundle) for bundle in degraded}
    sound = [bundle for bundle in drawing.bundles if id(bundle) not in faulty]
    style = {"class_": "idle", "stroke_width": f"{drawing.thickness:g}"}
    return [
        tag("path", d="".join(path_of(s) for s in sound if not s.faint), opacity=f"{drawing.opacity:g}", **style),
        tag("path", d="".join(path_of(s) for s in sound if s.faint), opacity=f"{drawing.opacity / 2:g}", **style),
        tag(
            "g",
            *(tag("path", d=path_of(s), class_="degraded", data_tip=_degraded_tip(fabric, s)) for s in degraded),
            *(_missing(fabric, pair) for pair in drawing.missing),
            class_="faults",
        ),
    ]


def _is_degraded(fabric: Fabric, bundle: Bundle) -> bool:
    return any(fabric.links[cable // 2].degraded for cable in bundle.cables)


def _degraded_tip(fabric: Fabric, bundle: Bundle) -> str:
    """The names, and a line for each cable with its ports and rate."""
    first = fabric.links[bundle.cables[0] // 2]
    lines = [f"{fabric.routers[first.a].name} – {fabric.routers[first.b].name}"]
    for link in (fabric.links[cable // 2] for cable in bundle.cables):
        rate = f" ({link.rate}{', degraded' if link.degraded else ''})" if link.rate or link.degraded else ""
        lines.append(f"port {link.a_port} – port {link.b_port}{rate}")
    return "\n".join(lines)


def _missing(fabric: Fabric, pair: MissingCables) -> Markup:
    names = " – ".join(fabric.routers[i].name for i in (pair.a, pair.b))
    tip = f"{names}\n{pair.cables} of {count(pair.usual, 'cable')}"
    line = Bundle("line", pair.points, [], False)
    return tag("path", d=path_of(line), class_="missing", data_tip=tip)


def _box(fabric: Fabric, drawing: Drawing, index: int, of_job: bool) -> Markup:
    """A router or several; marked if a machine of the job is there that has no dot."""
    style = "mine" if of_job else None
    if drawing.box_names:
        return _shape(drawing.boxes[index], drawing.box_names[index], style)
    router = fabric.routers[index]
    tip = router.name if router.level is None else f"{router.name}\nlevel {router.level}"
    return _shape(drawing.boxes[index], tip, style)


def _text(text: Text) -> Markup:
    place: dict[str, object] = {"x": text.x, "y": text.y}
    if text.angle:
        place = {"transform": f"translate({text.x:g} {text.y:g}) rotate({text.angle:g})"}
    size = None if text.size == 11 else f"font-size:{text.size:g}px"
    anchor = None if text.anchor == "middle" else text.anchor
    style = "inside" if text.inside else "out"
    return tag("text", text.text, **place, text_anchor=anchor, style=size, class_=style)


def _hosts(drawing: Drawing, mine: set[int]) -> list[Markup]:
    """A circle each; where they are many, one path of dots for those that are not of the job."""
    radius = drawing.dot

    def circle(index: int, style: str) -> Markup:
        x, y = drawing.dots[index]
        return tag("circle", cx=x, cy=y, r=f"{radius:g}", class_=style)

    own = [circle(index, "host mine") for index in drawing.dots if index in mine]
    others = [index for index in drawing.dots if index not in mine]
    if len(drawing.dots) <= SINGLE:
        return [tag("g", *(circle(index, "host") for index in others), *own, class_="hosts")]
    path = "".join(f"M{x:g} {y:g}h0" for x, y in (drawing.dots[index] for index in others))
    return [tag("path", class_="many", d=path, stroke_width=f"{2 * radius:g}"), tag("g", *own, class_="hosts")]
