"""Ranks that share cores, as those of the lab's hosts do: one that waits lets others run. No MPI knows that they do."""

from __future__ import annotations

import subprocess
from pathlib import Path

from bench.harness.programs import ROOT

OPEN_MPI_YIELDS = {"OMPI_MCA_mpi_yield_when_idle": "1"}


def to_preload(family: str, folder: Path) -> tuple[Path, ...]:
    """MPICH polls without a pause: where ranks share cores, a collective takes as long as their time slices. What is to
    be preloaded into its ranks for that, compiled in the folder; nothing for other MPIs."""
    if family != "mpich":
        return ()
    library = folder / "yields_when_idle.so"
    source = ROOT / "tests" / "mpi" / "programs" / "yields_when_idle.c"
    if not library.exists():
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", source, "-o", library], check=True)
    return (library,)
