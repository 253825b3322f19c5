"""Plans on disk (docs/plan-format.md): what the core reads and writes, with the hosts of a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Network, Plan, Planned, Routes


@dataclass
class SavedPlan:
    job: Job
    plan: Plan
    lmc: int
    of_nics: bool = False
    """The job has a rank for each NIC of its machines: made for messages that use others than the ranks' own."""


def write_plan(network: Network, routes: Routes, job: Job, planned: Planned, path: Path, of_nics: bool = False) -> None:
    """Writes `path` (JSON), and `path`.pairs with the packed path bits if the plan has one path a pair.

    `of_nics`: the job is that of traffic_of_nics(), with a rank for each NIC.
    """
    endpoints = job.endpoints(network)
    all_machines = network.machines
    machines = [
        _core.JobHost(all_machines[machine].name, ranks)
        for machine, ranks in zip(job.machines, job.ranks_on_machines, strict=True)
    ]
    ranks = [_core.RankAddress(network.port(endpoint).guid, routes.base_lid(endpoint)) for endpoint in endpoints]
    file = _core.PlanFile(planned.reason, routes.lmc(endpoints[0]), machines, ranks, planned.plan, of_nics)
    _core.write_plan_file(file, str(path))


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
    return SavedPlan(job, file.plan, file.lmc, file.of_nics)
