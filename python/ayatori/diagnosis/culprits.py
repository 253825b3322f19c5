"""The smallest set of hosts, interfaces, directions or pairs that explains what fails."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

_MOST_STEPS = 20_000
"""Of the search: what it has found by then is an explanation, perhaps not the smallest one."""


class End(NamedTuple):
    """A host on a network."""

    host: str
    network: str
    interface: str = ""


Pair = tuple[End, End]
KINDS = ("direction", "between", "sends", "receives", "interface", "groups", "host", "network")
"""From what says least to what says most."""


@dataclass(frozen=True)
class Culprit:
    kind: str
    """One of KINDS: a directed pair; a pair; what an interface sends, or receives, or both; a host (all of its
    networks); hosts that reach each other and no others ("groups"); a network on which nothing passes."""
    ends: tuple[End, ...]
    covers: frozenset[Pair]
    """Pairs that fail by it."""
    instead: tuple[Culprit, ...] = ()
    """Others that explain the same as well."""

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(end.host for end in self.ends))


def explain(failed: Collection[Pair], passed: Collection[Pair]) -> list[Culprit]:
    """The smallest set that covers all that failed, and nothing that passed; the culprits with most failures first."""
    failed = set(failed)
    candidates = list(_largest(_admissible(failed, set(passed))))
    chosen = _smallest_cover(failed, [one.covers for one in candidates])
    found = [candidates[number] for number in chosen]
    return sorted(found, key=lambda one: (-len(one.covers), one.ends))


def candidates_of(failed: set[Pair], passed: set[Pair]) -> Iterator[Culprit]:
    """All that may be the cause of some of it: what explains a pair that passed is innocent."""
    by_host, sends, receives = defaultdict(set), defaultdict(set), defaultdict(set)
    for pair in failed | passed:
        sends[pair[0]].add(pair)
        receives[pair[1]].add(pair)
        for end in pair:
            by_host[end.host].add(pair)
    yield from _of_pairs(failed, passed)
    ends = {end for pair in failed for end in pair}
    for end in sorted(ends):
        yield from _innocent_or("sends", (end,), sends[end], passed)
        yield from _innocent_or("receives", (end,), receives[end], passed)
        if sends[end] and receives[end]:
            yield from _innocent_or("interface", (end,), sends[end] | receives[end], passed)
    for host in sorted({end.host for end in ends}):
        own = tuple(sorted(end for end in ends if end.host == host))
        if len(own) > 1:
            yield from _innocent_or("host", own, by_host[host], passed)
    yield from _groups(failed, passed)


def _of_pairs(failed: set[Pair], passed: set[Pair]) -> Iterator[Culprit]:
    for pair in sorted(failed):
        yield Culprit("direction", pair, frozenset([pair]))
        back = (pair[1], pair[0])
        if pair < back and back in failed:
            yield Culprit("between", pair, frozenset([pair, back]))


def _innocent_or(kind: str, ends: tuple[End, ...], pairs: set[Pair], passed: set[Pair]) -> Iterator[Culprit]:
    if pairs and not pairs & passed:
        yield Culprit(kind, ends, frozenset(pairs))


def _groups(failed: set[Pair], passed: set[Pair]) -> Iterator[Culprit]:
    """Of a network whose hosts fall into parts between which nothing passes, each part against the others."""
    networks: dict[str, set[Pair]] = defaultdict(set)
    for pair in failed:
        networks[pair[0].network].add(pair)
    working = {pair[0].network for pair in passed}
    reached: dict[End, set[End]] = defaultdict(set)
    for near, far in passed:
        reached[near].add(far)
        reached[far].add(near)
    for network, pairs in networks.items():
        left = {end for pair in pairs for end in pair}
        if network not in working:
            yield Culprit("network", tuple(sorted(left)), frozenset(pairs))
            continue
        parts = []
        while left:
            part, waiting = set(), [min(left)]
            while waiting:
                end = waiting.pop()
                if end not in part:
                    part.add(end)
                    waiting += reached[end] - part
            left -= part
            parts.append(part)
        for part in sorted(parts, key=sorted):
            crossing = frozenset(pair for pair in pairs if (pair[0] in part) != (pair[1] in part))
            if 1 < len(part) and crossing:
                yield Culprit("groups", tuple(sorted(part)), crossing)


def _admissible(failed: set[Pair], passed: set[Pair]) -> list[Culprit]:
    """Those that explain the same are one, with the others in addition: who can tell which of them it is?"""
    same: dict[frozenset[Pair], list[Culprit]] = defaultdict(list)
    for one in candidates_of(failed, passed):
        same[one.covers].append(one)
    merged = []
    for covers, ones in same.items():
        first, *others = sorted(ones, key=lambda one: (KINDS.index(one.kind), one.ends))
        # A part of a network and the rest of it are one cut.
        merged.append(Culprit(first.kind, first.ends, covers, tuple(others)))
    return merged


def _largest(candidates: Iterable[Culprit]) -> Iterator[Culprit]:
    """Without those that explain less than another one does."""
    by_pair: dict[Pair, list[Culprit]] = defaultdict(list)
    for one in sorted(candidates, key=lambda one: -len(one.covers)):
        some_pair = min(one.covers)
        if not any(one.covers < larger.covers for larger in by_pair[some_pair]):
            for pair in one.covers:
                by_pair[pair].append(one)
            yield one


def _smallest_cover(wanted: set[Pair], sets: list[frozenset[Pair]]) -> list[int]:
    """Numbers of the fewest sets that have all that is wanted, by branch and bound."""
    number_of = {pair: number for number, pair in enumerate(sorted(wanted))}
    masks = [sum(1 << number_of[pair] for pair in one) for one in sets]
    holding: Mapping[int, list[int]] = defaultdict(list)
    for index, one in enumerate(sets):
        for pair in one:
            holding[number_of[pair]].append(index)
    everything = (1 << len(wanted)) - 1
    best = _greedy(everything, masks)
    steps = 0
    stack: list[tuple[int, list[int]]] = [(everything, [])]
    while stack and steps < _MOST_STEPS:
        steps += 1
        left, chosen = stack.pop()
        if not left:
            best = chosen if len(chosen) < len(best) else best
            continue
        largest = max((masks[index] & left).bit_count() for index in holding_any(left, holding))
        if len(chosen) + -(-left.bit_count() // largest) >= len(best):
            continue
        rarest = min(_bits(left), key=lambda number: len(holding[number]))
        # The last that is put onto the stack is tried first: the one that explains most.
        for index in sorted(holding[rarest], key=lambda index: (masks[index] & left).bit_count()):
            stack.append((left & ~masks[index], [*chosen, index]))
    return best


def holding_any(left: int, holding: Mapping[int, list[int]]) -> set[int]:
    return {index for number in _bits(left) for index in holding[number]}


def _greedy(everything: int, masks: list[int]) -> list[int]:
    chosen, left = [], everything
    while left:
        best = max(range(len(masks)), key=lambda index: (masks[index] & left).bit_count())
        chosen.append(best)
        left &= ~masks[best]
    return chosen


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
