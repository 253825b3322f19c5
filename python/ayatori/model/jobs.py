"""Jobs: which machines, in which order, how many ranks on each."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.base.files import read_text


def read_job(network: Network, hostfile: Path, ppn: int = 0, order: str = "network") -> Job:
    """Reads a hostfile (Open MPI, MPICH or Slurm syntax; names or GUIDs) and finds its hosts in the network.

    `ppn` ranks a machine; 0 takes the file's slots, or one rank a rail. `order` is "network" or "given".
    """
    return _core.job_from_hostfile(network, read_text(hostfile), str(hostfile), ppn, order == "network")


def placement_as_data(job: Job) -> list[list[int]]:
    """[machine, ranks] in rank order."""
    return [list(pair) for pair in zip(job.machines, job.ranks_on_machines, strict=True)]


def random_jobs(network: Network, count: int, size: int, ppn: int = 0, seed: int = 1) -> list[Job]:
    """`count` jobs of `size` different machines each, drawn uniformly, machines in network order."""
    return _core.random_jobs(network, count, size, ppn, seed)


def contiguous_jobs(network: Network, sizes: Iterable[int], ppn: int = 0) -> list[Job]:
    """For each size the job of the network's first so many machines."""
    return [_core.contiguous_job(network, size, ppn) for size in sizes]
