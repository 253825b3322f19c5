"""ayatori doctor: what would go wrong with MPI on these hosts, and what mends it."""

from __future__ import annotations

import os
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from ayatori import _core
from ayatori._core import Network
from ayatori.base.files import read_text, write_bytes
from ayatori.base.units import parse_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, say, say_unbroken
from ayatori.diagnosis import (
    Facts,
    Finding,
    ServedPlane,
    Way,
    choose_way,
    find_trouble,
    find_trouble_of_planes,
    known_of_libraries,
    notes_of,
    remedies,
    remedies_by_purpose,
    survey,
    ways_of,
)
from ayatori.diagnosis.survey import words_of
from ayatori.model.network import PURPOSES, PlanePurpose, open_source
from ayatori.pingpong import join_fabrics, network_of_facts, served_planes
from ayatori.processes import YIELDING

BAD = 3
LAUNCHERS = {
    "openmpi": ("Open MPI", "mpirun"),
    "openmpi_ucx": ("Open MPI over UCX", "mpirun"),
    "openmpi_libfabric": ("Open MPI over libfabric", "mpirun"),
    "mpich": ("MPICH", "mpiexec"),
}
VARIABLES = {"nccl": "NCCL (not tried)", "gloo": "Gloo (not tried)"}
_AGENT_VARIABLES = ("OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent", "HYDRA_LAUNCHER_EXEC")
_SSH = "ssh -o BatchMode=yes"
_YIELDING = Path(_core.__file__).parent / "mpi/mpich" / YIELDING


@dataclass(frozen=True)
class Diagnosis:
    """All that is printed."""

    facts: Facts
    ways: Sequence[Way]
    chosen: Way | None
    network: str | None
    """The source that says what planes are for."""
    planes: Sequence[ServedPlane]
    trouble: Sequence[Finding]
    known: Sequence[Finding]
    notes: Sequence[Finding]
    settings: Mapping[str, list[str]]


def doctor(
    hosts: Annotated[
        Path | None,
        typer.Option("--hosts", metavar="HOSTFILE", help="Hosts to look at; else this host alone."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help=f"Command that starts a program on a host: ssh, srun, …; by default the MPI's, else '{_SSH}'.",
        ),
    ] = None,
    timeout: Annotated[
        str, typer.Option(metavar="TIME", help="Longest time until a host's first answer; others are reported then.")
    ] = "30s",
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the networks between the hosts to FILE, for json:FILE."),
    ] = None,
    join: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE", help="With --out: network to add, such as ib:live. Repeatable."),
    ] = None,
    network: Annotated[
        str | None,
        typer.Option("--network", metavar="SOURCE", help="Network of the job, as in run: purpose of interfaces."),
    ] = None,
    aliases: options.ALIASES = None,
    json: options.JSON = False,
) -> int:
    """Report what would go wrong with MPI on these hosts, and fixes.

    Each host reports its interfaces, limits and MPI libraries, and tries to reach the addresses of the others. Hosts
    need Python 3 and iproute2, and an agent that asks for no password. Hosts that do not answer are named.
    Exit status 3: a fault was found.
    """
    _refuse_options_of_nothing(network, join, out, aliases)
    names, words = hosts_and_agent(hosts, agent)
    described = None if network is None else open_source(network, aliases=aliases)
    fabrics = {source: open_source(source, aliases=aliases) for source in join or []}
    facts = survey(names, words, _limit_of(timeout))
    if out is not None:
        write_bytes(out, join_fabrics(network_of_facts(facts), facts, fabrics, note).encode())
        note(f"wrote {out}")
    found = _diagnosis_of(facts, network, described, _ranks_of(hosts))
    if json:
        print_json("doctor", _as_data(found))
    else:
        _describe(found)
    return BAD if found.trouble else 0


def _diagnosis_of(facts: Facts, network: str | None, described: Network | None, ranks: Mapping[str, int]) -> Diagnosis:
    ways = ways_of(facts)
    several = len(facts.hosts) > 1
    chosen = choose_way(ways) if several else None
    trouble = find_trouble(facts, ways, chosen)
    planes: list[ServedPlane] = []
    if described is not None:
        in_network, planes = served_planes(described, facts)
        trouble += find_trouble_of_planes(facts, in_network, planes)
    known = known_of_libraries(facts, ranks, _YIELDING if _YIELDING.exists() else None)
    settings = remedies(facts, chosen) if chosen is not None else {}
    if several and any(len(plane.purposes) < len(PURPOSES) for plane in planes):
        settings = remedies_by_purpose(facts, planes)
    return Diagnosis(facts, ways, chosen, network, planes, trouble, known, notes_of(facts), settings)


def _limit_of(timeout: str) -> float:
    seconds = options.value_of(parse_seconds, timeout)
    if seconds <= 0:
        raise UsageError(f"--timeout {timeout} is no time to answer in", hint="--timeout 30s")
    return seconds


def _refuse_options_of_nothing(
    network: str | None, join: list[str] | None, out: Path | None, aliases: Path | None
) -> None:
    if join and out is None:
        raise UsageError("--join is written to a file", hint="--out FILE")
    if aliases is not None and network is None and not join:
        raise UsageError("--aliases is of the hosts of a network", hint="--network SOURCE, or --join SOURCE")


def hosts_and_agent(hosts: Path | None, agent: str | None) -> tuple[list[str], list[str]]:
    """The hosts to ask, and the words that start a program on one of them; none if this machine is the only one."""
    if hosts is None:
        return [_this_machine()], []
    listed = _core.hosts_in_hostfile(read_text(hosts), str(hosts))
    return list(dict.fromkeys(name for name, _ in listed)), words_of(agent or _agent_of_mpi())


def _ranks_of(hosts: Path | None) -> dict[str, int]:
    """As many as the hostfile has slots for. A host that is listed again has a slot more each time."""
    listed = [] if hosts is None else _core.hosts_in_hostfile(read_text(hosts), str(hosts))
    again = {name for name, times in Counter(name for name, _ in listed).items() if times > 1}
    ranks: Counter[str] = Counter()
    for name, slots in listed:
        ranks[name] += max(slots, 1) if name in again else slots
    return {name: count for name, count in ranks.items() if count > 0}


def _this_machine() -> str:
    return os.uname().nodename


def _agent_of_mpi() -> str:
    return next((os.environ[name] for name in _AGENT_VARIABLES if os.environ.get(name)), _SSH)


class SubnetData(TypedDict):
    network: str
    """The subnet: `10.9.0.0/16`."""
    addresses: list[str]
    interfaces: list[str]
    """Those of each host."""
    works: bool
    """Whether all hosts reach each other, as far as that was tried."""
    bytes_per_second: float | None
    """The median over the hosts, or null."""
    chosen: bool
    """Whether the settings name this one."""


class ServedPlaneData(PlanePurpose):
    name: str
    """The plane's name."""
    interfaces: list[list[str]]
    """Per host the interfaces that are on the plane."""


class FindingData(TypedDict):
    kind: str
    """A word of the table in [doctor.md](doctor.md)."""
    hosts: list[str]
    what: str
    """Where, and in words what."""
    mend: str | None
    """The remedy where settings do not help; null where they do."""


class SettingsData(TypedDict):
    openmpi: list[str] | None
    openmpi_ucx: list[str] | None
    openmpi_libfabric: list[str] | None
    mpich: list[str] | None
    """Words for the command lines of mpirun and mpiexec; null where none are the same for all hosts."""
    nccl: list[str] | None
    gloo: list[str] | None
    """Variables of the environment; not tried."""


class TriedPairsData(TypedDict):
    pairs: int
    all: int
    """Ordered pairs of hosts that were tried, and that there are."""
    steps: list[int]
    """Each host tried the hosts at these distances after it in the list, modulo its length."""


class SilentHostData(TypedDict):
    host: str
    """Its name."""
    state: str
    """What is the same for hosts with the same trouble."""
    cause: str
    """What the agent said last."""


class DoctorData(TypedDict):
    hosts: list[str]
    """The names of those that answered."""
    silent: list[SilentHostData]
    """Those that did not, or stopped to."""
    tried: TriedPairsData
    """Which pairs of hosts were tried."""
    networks: list[SubnetData]
    """The networks that all hosts are on."""
    planes: list[ServedPlaneData]
    """With `--network` its planes; else empty."""
    trouble: list[FindingData]
    """What is wrong."""
    known: list[FindingData]
    """What is known to go wrong with an MPI that the hosts have."""
    notes: list[FindingData]
    """What is no trouble: a busy network, pairs that were not tried."""
    settings: SettingsData
    """What makes MPI libraries use the right network."""


def _as_data(found: Diagnosis) -> DoctorData:
    return {
        "hosts": [host.name for host in found.facts.hosts],
        "silent": [{"host": one.host, "state": one.state, "cause": one.cause} for one in found.facts.silent],
        "tried": {
            "pairs": found.facts.tried.pairs,
            "all": found.facts.tried.all_pairs,
            "steps": list(found.facts.tried.steps),
        },
        "networks": [
            {
                "network": way.network,
                "addresses": [address.text for address in way.addresses],
                "interfaces": [address.interface for address in way.addresses],
                "works": way.works,
                "bytes_per_second": way.bytes_per_second,
                "chosen": way is found.chosen,
            }
            for way in found.ways
        ],
        "planes": [
            {
                "name": plane.name,
                "for": list(plane.purposes),
                "interfaces": [list(plane.interfaces.get(host.name, ())) for host in found.facts.hosts],
            }
            for plane in found.planes
        ],
        "trouble": _findings_as_data(found.trouble),
        "known": _findings_as_data(found.known),
        "notes": _findings_as_data(found.notes),
        "settings": {
            "openmpi": found.settings.get("openmpi"),
            "openmpi_ucx": found.settings.get("openmpi_ucx"),
            "openmpi_libfabric": found.settings.get("openmpi_libfabric"),
            "mpich": found.settings.get("mpich"),
            "nccl": found.settings.get("nccl"),
            "gloo": found.settings.get("gloo"),
        },
    }


def _findings_as_data(findings: Sequence[Finding]) -> list[FindingData]:
    return [
        {"kind": one.kind, "hosts": list(one.hosts), "what": one.what, "mend": one.mend or None} for one in findings
    ]


def _describe(found: Diagnosis) -> None:
    hosts, silent = found.facts.hosts, found.facts.silent
    answer = f"; {len(silent)} more do not answer" if silent else ""
    say(f"{len(hosts)} hosts{answer}" if len(hosts) > 1 or silent else f"this machine, {hosts[0].name}")
    if len(hosts) > 1:
        for way in found.ways:
            say(f"  {_way_in_words(way)}")
        if not found.ways:
            say("  no network that all of them are on")
    for plane in found.planes:
        say(f"  {_plane_in_words(plane)}")
    for one in found.trouble:
        _describe_finding("trouble", one)
    if not found.trouble:
        say("no trouble found")
    for one in found.known:
        _describe_finding("known", one)
    for one in found.notes:
        _describe_finding("note", one)
    _describe_settings(found)


def _describe_finding(word: str, one: Finding) -> None:
    where = f"{_some(one.hosts)}: " if one.hosts else ""
    say(f"{word}: {where}{one.what}")
    if one.mend:
        say(f"    mended by: {one.mend}")


def _describe_settings(found: Diagnosis) -> None:
    for library, words in found.settings.items():
        if library in VARIABLES:
            say(f"{VARIABLES[library]}:")
            say_unbroken(f"    {shlex.join(words)}")
            continue
        name, launcher = LAUNCHERS[library]
        say(f"{name}:")
        say_unbroken(f"    {launcher} {shlex.join(words)} …")
    if len(found.facts.hosts) < 2:
        return
    if found.planes and found.network is not None:
        say("collectives by the plug-in, over the planes for them, and all else of the MPI over those for neighbours:")
        say_unbroken(f"    ayatori run --network {shlex.quote(found.network)} -- mpirun …")
    elif found.chosen is not None and "mpich" not in found.settings:
        say("the interfaces have different names on the hosts: each of them needs settings of its own:")
        for address in found.chosen.addresses:
            say(f"    {address.host}: {address.interface} ({address.text})")


def _plane_in_words(plane: ServedPlane) -> str:
    names = sorted({name for names in plane.interfaces.values() for name in names})
    where = (", ".join(names) if plane.carries_ip else "Fibre Channel") if names else "none of these hosts"
    return f"{plane.name} ({where}): for {' and '.join(plane.purposes)}"


def _way_in_words(way: Way) -> str:
    where = way.interface or "interfaces of different names"
    if not way.works:
        return f"{way.network} ({where}): does not carry packets between all of them"
    rate = f", {way.bytes_per_second * 8 / 1e6:.4g} Mbit/s" if way.bytes_per_second else ""
    return f"{way.network} ({where}): all reach each other{rate}"


def _some(hosts: Sequence[str], shown: int = 4) -> str:
    return ", ".join(hosts[:shown]) + (f" and {len(hosts) - shown} more" if len(hosts) > shown else "")
