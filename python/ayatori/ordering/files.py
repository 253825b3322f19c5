"""A rank order as files that start a job in it: for Open MPI, MPICH and Slurm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Machine, Network
from ayatori.base.errors import Error
from ayatori.base.files import write_bytes


def hosts_of(network: Network, job: Job) -> list[tuple[str, int]]:
    """Hosts in rank order, and how many ranks each has."""
    machines = network.machines  # a list that is made when it is asked for
    return [(machines[machine].name, ranks) for machine, ranks in zip(job.machines, job.ranks_on_machines, strict=True)]


def hostfile(network: Network, job: Job) -> str:
    """Open MPI's: mpirun --hostfile FILE --map-by slot."""
    return _lines(f"{host} slots={ranks}" for host, ranks in hosts_of(network, job))


def mpich_hostfile(network: Network, job: Job) -> str:
    """MPICH's and Intel MPI's: mpiexec -f FILE."""
    return _lines(f"{host}:{ranks}" for host, ranks in hosts_of(network, job))


def rankfile(network: Network, job: Job) -> str:
    """Open MPI's: mpirun --rankfile FILE. It binds the ranks of a host to its first cores, one each."""
    slots = [(host, slot) for host, ranks in hosts_of(network, job) for slot in range(ranks)]
    return _lines(f"rank {rank}={host} slot={slot}" for rank, (host, slot) in enumerate(slots))


def slurm_hostfile(network: Network, job: Job) -> str:
    """SLURM_HOSTFILE=FILE srun -m arbitrary: the host of each rank."""
    return _lines(host for host, ranks in hosts_of(network, job) for _ in range(ranks))


def coordinates(network: Network, job: Job) -> str:
    """MPIR_CVAR_COORDINATES_FILE of MPICH 4.2 and later: of each rank its group, switch and port there.

    Groups are those of a dragonfly, elsewhere the leaves.
    """
    places = _core.places_of_job(network, job)
    machines = network.machines
    switches = [_port_of(network, machines[machine]) for machine in job.machines]
    numbers = {switch: number for number, switch in enumerate(sorted({switch for switch, _ in switches}))}
    rows = ["rank: group switch port"]
    for rank, machine in enumerate(places.machine):
        switch, port = switches[machine]
        rows.append(f"{rank}: {places.group[machine]} {numbers[switch]} {port}")
    return _lines(iter(rows))


def _port_of(network: Network, machine: Machine) -> tuple[int, int]:
    """The router that a machine's first endpoint is at, and the number of the port there."""
    for endpoint in machine.endpoints:
        router = network.router_of(endpoint)
        if router is not None:
            port = network.port(endpoint)
            return router, network.port(port.peer).number if port.connected else port.number
    raise Error(f"{machine.name} is at no switch", hint="--to hostfile")


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


FORMATS: dict[str, tuple[Callable[[Network, Job], str], str]] = {
    "hostfile": (hostfile, "mpirun --hostfile {file} --map-by slot"),
    "rankfile": (rankfile, "mpirun --rankfile {file}"),
    "mpich": (mpich_hostfile, "mpiexec -f {file}"),
    "slurm": (slurm_hostfile, "SLURM_HOSTFILE={file} srun -m arbitrary -n {ranks}"),
    "coordinates": (coordinates, "export MPIR_CVAR_COORDINATES_FILE={file}"),
}
"""Of each format what writes it, and the line that uses it."""


def format_named(word: str) -> str:
    if word not in FORMATS:
        raise Error(f"no format '{word}' of rank orders", hint=f"there are {', '.join(FORMATS)}")
    return word


def write(network: Network, job: Job, word: str, path: Path) -> str:
    """Writes the order, whole or not at all, and returns the line that uses it."""
    make, use = FORMATS[format_named(word)]
    write_bytes(path, make(network, job).encode())
    return use.format(file=path.resolve(), ranks=job.rank_count)
