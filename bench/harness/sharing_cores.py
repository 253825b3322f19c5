"""Ranks that share cores, as those of the lab's hosts do: one that waits lets others run. No MPI knows that they do."""

from __future__ import annotations

from pathlib import Path

from ayatori.measurement.collectives import plugin_of
from ayatori.processes import YIELDING

OPEN_MPI_YIELDS = {"OMPI_MCA_mpi_yield_when_idle": "1"}


def to_preload(family: str) -> tuple[Path, ...]:
    """MPICH polls without a pause: where ranks share cores, a collective takes as long as their time slices. What is to
    be preloaded into its ranks for that; nothing for other MPIs."""
    return (plugin_of(family).with_name(YIELDING),) if family == "mpich" else ()
