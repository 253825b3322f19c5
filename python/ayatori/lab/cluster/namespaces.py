"""Makes a lab's namespaces, cables, routes and files. To be called in namespaces of the lab's own, which session.py
makes: there is nothing outside of them that would have to be removed."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.lab.cluster.delays import LEAST_DELAY_NS, can_delay, make_tap
from ayatori.lab.cluster.delays import start as start_delays
from ayatori.lab.cluster.gateways import find_routes
from ayatori.lab.cluster.layout import Cable, Host, Layout, prefix_of
from ayatori.lab.cluster.neighbours import hardware_address, permanent_neighbours

FOLDER = Path("/run/ayatori")
"""In the lab: `hosts` (as /etc/hosts), `hostfile`, the same with slots for Open MPI, and `agent`, which starts programs
on a host as ssh does."""
INSIDE = FOLDER / "inside"
"""For hosts with faults the lines that shells there execute first."""

_WHOLE_SEGMENTS = 32768
"""With bursts of so many bytes, segments travel whole that the kernel would cut into packets only at the other end."""
_NETEM_PACKETS = 100_000


def make_namespaces(layout: Layout, loss_percent: float, burst: int, has_netem: bool) -> None:
    """Raises Error if the kernel refuses anything."""
    for folder in ("/run", "/dev/shm"):
        _run(["mount", "-t", "tmpfs", "none", folder])
    _run(["ip", "link", "set", "lo", "up"])
    _run(["ip", "-batch", "-"], [f"netns add {host.name}" for host in layout.hosts])
    cables = _end_by_end(layout)
    own_delays = not has_netem and can_delay()
    ends = _delayed_ends(layout) if own_delays else {}
    taps = {name: (make_tap(name), make_tap(peer), seconds) for name, (peer, seconds) in ends.items()}
    _run(["ip", "-batch", "-"], _plugging(layout, burst, ends))
    _run(["tc", "-batch", "-"], [line for name, cable in cables for line in _shaping(name, cable, burst, has_netem)])
    routes = find_routes(layout) if layout.own_addresses else [{}] * len(layout.hosts)
    neighbours = permanent_neighbours(layout)
    for number, (host, own) in enumerate(zip(layout.hosts, routes, strict=True)):
        _make_host(number, host, own, loss_percent, burst, has_netem)
        if neighbours[number]:
            _run(["ip", "-n", host.name, "-batch", "-"], neighbours[number])
    _write_files(layout)
    if taps:
        start_delays(list(taps.values()))


def core_of(number: int) -> int:
    """Of the host with this number: hosts take this machine's cores round-robin."""
    cores = sorted(os.sched_getaffinity(0))
    return cores[number % len(cores)]


def variables() -> dict[str, str]:
    """What tells Open MPI and MPICH which hosts there are and how to start programs on them. They choose networks as
    they always do; only what would take all hosts for one machine is switched off. Open MPI gets the option to leave
    its core while it waits: it can't know that hosts share cores. HPL on four hosts would take minutes instead of
    seconds. Open MPI 5 has other names for what its launcher reads, PRRTE."""
    agent, hostfile = str(FOLDER / "agent"), str(FOLDER / "hostfile")
    return {
        "AYATORI_LAB_HOSTFILE": hostfile,
        "TMPDIR": str(FOLDER / "tmp"),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_plm_rsh_agent": agent,
        "OMPI_MCA_orte_default_hostfile": f"{hostfile}.openmpi",
        "OMPI_MCA_hwloc_base_binding_policy": "none",
        "PRTE_MCA_plm_ssh_agent": agent,
        "PRTE_MCA_prte_default_hostfile": f"{hostfile}.openmpi",
        "PRTE_MCA_hwloc_default_binding_policy": "none",
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "HYDRA_LAUNCHER": "rsh",
        "HYDRA_LAUNCHER_EXEC": agent,
        "HYDRA_HOST_FILE": hostfile,
        "UCX_TLS": "tcp,self",
        "OMPI_MCA_osc": "^ucx",  # which refuses MPI_Win_allocate where UCX has TCP alone
    }


def _end_by_end(layout: Layout) -> list[tuple[str, Cable]]:
    """The ends of cables at switches: the interface and what it sends by."""
    ends = [
        (_port_name(host, i), nic.cable) for host, h in enumerate(layout.hosts) for i, nic in enumerate(h.interfaces)
    ]
    return ends + [(f"t{i}{end}", cable) for i, (_, _, cable) in enumerate(layout.trunks) for end in "ab"]


def _port_name(host: int, interface: int) -> str:
    return f"h{host}-{interface}"


def _delayed_ends(layout: Layout) -> dict[str, tuple[str, float]]:
    """Of cables that are long enough to be delayed here: one end, the other, and seconds."""
    found = {}
    for number, host in enumerate(layout.hosts):
        for index, nic in enumerate(host.interfaces):
            if nic.cable.latency_ns >= LEAST_DELAY_NS:
                port = _port_name(number, index)
                found[port] = (f"{port}-far", nic.cable.latency_ns / 1e9)
    for number, (_, _, cable) in enumerate(layout.trunks):
        if cable.latency_ns >= LEAST_DELAY_NS:
            found[f"t{number}a"] = (f"t{number}b", cable.latency_ns / 1e9)
    return found


def _plugging(layout: Layout, burst: int, taps: Mapping[str, tuple[str, float]]) -> list[str]:
    """Lines of `ip -batch`: the switches, and all cables plugged in. `taps`: those that are there already."""
    lines = []
    for number in range(len(layout.bridges)):
        lines += [f"link add s{number} type bridge", f"link set s{number} up"]
    for number, (near, far, _) in enumerate(layout.trunks):
        if f"t{number}a" not in taps:
            lines.append(f"link add t{number}a type veth peer name t{number}b")
        lines += [f"link set t{number}a master s{near} up", f"link set t{number}b master s{far} up"]
    for number, host in enumerate(layout.hosts):
        for index, nic in enumerate(host.interfaces):
            port = _port_name(number, index)
            if port in taps:
                lines.append(f"link set {taps[port][0]} netns {host.name} name {nic.name}")
            else:
                lines.append(f"link add {port} type veth peer name {nic.name} netns {host.name}")
            lines.append(f"link set {port} master s{nic.bridge} {_segments(burst)} up")
    return lines


def _segments(burst: int) -> str:
    return "" if burst >= _WHOLE_SEGMENTS else "gso_max_segs 1"


def _shaping(name: str, cable: Cable, burst: int, has_netem: bool) -> list[str]:
    """Lines of `tc -batch` for one end of a cable."""
    rate = f"{max(8, round(cable.bits_per_second))}bit"
    bursts = f"burst {burst} cburst {burst} quantum {burst}"
    lines = [
        f"qdisc add dev {name} root handle 1: htb default 1",
        f"class add dev {name} parent 1: classid 1:1 htb rate {rate} {bursts}",
    ]
    if has_netem and cable.latency_ns > 0:
        delay = f"delay {cable.latency_ns / 1000:g}us limit {_NETEM_PACKETS}"
        lines.append(f"qdisc add dev {name} parent 1:1 handle 2: netem {delay}")
    return lines


def _make_host(
    number: int, host: Host, routes: Mapping[int, str], loss_percent: float, burst: int, has_netem: bool
) -> None:
    lines = ["link set lo up"]
    for index, nic in enumerate(host.interfaces):
        lines.append(f"link set {nic.name} address {hardware_address(number, index)}")
        lines += [f"address add {address} dev {nic.name}" for address in nic.addresses]
        lines.append(f"link set {nic.name} {_segments(burst)} up")
    for other in host.others:
        lines += [f"link add {other.name} type bridge", f"link set {other.name} up"]
        lines += [f"address add {address} dev {other.name}" for address in other.addresses]
    lines += [f"route add {prefix_of(subnet)} via {gateway}" for subnet, gateway in sorted(routes.items())]
    _run(["ip", "-n", host.name, "-batch", "-"], lines)
    shaping = [line for nic in host.interfaces for line in _shaping(nic.name, nic.cable, burst, has_netem)]
    _run(["tc", "-n", host.name, "-batch", "-"], shaping)
    inside = ["ip", "netns", "exec", host.name]
    if len(host.interfaces) > 1:
        _run([*inside, "sh", "-c", "echo 1 >/proc/sys/net/ipv4/ip_forward"])
    if loss_percent > 0:
        drop = f"meta iifname != lo numgen random mod 1000000 < {round(loss_percent * 10_000)} drop"
        chain = "add chain ip lab in { type filter hook prerouting priority 0; }"
        _run([*inside, "nft", "-f", "-"], ["add table ip lab", chain, f"add rule ip lab in {drop}"])


def _write_files(layout: Layout) -> None:
    (FOLDER / "tmp").mkdir(parents=True)
    INSIDE.mkdir()
    names = ["127.0.0.1 localhost"]
    for host in layout.hosts:
        names.append(f"{host.address} {host.name}")
        names += [f"{nic.address} {host.name}-{nic.name}" for nic in host.interfaces]
    (FOLDER / "hosts").write_text("\n".join(names) + "\n")
    _run(["mount", "--bind", str(FOLDER / "hosts"), "/etc/hosts"])
    (FOLDER / "hostfile").write_text("".join(f"{host.name}\n" for host in layout.hosts))
    (FOLDER / "hostfile.openmpi").write_text("".join(f"{host.name} slots=1\n" for host in layout.hosts))
    cores = "".join(f"{host.name}) core={core_of(number)} ;;\n" for number, host in enumerate(layout.hosts))
    agent = FOLDER / "agent"
    agent.write_text(_AGENT.replace("CORES", cores).replace("FOLDER", str(INSIDE)))
    agent.chmod(0o755)


_AGENT = """#!/bin/sh
# Called as rsh and ssh are: [options] HOST WORDS…
while [ "${1#-}" != "$1" ]; do shift; done
host=$1
shift
case $host in
CORES*) echo "no host '$host' in this lab" >&2; exit 255 ;;
esac
lines=FOLDER/$host
[ -f "$lines" ] || lines=/dev/null
exec ip netns exec "$host" unshare --uts taskset -c "$core" sh -c "hostname $host; . $lines; $*"
"""


def _run(command: Sequence[str], lines: Sequence[str] = ()) -> None:
    done = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = next(iter(done.stderr.strip().splitlines()), "")
        raise Error(f"{' '.join(command)} failed", said, internal=True)
