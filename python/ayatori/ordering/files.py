"""Files and lines that start a job with its ranks where a plan or an order has them: for Open MPI, MPICH, Slurm."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Machine, Network
from ayatori.base.errors import Error
from ayatori.base.files import write_bytes
from ayatori.model.jobs import hosts_of


def start_file(network: Network, job: Job) -> str:
    """The host of each rank, a line each: Open MPI's `seq`, MPICH's `-f` and Slurm's `arbitrary` obey it."""
    return _lines(host for host, ranks in hosts_of(network, job) for _ in range(ranks))


def start_lines(network: Network, job: Job, file: Path, run: str = "") -> dict[str, str]:
    """By launcher the line that starts the job from a start_file(); the program follows. `run`: what starts launchers.

    Open MPI's plain --hostfile is none of them: there the launching host comes first, whatever the file says.
    """
    ranks, path = job.rank_count, shlex.quote(str(file.resolve()))
    lines = {
        "Open MPI": f"{run}mpirun -np {ranks} --hostfile {path} --map-by seq",
        "MPICH": f"{run}mpiexec -n {ranks} -f {path}",
        "Slurm": f"SLURM_HOSTFILE={path} {run}srun --distribution=arbitrary -n {ranks}",
    }
    hosts = hosts_of(network, job)
    counts = {count for _, count in hosts}
    if len(counts) == 1 and len(job.machines) == len(hosts):
        lines["torchrun"] = (
            f"{run}torchrun --rdzv-backend static --rdzv-endpoint {hosts[0][0]}:29500 --nnodes {len(hosts)} "
            f"--nproc-per-node {counts.pop()} --node-rank I"
        )
    return lines


def write_start_file(network: Network, job: Job, path: Path, run: str = "") -> dict[str, str]:
    """Writes the file, whole or not at all, and returns start_lines()."""
    write_bytes(path, start_file(network, job).encode())
    return start_lines(network, job, path, run)


def coordinates(network: Network, job: Job) -> str:
    """MPIR_CVAR_COORDINATES_FILE of MPICH 4.2 and later: of each rank its group, switch and port there.

    Groups are those of a dragonfly, elsewhere the leaves.
    """
    placement = _core.placement_of_job(network, job)
    machines = network.machines
    switches = [_port_of(network, machines[machine]) for machine in job.machines]
    numbers = {switch: number for number, switch in enumerate(sorted({switch for switch, _ in switches}))}
    rows = ["rank: group switch port"]
    for rank, machine in enumerate(placement.machine):
        switch, port = switches[machine]
        rows.append(f"{rank}: {placement.group[machine]} {numbers[switch]} {port}")
    return _lines(iter(rows))


def write_coordinates(network: Network, job: Job, path: Path) -> dict[str, str]:
    """Writes the file, whole or not at all, and returns the line that makes MPICH read it."""
    write_bytes(path, coordinates(network, job).encode())
    return {"MPICH": f"export MPIR_CVAR_COORDINATES_FILE={shlex.quote(str(path.resolve()))}"}


def _port_of(network: Network, machine: Machine) -> tuple[int, int]:
    """The router that a machine's first endpoint is at, and the number of the port there."""
    for endpoint in machine.endpoints:
        router = network.router_of(endpoint)
        if router is not None:
            port = network.port(endpoint)
            return router, network.port(port.peer).number if port.connected else port.number
    raise Error(f"{machine.name} is at no switch", hint="--to hosts")


def _lines(lines: Iterator[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


FORMATS: dict[str, Callable[[Network, Job, Path], dict[str, str]]] = {
    "hosts": write_start_file,
    "coordinates": write_coordinates,
}
"""Of each format what writes it and returns, by launcher, the line that uses it."""
