"""Hosts for a new job: so many of those that are free, where it neither disturbs the jobs that run nor is disturbed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ayatori import _core
from ayatori._core import Job, Machine, Network, Routes, SearchControl
from ayatori.base.errors import Error
from ayatori.model.parts import parts_of_routers
from ayatori.planning.concurrent import Placed, RunningJob, plan_concurrent
from ayatori.planning.plans import SHIFT, Messages


@dataclass
class Proposal:
    """Hosts, how they were chosen, and what a job on them is expected to get."""

    how: str
    hosts: list[str]
    placed: Placed


def switch_of(network: Network, machine: Machine) -> int:
    """That of the machine's first NIC."""
    return network.port(network.port(machine.endpoints[0]).peer).device


def by_part(network: Network, machines: Iterable[int]) -> list[list[int]]:
    """The machines by the part of the network in which their first NICs are."""
    part_of = parts_of_routers(network)
    parts: dict[int, list[int]] = defaultdict(list)
    all_machines = network.machines
    for machine in machines:
        parts[part_of[switch_of(network, all_machines[machine])]].append(machine)
    return list(parts.values())


def by_leaf(network: Network, machines: Iterable[int]) -> list[list[int]]:
    """The machines by the switch of their first NIC, in network order."""
    leaves: dict[int, list[int]] = defaultdict(list)
    all_machines = network.machines
    for machine in machines:
        leaves[switch_of(network, all_machines[machine])].append(machine)
    return list(leaves.values())


def candidates(network: Network, free: Sequence[int], nodes: int) -> Iterator[tuple[str, list[int]]]:
    """Ways to take `nodes` of the free machines, most promising first; some may be the same. All in one part."""
    for part in by_part(network, free):
        if len(part) >= nodes:
            yield from candidates_in_part(by_leaf(network, part), part, nodes)


def candidates_in_part(leaves: Sequence[list[int]], free: Sequence[int], nodes: int) -> Iterator[tuple[str, list[int]]]:
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
    yield "the first free ones", list(free)[:nodes]


@dataclass(frozen=True)
class Wanted:
    """The job that hosts are proposed for."""

    nodes: int
    ppn: int = 0
    """Ranks on a host; 0: as many as in the job of the free hosts."""
    messages: Messages = SHIFT


def job_on(network: Network, free: Job, machines: Iterable[int], ppn: int) -> Job:
    """A job on these of the free machines, in the order that `free` has; with `ppn` 0 each has its ranks there."""
    chosen = set(machines)
    ranks = Counter(free.machine_of_rank)
    hosts = [(free.name_of(network, each), ppn or ranks[each]) for each in free.machines if each in chosen]
    return _core.job_of_hosts(network, hosts, "the free hosts")


def propose(
    network: Network,
    routes: Routes,
    free: Job,
    wanted: Wanted,
    others: Sequence[RunningJob],
    proposals: int = 3,
    control: SearchControl | None = None,
) -> list[Proposal]:
    """Up to so many different proposals, the best first: most bandwidth, then fewest link conflicts with other jobs.

    Where `control` stops it, those that are found. Raises Error: fewer free hosts than nodes, or none between which
    cables lead; hosts that a running job has; what the planning of every proposal raises, if it does.
    """
    nodes = wanted.nodes
    if not 1 <= nodes <= len(free.machines):
        raise Error(f"no job of {nodes} hosts is possible: {len(free.machines)} are free")
    busy = {machine.host: other.name for other in others for machine in other.made.machines}
    for machine in free.machines:
        name = free.name_of(network, machine)
        if name in busy:
            raise Error(f"host '{name}' is not free: job '{busy[name]}' runs on it")
    control = control or SearchControl()
    ways: dict[frozenset[int], tuple[str, list[int]]] = {}
    for how, machines in candidates(network, free.machines, nodes):
        ways.setdefault(frozenset(machines), (how, machines))
    control.expect(len(ways))
    found: list[Proposal] = []
    failures = []
    for how, machines in ways.values():
        if found and control.stopped:
            break
        job = job_on(network, free, machines, wanted.ppn)
        try:
            [placed] = plan_concurrent(network, routes, [job], others, wanted.messages, control)
        except Error as error:  # these hosts will not do, but others may: tables may not lead to all of them
            failures.append(error)
            continue
        finally:
            control.did(0 if control.stopped else 1)
        found.append(Proposal(how, [free.name_of(network, machine) for machine in machines], placed))
    if not found and failures:
        raise failures[0]
    if not found:
        raise Error(f"no job of {nodes} hosts is possible: cables lead between fewer of those that are free")
    found.sort(key=lambda each: (-round(each.placed.bandwidth, 6), each.placed.conflicts))
    return found[:proposals]
