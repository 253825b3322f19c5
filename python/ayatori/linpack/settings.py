"""The input of one run of HPL, and how large its matrix may be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.errors import Error, UnknownWord

BROADCASTS = ("1ring", "1ringM", "2ring", "2ringM", "long", "longM")
"""In the order of HPL's numbers for them."""
MAX_ORDER = 10_000_000
MAX_BLOCK = 4096
MAX_PROCESSES = 1 << 20
MAX_DEPTH = 5
SHARE_OF_MEMORY = 0.8
"""What HPL's own notes recommend: the rest is for the system, and for HPL's panels."""


@dataclass(frozen=True)
class Variant:
    """What HPL varies in addition to the sizes. Its other settings are those of the input file that Debian ships with
    hpcc."""

    broadcast: str = "1ring"
    depth: int = 1
    """Panels that are factored ahead of the update."""
    threshold: float = 16.0
    """Of the scaled residual; larger ones are failures."""

    def check(self) -> None:
        if self.broadcast not in BROADCASTS:
            raise UnknownWord("broadcast of HPL", self.broadcast, BROADCASTS)
        if not 0 <= self.depth <= MAX_DEPTH:
            raise Error(f"depth: {self.depth} is out of range", hint=f"0 to {MAX_DEPTH}")
        if not 0 < self.threshold < math.inf:
            raise Error(f"threshold: {self.threshold} is out of range", hint="HPL's own is 16.0")


@dataclass(frozen=True)
class Plane:
    """A network that an option makes the MPI use; without an interface it chooses itself."""

    name: str = "any"
    interface: str = ""
    """By name (eth0) or as a subnet (10.64.0.0/16), which is the same on all hosts of a cluster lab."""


@dataclass(frozen=True)
class Point:
    """One system of equations on one grid of processes."""

    order: int
    """N: of the matrix."""
    block: int
    """NB: columns of a panel."""
    rows: int
    """P"""
    columns: int
    """Q"""
    plane: Plane = Plane()

    @property
    def processes(self) -> int:
        return self.rows * self.columns

    @property
    def operations(self) -> float:
        """Those that HPL's figures count, whatever is done."""
        return operations_of(self.order)

    def check(self) -> None:
        for value, most, what in (
            (self.order, MAX_ORDER, "order of the matrix"),
            (self.block, MAX_BLOCK, "NB"),
            (self.rows, MAX_PROCESSES, "P"),
            (self.columns, MAX_PROCESSES, "Q"),
            (self.processes, MAX_PROCESSES, "processes"),
        ):
            if not 1 <= value <= most:
                raise Error(f"{what}: {value} is out of range", hint=f"1 to {most}")


def operations_of(order: int) -> float:
    """2/3 N^3 + 3/2 N^2."""
    return (2 * order / 3 + 1.5) * order**2


@dataclass(frozen=True)
class Preset:
    """Sizes that go together."""

    order: int
    blocks: tuple[int, ...]
    grids: tuple[tuple[int, int], ...]
    broadcast: str


PRESETS = {"paper3": Preset(6400, (32, 64, 128), ((1, 8), (1, 4), (1, 1)), "1ring")}
"""paper3: table 3 of Nakahama et al.; what it does not tell is as Debian ships it (look-ahead 1, Crout, NBMIN 4)."""


def order_for(memory: int, blocks: tuple[int, ...]) -> int:
    """The largest N whose matrix takes SHARE_OF_MEMORY of so many bytes, a multiple of every NB if one fits."""
    most = math.isqrt(int(memory * SHARE_OF_MEMORY) // 8)
    step = math.lcm(*blocks)
    order = most - most % step if most >= step else most - most % max(blocks)
    if order < 1:
        raise Error(f"{memory} bytes of memory hold no block of {max(blocks)} columns", hint="smaller --nb")
    return min(order, MAX_ORDER)


def memory_here() -> int:
    """Bytes of this machine's memory, used or not: the same each time, so that a run that was interrupted can go on."""
    for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
        name, _, rest = line.partition(":")
        if name == "MemTotal":
            return int(rest.split()[0]) * 1024
    raise Error("/proc/meminfo does not say how much memory there is", hint="--memory SIZE, or --matrix-order N")
