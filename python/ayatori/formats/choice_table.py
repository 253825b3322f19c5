"""Choices on disk: for each collective the algorithm by size, as an MPI library looks it up (docs/choice-format.md)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ayatori import _core
from ayatori._core import Network
from ayatori.base.errors import Error
from ayatori.model.jobs import hosts_of
from ayatori.prediction.choice import Choice
from ayatori.prediction.costs import FREE, from_core, to_core
from ayatori.prediction.predictor import Model

_PLAIN = ("steps", "link_bandwidth", "link_latency", "head_of_line")
"""Members of a model that are numbers and words."""


@dataclass(frozen=True)
class Interval:
    """Sizes from `first` to `last` bytes, both included (None: and all above), and how they are done."""

    first: int
    last: int | None
    algorithm: str
    chunk_bytes: int


@dataclass(frozen=True)
class Sizes:
    """What is chosen for one collective; intervals cover all sizes from 0 on, each once, in order."""

    sampled: list[int]
    """The sizes that were predicted or measured; what lies between or beyond them takes the nearest one's choice."""
    intervals: list[Interval]


@dataclass(frozen=True)
class Measured:
    """Where and when choices were measured."""

    machine: str
    """Host, processor, number of cores."""
    mpi: str
    """Name and version."""
    date: str
    """Such as 2026-11-27."""
    seed: int
    """Of the order of the measurements."""


@dataclass(frozen=True)
class Table:
    """Choices, and the job, paths and model that they are valid for; those that were measured have no source, method
    and model of their own."""

    source: str
    machines: list[tuple[str, int]]
    """Hosts in rank order, and how many ranks each has."""
    method: str
    model: Model
    collectives: dict[str, Sizes]
    measured: Measured | None = None

    def lookup(self, collective: str, size: int) -> Interval:
        """What to do with `size` bytes, as MPI counts them. Raises Error for a collective that is not in the table."""
        if collective not in self.collectives:
            raise Error(f"the table has no {collective}", hint=f"it has {', '.join(self.collectives)}")
        intervals = self.collectives[collective].intervals
        return next(interval for interval in intervals if interval.last is None or size <= interval.last)


def table_of(source: str, network: Network, choice: Choice) -> Table:
    """The table of a choice for one job. Raises Error for several."""
    if len(choice.jobs) != 1:
        raise Error("a table is for one job", hint="--job HOSTFILE --out FILE")
    job = choice.jobs[0]
    by_collective: dict[str, dict[int, tuple[str, int]]] = {}
    for ranking in choice.rankings:
        best = ranking.best
        by_collective.setdefault(ranking.collective, {})[ranking.bytes] = (best.algorithm, best.chunk_bytes)
    collectives = {name: sizes_of(by_size) for name, by_size in by_collective.items()}
    return Table(source, hosts_of(network, job), choice.method, choice.model, collectives)


def sizes_of(by_size: Mapping[int, tuple[str, int]]) -> Sizes:
    """Of algorithms and chunk sizes by size. Choices change at the geometric middle of two sizes, for times are about
    straight lines over their logarithms."""
    sampled = sorted(by_size)
    changes = [(a, b) for a, b in zip(sampled, sampled[1:], strict=False) if by_size[a] != by_size[b]]
    lasts = [math.isqrt(a * b) for a, b in changes]
    firsts = [0, *(last + 1 for last in lasts)]
    chosen = [by_size[sampled[0]], *(by_size[b] for _, b in changes)]
    return Sizes(
        sampled,
        [Interval(first, last, *how) for first, last, how in zip(firsts, [*lasts, None], chosen, strict=True)],
    )


def write_table(table: Table, path: Path) -> None:
    """Whole or not at all."""
    model = _core.ChoiceModel()
    for name in _PLAIN:
        setattr(model, name, getattr(table.model, name) or getattr(model, name))
    costs = table.model.costs or FREE
    model.costs, model.costs_from = to_core(costs), costs.origin
    machines = [_core.JobHost(host, ranks) for host, ranks in table.machines]
    collectives = [
        _core.CollectiveChoice(
            name,
            sizes.sampled,
            [_core.SizeInterval(i.first, i.last, i.algorithm, i.chunk_bytes) for i in sizes.intervals],
        )
        for name, sizes in table.collectives.items()
    ]
    measured = _core.ChoiceMeasurement() if table.measured else None
    if table.measured and measured:
        for name, value in asdict(table.measured).items():
            setattr(measured, name, value)
    written = _core.ChoiceTable(table.source, machines, table.method, model, collectives, measured)
    _core.write_choice_table(written, str(path))


def read_table(path: Path) -> Table:
    """Reads what write_table wrote. Raises Error, naming the file and the place that is not as it should be."""
    read = _core.read_choice_table(str(path))
    found = read.measured
    return Table(
        read.source,
        [(machine.host, machine.ranks) for machine in read.machines],
        read.method,
        Model()
        if found
        else Model(
            costs=replace(from_core(read.model.costs), origin=read.model.costs_from),
            **{name: getattr(read.model, name) for name in _PLAIN},
        ),
        {
            choice.collective: Sizes(
                choice.sampled, [Interval(i.first, i.last, i.algorithm, i.chunk_bytes) for i in choice.intervals]
            )
            for choice in read.collectives
        },
        Measured(found.machine, found.mpi, found.date, found.seed) if found else None,
    )
