"""Which ordered pairs of hosts are tried: as steps in the list, host i to host i + step, modulo their number."""

from __future__ import annotations

ALL_PAIRS_UP_TO = 256
"""Hosts. More connections at once would be a load for the hosts, and for the tables of neighbours in their kernels."""
_MOST_STEPS = 128
BULK_ALL_UP_TO = 6
RATE_SAMPLES = 3


def steps_of(hosts: int) -> tuple[int, ...]:
    """Steps of connections: all, or some that find each host, direction or cable that carries nothing.

    Each step comes with its opposite, so that both directions of a pair are tried. The steps of 1 go once around the
    list: whatever two groups a dead cable leaves, they cross from one to the other in both directions. The powers of
    two and those spread evenly between them have pairs at all distances, for cables that carry some pairs alone.
    """
    if hosts <= ALL_PAIRS_UP_TO:
        return tuple(range(1, hosts))
    chosen = {1, 2, 3}
    power = 4
    while power <= hosts // 2:
        chosen.add(power)
        power *= 2
    spread = _MOST_STEPS // 2 - len(chosen)
    chosen |= {1 + (hosts // 2) * number // spread for number in range(spread)}
    return _with_opposites(chosen, hosts)


def bulk_steps_of(hosts: int) -> tuple[int, ...]:
    """Steps of messages and of ports that libraries take: both neighbours, and theirs."""
    if hosts <= BULK_ALL_UP_TO:
        return tuple(range(1, hosts))
    return _with_opposites({1, 2}, hosts)


def rate_steps_of(hosts: int) -> list[int]:
    """For each sample: other partners, as far as there are some."""
    if hosts < 2:
        return []
    far = max(1, hosts // 2)
    return [step % hosts or 1 for step in (1, far, hosts - 1)][:RATE_SAMPLES]


def _with_opposites(steps: set[int], hosts: int) -> tuple[int, ...]:
    both = {step % hosts for step in steps} | {-step % hosts for step in steps}
    return tuple(sorted(both - {0}))


def at_once(hosts: int) -> int:
    """Pairs whose rate is measured at the same time: a quarter of the hosts, so that they hardly share cables."""
    return max(4, hosts // 4)
