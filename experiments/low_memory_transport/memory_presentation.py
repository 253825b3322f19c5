"""What is printed and drawn of the processes' memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

from ayatori.estimate.memory import TABLE1
from experiments.low_memory_transport.memory_measurement import KINDS, OVER_TRANSPORTS
from experiments.page import Curve, Figure, Table, axis, upright

DASHES = ["8px 4px", "2px 4px", "4px 3px", "solid", "12px 4px 2px 4px"]
LARGE = (10**5, 10**6, 10**7, 10**8)


@dataclass(frozen=True)
class Line:
    """Least squares; `error` is the standard error of the slope."""

    base: float
    slope: float
    error: float

    def at(self, x: float) -> float:
        return self.base + self.slope * x

    @property
    def grows(self) -> bool:
        """Beyond twice the error; what does not is taken as level."""
        return self.slope > 2 * self.error


def fit(x: Sequence[float], y: Sequence[float]) -> Line:
    n = len(x)
    middle_x, middle_y = sum(x) / n, sum(y) / n
    spread = sum((a - middle_x) ** 2 for a in x)
    slope = sum((a - middle_x) * (b - middle_y) for a, b in zip(x, y, strict=True)) / spread
    line = Line(middle_y - slope * middle_x, slope, 0)
    residue = sum((b - line.at(a)) ** 2 for a, b in zip(x, y, strict=True))
    return Line(line.base, slope, sqrt(residue / (n - 2) / spread) if n > 2 else 0)


@dataclass
class Memory:
    """Of each kind and number of processes: bytes of a process; and of one with very many simulated peers."""

    processes: Sequence[int]
    bytes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    peers: dict[str, Any] = field(default_factory=dict)

    def own(self, kind: str) -> list[float]:
        """By the numbers of processes in counts()."""
        return [measured["own"] for measured in self.bytes[kind] if measured]

    def counts(self, kind: str) -> list[int]:
        """Numbers of processes with which it was measured."""
        pairs = zip(self.processes, self.bytes[kind], strict=True)
        return [count for count, measured in pairs if measured]

    def line(self, kind: str) -> Line:
        return fit(self.counts(kind), self.own(kind))

    def kinds(self) -> list[str]:
        """Those that were measured with two numbers of processes or more."""
        return [kind for kind in self.bytes if len(self.own(kind)) > 1]


def memory_tables(found: Memory) -> list[Table]:
    return [_measured(found), _table1(found)]


def _measured(found: Memory) -> Table:
    rows = []
    for kind in found.kinds():
        line = found.line(kind)
        own = [f"{one['own'] / 1e6:.2f}" if one else "" for one in found.bytes[kind]]
        rows.append([kind, *own, f"{line.slope / 1e3:.2f} ± {line.error / 1e3:.2f}"])
    return Table(
        "Figure 1: MB of a process after an all-to-all on this machine, by the number of processes",
        ["", *map(str, found.processes), "kB a process more"],
        rows,
        "Anonymous and shared memory, the latter by its share (Pss_Anon + Pss_Shmem of smaps_rollup), means over the "
        "processes; without the libraries' files. Each sent 1 KiB to each.",
    )


def _table1(found: Memory) -> Table:
    rows = [[f"paper: Open MPI, {name}", *(f"{value:,g}" for value in told)] for name, told in TABLE1.items()]
    for kind in found.kinds():
        rows.append([kind, *(_gigabytes(found, kind, count) for count in LARGE)])
    peers = found.peers
    run = f"{peers['rss_MB'] / 1e3:.4f}"
    rows.append(
        [f"ours, run with {peers['count']:,} simulated peers", "", run if peers["count"] == 10**6 else "", "", ""]
    )
    return Table(
        "Table 1: GB of a process, extrapolated",
        ["", *(f"{count:,}" for count in LARGE)],
        rows,
        "Straight lines through what was measured, ± their slope's standard error; 'no growth': the slope is less "
        "than twice that. Ours over UDP has tables of fixed size, however many peers there are; shared memory has a "
        "ring for each process of the same machine, and none for others. The last row is not extrapolated: one "
        "process that exchanged a message with each peer, which are in its memory as well, with "
        f"{_per_peer(peers)} each.",
    )


def _per_peer(peers: dict[str, Any]) -> str:
    return f"{peers['bytes_per_idle_peer']:.1f} bytes" if peers["bytes_per_idle_peer"] else "a few bytes"


def _gigabytes(found: Memory, kind: str, count: int) -> str:
    line = found.line(kind)
    if not line.grows:
        return f"{found.own(kind)[-1] / 1e9:.4f}, no growth"
    return f"{line.at(count) / 1e9:,.2f} ± {line.error * count / 1e9:,.2f}"


def memory_figures(found: Memory) -> list[Figure]:
    title = "Figure 1: memory of a process against the number of processes"
    figures = [_figure("figure1", title, found, [kind for kind in found.kinds() if kind in KINDS])]
    if over_transports := [kind for kind in found.kinds() if kind in OVER_TRANSPORTS]:
        figures.append(_figure("figure1-mpi", "Figure 1 with one MPI: by its transport", found, over_transports))
    return figures


def _figure(id: str, title: str, found: Memory, kinds: Sequence[str]) -> Figure:
    beyond = [10**power for power in range(2, 9)]
    curves = []
    for tone, kind in enumerate(kinds):
        own, line = found.own(kind), found.line(kind)
        y = [*own, *(line.at(count) if line.grows else own[-1] for count in beyond)]
        counts = found.counts(kind)
        curves.append(Curve(kind, [*counts, *beyond], [value / 1e9 for value in y], tone, 2.4, DASHES[tone]))
    curves.append(Curve("paper: Open MPI, UD", LARGE, TABLE1["UD"], 5, symbol="square-open", line=False))
    return Figure(
        id,
        title,
        f"Up to {found.processes[-1]} processes measured here, then the straight line through that. Squares: the "
        "paper's table 1.",
        curves,
        axis("processes", type="log", exponentformat="power"),
        upright("GB", type="log", exponentformat="power"),
    )
