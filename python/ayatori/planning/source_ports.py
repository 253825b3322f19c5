"""Source ports of RoCE connections, by the hashes of the switches (docs/roce.md)."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path
from statistics import fmean
from typing import TypedDict

from ayatori import _core
from ayatori._core import HashedPaths, Job, Network, SearchControl, SourcePorts, StepSequence
from ayatori.base.errors import Error, UnknownWord
from ayatori.base.files import read_text
from ayatori.base.spreads import MeanAndLeast
from ayatori.planning.plans import SHIFT, Messages
from ayatori.planning.traffics import RANDOM, TrafficShares, judged_steps, steps_of

HASHES = ("xor", "crc16", "crc32")
OWN_HASH = "library:"
"""library:FILE.so is a hash of the user's (ayatori_hash.h)."""
FIRST_ASSUMED_ADDRESS = IPv4Address("10.0.0.1")
MAX_SEED = 2**32 - 1
DRAWS = 8
"""Of ports at random: what they get differs by some per cent."""
ONE_AT_A_TIME = ("shift", "xor", RANDOM, "ring", "tree")
"""The traffics in whose steps a NIC has one message: those that HashedContention is made for."""
DRAWS_OF_JUDGED = 2
"""The same for each traffic that is judged."""


@dataclass(frozen=True)
class Switches:
    """How the switches of an Ethernet hash, and which addresses its hosts have."""

    hash: str = "crc32"
    seeds: dict[str, int] = field(default_factory=dict)
    """By the name of the switch. Empty: 1, 2, … in the order of the source."""
    addresses: dict[str, list[str]] = field(default_factory=dict)
    """Of the NICs of each host, in their order, IPv4 or IPv6. Empty: assumed, one for each port."""

    def seeds_on(self, network: Network) -> list[int]:
        routers = range(network.router_count)
        if not self.seeds:
            return [router + 1 for router in routers]
        missing = [network.name(router) for router in routers if network.name(router) not in self.seeds]
        if missing:
            raise Error(f"no seed for the switch '{missing[0]}'", hint="a line 'SWITCH SEED' for each switch")
        return [self.seeds[network.name(router)] for router in routers]

    def addresses_of(self, hosts: list[str], endpoints: list[int]) -> list[str]:
        if not self.addresses:
            return [str(FIRST_ASSUMED_ADDRESS + endpoint) for endpoint in endpoints]
        left = {host: list(of_host) for host, of_host in self.addresses.items()}
        found = []
        for host in hosts:
            if not left.get(host):
                raise Error(
                    f"no address for a port of host '{host}'", hint="a line 'HOST ADDRESS' for each of its NICs"
                )
            found.append(left[host].pop(0))
        return found


@dataclass
class PlannedPorts:
    """The NICs of a job, and how its messages share links without and with a plan of source ports."""

    job: Job
    hosts: list[str]
    """By NIC."""
    addresses: list[str]
    planned: SourcePorts
    without: list[float]
    """Relative bandwidth with source ports at random, once for each draw."""
    shares: TrafficShares
    """Of each traffic that the plan is judged by, with ports at random and with the plan."""

    @property
    def free(self) -> bool:
        return self.planned.contention.free_steps == self.planned.contention.steps

    @property
    def proven(self) -> bool:
        """No other ports share links in fewer steps."""
        return self.planned.undecided_steps == 0

    @property
    def reason(self) -> str:
        contention = self.planned.contention
        if self.free:
            return f"no link between switches is shared in any of {contention.steps} steps"
        shared = f"links are shared in {contention.steps - contention.free_steps} of {contention.steps} steps"
        return f"{shared}; in {self.planned.proven_steps} of them every choice of ports shares some"


def read_seeds(file: Path) -> dict[str, int]:
    """Lines 'SWITCH SEED'. Raises Error, naming file and line."""
    seeds: dict[str, int] = {}
    for number, (switch, word) in _pairs_in(file, "SWITCH SEED"):
        seed = int(word, 0) if word.isdigit() or word.lower().startswith("0x") and _is_hexadecimal(word[2:]) else -1
        if not 0 <= seed <= MAX_SEED or switch in seeds:
            raise Error(f"{file}:{number}: expected a switch that is new, and a seed from 0 to {MAX_SEED}")
        seeds[switch] = seed
    return seeds


def read_addresses(file: Path) -> dict[str, list[str]]:
    """Lines 'HOST ADDRESS', a host's NICs in their order. Raises Error, naming file and line."""
    addresses: dict[str, list[str]] = {}
    for number, (host, word) in _pairs_in(file, "HOST ADDRESS"):
        address = _core.ip_address_text(word)
        if address is None:
            raise Error(f"{file}:{number}: expected an IP address like 10.0.0.1 or fd00::1, not '{word}'")
        addresses.setdefault(host, []).append(address)
    return addresses


def _is_hexadecimal(digits: str) -> bool:
    return bool(digits) and all(digit in "0123456789abcdefABCDEF" for digit in digits)


def _pairs_in(file: Path, what: str) -> list[tuple[int, tuple[str, str]]]:
    found = []
    for number, line in enumerate(read_text(file).splitlines(), start=1):
        words = line.split("#", 1)[0].split()
        if not words:
            continue
        if len(words) != 2:
            raise Error(f"{file}:{number}: expected '{what}'")
        found.append((number, (words[0], words[1])))
    if not found:
        raise Error(f"{file} has no line '{what}'")
    return found


def plan_ports(
    network: Network,
    job: Job,
    switches: Switches,
    messages: Messages = SHIFT,
    control: SearchControl | None = None,
) -> PlannedPorts:
    """Plans the source ports of a job's NICs for its messages, compared with draws at random.

    The ports are for the pattern; what all judged traffics get of them is measured, as far as there is time. `control`
    counts nothing; stopped, it ends soon, with what is found so far.
    """
    if switches.hash not in HASHES and not switches.hash.startswith(OWN_HASH):
        raise UnknownWord("hash", switches.hash, [*HASHES, f"{OWN_HASH}FILE.so"])
    control = control or SearchControl()
    nics = _core.job_of_nics(network, job)
    endpoints = nics.endpoints(network)
    hosts = [job.name_of(network, network.machine_of(network.port(endpoint).device)) for endpoint in endpoints]
    addresses = switches.addresses_of(hosts, endpoints)
    paths: HashedPaths = _core.hashed_paths(network, endpoints, addresses, switches.hash, switches.seeds_on(network))
    seed = messages.seed

    def at_random(steps: StepSequence, most: int) -> list[float]:
        draws: list[float] = []
        while len(draws) < most and not (draws and control.stopped):
            draws.append(_core.measure_random_ports(paths, steps, seed + len(draws)).relative_bandwidth)
        return draws

    steps = steps_of(messages.pattern, nics.rank_count, seed)
    without = at_random(steps, DRAWS)
    planned = _core.plan_source_ports(paths, steps, control)
    shares: TrafficShares = ({}, {})
    for pattern in [each for each in messages.judged if each in (*ONE_AT_A_TIME, *(messages.named or ()))]:
        if control.stopped:
            break
        unseen = judged_steps(pattern, nics.rank_count, seed + 1)
        shares[0][pattern] = fmean(at_random(unseen, DRAWS_OF_JUDGED))
        shares[1][pattern] = _core.measure_source_ports(paths, planned, unseen).relative_bandwidth
    return PlannedPorts(job, hosts, addresses, planned, without, shares)


def write_roce_plan(planned: PlannedPorts, hash: str, file: Path) -> None:
    ports = [_core.RocePort(host, each) for host, each in zip(planned.hosts, planned.addresses, strict=True)]
    count = len(ports)
    matrix = [0 if i % (count + 1) == 0 else port for i, port in enumerate(planned.planned.ports)]
    _core.write_roce_plan_file(_core.RocePlanFile(hash, planned.reason, ports, matrix), str(file))


class JobOfPortsData(TypedDict):
    machines: int
    ports: int
    """Hosts, and NICs on them."""
    steps: int
    free_steps: int
    """Steps in which messages pass between switches, and those without a shared link."""
    proven_steps: int
    undecided_steps: int
    """Steps in which every choice of ports shares a link, and those where the search ended before."""
    relative_bandwidth: float
    without_plan: float
    """As for all jobs."""
    reason: str
    """How good the ports are, in words."""


class PortsData(TypedDict):
    hash: str
    """How the switches choose ([roce.md](roce.md))."""
    seeds_given: bool
    addresses_given: bool
    """False where seeds or addresses are assumed."""
    jobs: int
    free: int
    """How many jobs, and in how many no link between switches is shared in any step."""
    proven: int
    """In how many jobs no choice of ports has fewer steps with a shared link."""
    relative_bandwidth: MeanAndLeast
    """Over the jobs, with the plan: 1 / (mean over the steps of the messages on the busiest link)."""
    without_plan: MeanAndLeast
    """The same with ports at random, over 8 draws: the cost of hashing now."""
    per_job: list[JobOfPortsData]
    """One entry per job."""


def ports_as_data(planned: list[PlannedPorts], switches: Switches) -> PortsData:
    """What `roce --json` prints."""
    with_plan = [each.planned.contention.relative_bandwidth for each in planned]
    without = [fmean(each.without) for each in planned]
    return {
        "hash": switches.hash,
        "seeds_given": bool(switches.seeds),
        "addresses_given": bool(switches.addresses),
        "jobs": len(planned),
        "free": sum(each.free for each in planned),
        "proven": sum(each.free or each.proven for each in planned),
        "relative_bandwidth": {"mean": fmean(with_plan), "min": min(with_plan)},
        "without_plan": {"mean": fmean(without), "min": min(min(each.without) for each in planned)},
        "per_job": [
            {
                "machines": len(each.job.machines),
                "ports": len(each.hosts),
                "steps": each.planned.contention.steps,
                "free_steps": each.planned.contention.free_steps,
                "proven_steps": each.planned.proven_steps,
                "undecided_steps": each.planned.undecided_steps,
                "relative_bandwidth": each.planned.contention.relative_bandwidth,
                "without_plan": fmean(each.without),
                "reason": each.reason,
            }
            for each in planned
        ],
    }
