"""Rates between hosts: several samples of each host with other partners, and what is slow a second time, alone."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from ayatori.diagnosis.facts import Address, Facts
from ayatori.diagnosis.pairs import at_once, rate_steps_of

Pair = tuple[Address, Address]
"""From which address the bytes come, and to which."""
Ask = Callable[[str, dict[str, Any]], Awaitable[Any]]
Target = Callable[[Address, Address], list[Any]]

SLOWER = 0.5
"""A pair with less than this share of the usual rate is slow."""
_MOST_CONFIRMED = 12
_CONFIRMATIONS = 3
_UNSTEADY = 3.0
"""A usual pair whose samples differ by this factor says nothing: the network, or a machine, is busy."""


async def measure_rates(facts: Facts, ask: Ask, target: Target) -> dict[str, Any]:
    """What Facts has of rates."""
    samples: dict[Pair, list[float]] = defaultdict(list)
    networks = _members(facts)
    for members in networks.values():
        for slot in _slots(members, facts):
            await _measure(slot, samples, ask, target)
    usual = {network: rate for network in networks if (rate := _usual(network, samples))}
    slow, busy = await _confirm(samples, usual, ask, target)
    return {
        "bytes_per_second": usual,
        "rates": {pair: tuple(own) for pair, own in samples.items()},
        "slow": tuple(slow),
        "busy": busy,
    }


def _members(facts: Facts) -> dict[str, list[Address]]:
    """By subnet the first address of each host that reaches another one there."""
    alive = {one for pair, reached in facts.reached.items() if reached for one in pair}
    found: dict[str, dict[str, Address]] = defaultdict(dict)
    for host in facts.hosts:
        for address in (*host.addresses(), *host.addresses6()):
            if address in alive:
                found[address.network].setdefault(host.name, address)
    return {network: list(members.values()) for network, members in found.items() if len(members) > 1}


def _slots(members: Sequence[Address], facts: Facts) -> Iterator[list[Pair]]:
    """Pairs that are measured at the same time: no host sends, or receives, twice."""
    count = len(members)
    for step in rate_steps_of(count):
        pairs = [(members[(number + step) % count], members[number]) for number in range(count)]
        # What was not tried carries packets as far as we know.
        pairs = [pair for pair in pairs if facts.reached.get((pair[1], pair[0]), True)]
        size = at_once(count)
        # Neighbours of the list share cables most likely: a slot takes them from all over it.
        slots = -(-len(pairs) // size)
        for first in range(slots):
            yield pairs[first::slots]


async def _measure(pairs: Sequence[Pair], samples: dict[Pair, list[float]], ask: Ask, target: Target) -> None:
    got = await asyncio.gather(*(ask(near.host, {"rate": target(near, far)}) for far, near in pairs))
    for pair, rate in zip(pairs, got, strict=True):
        if rate is not None:
            samples[pair].append(rate)


def _usual(network: str, samples: Mapping[Pair, Sequence[float]]) -> float:
    """The median over the hosts of what each of them had at best: among few, a slow one is in half of the samples."""
    best: dict[str, float] = defaultdict(float)
    for pair, own in samples.items():
        for end in pair if pair[0].network == network else ():
            best[end.host] = max(best[end.host], *own)
    return median(best.values()) if best else 0.0


async def _confirm(
    samples: dict[Pair, list[float]], usual: Mapping[str, float], ask: Ask, target: Target
) -> tuple[list[Pair], dict[str, str]]:
    """What was slow is measured again, alone, alternating with a pair that was usual."""
    slow: list[Pair] = []
    busy: dict[str, str] = {}
    for network, rate in usual.items():
        own = {pair: max(rates) for pair, rates in samples.items() if pair[0].network == network}
        suspects = sorted((pair for pair in own if own[pair] < SLOWER * rate), key=lambda pair: own[pair])
        if not suspects:
            continue
        reference = min(own, key=lambda pair: abs(own[pair] - rate))
        of_reference: list[float] = []
        confirmed = []
        for suspect in suspects[:_MOST_CONFIRMED]:
            if await _is_slow(suspect, reference, samples, of_reference, (ask, target)):
                confirmed.append(suspect)
        if of_reference and max(of_reference) > _UNSTEADY * min(of_reference):
            least, most = (bound(of_reference) * 8 / 1e6 for bound in (min, max))
            busy[network] = f"the rate between two hosts alone went from {least:.4g} to {most:.4g} Mbit/s"
            # That is no excuse for what is slow even compared with the worst.
            confirmed = [pair for pair in confirmed if max(samples[pair]) < SLOWER * min(of_reference)]
        # Who are many, and slow as far as they were measured again, are slow.
        slow += suspects if len(confirmed) == _MOST_CONFIRMED and network not in busy else confirmed
    return slow, busy


async def _is_slow(
    suspect: Pair, reference: Pair, samples: dict[Pair, list[float]], of_reference: list[float], by: tuple[Ask, Target]
) -> bool:
    for _ in range(_CONFIRMATIONS):
        alone: dict[Pair, list[float]] = defaultdict(list)
        await _measure([suspect], samples, *by)
        await _measure([reference], alone, *by)
        of_reference += alone[reference]
        if not of_reference or max(samples[suspect]) >= SLOWER * median(of_reference):
            return False
    return True
