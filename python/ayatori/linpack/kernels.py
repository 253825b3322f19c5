"""What the parts of HPL take here, measured by as many processes as HPL has (bench/tasks/hpl/kernels.cpp)."""

from __future__ import annotations

from dataclasses import dataclass

from ayatori.base.errors import Error
from ayatori.linpack.mixed import program_for
from ayatori.linpack.running import Launcher, run_in
from ayatori.linpack.settings import Point


@dataclass(frozen=True)
class Kernels:
    """Seconds at one height of the trailing matrix."""

    rows: int
    columns: int
    """The height of the trailing matrix, and the columns that a process has of it."""
    panel: float
    """Factoring rows x NB; seconds."""
    update: float
    """Row exchanges, triangular solve and DGEMM of rows x columns x NB."""
    block_update: float
    """The same of rows x NB x NB."""
    message: float
    """Passing a panel of rows x NB on in the ring."""
    solve: float
    """A product of rows x NB with a vector."""


@dataclass(frozen=True)
class Placement:
    """Where processes run."""

    machine_of: tuple[int, ...]
    """Of each process, by number. Hosts of a cluster lab are one machine."""
    host_of: tuple[int, ...]
    """Of each process, by number: those of a host pass messages through its memory."""
    cores: tuple[int, ...]
    """Of each machine those that its processes may use."""


@dataclass(frozen=True)
class MeasuredParts:
    """With a core for each process that computes."""

    kernels: tuple[Kernels, ...]
    """From the highest to the lowest."""
    placement: Placement


def measure_parts(launcher: Launcher, point: Point, seconds: float) -> MeasuredParts:
    words = [*launcher.command(point.processes, point.plane), str(program_for(launcher, "kernels"))]
    ended = run_in(None, [*words, str(point.order), str(point.block), str(seconds)])
    try:
        placement, *heights = ended.objects()
        kernels = tuple(Kernels(**height) for height in heights)
        return MeasuredParts(kernels, Placement(**{name: tuple(numbers) for name, numbers in placement.items()}))
    except (ValueError, TypeError, KeyError) as error:
        raise Error("hpl_kernels' lines can't be read", cause=str(error)) from error
