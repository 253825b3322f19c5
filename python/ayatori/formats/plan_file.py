"""Plans on disk (docs/plan-format.md): what the core reads and writes, with the hosts of a network."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, JobHost, Network, Plan, Planned, Routes
from ayatori.base.errors import Error
from ayatori.model.jobs import hosts_of
from ayatori.planning.fit import Made, fit_of

OF_ANOTHER_PLAN = "is now the companion of another plan"
"""How the core's errors about a plan's pairs end that are those of another plan."""


@dataclass
class SavedPlan:
    job: Job
    plan: Plan
    made: Made

    @property
    def lmc(self) -> int:
        assert self.made.lmc is not None
        return self.made.lmc


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
        _core.fingerprint_of(network, routes, endpoints),
        machines,
        ranks,
        planned.plan,
        of_nics,
    )
    _core.write_plan_file(file, str(path))


def is_roce_plan(path: Path) -> bool:
    """Whether a file is a plan of source ports (docs/roce-plan-format.md), by how it begins."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return b'"ayatori-roce-plan"' in stream.read(256)


def read_made(path: Path) -> tuple[Made, Plan | None]:
    """What the plan of a file, of LIDs or of source ports, was made for, as fit_of() takes it, and its paths by LIDs.

    Raises Error, naming the file, for one that can't be read; pairs of another plan are for fit_of().
    """
    if is_roce_plan(path):
        ports = _core.read_roce_plan_file(str(path)).ports
        return Made(str(path), [JobHost(host, 1) for host in dict.fromkeys(port.host for port in ports)]), None
    try:
        file = _core.read_plan_file(str(path))
    except Error as error:
        if not error.message.endswith(OF_ANOTHER_PLAN):
            raise
        return Made(str(path), [], foreign_pairs=error), None
    return Made(str(path), file.machines, file.lmc, file.tables, file.ranks, file.of_nics), file.plan


def read_plan(network: Network, path: Path) -> SavedPlan:
    """Reads what write_plan wrote and finds its hosts in the network. Raises Error, naming the file."""
    made, plan = read_made(path)
    job = fit_of(network, made).demand()
    if plan is None:
        raise Error(f"{path} is a plan of source ports, not of LIDs", hint="`ayatori plan --out` writes one of LIDs")
    return SavedPlan(job, plan, made)
