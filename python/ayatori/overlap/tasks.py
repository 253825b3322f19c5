"""What is computed and communicated at the same time: the tasks of `ayatori bench overlap`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ayatori.base.compiled import built_program
from ayatori.base.errors import Error, UnknownWord
from ayatori.measurement.collectives import FAMILIES
from ayatori.overlap.krylov import FAMILY, METHODS, check_petsc, krylov_program
from ayatori.overlap.mechanisms import Mechanism, mechanism_for, why_no_offload

if TYPE_CHECKING:
    from ayatori.overlap.sweep import Sweep

CALLS = ("isend", "iallreduce", "ialltoall", "ibcast", "iallgather")
WAYS = ("none", "isend", "test", "persistent", "neighbourhood", "fence", "put", "put-printed", "get", "acp")
OFFLOADED = ("iallreduce", "ibcast")
"""Calls of CALLS that switches take."""
ONE_SIDED = ("put", "put-printed", "get", "acp")
"""Ways of the stencil that the plug-in does not see."""
LEAST_SECONDS = 0.3
"""Measured in a run of overlap, by more measurements where they are short: starting the run takes longer."""
MAX_BYTES = 1 << 30


@dataclass(frozen=True)
class Cell:
    """One thing that is measured."""

    task: str
    """A name in TASKS."""
    family: str
    mechanism: str
    what: str
    size: int
    """`what` and `size` as the task has them."""
    ranks: int

    @property
    def of(self) -> Task:
        return TASKS[self.task]


class Task(ABC):
    """What is measured of a cell, and by which program."""

    whats: ClassVar[tuple[str, ...]]
    sizes: ClassVar[tuple[int, int]] = (1, 65536)
    least_ranks: ClassVar[int] = 1
    compared: ClassVar[str] = "total"
    """The time that says how noisy runs are."""

    def check(self, cell: Cell) -> None:
        """Raises Error if it can't be measured."""
        self.check_program(cell)
        mechanism_for(cell.mechanism, cell.family)
        if not self.least_ranks <= cell.ranks <= 4096:
            raise Error(f"ranks: {cell.ranks} is out of range", hint="2 to 4096; a stencil's from 1 on")
        if cell.what not in self.whats:
            raise UnknownWord(f"part of {cell.task}", cell.what, self.whats)
        self.check_size(cell.size)

    def check_size(self, size: int) -> None:
        least, most = self.sizes
        if not least <= size <= most:
            raise Error(f"matrix order: {size} is out of range", hint=f"{least} to {most}")

    def check_program(self, cell: Cell) -> None:
        self.program(cell)

    def program(self, cell: Cell) -> Path:
        """Raises Error if it was not built, or can't be compiled."""
        if cell.family not in FAMILIES:
            raise UnknownWord("MPI", cell.family, FAMILIES)
        return built_program(f"{cell.task}_mpi_{cell.family}", f"lib{cell.family}-dev")

    @abstractmethod
    def can_help(self, cell: Cell) -> bool:
        """Whether the mechanism could do anything."""

    @abstractmethod
    def words(self, sweep: Sweep, cell: Cell, how: Mechanism, units: int) -> Sequence[object]:
        """What the program takes."""

    def computed_share(self, medians: Mapping[str, float]) -> float:
        """Of the cell's time: what depends on how fast the machine computes."""
        total = medians["total"]
        return max(0.0, total - medians["communication"]) / total if total > 0 else 0.0


class Overlap(Task):
    """A call and a computation. `what`: the call; `size`: bytes of a message."""

    whats = CALLS
    least_ranks = 2
    compared = "both"

    def check_size(self, size: int) -> None:
        if size % 8 or not 8 <= size <= MAX_BYTES:
            raise Error(f"bytes: {size} is out of range", hint=f"multiples of 8 up to {MAX_BYTES}")

    def can_help(self, cell: Cell) -> bool:
        if cell.mechanism == "offload":
            return cell.what in OFFLOADED and not why_no_offload([cell.family])
        return cell.mechanism != "acp" or cell.what == "isend"  # the mechanism acp sends by itself, and takes no call

    def words(self, sweep: Sweep, cell: Cell, how: Mechanism, units: int) -> Sequence[object]:
        call = "acp" if cell.mechanism == "acp" else cell.what
        timing = [cell.size, sweep.measurements, how.warm_up_seconds, how.test_seconds]
        return [call, sweep.kernel, *timing, sweep.matrix_order, units, LEAST_SECONDS]

    def computed_share(self, medians: Mapping[str, float]) -> float:
        return min(1.0, medians["computation"] / medians["both"]) if medians["both"] > 0 else 0.0


class Stencil(Task):
    """Processes exchange borders. `what`: the way of exchanging; `size`: rows of the array."""

    whats = WAYS

    def can_help(self, cell: Cell) -> bool:
        """Mechanisms that move requests do nothing for ways without them, which are measured once."""
        name = cell.mechanism
        moves_requests = name == "none" or cell.what not in (*ONE_SIDED, "none")
        return moves_requests and name not in ("acp", "offload") and not name.startswith("test")

    def words(self, sweep: Sweep, cell: Cell, how: Mechanism, units: int) -> Sequence[object]:
        return [cell.what, cell.size, sweep.iterations, sweep.dimensions, sweep.measurements, how.warm_up_seconds]


class Krylov(Task):
    """PETSc solves a system. `what`: a method; `size`: elements in a row."""

    whats = METHODS
    sizes = (2, 20_000)

    def check_program(self, cell: Cell) -> None:
        check_petsc()

    def program(self, cell: Cell) -> Path:
        return krylov_program()

    def can_help(self, cell: Cell) -> bool:
        """Over the MPI of Debian's PETSc alone; the program calls no MPI_Test itself."""
        name = cell.mechanism
        helps = cell.family == FAMILY and name != "acp" and not name.startswith("test")
        return helps and not (name == "offload" and why_no_offload([cell.family]))

    def words(self, sweep: Sweep, cell: Cell, how: Mechanism, units: int) -> Sequence[object]:
        return [cell.what, cell.size, sweep.iterations, sweep.measurements, how.warm_up_seconds]


TASKS: Mapping[str, Task] = {"overlap": Overlap(), "stencil": Stencil(), "krylov": Krylov()}
