"""What a study holds: one dataclass per JSON object of `study-*.json`. Read by schema.py, drawn by the others."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Router:
    """A switch. Level 0 is a leaf; None means that it stands in no tree."""

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
class Fabric:
    """Routers, hosts and the cables between routers."""

    summary: str
    routers: list[Router]
    hosts: list[Host]
    links: list[Link]


@dataclass(frozen=True)
class RandomJobs:
    """Relative bandwidth of random jobs: one figure per job and method, unsorted."""

    jobs: int
    size: int
    seed: int | None
    bandwidth: dict[str, list[float]]
    free: dict[str, int]
    paper: dict[str, dict[str, float]]  # method -> {mean, min, max, over_<MB/s>}


@dataclass(frozen=True)
class ContiguousJobs:
    """Relative bandwidth of jobs on nodes 0..n-1, one figure per size and method."""

    sizes: list[int]
    bandwidth: dict[str, list[float]]
    paper: dict[str, dict[int, float]]  # method -> {nodes: MB/s}


@dataclass(frozen=True)
class Side:
    """One step under one method: messages on each cable and direction that carries any."""

    method: str
    bandwidth: float
    loads: dict[tuple[int, str], float]  # (link, "ab" or "ba") -> messages


@dataclass(frozen=True)
class WorstJob:
    """The step that is drawn, before and after."""

    hosts: list[str]
    step: int
    before: Side
    after: Side | None


@dataclass(frozen=True)
class Engine:
    """What one routing engine did with the fabric."""

    name: str
    lmc: int | None
    accepted: bool | None
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
    engines: list[Engine]
    checks: list[Check]
    methods: dict[str, str]  # key -> display name, in order
