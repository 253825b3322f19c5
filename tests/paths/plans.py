"""Plans as their documented files say them, read without the code that is tested."""

import json
from dataclasses import dataclass
from pathlib import Path

from verbs import Port

from ayatori._core import PathNumbering, job_of_hosts
from ayatori.formats.plan_file import write_plan
from ayatori.model.network import open_source
from ayatori.planning.plans import plan
from ayatori.planning.routes import make_routes
from files_walk import WrittenPlan

FABRIC = "fattree:K=6,levels=2,nodes=30"


@dataclass(frozen=True)
class PlanOfTest:
    path: Path
    lmc: int
    ports: list[Port]
    """By rank."""
    bits: list[list[int]]
    """By source and destination."""

    def dlid(self, source: int, destination: int) -> int:
        return self.ports[destination].lid + self.bits[source][destination]


def read(path: Path) -> PlanOfTest:
    document, written = json.loads(path.read_text(encoding="utf-8")), WrittenPlan(path)
    lmc, ranks = document["lmc"], range(len(written.base))
    ports = [Port(guid, lid, lmc) for guid, lid in zip(written.ports, written.base, strict=True)]
    return PlanOfTest(path, lmc, ports, [[written.lid(a, b) - written.base[b] for b in ranks] for a in ranks])


def made(
    folder: Path,
    method: str,
    hosts: list[str],
    ranks_per_host: int = 1,
    numbering: PathNumbering = PathNumbering.by_destination,
) -> PlanOfTest:
    network = open_source(FABRIC)
    job = job_of_hosts(network, [(host, ranks_per_host) for host in hosts], "a test")
    routes = make_routes(network, "auto", numbering)
    path = folder / f"{method}.json"
    write_plan(network, routes, job, plan(network, routes, job, method), path)
    return read(path)
