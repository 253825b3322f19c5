"""What is compared with the MPI's own."""

from __future__ import annotations

from collections.abc import Sequence

from ayatori import _core
from ayatori._core import Algorithm, Placement, Schedule
from ayatori.base.errors import Error
from ayatori.prediction.calls import Call, algorithms_of, make_schedule

CHUNKS = (8 << 10, 64 << 10)
"""Of pipelines, in addition to an algorithm's own choice."""
MOST_RANKS_TO_EACH = 64
"""Of algorithms in which each rank sends to each other one."""
_NEED_MORE = ("path-aware", "in-network", "gateways", "gateways-mixed")
"""A plan, switches that reduce, a network in which only some hosts reach the others."""


def placement_of_hosts(hosts: Sequence[str]) -> Placement:
    """Of ranks on these hosts, by rank."""
    machines = {host: number for number, host in enumerate(dict.fromkeys(hosts))}
    whole = _core.placement_of_ranks(len(machines) * len(hosts), len(hosts))
    return _core.placement_of_part(whole, [machines[host] * len(hosts) + rank for rank, host in enumerate(hosts)])


def candidates(collective: str, size: int, placement: Placement) -> list[tuple[str, int]]:
    """Algorithms and their chunk sizes (0: their own choice). Of those that send the same messages in the same steps
    the first one: among two ranks, these are most."""
    found: list[tuple[str, int]] = []
    schedules: list[Schedule] = []
    for algorithm in algorithms_of(collective):
        if not _is_for(algorithm, placement):
            continue
        chunks = [0, *(chunk for chunk in CHUNKS if algorithm.pipelined and chunk < size)]
        for chunk in chunks:
            try:
                schedule = make_schedule(Call(collective, algorithm.name, size, chunk_bytes=chunk), placement)
            except Error:
                break
            if not any(schedule.sends_the_same_as(other) for other in schedules):
                found.append((algorithm.name, chunk))
                schedules.append(schedule)
    return found


def _is_for(algorithm: Algorithm, placement: Placement) -> bool:
    several = placement.machine_count > 1
    if algorithm.of_an_mpi or algorithm.needs_grid or algorithm.name in _NEED_MORE:
        return False
    if algorithm.within_a_node and (several or placement.rank_count > MOST_RANKS_TO_EACH):
        return False
    return algorithm.name != "hierarchical" or 1 < placement.machine_count < placement.rank_count
