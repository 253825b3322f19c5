"""Which threads of a job share cores: times of one that has more threads than cores say as much of the scheduler."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any


def oversubscribed(places: Sequence[Mapping[str, Any]], threads: int) -> list[str]:
    """Sentences about cores with more threads than there are cores. `places`: each rank's host, machine and cores, as
    the programs print them; each rank has so many threads that want to run."""
    found = []
    by_machine: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for place in places:
        by_machine[place["machine"]].append(place)
    for ranks in by_machine.values():
        for cores in dict.fromkeys(frozenset(place["cores"]) for place in ranks):
            inside = [place for place in ranks if frozenset(place["cores"]) <= cores]
            if len(inside) * threads > len(cores):
                hosts = ", ".join(dict.fromkeys(place["host"] for place in inside))
                which = ",".join(map(str, sorted(cores)))
                found.append(f"{hosts}: {len(inside) * threads} threads on {len(cores)} of the cores ({which})")
    return found


def binding_in_words(places: Sequence[Mapping[str, Any]]) -> str:
    """`rank 0 on host0, core 0; …`"""
    return "; ".join(
        f"rank {rank} on {place['host']}, {'core' if len(place['cores']) == 1 else 'cores'} "
        f"{','.join(map(str, place['cores']))}"
        for rank, place in enumerate(places)
    )
