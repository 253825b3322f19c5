"""Studies for the tests of the report: of networks by formula, as `demo` makes them, and some with made-up loads.

Run as a script it writes a folder of studies to look at: `python sample_study.py DIR`.
"""

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ayatori import _core, open_source
from ayatori.model.jobs import contiguous_jobs, random_jobs
from ayatori.model.network import drawing_as_data
from ayatori.planning.plans import BASE_LIDS, METHODS
from ayatori.planning.routes import make_routes, make_routes_explained
from ayatori.study import comparison
from ayatori.study.comparison import RoutedNetwork, Side, job_as_data, study_as_data

Study = dict[str, Any]

CHECKS = [
    {"what": "tables read back over MADs equal what was loaded", "passed": True, "figure": "3,420 entries"},
    {"what": "ibdmchk finds every LID reachable", "passed": True, "figure": "30 hosts, 8 LIDs each"},
    {"what": "no cycle of channels: free of deadlock", "passed": True, "figure": "60 channels"},
]
MEASURED = {"accepted": True, "seconds": 0.012, "free": 2, "mean_relative_bandwidth": 0.701, "note": ""}
ENGINES = [
    {"name": "OpenSM ftree", "lmc": 0} | MEASURED,
    {"name": "OpenSM ftree", "lmc": 3, "accepted": False, "note": "LMC > 0 is not supported by fat tree"},
    {"name": "OpenSM file, our tables", "lmc": 3} | MEASURED | {"note": "one path a pair"},
]
PAPER_RANDOM = {
    "base-lids": {"mean": 1198, "min": 888, "max": 1690, "over_1500": 1},
    "rule": {"mean": 1607, "min": 1265, "max": 1716, "over_1500": 43},
}
"""MB/s, and how many of 60 jobs are as fast as the last one says."""


def routed(source: str) -> RoutedNetwork:
    network = open_source(source)
    return RoutedNetwork(network, make_routes(network, 0), make_routes_explained(network).routes)


def study_of(source: str, size: int, jobs: int = 5, seed: int = 3, sizes: list[int] | None = None) -> Study:
    """Random jobs of so many hosts, and contiguous ones of these sizes."""
    study = comparison.Study(routed(source))
    network = study.routed.network
    study.run(random_jobs(network, jobs, size, seed=seed), contiguous_jobs(network, sizes or [size]))
    return study_as_data(study, source, source, seed)


def paper_study(jobs: int = 60) -> Study:
    """Paper 1: random 16-host jobs and contiguous ones on 30 hosts of a 6-ary-2-tree, beside what it measured."""
    study = study_of("fattree:K=6,levels=2,nodes=30", 16, jobs, seed=1, sizes=list(range(3, 31)))
    study["random"]["paper_MBps"] = PAPER_RANDOM
    study["contiguous"]["paper_MBps"] = {"base-lids": {"16": 1310}}
    return study | {"peak_MBps": 1716, "engines": ENGINES, "checks": CHECKS}


def job_study(source: str, size: int, seed: int = 7) -> Study:
    """Of one random job alone: its paths without a plan and with one."""
    of = routed(source)
    jobs = random_jobs(of.network, 1, size, seed=seed)
    sides = [Side(method, of.assess(jobs, method)[0], of.routes(method)) for method in (BASE_LIDS, "pair")]
    return {
        "title": source,
        "methods": METHODS,
        "fabric": drawing_as_data(of.network),
        "worst_job": job_as_data(of.network, *sides),
    }


def wide_study() -> Study:
    """A real machine's size, and names as long as its: two cables a pair, one of them slow."""
    text = _core.export_network(open_source("xgft:h=2;m=17,31;w=1,9;p=1,2,rate=4xNDR"), "json").decode()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "wide.json"
        file.write_text(re.sub(r'"([LR])S(\d+)"', r'"MF0;A09-P1-IB\1-\2:MQM9701/U1"', text))
        study = job_study(f"json:{file}", 96) | {"title": "A real machine's size"}
    study["fabric"]["links"][40]["degraded"] = True
    return study


def ring_study(routers: int = 6) -> Study:
    """No tree: routers in a ring, levels unknown, with made-up loads of two hosts, and of one side alone."""
    fabric = drawing_as_data(open_source(f"torus:{routers},hosts=2"))
    fabric["links"][2]["degraded"] = True
    hosts = [fabric["hosts"][0]["name"], fabric["hosts"][-7]["name"]]
    loads = [[link, "ab", 2 + link % 3] for link in range(routers)]
    before = {"method": "minhop", "relative_bandwidth": 0.3, "loads": loads}
    return {"title": "A ring", "fabric": fabric, "worst_job": {"hosts": hosts, "step": 1, "before": before}}


def four_rails() -> dict[str, Any]:
    """As docs/json-format.md has it: eight hosts with a NIC on each of four leaves, a slow cable, and a missing one."""
    nodes: list[dict[str, Any]] = [{"kind": "router", "name": f"leaf-{leaf}", "ports": 12} for leaf in range(4)]
    nodes += [{"kind": "router", "name": f"spine-{spine}", "ports": 12} for spine in range(2)]
    cables = [
        {"from": [leaf, 9 + spine], "to": [4 + spine, leaf + 1], "rate": "4xEDR" if leaf == spine == 0 else "4xNDR"}
        for leaf in range(4)
        for spine in range(2)
        if (leaf, spine) != (2, 1)
    ]
    for host in range(8):
        for rail in range(4):
            cables.append({"from": [len(nodes), 1], "to": [rail, host + 1], "rate": "4xNDR"})
            nic = {"kind": "nic", "name": f"dgx-{host} mlx5_{rail}", "ports": 1, "machine": f"dgx-{host}", "rail": rail}
            nodes.append(nic | {"guid": f"{0x1000 * (host + 1) + 16 * rail:#x}"})
    return {"format": "nwtopo-json", "version": 1, "planes": ["infiniband"], "nodes": nodes, "cables": cables}


def multi_rail_study() -> Study:
    """Of four_rails(), with the made-up loads of a job of four hosts and eight ranks, every step told."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "rails.json"
        file.write_text(json.dumps(four_rails()))
        fabric = drawing_as_data(open_source(f"json:{file}"))
    hosts = [(host["name"], host["rail"]) for host in fabric["hosts"]]
    return {
        "title": "Four rails",
        "fabric": fabric,
        "made": {"date": "2026-11-22 04:00 UTC", "version": "0.1.0", "seed": 7, "command": "ayatori demo ib:x"},
        "methods": METHODS,
        "worst_job": {
            "hosts": [f"dgx-{host}" for host in range(4)],
            "endpoints": [hosts.index((f"dgx-{rank % 4}", rank // 4)) for rank in range(8)],
            "step": 1,
            "before": {"method": "rule", "relative_bandwidth": 0.5, "loads": [[0, "ab", 2], [2, "ba", 3]]},
            "after": {"method": "pair", "relative_bandwidth": 1, "loads": [[0, "ab", 1], [1, "ab", 1]]},
            "steps": [
                {"step": step, "before": [[step % 7, "ab", step + 1]], "after": [[step % 7, "ba", 1]]}
                for step in (0, 2, 3, 4, 5, 6)
            ],
        },
    }


def large_study() -> Study:
    """A tree of three levels with 10,368 hosts, and a job of 128."""
    return job_study("fattree:K=18,levels=3,nodes=10368", 128)


def write_studies(folder: Path, *studies: Study) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for i, study in enumerate(studies):
        (folder / f"study-{i}.json").write_text(json.dumps(study), encoding="utf-8")
    return folder


if __name__ == "__main__":
    three_levels = job_study("fattree:K=8,levels=3", 128)
    samples = paper_study(), wide_study(), three_levels, ring_study(), multi_rail_study(), large_study()
    write_studies(Path(sys.argv[1]), *samples)
