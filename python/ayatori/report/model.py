"""What a study holds: one dataclass per JSON object of `study-*.json`. Read by schema.py, drawn by the others.

The annotations say what is read (reading.py), so that drawing never meets a surprise.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from ayatori.report.reading import (
    Scope,
    coordinate,
    coordinates,
    index_of,
    number,
    one_for_each,
    one_for_each_job,
    one_of,
    read,
    up_to,
    whole,
)
from ayatori.report.values import ReportError, Value

FORMS = {"line": 4, "curve": 8, "ends": 8}  # how many coordinates each has

Coordinate = Annotated[float, coordinate()]
Loads = dict[tuple[int, str], float]  # (link, "ab" or "ba") -> messages


@dataclass(frozen=True)
class Router:
    """A switch. Level 0 is a leaf; None means that the fabric is not a tree."""

    name: str
    level: Annotated[int | None, whole(most=15)] = None


class Routers(list[Router]):
    """With the index of each by its name."""

    def __init__(self, routers: list[Router]) -> None:
        super().__init__(routers)
        self.by_name = {router.name: i for i, router in enumerate(routers)}


def _routers(value: Value, scope: Scope, _kind: Any) -> Routers:
    routers = Routers(read(list[Router], value, scope))
    for i, router in enumerate(routers):
        if routers.by_name[router.name] != i:
            value.items()[routers.by_name[router.name]].at("name").fail("a name that no other router has")
    return routers


def _router_named(value: Value, scope: Scope, _kind: Any) -> int:
    index: int | None = scope["routers"].by_name.get(value.text())
    return value.fail("the name of a router of fabric.routers") if index is None else index


RouterIndex = Annotated[int, _router_named]


@dataclass(frozen=True)
class Host:
    """A host channel adapter, on a port of the router with this index."""

    name: str
    router: RouterIndex
    port: int
    rail: int = 0


@dataclass(frozen=True)
class Link:
    """A cable between two routers, given by index."""

    a: RouterIndex
    a_port: int
    b: RouterIndex
    b_port: int
    rate: str = ""
    degraded: bool = False


@dataclass(frozen=True)
class Shape:
    """A box or frame of a drawing: its centre and size."""

    x: Coordinate
    y: Coordinate
    width: Coordinate
    height: Coordinate
    round: bool
    label: str = ""


def _points(value: Value, scope: Scope, _kind: Any) -> list[float]:
    return coordinates(value, FORMS[scope["form"]])


@dataclass(frozen=True)
class Bundle:
    """Cables between two routers, or between two sets of them."""

    form: Annotated[str, one_of(*FORMS)]  # "curve" is a cubic one, "ends" two lines
    points: Annotated[list[float], _points]  # x, y, x, y, …
    cables: list[Annotated[int, index_of("links", each=2)]]  # 2 × link, + 1 if the points begin at the link's end b
    faint: bool


def _line(value: Value, _scope: Scope, _kind: Any) -> list[float]:
    return coordinates(value, FORMS["line"])


@dataclass(frozen=True)
class MissingCables:
    """Two routers, by index, with fewer cables than others like them."""

    a: Annotated[int, index_of("routers")]
    b: Annotated[int, index_of("routers")]
    cables: int
    usual: int
    points: Annotated[list[float], _line]


@dataclass(frozen=True)
class Text:
    """A line of text; `anchor` as in SVG, `angle` in degrees, `inside` a box."""

    x: Coordinate
    y: Coordinate
    text: str
    anchor: Annotated[str, one_of("start", "middle", "end")]
    angle: Coordinate
    inside: bool
    size: Coordinate


def _dots(value: Value, scope: Scope, _kind: Any) -> dict[int, tuple[float, float]]:
    """Lists of [host index, x, y]."""
    dots = {}
    for item in value.items():
        parts = item.items()
        if len(parts) != 3:
            item.fail("[host index, x, y]")
        host, x, y = (read(kind, part, scope) for kind, part in zip(_DOT, parts, strict=True))
        dots[host] = (x, y)
    return dots


_DOT = (Annotated[int, index_of("hosts")], Coordinate, Coordinate)


@dataclass(frozen=True)
class Drawing:
    """Where everything stands; `drawing` decides that. Labels are by router, and so are boxes unless they stand for
    several routers each."""

    width: Annotated[float, coordinate(least=1)]
    height: Annotated[float, coordinate(least=1)]
    dot: Coordinate  # radius of a host
    thickness: Coordinate  # of a cable
    opacity: Coordinate
    remark: str
    labels: Annotated[list[str], one_for_each("routers", "fabric.routers")]
    boxes: list[Shape]
    frames: list[Shape]
    dots: Annotated[dict[int, tuple[float, float]], _dots]  # host index -> centre
    bundles: list[Bundle]
    missing: list[MissingCables]
    texts: list[Text]
    box_of: Annotated[list[Annotated[int, index_of("boxes")]], one_for_each("routers", "fabric.routers")] = field(
        default_factory=list
    )  # by router
    box_names: Annotated[list[str], one_for_each("boxes", "boxes")] = field(default_factory=list)
    """Empty if each box is a router."""


def _drawing(value: Value, scope: Scope, kind: Any) -> Drawing:
    drawing: Drawing = read(Drawing, value, scope)
    if value.has("box_of"):
        value.at("box_names")
        return drawing
    one_for_each("routers", "fabric.routers")(value.at("boxes"), scope, list[Shape])
    return replace(drawing, box_of=list(range(len(drawing.boxes))), box_names=[])


@dataclass(frozen=True)
class Fabric:
    """Routers, hosts and the cables between routers."""

    routers: Annotated[list[Router], _routers]
    hosts: list[Host]
    links: list[Link]
    summary: str = ""
    faults: list[str] = field(default_factory=list)
    drawing: Annotated[Drawing | None, _drawing] = None
    not_drawn: str = ""  # why there is no drawing


@dataclass(frozen=True)
class RandomJobs:
    """Relative bandwidth of random jobs: one figure per job and method, unsorted."""

    jobs: Annotated[int, whole(least=1)]
    size: Annotated[int, whole(least=1)]
    bandwidth: Annotated[dict[str, Annotated[list[float], one_for_each_job("jobs")]], "relative_bandwidth"]
    seed: int | None = None
    free: dict[str, Annotated[int, up_to("jobs")]] = field(default_factory=dict)
    paper: Annotated[dict[str, dict[str, float]], "paper_MBps"] = field(default_factory=dict)
    """Method -> {mean, min, max, over_<MB/s>}."""
    bound: Annotated[list[float], one_for_each_job("jobs")] = field(default_factory=list)
    """What no plan of each job exceeds; empty if the study does not tell."""


def _by_hosts(value: Value, _scope: Scope, _kind: Any) -> dict[int, float]:
    """Number of hosts (a JSON key, so a text) -> MB/s."""
    found = {}
    for key, figure in value.entries():
        if not (key.isascii() and key.isdigit() and len(key) < 10):
            value.fail("numbers of hosts as keys")
        found[int(key)] = figure.number()
    return found


@dataclass(frozen=True)
class ContiguousJobs:
    """Relative bandwidth of jobs on the first n hosts, one figure per size and method."""

    sizes: list[Annotated[int, whole(least=1)]]
    bandwidth: Annotated[dict[str, Annotated[list[float], one_for_each_job("sizes")]], "relative_bandwidth"]
    paper: Annotated[dict[str, Annotated[dict[int, float], _by_hosts]], "paper_MBps"] = field(default_factory=dict)
    """Method -> {hosts: MB/s}."""
    bound: Annotated[list[float], one_for_each_job("sizes")] = field(default_factory=list)
    """What no plan exceeds, by size; empty if the study does not tell."""


def _loads(value: Value, scope: Scope, _kind: Any) -> Loads:
    """Lists of [link index, "ab" or "ba", messages]."""
    loads, links = {}, len(scope["fabric"].links)
    for item in value.items():
        parts = item.items()
        if len(parts) != 3 or parts[1].data not in ("ab", "ba"):
            item.fail('[link index, "ab" or "ba", load]')
        if links == 0:
            item.fail("no load, since fabric.links is empty")
        loads[parts[0].whole(most=links - 1), parts[1].text()] = parts[2].number()
    return loads


@dataclass(frozen=True)
class Side:
    """One step under one method: messages on each cable and direction that carries any."""

    method: str
    bandwidth: Annotated[float, "relative_bandwidth"]
    loads: Annotated[Loads, _loads]


@dataclass(frozen=True)
class Step:
    """The loads of one step, as of a Side."""

    number: Annotated[int, "step"]
    before: Annotated[Loads, _loads]
    after: Annotated[Loads | None, _loads] = None

    @property
    def sides(self) -> list[Loads]:
        return [self.before] if self.after is None else [self.before, self.after]


def _host_named(value: Value, scope: Scope, _kind: Any) -> str:
    name = value.text()
    return name if name in scope["names_of_hosts"] else value.fail("the name of a host of fabric.hosts")


@dataclass(frozen=True)
class WorstJob:
    """A job, and the step that is drawn first, before and after."""

    hosts: list[Annotated[str, _host_named]]
    step: int
    before: Side
    after: Side | None = None
    endpoints: list[Annotated[int, index_of("fabric.hosts")]] = field(default_factory=list)
    """Index of the host channel adapter of each rank; empty if the study does not tell."""
    steps: list[Step] = field(default_factory=list)  # that can be looked at, in order; `step` is among them


def _worst(value: Value, scope: Scope, _kind: Any) -> WorstJob:
    names = {host.name for host in _fabric_next_to(value, scope).hosts}
    job: WorstJob = read(WorstJob, value, {**scope, "names_of_hosts": names})
    if job.after is not None:
        for item in value.at("steps").items() if value.has("steps") else []:
            item.at("after")
    shown = Step(job.step, job.before.loads, job.after.loads if job.after else None)
    others = [step if job.after else replace(step, after=None) for step in job.steps]
    steps = {step.number: step for step in others} | {job.step: shown}
    return replace(job, steps=[steps[number] for number in sorted(steps)])


def _fabric_next_to(value: Value, scope: Scope) -> Fabric:
    if "fabric" not in scope:
        raise ReportError(f"{value.file}: {value.path}: expected a fabric next to it", "the key fabric is missing")
    fabric: Fabric = scope["fabric"]
    return fabric


CableIndex = Annotated[int, index_of("fabric.links", each=2)]
"""A direction of a cable: 2 × link, + 1 from its end b."""


@dataclass(frozen=True)
class JobAmongOthers:
    """One of several jobs that run at the same time."""

    name: str
    machines: int
    method: str
    alone: float
    together: float
    with_worst_neighbour: float
    hosts: list[Annotated[int, index_of("fabric.hosts")]]  # indices of its host channel adapters
    cables: list[CableIndex]  # that it uses, whatever step it is in
    worst_neighbour: str = ""  # empty: nobody disturbs it


@dataclass(frozen=True)
class SharedCable:
    """A direction of a cable that several jobs use."""

    cable: CableIndex
    conflict_probability: float  # share of the time
    jobs: list[str]


@dataclass(frozen=True)
class Together:
    """Jobs that run at the same time."""

    rounds: Annotated[int, whole(least=1)]
    alone: float  # mean relative bandwidths
    mean: float
    jobs: list[JobAmongOthers]
    shared: list[SharedCable]


def _together(value: Value, scope: Scope, _kind: Any) -> Together:
    _fabric_next_to(value, scope)
    together: Together = read(Together, value, scope)
    return together


@dataclass(frozen=True)
class Engine:
    """What one routing engine did with the fabric."""

    name: str
    lmc: int | None = None
    accepted: bool | None = None
    deadlock_free: bool | None = None
    seconds: float | None = None
    free: int | None = None
    bandwidth: Annotated[float | None, "mean_relative_bandwidth"] = None
    note: str = ""


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    what: str
    passed: bool
    figure: str = ""


@dataclass(frozen=True)
class Origin:
    """When and how a study was made; empty texts and None are left out."""

    date: str = ""
    version: str = ""
    seed: int | None = None
    command: str = ""


@dataclass(frozen=True)
class Study:
    """One file; parts that it does not hold are None or empty."""

    title: str
    source: str = ""
    fabric: Fabric | None = None
    peak: Annotated[float | None, "peak_MBps", number(least=1e-9)] = None  # MB/s at relative bandwidth 1.0
    random: RandomJobs | None = None
    contiguous: ContiguousJobs | None = None
    worst: Annotated[WorstJob | None, "worst_job", _worst] = None
    together: Annotated[Together | None, _together] = None
    engines: list[Engine] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    methods: dict[str, str] = field(default_factory=dict)  # key -> display name, in order
    made: Origin | None = None
    file: str = ""  # its name
