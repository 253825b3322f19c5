"""What would go wrong with MPI on some hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ayatori.diagnosis.facts import Facts, Host
from ayatori.diagnosis.networks import Way

LITTLE_LOCKED_BYTES = 64 << 20
FEW_FILES = 1024
SLOWER = 0.5
"""A network with less than this share of the fastest one's rate is slow compared with it."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong."""

    kind: str
    """A word for programs: "same-address"."""
    hosts: tuple[str, ...]
    what: str
    mend: str
    """What the user can do, where the settings of remedies() do not mend it; empty otherwise."""


def find_trouble(facts: Facts, ways: Sequence[Way], chosen: Way | None) -> list[Finding]:
    """All that is found, the worst first."""
    found = list(_no_way(facts, ways, chosen))
    found += [*_dead_networks(facts), *_same_addresses(facts), *_several_addresses(facts)]
    found += [
        *_shared_subnets(facts),
        *_names(facts),
        *_slow_first(facts, ways),
        *_different_mtu(facts),
        *_limits(facts),
    ]
    return found


def _no_way(facts: Facts, ways: Sequence[Way], chosen: Way | None) -> Iterator[Finding]:
    if chosen is not None or len(facts.hosts) < 2:
        return
    names = tuple(host.name for host in facts.hosts)
    if ways:
        yield Finding(
            "no-network", names, "no network carries packets between all of them", "look at firewalls, cables and VLANs"
        )
    elif not all(facts.routed.values()):
        yield Finding(
            "no-network", names, "they have no network in common, and not all reach each other by routes", "add routes"
        )


def _dead_networks(facts: Facts) -> Iterator[Finding]:
    """Networks of two hosts or more on which one does not reach another. Those whose hosts have the same address are
    found as such."""
    failed: dict[str, set[str]] = defaultdict(set)
    for (one, other), reached in facts.reached.items():
        if not reached and one.text != other.text:
            failed[one.network] |= {one.host, other.host}
    for network, hosts in failed.items():
        yield Finding(
            "dead-network",
            tuple(sorted(hosts)),
            f"{network} does not carry packets between all of them; MPI may hang there",
            "",
        )


def _same_addresses(facts: Facts) -> Iterator[Finding]:
    holders: dict[tuple[str, str], list[str]] = defaultdict(list)
    for host in facts.hosts:
        for address in host.addresses():
            holders[address.interface, address.text].append(host.name)
    for (interface, text), hosts in holders.items():
        if len(hosts) > 1:
            what = f"{interface} has the address {text} on each; MPI may connect to itself"
            yield Finding("same-address", tuple(hosts), what, "")


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


def _names(facts: Facts) -> Iterator[Finding]:
    """MPICH tells its processes the address of a host's own name."""
    local = [host.name for host in facts.hosts if host.own_address is not None and host.own_address.startswith("127.")]
    if local and len(facts.hosts) > 1:
        mend = "in /etc/hosts give the host's name its address on the network"
        yield Finding("name-is-loopback", tuple(local), "their own name leads to the loopback", mend)
    lost = [host.name for host in facts.hosts if host.own_address is None]
    if lost:
        yield Finding("name-unknown", tuple(lost), "their own name leads to no address", "add it to /etc/hosts")


def _slow_first(facts: Facts, ways: Sequence[Way]) -> Iterator[Finding]:
    """What the names of hosts lead to is what MPICH uses, and what users try first."""
    working = [way for way in ways if way.works and way.bytes_per_second]
    fastest = max((way.bytes_per_second or 0.0 for way in working), default=0.0)
    for way in working:
        rate = way.bytes_per_second or 0.0
        named = {address.text for address in way.addresses} & {host.own_address for host in facts.hosts}
        if named and rate < SLOWER * fastest:
            hosts = tuple(address.host for address in way.addresses if address.text in named)
            what = f"their names lead to {way.network}, which has {rate / fastest:.0%} of the fastest network's rate"
            yield Finding("slow-first", hosts, what, "")


def _different_mtu(facts: Facts) -> Iterator[Finding]:
    sizes: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for host in facts.hosts:
        for interface in host.interfaces:
            for network in {address.network for address in interface.addresses}:
                sizes[network][interface.mtu].append(host.name)
    for network, by_size in sizes.items():
        if len(by_size) > 1:
            smallest = min(by_size)
            words = ", ".join(f"{size} on {_some(hosts)}" for size, hosts in sorted(by_size.items()))
            hosts = tuple(sorted({host for size, names in by_size.items() if size != smallest for host in names}))
            mend = f"ip link set DEVICE mtu {smallest}, or the larger one everywhere, switches included"
            yield Finding("mtu", hosts, f"the MTU differs on {network}: {words}; large messages may hang", mend)


def _limits(facts: Facts) -> Iterator[Finding]:
    def holding(too_small: list[Host], kind: str, what: str, mend: str) -> Iterator[Finding]:
        if too_small:
            yield Finding(kind, tuple(host.name for host in too_small), what, mend)

    locked = [
        h for h in facts.hosts if h.adapters and h.locked_bytes is not None and h.locked_bytes < LITTLE_LOCKED_BYTES
    ]
    mend = "memlock unlimited in /etc/security/limits.conf, and in the batch system's unit: LimitMEMLOCK=infinity"
    yield from holding(locked, "locked-memory", "RDMA adapters, and processes may hardly lock memory", mend)
    files = [h for h in facts.hosts if h.open_files is not None and h.open_files < FEW_FILES]
    what = f"fewer than {FEW_FILES} open files a process: TCP takes one for each peer and network"
    yield from holding(files, "open-files", what, "ulimit -n 65536, or nofile in /etc/security/limits.conf")


def _some(hosts: Sequence[str], shown: int = 3) -> str:
    return ", ".join(hosts[:shown]) + (f" and {len(hosts) - shown} more" if len(hosts) > shown else "")
