"""The options that name a collective of an MPI, whose messages a plan is for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.planning.mpi_traffic import parse_mpi_traffic

OF_MPI = Annotated[
    str | None,
    typer.Option("--mpi", metavar="M", help="Plan for what this library sends: openmpi, mpich-4.0, gloo."),
]
OF_COLLECTIVE = Annotated[
    str, typer.Option(metavar="C", help="With --mpi: alltoall, allgather, reduce_scatter or allreduce.")
]
OF_BYTES = Annotated[str, typer.Option("--bytes", metavar="SIZE", help="With --mpi: size of the call, as MPI counts.")]


@dataclass(frozen=True)
class MpiCallOptions:
    """A collective of a library."""

    PANEL: ClassVar[str] = options.PATHS_PANEL
    mpi: OF_MPI = None
    collective: OF_COLLECTIVE = "alltoall"
    bytes: OF_BYTES = "1MiB"

    def traffics(self) -> list[str]:
        """As --traffic names it; none without --mpi."""
        if self.mpi is None:
            if (self.collective, self.bytes) != (MpiCallOptions.collective, MpiCallOptions.bytes):
                raise UsageError("--collective and --bytes say what a library sends", hint="--mpi openmpi with them")
            return []
        named = f"{self.mpi} {self.collective} {self.bytes}"
        parse_mpi_traffic(named)
        return [named]
