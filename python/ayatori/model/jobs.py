"""Jobs: which host has which rank."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.base.files import read_text


def read_job(network: Network, hostfile: Path, ppn: int = 0, order: str = "given") -> Job:
    """Reads a hostfile (of Open MPI, MPICH, Slurm or a batch system; names or GUIDs) or rankfile, and finds
    its hosts in the network.

    Ranks are numbered line by line: a line has as many as it has slots, or one. A rankfile says itself which rank is
    where. With `ppn` each machine has so many, where it is first named. `order` is "given", or "network": by machine,
    and these as the network has them.
    """
    return _core.job_from_hostfile(network, read_text(hostfile), str(hostfile), ppn, order == "network")


def in_order(network: Network, job: Job) -> Job:
    """The same ranks on the same machines, as read_job() with the order "network" has them."""
    machines = sorted(job.machine_of_rank)
    runs = [(network.machines[machine].name, len(list(ranks))) for machine, ranks in groupby(machines)]
    return _core.job_of_hosts(network, runs, "the job")


def placement_as_data(job: Job) -> list[list[int]]:
    """[machine, ranks] in rank order."""
    return [list(run) for run in job.runs]


def hosts_of(network: Network, job: Job) -> list[tuple[str, int]]:
    """[(host, ranks)] in rank order, by names that launchers know: Job.name_of()."""
    return [(job.name_of(network, machine), ranks) for machine, ranks in job.runs]


def random_jobs(
    network: Network, count: int, size: int, ppn: int = 0, seed: int = 1, unnamed_hcas: bool = False
) -> list[Job]:
    """`count` jobs of `size` different machines each, drawn uniformly, machines in network order.

    HCAs that name no host are in none of them unless `unnamed_hcas`, or unless the network names no host at all.
    """
    return _core.random_jobs(network, count, size, ppn, seed, unnamed_hcas)


def contiguous_jobs(network: Network, sizes: Iterable[int], ppn: int = 0, unnamed_hcas: bool = False) -> list[Job]:
    """For each size the job of the network's first so many machines; `unnamed_hcas` as for random_jobs."""
    return [_core.contiguous_job(network, size, ppn, unnamed_hcas) for size in sizes]


def whole_network_job(network: Network, ppn: int = 0, unnamed_hcas: bool = False) -> Job:
    """The job on all machines that a program can run on."""
    return _core.contiguous_job(network, count_hosts(network, unnamed_hcas), ppn, unnamed_hcas)


def count_hosts(network: Network, unnamed_hcas: bool = False) -> int:
    """How many machines jobs are drawn from."""
    return len(_core.machines_for_jobs(network, unnamed_hcas))
