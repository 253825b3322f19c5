"""ayatori doctor: what would go wrong with MPI on these hosts, and what mends it."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori import _core
from ayatori.base.files import read_text, write_bytes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, say, say_unbroken
from ayatori.diagnosis import Facts, Finding, Way, choose_way, find_trouble, remedies, survey, ways_of
from ayatori.diagnosis.survey import words_of
from ayatori.model.network import open_source
from ayatori.pingpong import join_fabrics, network_of_facts

BAD = 3
LAUNCHERS = {"openmpi": ("Open MPI", "mpirun"), "mpich": ("MPICH", "mpiexec")}
_AGENT_VARIABLES = ("OMPI_MCA_plm_rsh_agent", "HYDRA_LAUNCHER_EXEC")
_SSH = "ssh -o BatchMode=yes"


def doctor(
    hosts: Annotated[
        Path | None,
        typer.Option("--hosts", metavar="HOSTFILE", help="The hosts; without it this machine alone is looked at."),
    ] = None,
    agent: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND", help=f"Starts a program on a host; by default what MPI is told to use, else '{_SSH}'."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the networks between the hosts there, as json:FILE reads them."),
    ] = None,
    join: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SOURCE", help="With --out: a network of these hosts that another source knows, ib:live; repeated."
        ),
    ] = None,
    json: options.JSON = False,
) -> int:
    """Says what would go wrong with MPI on these hosts, and with which settings it goes well.

    Each host is asked for its interfaces, addresses and limits, and tries which addresses of the others it reaches.
    It needs Python 3 and iproute2 there, and an agent that asks for no password. Exit status 3: there is trouble.
    """
    if join and out is None:
        raise UsageError("--join is written to a file", hint="--out FILE")
    names, words = hosts_and_agent(hosts, agent)
    fabrics = {source: open_source(source) for source in join or []}
    facts = survey(names, words)
    if out is not None:
        write_bytes(out, join_fabrics(network_of_facts(facts), facts, fabrics).encode())
        note(f"wrote {out}")
    ways = ways_of(facts)
    chosen = choose_way(ways) if len(names) > 1 else None
    trouble = find_trouble(facts, ways, chosen)
    lines = remedies(facts, chosen) if chosen is not None else {}
    if json:
        print_json("doctor", _as_data(facts, ways, chosen, trouble, lines))
    else:
        _describe(facts, ways, chosen, trouble, lines)
    return BAD if trouble else 0


def hosts_and_agent(hosts: Path | None, agent: str | None) -> tuple[list[str], list[str]]:
    """The hosts to ask, and the words that start a program on one of them; none if this machine is the only one."""
    if hosts is None:
        return [_this_machine()], []
    listed = _core.hosts_in_hostfile(read_text(hosts), str(hosts))
    return list(dict.fromkeys(listed)), words_of(agent or _agent_of_mpi())


def _this_machine() -> str:
    return os.uname().nodename


def _agent_of_mpi() -> str:
    return next((os.environ[name] for name in _AGENT_VARIABLES if os.environ.get(name)), _SSH)


def _as_data(
    facts: Facts, ways: Sequence[Way], chosen: Way | None, trouble: Sequence[Finding], lines: Mapping[str, list[str]]
) -> dict[str, Any]:
    return {
        "hosts": [host.name for host in facts.hosts],
        "networks": [
            {
                "network": way.network,
                "addresses": [address.text for address in way.addresses],
                "interfaces": [address.interface for address in way.addresses],
                "works": way.works,
                "bytes_per_second": way.bytes_per_second,
                "chosen": way is chosen,
            }
            for way in ways
        ],
        "trouble": [
            {"kind": one.kind, "hosts": list(one.hosts), "what": one.what, "mend": one.mend or None} for one in trouble
        ],
        "settings": {"openmpi": lines.get("openmpi"), "mpich": lines.get("mpich")},
    }


def _describe(
    facts: Facts, ways: Sequence[Way], chosen: Way | None, trouble: Sequence[Finding], lines: Mapping[str, list[str]]
) -> None:
    say(f"{len(facts.hosts)} hosts" if len(facts.hosts) > 1 else f"this machine, {facts.hosts[0].name}")
    if len(facts.hosts) > 1:
        for way in ways:
            say(f"  {_way_in_words(way)}")
        if not ways:
            say("  no network that all of them are on")
    for one in trouble:
        say(f"trouble: {_some(one.hosts)}: {one.what}")
        if one.mend:
            say(f"    mended by: {one.mend}")
    if not trouble:
        say("no trouble found")
    for library, words in lines.items():
        name, launcher = LAUNCHERS[library]
        say(f"{name}:")
        say_unbroken(f"    {launcher} {shlex.join(words)} …")
    if chosen is not None and len(lines) < len(LAUNCHERS):
        say("the interfaces have different names on the hosts: each of them needs settings of its own:")
        for address in chosen.addresses:
            say(f"    {address.host}: {address.interface} ({address.text})")


def _way_in_words(way: Way) -> str:
    where = way.interface or "interfaces of different names"
    if not way.works:
        return f"{way.network} ({where}): does not carry packets between all of them"
    rate = f", {way.bytes_per_second * 8 / 1e6:.4g} Mbit/s" if way.bytes_per_second else ""
    return f"{way.network} ({where}): all reach each other{rate}"


def _some(hosts: Sequence[str], shown: int = 4) -> str:
    return ", ".join(hosts[:shown]) + (f" and {len(hosts) - shown} more" if len(hosts) > shown else "")
