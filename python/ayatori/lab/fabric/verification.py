"""A fabric on trial: discovered, routed and read back by real OpenSM on a simulated fabric."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ayatori import _core
from ayatori._core import Network, Routes
from ayatori.base.errors import Error
from ayatori.lab.fabric.fabric import Engine, SimulatedFabric
from ayatori.lab.fabric.opensm import OpensmRun
from ayatori.model.network import open_source
from ayatori.planning.routes import MadeRoutes, check, write_for_opensm
from ayatori.processes import ProgramError, last_line, run_program

_DISCOVERY_SECONDS = 300.0
OPENSM_ENGINES: tuple[Engine, ...] = ("ftree", "updn", "minhop")


@dataclass(frozen=True)
class LabCheck:
    """One thing that was looked at, and the figure that was seen."""

    what: str
    passed: bool
    figure: str

    def as_data(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class EngineTrial:
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
    """Are the same routers and HCAs, by node GUID, joined by the same cables?"""
    missing = _cables_by_guid(known) ^ _cables_by_guid(discovered)
    figure = f"{discovered.device_count} devices, {discovered.link_count} cables"
    if missing:
        figure += f"; {len(missing)} cables differ, one is {sorted(missing)[0]}"
    return LabCheck("discovered over MADs: the same network", not missing, figure)


def _cables_by_guid(network: Network) -> set[tuple[tuple[str, int], ...]]:
    def end(port: int) -> tuple[str, int]:
        return f"{network.guid(network.port(port).device):#018x}", network.port(port).number

    return {tuple(sorted((end(a), end(b)))) for a, b in network.cables()}


def try_engine(fabric: SimulatedFabric, network: Network, engine: Engine) -> EngineTrial:
    """Lets OpenSM route by one of its own engines, and reads the tables back."""
    try:
        run = fabric.run_opensm(engine)
    except ProgramError as error:
        return EngineTrial(engine, None, None, error.cause or error.message)
    return EngineTrial(engine, run, read_back(fabric, network), "")


def read_back(fabric: SimulatedFabric, network: Network) -> Routes:
    """The tables of all switches, read over MADs."""
    return _core.parse_tables(fabric.read_tables(), "tables read over MADs", network)


def load_our_tables(fabric: SimulatedFabric, network: Network, made: MadeRoutes, source: str) -> Iterator[LabCheck]:
    """Loads our tables through OpenSM's file engine; yields what OpenSM, the switches and ibdmchk say of them."""
    checked = check(network, made.routes)
    yield LabCheck("our own check: every LID reachable, no deadlock", checked.ok, f"{made.routes.lid_count} LIDs")
    folder = fabric.folder / "tables"
    write_for_opensm(network, made, source, folder)
    run = fabric.run_opensm("file", tables=folder / "lfts", lmc=made.lmc, guid2lid=folder / "guid2lid")
    yield LabCheck(
        f"OpenSM's file engine took the tables at LMC {made.lmc}", run.engine == "file", f"{run.seconds:.1f} s"
    )
    loaded = read_back(fabric, network)
    differences = made.routes.count_differences(loaded)
    entries = made.routes.count_entries()
    yield LabCheck(
        "read back over MADs: every entry as made", differences == 0, f"{entries} entries, {differences} differ"
    )
    verdict = fabric.ibdmchk(run)
    paths = len(verdict.checks)
    yield LabCheck("ibdmchk: every path arrives", verdict.paths_ok, f"{paths} paths a pair")
    yield LabCheck("ibdmchk: no credit loops", verdict.credit_loop_free, f"{paths} paths a pair")


def write_tables_of(run_routes: Routes, network: Network, path: Path) -> None:
    """Tables from anywhere, in OpenSM's format."""
    _core.write_tables(network, run_routes, str(path))
