"""What would go wrong with MPI on some hosts, as each of them is set up: names, limits, folders, clocks, libraries and
adapters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator
from typing import Any

from ayatori.diagnosis.facts import Facts, Host, has_little_shared_memory
from ayatori.diagnosis.findings import Finding, busy_interfaces, slow_pairs

LITTLE_LOCKED_BYTES = 64 << 20
FEW_FILES = 1024
FEW_PROCESSES = 1024
LITTLE_TEMPORARY_BYTES = 64 << 20
CLOCKS_APART = 1.0
SLOW_NAMES = 3.0
BUSY_PROCESSORS = 0.8
"""Of a host's processors, what others use while nothing of ours runs."""


def find_trouble_of_hosts(facts: Facts) -> list[Finding]:
    return [
        *_silent(facts),
        *_same_machine(facts),
        *_names(facts),
        *_others_names(facts),
        *_limits(facts),
        *_folders(facts),
        *_clocks(facts),
        *_versions(facts),
        *_adapters(facts),
        *_neighbours(facts),
    ]


def notes_of(facts: Facts) -> list[Finding]:
    """What a user should know of the measurements, and what is no trouble."""
    found = [_about_busy(network, why) for network, why in facts.busy.items()]
    found += slow_pairs(facts)
    for (host, name), rate in busy_interfaces(facts).items():
        what = f"{name} is busy: it carries {rate * 8 / 1e6:.4g} Mbit/s of others; its rate says little"
        found.append(Finding("busy-network", (host,), what, ""))
    busy = [h.name for h in facts.hosts if h.reply.get("use", {}).get("processors", 0.0) > BUSY_PROCESSORS]
    if busy:
        what = f"the processors are busy (more than {BUSY_PROCESSORS:.0%}): rates say little"
        found.append(Finding("busy-processors", tuple(busy), what, "measure again on quiet hosts"))
    if facts.tried.pairs < facts.tried.all_pairs:
        what = f"{facts.tried.pairs} of {facts.tried.all_pairs} ordered pairs of hosts were tried: each host with "
        what += f"{len(facts.tried.steps)} others, those at {_in_ranges(facts.tried.steps)} places after it in the list"
        found.append(Finding("pairs-not-tried", (), what, "doctor with fewer hosts, for the others"))
    return found


def _about_busy(network: str, why: str) -> Finding:
    return Finding("busy-network", (), f"{network} is busy, or the hosts are: {why}; its rates say little", "")


def _in_ranges(numbers: tuple[int, ...]) -> str:
    ranges: list[list[int]] = []
    for number in numbers:
        if ranges and ranges[-1][1] == number - 1:
            ranges[-1][1] = number
        else:
            ranges.append([number, number])
    return ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def _silent(facts: Facts) -> Iterator[Finding]:
    states: dict[str, list[str]] = defaultdict(list)
    causes: dict[str, str] = {}
    for one in facts.silent:
        states[one.state].append(one.host)
        causes.setdefault(one.state, one.cause)
    for state, hosts in states.items():
        said = f" ({causes[state]})" if causes[state] else ""
        mend = "the agent must run 'python3' there without a password; the others are reported without it"
        yield Finding("no-answer", tuple(hosts), f"{state}{said}", mend)


def _same_machine(facts: Facts) -> Iterator[Finding]:
    """A hostfile that has a machine by two names, and machines that were given one name."""
    machines: dict[Any, list[str]] = defaultdict(list)
    for host in facts.hosts:
        own = tuple((one.hardware, address.text) for one in host.interfaces for address in one.addresses)
        machines[own].append(host.name)
    for own, hosts in machines.items():
        if own and len(hosts) > 1:
            what = "are one machine: MPI would start its ranks twice there"
            yield Finding("same-machine", tuple(hosts), what, "each host once in the hostfile, with slots")
    names: dict[str, list[str]] = defaultdict(list)
    for host in facts.hosts:
        if host.reply.get("hostname"):
            names[host.reply["hostname"]].append(host.name)
    one_machine = {tuple(hosts) for hosts in machines.values()}
    for name, hosts in names.items():
        if len(hosts) > 1 and tuple(hosts) not in one_machine:
            what = f"all call themselves {name}: MPI libraries take their ranks for those of one host"
            yield Finding("same-hostname", tuple(hosts), what, "hostnamectl set-hostname, another on each")


def _names(facts: Facts) -> Iterator[Finding]:
    """MPICH tells its processes the address of a host's own name."""
    local = [host.name for host in facts.hosts if host.own_address is not None and host.own_address.startswith("127.")]
    if local and len(facts.hosts) > 1:
        mend = "in /etc/hosts give the host's name its address on the network"
        yield Finding("name-is-loopback", tuple(local), "their own name leads to the loopback", mend)
    lost = [host.name for host in facts.hosts if host.own_address is None]
    if lost:
        yield Finding("name-unknown", tuple(lost), "their own name leads to no address", "add it to /etc/hosts")
    for host in facts.hosts:
        own = {one.text for one in (*host.addresses(), *host.addresses6())}
        if host.own_address and not host.own_address.startswith("127.") and own and host.own_address not in own:
            what = f"its own name leads to {host.own_address}, which it does not have"
            yield Finding("wrong-name", (host.name,), what, "correct its line in /etc/hosts")
    slow = [host.name for host in facts.hosts if host.reply.get("name_seconds", 0.0) > SLOW_NAMES]
    if slow:
        what = f"looking up their own name takes more than {SLOW_NAMES:g} s: MPI waits for that at its start"
        yield Finding("slow-names", tuple(slow), what, "add it to /etc/hosts, or look at the name server")


def _others_names(facts: Facts) -> Iterator[Finding]:
    """A host's name that leads to what the host does not have; hostfiles with addresses say nothing of names."""
    own = {h.name: {one.text for one in (*h.addresses(), *h.addresses6())} for h in facts.hosts}
    wrong: dict[tuple[str, str | None], list[str]] = defaultdict(list)
    for host in facts.hosts:
        for name, address in host.names.items():
            if name in own and address not in own[name]:
                wrong[name, address].append(host.name)
    for (name, address), hosts in wrong.items():
        where = f"leads to {address}, which it does not have" if address else "is unknown"
        if len(hosts) == len(facts.hosts) - 1 and address and not address.startswith("127."):
            continue  # All agree: an address of a router in front of it, or of a network that we do not see.
        yield Finding("wrong-name", tuple(hosts), f"there, the name {name} {where}", "correct its line in /etc/hosts")


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
    few = [h for h in facts.hosts if (h.reply.get("processes") or FEW_PROCESSES) < FEW_PROCESSES]
    what = f"fewer than {FEW_PROCESSES} processes and threads of a user: libraries start some for each rank"
    yield from holding(few, "processes", what, "ulimit -u, or nproc in /etc/security/limits.conf")


def _folders(facts: Facts) -> Iterator[Finding]:
    def of(key: str, is_bad: Callable[[dict[str, Any]], bool]) -> list[Host]:
        return [h for h in facts.hosts if h.reply.get(key) and is_bad(h.reply[key])]

    small = [host for host in facts.hosts if has_little_shared_memory(host)]
    if small:
        least = min(h.reply["shared_memory"]["free"] for h in small)
        what = f"/dev/shm has {least >> 10} KiB free: ranks of a host die by SIGBUS, or talk by TCP"
        mend = "mount -o remount,size=50% /dev/shm; containers: --shm-size; and remove what old jobs left"
        yield Finding("shared-memory", tuple(h.name for h in small), what, mend)
    full = of("temporary", lambda one: one["free"] < LITTLE_TEMPORARY_BYTES or one["files"] == 0)
    if full:
        what = f"{full[0].reply['temporary']['path']} is full: an MPI's daemons have their files there"
        yield Finding("temporary", tuple(h.name for h in full), what, "make room, or TMPDIR in the job's environment")
    closed = of("temporary", lambda one: not one["writable"])
    if closed:
        what = f"{closed[0].reply['temporary']['path']} is not writable: an MPI's daemons have their files there"
        yield Finding("temporary", tuple(h.name for h in closed), what, "chmod 1777, or TMPDIR elsewhere")


def _clocks(facts: Facts) -> Iterator[Finding]:
    """Against the median, since ours may be the one that is wrong."""
    known = sorted(host.clock[0] for host in facts.hosts if host.clock)
    middle = known[len(known) // 2] if known else 0.0
    off = [h for h in facts.hosts if h.clock and abs(h.clock[0] - middle) > CLOCKS_APART + 2 * h.clock[1]]
    if off:
        most = max((host.clock[0] - middle for host in off if host.clock), key=abs)
        what = f"the clock is {most:+.3g} s from the others': times in logs and in files do not agree"
        yield Finding("clock", tuple(h.name for h in off), what, "chronyd or ntpd")


def _versions(facts: Facts) -> Iterator[Finding]:
    """What a shell without a login finds is not the same: the MPI starts other daemons, or none."""
    for library, words in (("mpirun", "MPI"), ("orted", "orted"), ("ucx", "UCX"), ("pmix", "PMIx")):
        own = {h.name: h.reply.get("libraries", {}).get(library) for h in facts.hosts}
        yield from _unusual(
            own,
            lambda one: one and (one["version"], one["path"]),
            lambda one: f"{one['version']} {one['path']}".strip() if one else "none",
            f"another {words} than on most hosts, in a shell without a login",
        )
    mpich = {host.name: host.mpich for host in facts.hosts}
    yield from _unusual(mpich, lambda one: one, lambda one: one.version if one else "none", "another MPICH")


def _unusual(
    own: dict[str, Any], key: Callable[[Any], Hashable], show: Callable[[Any], str], what: str
) -> Iterator[Finding]:
    counts = Counter(key(one) for one in own.values())
    if len(counts) < 2:
        return
    usual = max(counts, key=lambda value: (counts[value], value is not None))
    for value in counts:
        if value != usual:
            hosts = tuple(host for host, one in own.items() if key(one) == value)
            is_usual = next(one for one in own.values() if key(one) == usual)
            words = f"{what}: {show(own[hosts[0]])}, and {show(is_usual)} there"
            yield Finding("versions", hosts, words, "the same PATH and LD_LIBRARY_PATH, before ~/.bashrc returns")


def _adapters(facts: Facts) -> Iterator[Finding]:
    ports = {(h.name, p["adapter"], p["port"]): p for h in facts.hosts for p in h.reply.get("adapter_ports", [])}
    active = Counter(p["adapter"] for p in ports.values() if p["state"] == "ACTIVE")
    down: dict[tuple[str, int, str], list[str]] = defaultdict(list)
    errors: dict[tuple[str, int], list[str]] = defaultdict(list)
    rates: dict[tuple[str, int], dict[str, str]] = defaultdict(dict)
    for (host, adapter, number), port in ports.items():
        if port["state"] != "ACTIVE" and active[adapter]:
            down[adapter, number, port["state"]].append(host)
        if any(port["errors"].values()):
            errors[adapter, number].append(host)
        if port["state"] == "ACTIVE":
            rates[adapter, number][host] = port["rate"]
    for (adapter, number, state), hosts in down.items():
        mend = "INIT: the subnet manager has not reached it; DOWN: look at the cable"
        yield Finding("adapter-port", tuple(hosts), f"port {number} of {adapter} is {state}, others are ACTIVE", mend)
    for (adapter, number), by_host in rates.items():
        usual = Counter(by_host.values()).most_common(1)[0][0]
        slow = tuple(host for host, rate in by_host.items() if _gbits(rate) < _gbits(usual))
        if slow:
            what = f"port {number} of {adapter} has {by_host[slow[0]]}, and {usual} on the others"
            yield Finding("link-rate", slow, what, "look at the cable, and at the switch's port")
    for (adapter, number), hosts in errors.items():
        if len(hosts) * 2 < len(facts.hosts):
            what = f"port {number} of {adapter} counts errors of its link, as it does not on the others"
            yield Finding("link-errors", tuple(hosts), what, "look at the cable: perfquery, ibqueryerrors")


def _gbits(rate: str) -> float:
    """Of "100 Gb/sec (4X EDR)"."""
    word = rate.split(" ")[0]
    return float(word) if word.replace(".", "", 1).isdigit() else 0.0


def _neighbours(facts: Facts) -> Iterator[Finding]:
    small = [h for h in facts.hosts if (h.reply.get("neighbours") or 1 << 20) < 2 * len(facts.hosts)]
    if small:
        what = "the kernel's table of neighbours holds fewer entries than there are peers and networks"
        mend = "sysctl net.ipv4.neigh.default.gc_thresh3, several times as many as hosts"
        yield Finding("neighbour-table", tuple(h.name for h in small), what, mend)
