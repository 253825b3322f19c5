"""What would go wrong with MPI on some hosts, as their networks have it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import TypeVar

from ayatori.diagnosis.culprits import Culprit, End, explain
from ayatori.diagnosis.facts import Address, Facts, Interface
from ayatori.diagnosis.networks import Way, shared_addresses

SLOWER = 0.5
"""A network with less than this share of the fastest one's rate is slow compared with it."""
BUSY = 0.2
"""An interface that carries more than this share of its network's rate, of others' traffic, is busy."""
_MOST_CULPRITS = 12
_FEW_LOSSES = 2
"""Of 128 packets."""
_T = TypeVar("_T")


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    kind: str
    """A word for programs: "same-address"."""
    hosts: tuple[str, ...]
    what: str
    mend: str
    """What the user can do, where the settings of remedies() do not mend it; empty otherwise."""


def find_trouble_of_networks(facts: Facts, ways: Sequence[Way], chosen: Way | None) -> list[Finding]:
    """All that is found, the worst first."""
    return [
        *_no_way(facts, ways, chosen),
        *_without_carrier(facts),
        *_failures(facts),
        *_same_addresses(facts),
        *_same_hardware(facts),
        *_several_addresses(facts),
        *_shared_subnets(facts),
        *_different_prefixes(facts),
        *_lacking(facts),
        *_slow_first(facts, ways),
        *_losses(facts),
        *_slow(facts),
        *_different_mtu(facts),
        *_different_links(facts),
    ]


def _no_way(facts: Facts, ways: Sequence[Way], chosen: Way | None) -> Iterator[Finding]:
    if chosen is not None or len(facts.hosts) < 2:
        return
    names = tuple(host.name for host in facts.hosts)
    ipv6 = [set(address.network for address in host.addresses6()) for host in facts.hosts]
    if any(not host.interfaces for host in facts.hosts) and (shared := set.intersection(*ipv6)):
        what = f"they share {', '.join(sorted(shared))} alone: MPI libraries use IPv6 if they were built for it"
        mend = "IPv4 addresses for the interfaces; with Open MPI --mca btl_tcp_disable_family 4"
        yield Finding("ipv6-only", names, what, mend)
    elif ways:
        yield Finding(
            "no-network", names, "no network carries packets between all of them", "look at firewalls, cables and VLANs"
        )
    elif not facts.routed or not all(facts.routed.values()):
        yield Finding(
            "no-network", names, "they have no network in common, and not all reach each other by routes", "add routes"
        )


def _without_carrier(facts: Facts) -> Iterator[Finding]:
    for name, hosts in _dark(facts).items():
        mend = "look at the cable, the adapter and the switch's port"
        yield Finding("no-carrier", tuple(hosts), f"{name} has no carrier, as it has on the others", mend)


def _dark(facts: Facts) -> dict[str, list[str]]:
    """By interface the hosts on which it is up without a carrier, if it has one elsewhere."""
    with_carrier = {one.name for host in facts.hosts for one in host.interfaces if one.carrier}
    found: dict[str, list[str]] = defaultdict(list)
    for host in facts.hosts:
        for one in host.interfaces:
            if not one.carrier and one.name in with_carrier:
                found[one.name].append(host.name)
    return found


def _failures(facts: Facts) -> Iterator[Finding]:
    """What does not arrive, by what it was; the smallest set of culprits of each."""
    shared = {address for group in (*shared_addresses(facts), *_shared_hardware(facts).values()) for address in group}
    dark = {(host, name) for name, hosts in _dark(facts).items() for host in hosts}
    pairs = {
        pair: facts.failures.get(pair, () if reached else ("silent",))
        for pair, reached in facts.reached.items()
        if not any(one in shared or (one.host, one.interface) in dark for one in pair)
    }
    dead = {
        pair: words for pair, words in pairs.items() if any(" " not in word and word != "packets" for word in words)
    }
    yield from _explained(facts, pairs, dead, _DEAD)
    alive = {pair: words for pair, words in pairs.items() if pair not in dead}
    closed = {pair: words for pair, words in alive.items() if any(word[:1] != "m" and " " in word for word in words)}
    yield from _explained(facts, alive, closed, _CLOSED)
    open_pairs = {pair: words for pair, words in alive.items() if pair not in closed}
    lost = {pair: words for pair, words in open_pairs.items() if words}
    yield from _explained(facts, open_pairs, lost, _LOST)


@dataclass(frozen=True)
class _Kind:
    kind: str
    describe: Callable[[Facts, Culprit, Sequence[str]], tuple[str, str]]
    """What is wrong and what mends it."""


def _explained(
    facts: Facts,
    tried: Mapping[tuple[Address, Address], Sequence[str]],
    failed: Mapping[tuple[Address, Address], Sequence[str]],
    kind: _Kind,
) -> Iterator[Finding]:
    names: dict[tuple[End, End], list[str]] = defaultdict(list)
    for pair, words in failed.items():
        names[_ends(pair)] += words
    passed = {_ends(pair) for pair in tried if pair not in failed}
    # An interface may have several addresses in a network.
    culprits = explain(names.keys() - passed, passed)
    for culprit in culprits[:_MOST_CULPRITS]:
        words = [word for pair in sorted(culprit.covers) for word in names[pair]]
        what, mend = kind.describe(facts, culprit, words)
        yield Finding(kind.kind, culprit.hosts, what, mend)
    if len(culprits) > _MOST_CULPRITS:
        more = {host: None for one in culprits[_MOST_CULPRITS:] for host in one.hosts}
        yield Finding(kind.kind, tuple(more), "the same between more of the hosts", "")


def _ends(pair: tuple[Address, Address]) -> tuple[End, End]:
    near, far = pair
    return End(near.host, near.network, near.interface), End(far.host, far.network, far.interface)


def place_of(culprit: Culprit) -> str:
    """Where it is, in words: "what c02 sends by eth0 on 10.0.0.0/8"."""
    first, last = culprit.ends[0], culprit.ends[-1]
    on = f" on {first.network}"
    where = {
        "direction": f"from {first.host} to {last.host}{on}",
        "between": f"between {first.host} and {last.host}{on}",
        "sends": f"what {first.host} sends by {first.interface}{on}",
        "receives": f"what {first.host} receives by {first.interface}{on}",
        "interface": f"{first.host}'s {first.interface}{on}",
        "groups": f"between {some([end.host for end in culprit.ends])} and the others{on}",
        "host": f"{first.host} on all of its networks",
        "network": f"{first.network}, between any of its hosts",
    }[culprit.kind]
    interfaces = [one for one in culprit.instead if one.kind in ("sends", "receives", "interface")]
    if culprit.kind in ("direction", "between") and len(interfaces) > 1:
        return f"{where} (unknown which of the two it is)"
    return where


def _describe_dead(_facts: Facts, culprit: Culprit, words: Sequence[str]) -> tuple[str, str]:
    how = "refuses connections" if set(words) == {"refused"} else "does not carry packets"
    # Settings name a network that works, unless there is none; then no-network says so.
    return f"{how}: {place_of(culprit)}; MPI may hang there", ""


def _describe_closed(_facts: Facts, culprit: Culprit, words: Sequence[str]) -> tuple[str, str]:
    ports = ", ".join(sorted({word.split()[1] for word in words if word[:1] != "m" and " " in word}, key=int))
    what = f"ports that MPI libraries take ({ports}) are closed: {place_of(culprit)}; others are open, and MPI hangs"
    mend = "a firewall that lets TCP ports from 1024 pass between hosts"
    return what, f"{mend}; or Open MPI with --mca btl_tcp_port_min_v4 32768 --mca btl_tcp_port_range_v4 28000"


def _describe_lost(_facts: Facts, culprit: Culprit, words: Sequence[str]) -> tuple[str, str]:
    sizes = [int(word.split()[1]) for word in words if word.startswith("messages")]
    lost = f"messages of {min(sizes)} bytes" if sizes else "packets of the interfaces' MTU"
    what = f"{lost} do not arrive, shorter ones do: {place_of(culprit)}; MPI hangs"
    return what, "the MTU of the switches on all of the interfaces (1500?), or a larger one for the switches"


_DEAD = _Kind("dead-network", _describe_dead)
_CLOSED = _Kind("closed-ports", _describe_closed)
_LOST = _Kind("large-messages", _describe_lost)


def _same_addresses(facts: Facts) -> Iterator[Finding]:
    for group in shared_addresses(facts):
        interfaces = sorted({address.interface for address in group})
        what = f"{' and '.join(interfaces)} has the address {group[0].text} on each; MPI may connect to itself"
        yield Finding("same-address", tuple(address.host for address in group), what, "")


def _same_hardware(facts: Facts) -> Iterator[Finding]:
    for (hardware, network), group in _shared_hardware(facts).items():
        hosts = tuple(sorted({one.host for one in group}))
        what = f"their interfaces on {network} have the same hardware address, {hardware}"
        yield Finding("same-hardware", hosts, what, "ip link set DEVICE address, another on each")


def _shared_hardware(facts: Facts) -> dict[tuple[str, str], list[Address]]:
    """By hardware address and network, of copied virtual machines: a switch sends packets to one of the two."""
    holders: dict[tuple[str, str], list[Address]] = defaultdict(list)
    shared = {address for group in shared_addresses(facts) for address in group}
    for host in facts.hosts:
        for one in host.interfaces:
            for address in one.addresses:
                if one.hardware and len(one.hardware) == 17 and address not in shared:
                    holders[one.hardware, address.network].append(address)
    return {key: group for key, group in holders.items() if len({one.host for one in group}) > 1}


def _several_addresses(facts: Facts) -> Iterator[Finding]:
    for host in facts.hosts:
        for interface in host.interfaces:
            if len(interface.addresses) > 1:
                texts = ", ".join(address.text for address in interface.addresses)
                what = f"{interface.name} has {len(interface.addresses)} addresses ({texts}); Open MPI's TCP tells its"
                yield Finding("several-addresses", (host.name,), f"{what} peers one and connects from another", "")


def _shared_subnets(facts: Facts) -> Iterator[Finding]:
    """By default Linux sends by the first route to a subnet, and answers ARP for all of its addresses on any interface:
    what is meant for one cable takes the other."""
    sharing: dict[tuple[str, tuple[str, ...]], list[str]] = defaultdict(list)
    for host in facts.hosts:
        by_network: dict[str, list[str]] = defaultdict(list)
        for interface in host.interfaces:
            for network in {address.network for address in interface.addresses}:
                by_network[network].append(interface.name)
        for network, names in by_network.items():
            if len(names) > 1:
                sharing[network, tuple(names)].append(host.name)
    for (network, pair), hosts in sharing.items():
        what = f"{' and '.join(pair)} are in one subnet, {network}: messages for one of them may take another"
        mend = "a subnet for each interface; or routes by source address (ip rule), and arp_ignore=1, arp_announce=2"
        yield Finding("same-subnet", tuple(hosts), what, mend)


def _different_prefixes(facts: Facts) -> Iterator[Finding]:
    """A host whose subnet is part of the others': Open MPI takes it for another network, and Linux sends elsewhere."""
    holders: dict[str, list[Address]] = defaultdict(list)
    for host in facts.hosts:
        for address in host.addresses():
            holders[address.network].append(address)
    for network, own in holders.items():
        outer = IPv4Network(network)
        for inner, others in holders.items():
            # The interface's name is the same where a length was mistyped; a subnet of its own has one of its own.
            same = {one.interface for one in own} & {one.interface for one in others}
            if inner != network and IPv4Network(inner).subnet_of(outer) and same:
                few, what = (own, network) if len(own) < len(others) else (others, inner)
                usual = inner if few is own else network
                hosts = tuple(dict.fromkeys(one.host for one in few))
                words = f"{sorted(same)[0]} is in {what}, and in {usual} on the others"
                yield Finding("netmask", hosts, words, f"the length of {IPv4Network(usual).prefixlen}")


def _lacking(facts: Facts) -> Iterator[Finding]:
    """A network that most hosts have, and on the others the interface is there and down, or not at all."""
    on: dict[str, dict[str, str]] = defaultdict(dict)
    for host in facts.hosts:
        for interface in host.interfaces:
            for address in interface.addresses:
                on[address.network][host.name] = interface.name
    count = len(facts.hosts)
    for network, members in on.items():
        names = set(members.values())
        left = [host for host in facts.hosts if host.name not in members and not _has_one_of(host.interfaces, names)]
        if not left or len(members) < 2:
            continue
        down = [host for host in left if _has_one_of(host.down, names)]
        if down and len(members) * 2 >= count:
            where = f"{some(list(members))} are on {network} by it"
            what = f"{' or '.join(sorted(names))} is down, or without an address; {where}"
            yield Finding(
                "interface-down", tuple(host.name for host in down), what, "ip link set DEVICE up; its address"
            )
        missing = [host for host in left if host not in down]
        if missing and len(missing) * 4 <= count:
            what = f"no interface is on {network}, as {some(list(members))} are by {' or '.join(sorted(names))}"
            mend = "look at the adapter and its driver, or leave these hosts out"
            yield Finding("partial-network", tuple(host.name for host in missing), what, mend)


def _has_one_of(interfaces: Sequence[Interface], names: Collection[str]) -> bool:
    return any(one.name in names for one in interfaces)


def _slow_first(facts: Facts, ways: Sequence[Way]) -> Iterator[Finding]:
    """What the names of hosts lead to is what MPICH uses, and what users try first."""
    working = [way for way in ways if way.works and way.bytes_per_second and way.network not in facts.busy]
    fastest = max((way.bytes_per_second or 0.0 for way in working), default=0.0)
    for way in working:
        rate = way.bytes_per_second or 0.0
        named = {address.text for address in way.addresses} & {host.own_address for host in facts.hosts}
        if named and rate < SLOWER * fastest:
            hosts = tuple(address.host for address in way.addresses if address.text in named)
            what = f"their names lead to {way.network}, which has {rate / fastest:.0%} of the fastest network's rate"
            yield Finding("slow-first", hosts, what, "")


def _losses(facts: Facts) -> Iterator[Finding]:
    """Few packets may be lost on a good network."""
    counted = {pair: facts.losses.get(pair, 0) for pair in facts.reached if facts.reached[pair]}
    lossy = {_ends(pair): count for pair, count in counted.items() if count > _FEW_LOSSES}
    known = {_ends(pair) for pair in facts.losses} | {_ends(pair) for pair in facts.rates}
    for culprit in explain(lossy.keys(), known - lossy.keys()):
        what = f"packets are lost: {place_of(culprit)}, there or on the way back"
        mend = "look at the errors of the link (ip -s link), at the cable, and at the switch's port"
        yield Finding("packet-loss", culprit.hosts, what, mend)


def _slow(facts: Facts) -> Iterator[Finding]:
    """Interfaces and directions whose rate is far from the median; what others' traffic explains is no fault."""
    return (one for one, is_pair in _slow_culprits(facts) if not is_pair)


def slow_pairs(facts: Facts) -> list[Finding]:
    """Single pairs of hosts that are as fast as usual with others: a path between them, or a busy moment."""
    return [one for one, is_pair in _slow_culprits(facts) if is_pair]


def _slow_culprits(facts: Facts) -> Iterator[tuple[Finding, bool]]:
    busy = busy_interfaces(facts)
    slow = {_ends(pair) for pair in facts.slow}
    passed = {_ends(pair) for pair in facts.rates} - slow
    for culprit in explain(slow, passed):
        if any((end.host, end.interface) in busy for end in culprit.ends):
            continue
        own = [max(rates) for pair, rates in facts.rates.items() if _ends(pair) in culprit.covers]
        usual = facts.bytes_per_second[culprit.ends[0].network]
        what = f"{place_of(culprit)}: {max(own) * 8 / 1e6:.4g} Mbit/s, where {usual * 8 / 1e6:.4g} are usual"
        is_pair = culprit.kind in ("direction", "between") and len(facts.hosts) > 2
        mend = "look at the link's rate and duplex (ethtool), at its errors, and at the cable"
        yield Finding("slow-pair" if is_pair else "slow-interface", culprit.hosts, what, mend), is_pair


def busy_interfaces(facts: Facts) -> dict[tuple[str, str], float]:
    """By host and interface: bytes a second of others, while nothing of ours was sent, where they are many."""
    found = {}
    for host in facts.hosts:
        used = host.reply.get("use", {}).get("bytes_per_second", {})
        for interface in host.interfaces:
            rates = [facts.bytes_per_second.get(address.network, 0.0) for address in interface.addresses]
            if used.get(interface.name, 0.0) > BUSY * max(rates, default=0.0) > 0:
                found[host.name, interface.name] = used[interface.name]
    return found


def _different_mtu(facts: Facts) -> Iterator[Finding]:
    for network, by_size in _by_network(facts, lambda one: one.mtu).items():
        if len(by_size) > 1:
            usual = max(by_size, key=lambda size: (len(by_size[size]), -size))
            words = ", ".join(f"{size} on {some(hosts)}" for size, hosts in sorted(by_size.items()))
            hosts = tuple(sorted({host for size, names in by_size.items() if size != usual for host in names}))
            mend = f"ip link set DEVICE mtu {usual}, or another one everywhere, switches included"
            yield Finding("mtu", hosts, f"the MTU differs on {network}: {words}; large messages may hang", mend)


def _different_links(facts: Facts) -> Iterator[Finding]:
    """A cable or a port that has agreed on less than those of the other hosts."""
    for network, by_speed in _by_network(facts, lambda one: one.speed).items():
        known = {speed: hosts for speed, hosts in by_speed.items() if speed}
        usual = max(known, key=lambda speed: (len(known[speed]), speed), default=0)
        for speed, hosts in known.items():
            if speed < usual:
                what = f"the link has {speed} Mbit/s on {network}, and {usual} on the others"
                yield Finding("link-rate", tuple(hosts), what, "look at the cable, and at the switch's port")
    for network, by_duplex in _by_network(facts, lambda one: one.duplex).items():
        if half := by_duplex.get("half"):
            what = f"the link on {network} has half duplex"
            yield Finding("half-duplex", tuple(half), what, "the same negotiation on both ends of the cable")


def _by_network(facts: Facts, value_of: Callable[[Interface], _T]) -> dict[str, dict[_T, list[str]]]:
    """By network and value the hosts that have it there."""
    found: dict[str, dict[_T, list[str]]] = defaultdict(lambda: defaultdict(list))
    for host in facts.hosts:
        for interface in host.interfaces:
            for network in {address.network for address in interface.addresses}:
                found[network][value_of(interface)].append(host.name)
    return found


def some(hosts: Sequence[str], shown: int = 3) -> str:
    return ", ".join(hosts[:shown]) + (f" and {len(hosts) - shown} more" if len(hosts) > shown else "")
