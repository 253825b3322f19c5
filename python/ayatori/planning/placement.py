"""Hosts for a new job: so many of those that are free, where it neither disturbs the jobs that run nor is disturbed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ayatori import _core
from ayatori._core import Job, Network, Routes
from ayatori.base.errors import Error
from ayatori.planning.beside import Placed, RunningJob, plan_beside


@dataclass
class Proposal:
    """Hosts, how they were chosen, and what a job on them is expected to get."""

    how: str
    hosts: list[str]
    placed: Placed


def free_by_leaf(network: Network, free: Job) -> list[list[int]]:
    """The free machines by the switch of their first NIC, in network order."""
    leaves: dict[int, list[int]] = defaultdict(list)
    all_machines = network.machines
    for machine in free.machines:
        first = all_machines[machine].endpoints[0]
        leaves[network.port(network.port(first).peer).device].append(machine)
    return list(leaves.values())


def candidates(network: Network, free: Job, nodes: int) -> Iterator[tuple[str, list[int]]]:
    """Ways to take `nodes` of the free machines, most promising first; some may be the same."""
    leaves = free_by_leaf(network, free)
    fitting = [leaf for leaf in leaves if len(leaf) >= nodes]
    if fitting:
        yield "on one leaf, that has the fewest free hosts left then", min(fitting, key=len)[:nodes]
    for each in range(min(nodes, max(map(len, leaves))), 0, -1):
        wide_enough = [leaf for leaf in leaves if len(leaf) >= each]
        if nodes % each == 0 and len(wide_enough) * each >= nodes:
            fullest = sorted(wide_enough, key=len)[: nodes // each]
            yield f"{each} on each of {nodes // each} leaves", [m for leaf in fullest for m in leaf[:each]]
    emptiest = sorted(leaves, key=lambda leaf: -len(leaf))
    yield "on as few leaves as possible", [machine for leaf in emptiest for machine in leaf][:nodes]
    yield "the first free ones", list(free.machines)[:nodes]


def propose(
    network: Network,
    routes: Routes,
    free: Job,
    nodes: int,
    others: Sequence[RunningJob],
    proposals: int = 3,
    ppn: int = 0,
    pattern: str = "shift",
    seed: int = 1,
    rails: str = "own",
) -> list[Proposal]:
    """Up to so many different proposals, the best first: most bandwidth, then fewest meetings with other jobs.

    Raises Error: fewer free hosts than nodes, hosts that a running job has.
    """
    if not 1 <= nodes <= len(free.machines):
        raise Error(f"no job of {nodes} hosts is possible: {len(free.machines)} are free")
    busy = {machine.host: other.name for other in others for machine in other.machines}
    all_machines = network.machines
    for machine in free.machines:
        name = all_machines[machine].name
        if name in busy:
            raise Error(f"host '{name}' is not free: job '{busy[name]}' runs on it")
    seen: set[frozenset[int]] = set()
    found = []
    for how, machines in candidates(network, free, nodes):
        if frozenset(machines) in seen:
            continue
        seen.add(frozenset(machines))
        hosts = [all_machines[machine].name for machine in machines]
        job = _core.job_from_hostfile(network, "\n".join(hosts), "the free hosts", ppn, True)
        found.append(Proposal(how, hosts, plan_beside(network, routes, job, others, pattern, seed, rails)))
    found.sort(key=lambda each: (-round(each.placed.bandwidth, 6), each.placed.meetings))
    return found[:proposals]
