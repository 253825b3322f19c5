"""Collectives of the MPIs on this machine (or on hosts that `launch` names), alone and with what makes them faster."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from ayatori.base.compiled import PLUGINS, PROGRAMS, built_program
from ayatori.base.errors import Error, UnknownWord
from ayatori.processes import mpirun_of, open_mpi_as_root, run_to_end

FAMILIES = {"openmpi": "Open MPI", "mpich": "MPICH"}
COLLECTIVES = (
    "barrier",
    "broadcast",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "allgather",
    "gather",
    "scatter",
    "alltoall",
)
MAX_RANKS = 4096
MAX_BYTES = 1 << 30
BLOCKS = 5
MAX_SECONDS = 900.0
"""Of one run."""
NOTICEABLE = 0.05
"""A share of the time by which a stack must be slower or faster to be counted so."""


@dataclass(frozen=True)
class Stack:
    """An MPI, and what is added to it."""

    name: str
    variables: dict[str, str] = field(default_factory=dict)
    """Of the MPI's environment."""
    preloaded: tuple[Path, ...] = ()
    """Into the ranks, not into what starts them."""


@dataclass(frozen=True)
class Setting:
    """One MPI with a number of ranks."""

    family: str
    ranks: int
    launch: str = ""
    """The words before the program; empty: the family's mpirun on this machine."""
    blocks: int = BLOCKS
    """Measurements of a cell in one run of the program."""


@dataclass(frozen=True)
class Cell:
    """A collective of one size; `bytes` as CollectiveCall counts: for one other rank, or the whole vector."""

    collective: str
    bytes: int


@dataclass(frozen=True)
class Measured:
    """A cell on one stack."""

    stack: str
    microseconds: list[float]
    machines: int
    blocks: int = BLOCKS
    """So many of the times are of one run."""

    @property
    def median(self) -> float:
        return median(self.microseconds)


def installed_families() -> list[str]:
    """Those whose mpirun is here, and the program that measures it."""
    return [name for name in FAMILIES if shutil.which(mpirun_of(name)) and program_of(name).exists()]


def program_of(family: str) -> Path:
    return PROGRAMS / f"collectives_mpi_{family}"


def plugin_of(family: str) -> Path:
    return PLUGINS / family / "libayatori_mpi.so"


def measure_collectives(
    setting: Setting,
    stacks: Sequence[Stack],
    cells: Sequence[Cell],
    repeats: int,
    advance: Callable[[], None] = lambda: None,
) -> dict[Cell, list[Measured]]:
    """Of each cell one measurement a stack. Stacks alternate with each collective, so that other load of the machine,
    and where its cores are, affect all alike."""
    check(setting, cells, repeats)
    found: dict[tuple[Cell, str], list[float]] = {(cell, stack.name): [] for cell in cells for stack in stacks}
    machines = 1
    collectives = list(dict.fromkeys(cell.collective for cell in cells))
    for _ in range(repeats):
        for collective in collectives:
            for stack in stacks:
                for line in _run(setting, stack, [cell for cell in cells if cell.collective == collective]):
                    found[Cell(line["collective"], line["bytes"]), stack.name] += line["us"]
                    machines = line["machines"]
        for _stack in stacks:
            advance()
    return {
        cell: [Measured(stack.name, found[cell, stack.name], machines, setting.blocks) for stack in stacks]
        for cell in cells
    }


def cells_of(collectives: Sequence[str], sizes: Sequence[int]) -> list[Cell]:
    """A barrier has one cell, without bytes."""
    return [Cell(name, size) for name in collectives for size in (sizes if name != "barrier" else [0])]


def check(setting: Setting, cells: Sequence[Cell], repeats: int) -> None:
    """Raises Error if something of it can't be measured."""
    if setting.family not in FAMILIES:
        raise UnknownWord("MPI", setting.family, FAMILIES)
    built_program(program_of(setting.family).name, f"lib{setting.family}-dev")
    for cell in cells:
        if cell.collective not in COLLECTIVES:
            raise UnknownWord("measured collective", cell.collective, COLLECTIVES)
        if cell.collective != "barrier" and (not 4 <= cell.bytes <= MAX_BYTES or cell.bytes % 4 != 0):
            raise Error(f"bytes: {cell.bytes} is out of range", hint=f"multiples of 4 up to {MAX_BYTES}")
    for value, most, what in ((setting.ranks, MAX_RANKS, "ranks"), (repeats, 1000, "repeats")):
        if not 1 <= value <= most:
            raise Error(f"{what}: {value} is out of range", hint=f"1 to {most}")


def alltoall_bandwidth(cell: Cell, ranks: int, machines: int, seconds: float) -> float:
    """Bytes a second that a machine sends to the others, on average (paper 1, figure 8).

    On one machine, where none are sent to others: that its ranks send to each other.
    """
    if machines == 1:
        return ranks * (ranks - 1) * cell.bytes / seconds
    on_a_machine = ranks / machines
    return on_a_machine * (ranks - on_a_machine) * cell.bytes / seconds


def multiple(ours: Measured, alone: Measured) -> float:
    """How many times as long it takes: the median over the runs, each compared with the other stack's run next to it.

    A virtual machine's cores may share a cache in one minute and not in the next; neighbouring runs see the same.
    """
    pairs = zip(_medians_of_runs(ours), _medians_of_runs(alone), strict=True)
    return median(mine / other for mine, other in pairs)


def _medians_of_runs(measured: Measured) -> list[float]:
    times, blocks = measured.microseconds, measured.blocks
    return [median(times[first : first + blocks]) for first in range(0, len(times), blocks)]


@dataclass(frozen=True)
class Verdict:
    """How a stack compares with the first one, by multiple()."""

    stack: str
    cells: int
    """The stack, and how many cells were compared with the MPI alone, by their multiples."""
    slower: int
    faster: int
    """Cells in which it was more than 5 % slower, or faster."""
    worst: float
    middle: float
    """The largest multiple of the MPI's time, and the median of all."""


def verdict(results: Sequence[Sequence[Measured]], stack: str) -> Verdict:
    """`results` of one cell each, the first stack first."""
    ratios = []
    for measured in results:
        [ours] = [one for one in measured if one.stack == stack]
        ratios.append(multiple(ours, measured[0]))
    return Verdict(
        stack,
        cells=len(ratios),
        slower=sum(ratio > 1 + NOTICEABLE for ratio in ratios),
        faster=sum(ratio < 1 - NOTICEABLE for ratio in ratios),
        worst=max(ratios),
        middle=median(ratios),
    )


def _run(setting: Setting, stack: Stack, cells: Sequence[Cell]) -> list[dict[str, Any]]:
    """`cells` of one collective."""
    sizes = ",".join(str(cell.bytes) for cell in cells)
    command = [str(program_of(setting.family)), cells[0].collective, sizes, str(setting.blocks)]
    preload = ["env", f"LD_PRELOAD={':'.join(map(str, stack.preloaded))}"] if stack.preloaded else []
    variables = os.environ | open_mpi_as_root() | stack.variables
    ended = run_to_end([*launcher(setting), *preload, *command], environment=variables, timeout=MAX_SECONDS)
    if ended.status != 0:
        raise Error(f"{stack.name} failed on {setting.ranks} ranks", cause=ended.reason)
    return ended.objects()


def launcher(setting: Setting) -> list[str]:
    """The words before the program."""
    if setting.launch:
        return shlex.split(setting.launch)
    words = [mpirun_of(setting.family), "-np", str(setting.ranks)]
    return [*words, "--oversubscribe"] if setting.family == "openmpi" else words
