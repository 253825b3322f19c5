"""By which of their interfaces hosts can talk, each with each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ayatori.diagnosis.facts import Address, Facts, Host


@dataclass(frozen=True)
class Way:
    """One address of each host, all in one subnet."""

    network: str
    addresses: tuple[Address, ...]
    """In the order of the hosts."""
    works: bool
    """Whether all of them reach each other, as far as that was tried."""
    alone: bool
    """Whether each of these interfaces has no other address."""
    bytes_per_second: float | None

    @property
    def interface(self) -> str | None:
        """The name of the interface, if it is the same on all hosts."""
        names = {address.interface for address in self.addresses}
        return names.pop() if len(names) == 1 else None


def ways_of(facts: Facts) -> list[Way]:
    """The ways that all hosts have, in the order in which the first host has their addresses.

    Where a host has several interfaces in a subnet, those of the same name belong together; where an interface has
    several addresses in one, those in the same place do.
    """
    ways: dict[tuple[Address, ...], Way] = {}
    for interface in facts.hosts[0].interfaces:
        for first in interface.addresses:
            place = [one for one in interface.addresses if one.network == first.network].index(first)
            addresses = [_counterpart(first, place, host) for host in facts.hosts]
            chosen = tuple(address for address in addresses if address is not None)
            if len(chosen) == len(facts.hosts):
                ways[chosen] = _way(facts, chosen)
    return list(ways.values())


def _counterpart(first: Address, place: int, host: Host) -> Address | None:
    same = [address for address in host.addresses() if address.network == first.network]
    named = [address for address in same if address.interface == first.interface]
    choice = named or same
    return choice[min(place, len(choice) - 1)] if choice else None


def shared_addresses(facts: Facts) -> list[list[Address]]:
    """Addresses that several hosts have, whatever their interfaces are called."""
    holders: dict[str, list[Address]] = defaultdict(list)
    for host in facts.hosts:
        for address in host.addresses():
            if all(one.host != host.name for one in holders[address.text]):
                holders[address.text].append(address)
    return [group for group in holders.values() if len(group) > 1]


def _way(facts: Facts, addresses: tuple[Address, ...]) -> Way:
    works = len({address.text for address in addresses}) == len(addresses) and all(
        facts.reached.get((one, other), True) for one in addresses for other in addresses if one.host != other.host
    )
    counts = [
        len(interface.addresses)
        for host, address in zip(facts.hosts, addresses, strict=True)
        for interface in host.interfaces
        if interface.name == address.interface
    ]
    network = addresses[0].network
    return Way(network, addresses, works, max(counts) == 1, facts.bytes_per_second.get(network))


def choose_way(ways: Sequence[Way]) -> Way | None:
    """The way to use: one that works; with interfaces that have one address if there is one; then the fastest, where
    rates less than a tenth apart are equal; then the first."""
    working = [way for way in ways if way.works]
    best = [way for way in working if way.alone] or working
    fastest = max((way.bytes_per_second or 0.0 for way in best), default=0.0)
    return next((way for way in best if (way.bytes_per_second or 0.0) >= 0.9 * fastest), None)
