"""What a network's file says of hosts, compared with what they say themselves: which interface serves which purpose."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ayatori.diagnosis.facts import Facts
from ayatori.diagnosis.findings import Finding

MPI_PURPOSES = ("collectives", "neighbours")


@dataclass(frozen=True)
class ServedPlane:
    """A plane of the network on the hosts that were asked."""

    name: str
    purposes: tuple[str, ...]
    """Of "collectives", "neighbours" and "storage"."""
    carries_ip: bool
    """Not Fibre Channel: it has interfaces."""
    interfaces: Mapping[str, tuple[str, ...]]
    """By host, of those that are on it."""


def find_trouble_of_planes(facts: Facts, known: Sequence[str], planes: Sequence[ServedPlane]) -> list[Finding]:
    """Where hosts and the file do not agree. `known`: the hosts that the file has."""
    return [*_unknown(facts, known), *_missing(facts, planes), *_not_served(facts, known, planes)]


def _unknown(facts: Facts, known: Sequence[str]) -> Iterator[Finding]:
    strangers = tuple(host.name for host in facts.hosts if host.name not in known)
    if strangers:
        yield Finding("not-in-network", strangers, "the network does not have them", "call hosts in it as they are")


def _missing(facts: Facts, planes: Sequence[ServedPlane]) -> Iterator[Finding]:
    present = {host.name: {interface.name for interface in host.interfaces} for host in facts.hosts}
    lacking: dict[tuple[str, str], list[str]] = {}
    for plane in planes:
        for host, interfaces in plane.interfaces.items() if plane.carries_ip else ():
            for interface in interfaces:
                if interface not in present[host]:
                    lacking.setdefault((plane.name, interface), []).append(host)
    for (name, interface), hosts in lacking.items():
        what = f"there is no {interface} with an address, by which the network has them on {name}"
        yield Finding("no-interface", tuple(hosts), what, "set it up, or call NICs in the network as the interfaces")


def _not_served(facts: Facts, known: Sequence[str], planes: Sequence[ServedPlane]) -> Iterator[Finding]:
    for purpose in MPI_PURPOSES:
        serving = [plane for plane in planes if purpose in plane.purposes]
        left = tuple(
            host.name
            for host in facts.hosts
            if host.name in known and not any(host.name in plane.interfaces for plane in serving)
        )
        if left:
            what = f"they are on no plane for {purpose}"
            yield Finding("no-plane", left, what, "in the network, a plane for it with all hosts")
