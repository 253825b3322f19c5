"""Between which hosts is measured: on each network its first two hosts, and its first and its last; and from a host to
one of a network that it is not on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ayatori.diagnosis import Facts, ServedPlane, ways_of
from ayatori.diagnosis.facts import Address, Host


@dataclass(frozen=True)
class Stretch:
    """Two hosts, and by which of their interfaces they talk."""

    plane: str
    """The network's name; of ways through a gateway those of both: "gbe > infiniband"."""
    place: str
    """near: the network's first two hosts; far: its first and its last; gateway."""
    facts: Facts
    """Of these two hosts alone."""
    ends: tuple[Address, Address]

    @property
    def name(self) -> str:
        return f"{self.plane} {self.place}" if self.place != "gateway" else self.plane

    @property
    def hosts(self) -> tuple[str, str]:
        return self.ends[0].host, self.ends[1].host


def plane_of(interface: str) -> str:
    """The name of a network is that of its interfaces without their number: "gbe" of gbe0."""
    return interface.rstrip("0123456789") or interface


def find_stretches(facts: Facts, planes: Sequence[ServedPlane] = ()) -> list[Stretch]:
    """In the order of the networks of the first hosts. What does not carry packets is left out. A network is called as
    the plane that its interfaces are on, if it is one of these."""
    names = {
        (host, interface): plane.name
        for plane in planes
        for host, interfaces in plane.interfaces.items()
        for interface in interfaces
    }
    on: dict[str, list[Address]] = {}
    for host in facts.hosts:
        for address in host.addresses():
            members = on.setdefault(address.network, [])
            if all(one.host != host.name for one in members):
                members.append(address)
    stretches: list[Stretch] = []
    for members in on.values():
        if len(members) > 1:
            stretches += _stretch("near", facts, members[0], members[1], names)
        if len(members) > 2:
            stretches += _stretch("far", facts, members[0], members[-1], names)
    return stretches + _through_gateways(facts, on, names)


def _name_of(address: Address, names: Mapping[tuple[str, str], str]) -> str:
    return names.get((address.host, address.interface)) or plane_of(address.interface)


def _stretch(
    place: str, facts: Facts, one: Address, other: Address, names: Mapping[tuple[str, str], str]
) -> list[Stretch]:
    between = _only(facts, [one.host, other.host])
    working = [way for way in ways_of(between) if way.works and way.network == one.network]
    if not working:
        return []
    ends = working[0].addresses
    return [Stretch(_name_of(ends[0], names), place, between, (ends[0], ends[1]))]


def _through_gateways(
    facts: Facts, on: dict[str, list[Address]], names: Mapping[tuple[str, str], str]
) -> list[Stretch]:
    """For each two networks the first host that is on the one alone, and the last of the other that it reaches."""
    found: dict[str, Stretch] = {}
    for host in facts.hosts:
        networks = {address.network for address in host.addresses()}
        for network, members in on.items():
            reached = [one for one in members if network not in networks and facts.routed.get((host.name, one), False)]
            for own in host.addresses():
                name = f"{_name_of(own, names)} > {_name_of(members[0], names)}"
                if reached and name not in found:
                    target = reached[-1]
                    between = _only(facts, [host.name, target.host])
                    found[name] = Stretch(name, "gateway", between, (own, target))
    return list(found.values())


def _only(facts: Facts, names: Sequence[str]) -> Facts:
    by_name: dict[str, Host] = {host.name: host for host in facts.hosts}
    return replace(facts, hosts=tuple(by_name[name] for name in names))
