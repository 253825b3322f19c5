"""What a study holds: one dataclass per JSON object of `study-*.json`. Read by schema.py, drawn by the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Router:
    """A switch. Level 0 is a leaf; None means that the fabric is not a tree."""

    name: str
    level: int | None


@dataclass(frozen=True)
class Host:
    """A host channel adapter, on a port of the router with this index."""

    name: str
    router: int
    port: int
    rail: int


@dataclass(frozen=True)
class Link:
    """A cable between two routers, given by index."""

    a: int
    a_port: int
    b: int
    b_port: int
    rate: str
    degraded: bool


@dataclass(frozen=True)
class Shape:
    """A box or frame of a drawing: its centre and size."""

    x: float
    y: float
    width: float
    height: float
    round: bool
    label: str = ""


@dataclass(frozen=True)
class Bundle:
    """Cables between two routers, or between two sets of them."""

    form: str  # "line", "curve" (a cubic one) or "ends" (two lines)
    points: list[float]  # x, y, x, y, …
    cables: list[int]  # 2 × link, + 1 if the points begin at the link's end b
    faint: bool


@dataclass(frozen=True)
class MissingCables:
    """Two routers, by index, with fewer cables than others like them."""

    a: int
    b: int
    cables: int
    usual: int
    points: list[float]


@dataclass(frozen=True)
class Text:
    """A line of text; `anchor` as in SVG, `angle` in degrees, `inside` a box."""

    x: float
    y: float
    text: str
    anchor: str
    angle: float
    inside: bool
    size: float


@dataclass(frozen=True)
class Drawing:
    """Where everything stands; `drawing` decides that. Labels are by router, and so are boxes unless they stand for
    several routers each."""

    width: float
    height: float
    dot: float  # radius of a host
    thickness: float  # of a cable
    opacity: float
    remark: str
    labels: list[str]
    boxes: list[Shape]
    box_of: list[int]  # by router
    box_names: list[str]  # empty if each box is a router
    frames: list[Shape]
    dots: dict[int, tuple[float, float]]  # host index -> centre
    bundles: list[Bundle]
    missing: list[MissingCables]
    texts: list[Text]


@dataclass(frozen=True)
class Fabric:
    """Routers, hosts and the cables between routers."""

    summary: str
    routers: list[Router]
    hosts: list[Host]
    links: list[Link]
    faults: list[str]
    drawing: Drawing | None
    not_drawn: str  # why there is no drawing


@dataclass(frozen=True)
class RandomJobs:
    """Relative bandwidth of random jobs: one figure per job and method, unsorted."""

    jobs: int
    size: int
    seed: int | None
    bandwidth: dict[str, list[float]]
    free: dict[str, int]
    paper: dict[str, dict[str, float]]  # method -> {mean, min, max, over_<MB/s>}
    bound: list[float]  # what no plan of each job exceeds; empty if the study does not tell


@dataclass(frozen=True)
class ContiguousJobs:
    """Relative bandwidth of jobs on the first n hosts, one figure per size and method."""

    sizes: list[int]
    bandwidth: dict[str, list[float]]
    paper: dict[str, dict[int, float]]  # method -> {hosts: MB/s}
    bound: list[float]  # what no plan exceeds, by size; empty if the study does not tell


@dataclass(frozen=True)
class Side:
    """One step under one method: messages on each cable and direction that carries any."""

    method: str
    bandwidth: float
    loads: dict[tuple[int, str], float]  # (link, "ab" or "ba") -> messages


@dataclass(frozen=True)
class Step:
    """The loads of one step, as of a Side, before and after."""

    number: int
    sides: list[dict[tuple[int, str], float]]


@dataclass(frozen=True)
class WorstJob:
    """A job, and the step that is drawn first, before and after."""

    hosts: list[str]
    endpoints: list[int]  # index of the host channel adapter of each rank; empty if the study does not tell
    step: int
    before: Side
    after: Side | None
    steps: list[Step]  # that can be looked at, in order; `step` is among them


@dataclass(frozen=True)
class JobAmongOthers:
    """One of several jobs that run at the same time; cables as directions: 2 × link, + 1 from its end b."""

    name: str
    machines: int
    method: str
    alone: float
    together: float
    worst_neighbour: str  # empty: nobody disturbs it
    beside_worst_neighbour: float
    hosts: list[int]  # indices of its host channel adapters
    cables: list[int]  # that it uses, whatever step it is in


@dataclass(frozen=True)
class SharedCable:
    """A direction of a cable that several jobs use."""

    cable: int
    meeting: float  # share of the time
    jobs: list[str]


@dataclass(frozen=True)
class Together:
    """Jobs that run at the same time."""

    rounds: int
    alone: float  # mean relative bandwidths
    mean: float
    jobs: list[JobAmongOthers]
    shared: list[SharedCable]


@dataclass(frozen=True)
class Engine:
    """What one routing engine did with the fabric."""

    name: str
    lmc: int | None
    accepted: bool | None
    deadlock_free: bool | None
    seconds: float | None
    free: int | None
    bandwidth: float | None
    note: str


@dataclass(frozen=True)
class Check:
    """One thing that was checked."""

    what: str
    passed: bool
    figure: str


@dataclass(frozen=True)
class Origin:
    """When and how a study was made; empty texts and None are not told."""

    date: str
    version: str
    seed: int | None
    command: str


@dataclass(frozen=True)
class Study:
    """One file; parts that it does not hold are None or empty."""

    file: str
    title: str
    source: str
    fabric: Fabric | None
    peak: float | None  # MB/s at relative bandwidth 1.0
    random: RandomJobs | None
    contiguous: ContiguousJobs | None
    worst: WorstJob | None
    together: Together | None
    engines: list[Engine]
    checks: list[Check]
    methods: dict[str, str]  # key -> display name, in order
    made: Origin | None
