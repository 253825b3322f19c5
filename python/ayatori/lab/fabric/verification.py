"""Verification of tables: discovered, routed and read back by real OpenSM on a simulated fabric."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ayatori import _core
from ayatori._core import Network, Routes
from ayatori.base.errors import Error
from ayatori.base.files import read_text
from ayatori.lab.fabric.fabric import Engine, SimulatedFabric
from ayatori.lab.fabric.opensm import OpensmRun
from ayatori.lab.fabric.tables import parse_lfts
from ayatori.model.network import open_source
from ayatori.planning.routes import MadeRoutes, check, write_for_opensm
from ayatori.processes import ProgramError, last_line, run_program

_DISCOVERY_SECONDS = 300.0
_PORT_GUID = re.compile(r"((?:portguid |^)0x)([0-9a-f]{16})\b", re.MULTILINE)
OPENSM_ENGINES: tuple[Engine, ...] = ("ftree", "updn", "minhop")


@dataclass(frozen=True)
class LabCheck:
    """One thing that was looked at."""

    what: str
    passed: bool
    figure: str
    """The check, whether it is as it should be, and the figure that was seen."""

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class EngineRun:
    """One OpenSM engine on the fabric: its tables as read back over MADs, or why there are none."""

    engine: Engine
    run: OpensmRun | None
    routes: Routes | None
    refusal: str


def net_text(network: Network) -> str:
    """The network in the syntax that ibsim reads."""
    return _core.export_network(network, "ibnetdiscover").decode(errors="replace")


def discover_live(fabric: SimulatedFabric, host_pattern: str = "") -> Network:
    """The network as libibnetdisc finds it over MADs, in a child process that sees only the fabric."""
    found = fabric.folder / "discovered"
    said = fabric.folder / "discovery.log"
    status = run_program(
        [sys.executable, "-m", "ayatori.lab.fabric.discovery", found],
        folder=fabric.folder,
        environment=os.environ | fabric.environment(),
        output=said,
        timeout=_DISCOVERY_SECONDS,
    )
    if status != 0:
        raise Error("live discovery failed", last_line(said) or f"status {status}")
    return open_source(f"ib:{found}", host_pattern)


def compare_networks(known: Network, discovered: Network) -> LabCheck:
    """Compares two networks: do the same cables join the same routers and HCAs, which node GUIDs identify?"""
    missing = _cables_by_guid(known) ^ _cables_by_guid(discovered)
    figure = f"{discovered.device_count} devices, {discovered.link_count} cables"
    if missing:
        figure += f"; {len(missing)} cables differ, one is {sorted(missing)[0]}"
    return LabCheck("discovered over MADs: the same network", not missing, figure)


def _cables_by_guid(network: Network) -> set[tuple[tuple[str, int], ...]]:
    def end(port: int) -> tuple[str, int]:
        return f"{network.guid(network.port(port).device):#018x}", network.port(port).number

    return {tuple(sorted((end(a), end(b)))) for a, b in network.cables()}


def try_engine(fabric: SimulatedFabric, network: Network, engine: Engine) -> EngineRun:
    """Lets OpenSM route by one of its own engines, and reads the tables back."""
    try:
        run = fabric.run_opensm(engine)
    except ProgramError as error:
        return EngineRun(engine, None, None, error.cause or error.message)
    return EngineRun(engine, run, read_back(fabric, network), "")


def read_back(fabric: SimulatedFabric, network: Network) -> Routes:
    """The tables of all switches, read over MADs, with the port GUIDs of `network`."""
    text = PortGuids(network).from_ibsim(fabric.read_tables())
    return _core.parse_tables(text, "tables read over MADs", network)


def with_guids(fabric: SimulatedFabric, known: Network) -> Network:
    """`known`, or the same network with the GUIDs that it has in the fabric, if its source lacks any."""
    if all(known.guid(device) for device in range(known.device_count)):
        return known
    path = fabric.folder / "known.net"
    path.write_text(net_text(known), encoding="utf-8", errors="surrogateescape")
    return open_source(f"ib:{path}")


class PortGuids:
    """Translates port GUIDs between a network and ibsim, which gives a port its node's GUID plus its number."""

    def __init__(self, network: Network) -> None:
        own: dict[int, int] = {}
        for link in (link for ends in network.cables() for link in ends):
            port = network.port(link)
            node = network.guid(port.device)
            if port.device < network.router_count:  # a switch has its GUID at port 0
                own[network.port(link - port.number).guid] = node
            else:
                own[port.guid] = node + port.number
        own = {guid: theirs for guid, theirs in own.items() if guid and guid != theirs}
        self._to_ibsim = {f"{guid:016x}": f"{theirs:016x}" for guid, theirs in own.items()}
        self._from_ibsim = {theirs: guid for guid, theirs in self._to_ibsim.items()}

    def to_ibsim(self, text: str) -> str:
        """Tables, or OpenSM's guid2lid, with ibsim's port GUIDs."""
        return self._translate(text, self._to_ibsim)

    def from_ibsim(self, text: str) -> str:
        """Tables as read from ibsim, with the network's port GUIDs."""
        return self._translate(text, self._from_ibsim)

    @staticmethod
    def _translate(text: str, guids: dict[str, str]) -> str:
        """Replaces port GUIDs: after "portguid" in tables, at the beginning of a line in guid2lid."""
        if not guids:
            return text
        return _PORT_GUID.sub(lambda match: match[1] + guids.get(match[2], match[2]), text)


def load_our_tables(fabric: SimulatedFabric, network: Network, made: MadeRoutes, source: str) -> Iterator[LabCheck]:
    """Loads our tables through OpenSM's file engine; yields what OpenSM, the switches and ibdmchk say of them.

    The tables are those that `ayatori route --out-dir` writes for `network`: they are written to files in the same way,
    and what the switches then hold is compared with these files. Only port GUIDs are translated, since ibsim has its
    own.
    """
    checked = check(network, made.routes)
    yield LabCheck("our own check: every LID reachable, no deadlock", checked.ok, f"{made.routes.lid_count} LIDs")
    written, folder = fabric.folder / "tables", fabric.folder / "tables-for-ibsim"
    write_for_opensm(network, made, source, written)
    folder.mkdir()
    guids = PortGuids(network)
    for name in ("lfts", "guid2lid"):
        (folder / name).write_text(
            guids.to_ibsim(read_text(written / name)), encoding="utf-8", errors="surrogateescape"
        )
    run = fabric.run_opensm("file", tables=folder / "lfts", lmc=made.lmc, guid2lid=folder / "guid2lid")
    yield LabCheck(
        f"OpenSM's file engine took the tables at LMC {made.lmc}", run.engine == "file", f"{run.seconds:.1f} s"
    )
    entries, differences = compare_tables(parse_lfts(read_text(written / "lfts")), parse_lfts(fabric.read_tables()))
    yield LabCheck(
        "read back over MADs: every entry as written", differences == 0, f"{entries} entries, {differences} differ"
    )
    verdict = fabric.ibdmchk(run)
    paths = len(verdict.checks)
    yield LabCheck("ibdmchk: every path arrives", verdict.paths_ok, f"{paths} paths a pair")
    yield LabCheck("ibdmchk: no credit loops", verdict.credit_loop_free, f"{paths} paths a pair")


def compare_tables(written: dict[int, dict[int, int]], held: dict[int, dict[int, int]]) -> tuple[int, int]:
    """How many entries were written, and how many of those written or held differ."""
    pairs = {(switch, lid) for tables in (written, held) for switch, table in tables.items() for lid in table}
    differences = sum(written.get(switch, {}).get(lid) != held.get(switch, {}).get(lid) for switch, lid in pairs)
    return sum(len(table) for table in written.values()), differences


def write_tables_of(run_routes: Routes, network: Network, path: Path) -> None:
    """Tables from anywhere, in OpenSM's format."""
    _core.write_tables(network, run_routes, str(path))
