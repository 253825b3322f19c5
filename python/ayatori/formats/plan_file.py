"""Plans on disk: a JSON file for people and tools, and for one path a pair a packed file beside it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ayatori import _core
from ayatori._core import Job, Network, Plan, Planned, Routes
from ayatori.base.errors import Error
from ayatori.base.files import read_text, write_json

FORMAT = "ayatori-plan"
VERSION = 1


@dataclass
class SavedPlan:
    job: Job
    plan: Plan
    lmc: int


def write_plan(network: Network, routes: Routes, job: Job, planned: Planned, path: Path) -> None:
    """Writes `path` (JSON), and `path`.pairs with the packed path bits if the plan has one path a pair."""
    endpoints = job.endpoints(network)
    plan = planned.plan
    data: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "method": plan.method.name,
        "reason": planned.reason,
        "lmc": routes.lmc(endpoints[0]),
        "machines": [
            {"host": network.machines[machine].name, "ranks": ranks}
            for machine, ranks in zip(job.machines, job.ranks_on_machines, strict=True)
        ],
        "ranks": [rank_as_data(network, routes, endpoint) for endpoint in endpoints],
    }
    if plan.is_per_pair:
        pairs = path.with_name(path.name + ".pairs")
        _core.write_pair_plan(plan, str(pairs))
        data["pairs"] = pairs.name
    else:
        for rank, entry in enumerate(data["ranks"]):
            entry["path_bits"] = plan.path_bits(rank, rank)
            entry["lid"] = entry["base_lid"] + entry["path_bits"]
    write_json(path, data)


def rank_as_data(network: Network, routes: Routes, endpoint: int) -> dict[str, Any]:
    return {"port_guid": f"{network.port(endpoint).guid:#018x}", "base_lid": routes.base_lid(endpoint)}


def read_plan(network: Network, path: Path) -> SavedPlan:
    """Reads what write_plan wrote and finds its hosts in the network. Raises Error, naming the file."""
    data = _checked(path)
    job = _core.job_of_hosts(network, [(machine["host"], machine["ranks"]) for machine in data["machines"]], str(path))
    if "pairs" in data:
        plan = _core.read_pair_plan(str(path.with_name(data["pairs"])))
    else:
        bits = [rank["path_bits"] for rank in data["ranks"]]
        plan = Plan.per_destination(_core.Method[data["method"]], bits)
    if plan.rank_count != job.rank_count:
        raise Error(f"{path}: {job.rank_count} ranks on its machines, but paths for {plan.rank_count}")
    return SavedPlan(job, plan, data["lmc"])


def _checked(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(read_text(path))
    except ValueError as error:
        raise Error(f"{path}: this is no JSON", str(error)) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise Error(f"{path}: this is no plan", hint="`ayatori plan --job HOSTFILE --out FILE` writes one")
    if data.get("version") != VERSION:
        raise Error(f"{path}: version {data.get('version')} of the plan format, this program reads {VERSION}")
    try:
        well_formed = (
            data["method"] in _core.Method.__members__
            and isinstance(data["lmc"], int)
            and all(isinstance(m["host"], str) and m["ranks"] >= 1 for m in data["machines"])
            and (isinstance(data.get("pairs"), str) or all(0 <= rank["path_bits"] < 128 for rank in data["ranks"]))
        )
    except (KeyError, TypeError):
        well_formed = False
    if not well_formed:
        raise Error(f"{path}: a plan with missing or malformed entries")
    return data
