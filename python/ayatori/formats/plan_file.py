"""Plans on disk (docs/plan-format.md): what the core reads and writes, with the hosts of a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Network, Plan, Planned, Routes
from ayatori.base.errors import Error
from ayatori.model.jobs import hosts_of


@dataclass
class SavedPlan:
    job: Job
    plan: Plan
    lmc: int
    tables: str
    """Fingerprint of the tables that it was made on."""
    of_nics: bool = False
    """The job has a rank for each NIC of its machines: made for messages that use others than the ranks' own."""


def write_plan(network: Network, routes: Routes, job: Job, planned: Planned, path: Path, of_nics: bool = False) -> None:
    """Writes `path` (JSON), and `path`.pairs with the packed path bits if the plan has one path a pair.

    `of_nics`: the job is that of traffic_of_nics(), with a rank for each NIC.
    """
    endpoints = job.endpoints(network)
    machines = [_core.JobHost(host, ranks) for host, ranks in hosts_of(network, job)]
    ranks = [_core.RankAddress(network.port(endpoint).guid, routes.base_lid(endpoint)) for endpoint in endpoints]
    file = _core.PlanFile(
        planned.reason,
        routes.lmc(endpoints[0]),
        _core.fingerprint_of(network, routes),
        machines,
        ranks,
        planned.plan,
        of_nics,
    )
    _core.write_plan_file(file, str(path))


def check_is_for(network: Network, path: Path, saved: SavedPlan, job: Job) -> None:
    """Raises Error, naming the first rank that is elsewhere, for a plan of another placement than the job's."""
    planned, asked = saved.job.machine_of_rank, job.machine_of_rank
    if saved.of_nics:  # its paths are between the hosts' NICs, however many ranks use them
        planned, asked = saved.job.machines, job.machines
    if planned == asked:
        return
    if len(planned) != len(asked):
        what = "hosts" if saved.of_nics else "ranks"
        raise Error(f"{path} is for {len(planned)} {what}, and the job has {len(asked)}", hint="plan this job")
    rank = next(rank for rank, (a, b) in enumerate(zip(planned, asked, strict=True)) if a != b)
    raise Error(
        f"{path} is not for this job: rank {rank} is on {job.name_of(network, asked[rank])}, and in the plan on "
        f"{saved.job.name_of(network, planned[rank])}",
        hint="a plan holds for one order of ranks: that of the .hosts file next to it; or plan this hostfile",
    )


def is_roce_plan(path: Path) -> bool:
    """Whether a file is a plan of source ports (docs/roce-plan-format.md), by how it begins."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return b'"ayatori-roce-plan"' in stream.read(256)


def read_plan(network: Network, path: Path) -> SavedPlan:
    """Reads what write_plan wrote and finds its hosts in the network. Raises Error, naming the file."""
    file = _core.read_plan_file(str(path))
    job = _core.job_of_hosts(network, [(machine.host, machine.ranks) for machine in file.machines], str(path))
    return SavedPlan(job, file.plan, file.lmc, file.tables, file.of_nics)
