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
    document = json.loads(path.read_text(encoding="utf-8"))
    ranks = document["ranks"]
    ports = [Port(int(rank["port_guid"], 16), rank["base_lid"], document["lmc"]) for rank in ranks]
    if "pairs" not in document:
        return PlanOfTest(path, document["lmc"], ports, [[rank["path_bits"] for rank in ranks]] * len(ranks))
    packed = (path.parent / document["pairs"]).read_bytes()
    width, data = packed[12], int.from_bytes(packed[13:-4], "little")
    entry = [data >> width * i & (1 << width) - 1 for i in range(len(ranks) ** 2)]
    return PlanOfTest(path, document["lmc"], ports, [entry[i * len(ranks) :][: len(ranks)] for i in range(len(ranks))])


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
