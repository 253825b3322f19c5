"""Routes: forwarding tables, made, read, checked, written."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypedDict

from ayatori import _core
from ayatori._core import DistinctPaths, Job, LaneCheck, Network, PathNumbering, Routes, SearchControl, TableCheck
from ayatori.base.errors import Error, SourceWarning
from ayatori.base.files import read_text, write_folder
from ayatori.model.network import LinkData, link_as_data

LAST_UNICAST_LID = 0xBFFF
BASE_LIDS = """Programs without a plan use base LIDs. These have the entries that our tables have with LMC 0, one LID
a port: whoever has no plan loses nothing by the other LIDs.
"""
FOR_JOBS = """Programs without a plan use base LIDs. These are spread for the jobs that the tables were made for: other
jobs may get less than with LMC 0. Plan on these tables: `ayatori plan --lfts lfts`.
"""
FEW_COMMENTS = """
Most entries have no comment, so that OpenSM takes them for the LIDs that they name: never load
them without -x and this guid2lid.
"""


@dataclass
class MadeRoutes:
    """Tables that we made, and how."""

    routes: Routes
    lmc: int
    engine: str
    explanation: str
    for_jobs: bool = False
    """Base LIDs are spread for jobs that run, and not those of LMC 0."""
    notes: list[str] = field(default_factory=list)


def make_routes_explained(
    network: Network,
    lmc: int | str = "auto",
    running: Sequence[Job] = (),
    numbering: PathNumbering = PathNumbering.by_destination,
    control: SearchControl | None = None,
) -> MadeRoutes:
    """Makes tables with 2^lmc LIDs a port; "auto" takes as many as the fabric has paths, if they fit.

    Base LIDs have the same entries at every LMC, unless `numbering` is that of paper 1 (`by_root`).

    With `running`, jobs that run now, each job's NICs are spread over the paths by themselves, as if no other existed:
    paper 1's rule in the tables. NICs of no job keep the paths that they have without these jobs.

    `control` counts trees of paths. Stopped, it ends soon, with tables that are less balanced.
    """
    if lmc == "auto":
        choice = _core.choose_lmc(network)
        lmc, explanation = choice.lmc, choice.explanation
    else:
        lmc = int(lmc)
        explanation = f"LMC {lmc} as asked"
    made = _core.generate_routes(
        network, lmc, endpoint_numbers(network, running), numbering, control or SearchControl()
    )
    return MadeRoutes(made.routes, made.lmc, made.engine.name, explanation, bool(running), list(made.notes))


def endpoint_numbers(network: Network, running: Sequence[Job]) -> list[int]:
    """By place in network.endpoints: the NIC's number in its job in network order, or its place if it is in none.

    Of a NIC that two jobs use, the number in the first counts. Empty without jobs.
    """
    if not running:
        return []
    numbers: dict[int, int] = {}
    for job in running:
        of_job = set(job.endpoints(network))
        for number, endpoint in enumerate(endpoint for endpoint in network.endpoints if endpoint in of_job):
            numbers.setdefault(endpoint, number)
    return [numbers.get(endpoint, place) for place, endpoint in enumerate(network.endpoints)]


def changes_for_jobs(network: Network, made: MadeRoutes, running: Sequence[Job]) -> ChangesData:
    """How many entries of the tables, made for these jobs, differ from those that no job has a say in."""
    changed = made.routes.count_differences(make_routes(network, made.lmc)) if running else 0
    return {
        "running": len(running),
        "changed_entries": changed,
        "entries": network.router_count * made.routes.lid_count,
    }


def make_routes(
    network: Network,
    lmc: int | str = "auto",
    numbering: PathNumbering = PathNumbering.by_destination,
    control: SearchControl | None = None,
) -> Routes:
    """The tables alone; see make_routes_explained."""
    return make_routes_explained(network, lmc, (), numbering, control).routes


def read_routes(network: Network, path: Path) -> Routes:
    """Reads opensm-lfts.dump, OpenSM's file-engine tables, or the output of dump_lfts and ibroute.

    Issues a SourceWarning for each line that it skips: entries may be missing.
    """
    routes = _core.read_tables(str(path), network)
    for line in routes.warnings:
        warnings.warn(line, SourceWarning, stacklevel=2)
    return routes


def check(network: Network, routes: Routes) -> TableCheck:
    """Reachability, loops, deadlock freedom and balance of any tables."""
    return _core.check_tables(network, routes)


class BalanceData(TypedDict):
    links: str
    count: int
    """Which kind of link (`up 0->1`), and how many links."""
    min: int
    max: int
    mean: float
    """LIDs on a link of that kind."""


class DistinctPathsData(TypedDict):
    """Paths that differ in a link, from a NIC to a NIC's port on another switch."""

    min: int
    mean: float
    max: int
    """The fewest, mean and most of a pair."""


class TablesData(TypedDict):
    """Forwarding tables, checked."""

    lids: int
    last_lid: int
    lid_space: int
    """LIDs in use, the highest of them, the highest unicast LID that InfiniBand has."""
    tables_ok: bool
    """True if nothing is missing and nothing can deadlock. Every port of a NIC that is cabled to a router must have a
    LID, and every LID must be reachable from every router that needs it."""
    deadlock_free: bool
    """Whether no cycle of links can wait for each other."""
    unreachable: int
    """Pairs of router and LID from which packets do not arrive."""
    looping: int
    """How many of those loop for ever."""
    ports_without_lids: int
    """Ports of adapters that are cabled to a router, but have no LID in the tables."""
    unrouted_router_lids: int
    """Pairs of routers without a route between them, as OpenSM leaves them; they make no table bad."""
    longest_route: int
    """Links on the longest route."""
    parts: list[str]
    """The parts of a network that cables do not join, in words; empty if they join all of it. No routes are expected
    between parts."""
    balance: list[BalanceData]
    """Per kind of link, how evenly LIDs are spread."""
    distinct_paths: DistinctPathsData | None
    """Counted in these tables; null if each port has one LID."""
    idle_links: list[LinkData]
    """Links that carry nothing between NICs, while their switch sends several LIDs over one other link, and one of
    these would be as near by the idle one."""
    cycle: list[LinkData]
    """Links that could wait for each other; empty if there are none."""
    problems: list[str]
    """What is wrong, a sentence each."""


class ChangesData(TypedDict):
    running: int
    """How many jobs `--for` names."""
    changed_entries: int
    entries: int
    """Entries that differ from the tables without these jobs, and all entries."""


class DifferingData(TypedDict, total=False):
    differing_entries: int
    """With `--changed-from`: entries that differ from those tables."""


class RouteData(TablesData, ChangesData, DifferingData):
    source: str
    """As given."""
    engine: str
    """`fat_tree` or `balanced`."""
    lmc: int
    """Every port has 2^`lmc` LIDs."""
    explanation: str
    notes: list[str]
    """Why this LMC; what else to know."""


def check_as_data(network: Network, routes: Routes, checked: TableCheck) -> TablesData:
    return {
        "lids": routes.lid_count,
        "last_lid": routes.last_lid,
        "lid_space": LAST_UNICAST_LID,
        "tables_ok": checked.ok,
        "deadlock_free": checked.deadlock_free,
        "unreachable": checked.unreachable - checked.unrouted_router_lids,
        "looping": checked.looping,
        "ports_without_lids": checked.ports_without_lids,
        "unrouted_router_lids": checked.unrouted_router_lids,
        "longest_route": checked.longest,
        "parts": list(checked.parts),
        "balance": [
            {"links": link.kind, "count": link.links, "min": link.min, "max": link.max, "mean": link.mean}
            for link in checked.balance
        ],
        "distinct_paths": distinct_paths_as_data(checked.paths),
        "idle_links": [link_as_data(network, link) for link in checked.idle_links],
        "cycle": [link_as_data(network, link) for link in checked.cycle],
        "problems": list(checked.problems),
    }


def distinct_paths_as_data(paths: DistinctPaths) -> DistinctPathsData | None:
    return {"min": paths.min, "mean": paths.mean, "max": paths.max} if paths.pairs else None


def check_lanes(network: Network, routes: Routes, path_sl: Path | None, sl_to_vl: Path | None) -> LaneCheck:
    """Checks deadlock of tables whose paths have service levels (SLs).

    Without `path_sl` all have SL 0; without `sl_to_vl` a packet's virtual lane is its SL.
    """
    return _core.check_lanes(
        network,
        routes,
        None if path_sl is None else _core.parse_path_service_levels(read_text(path_sl), str(path_sl), network, routes),
        None if sl_to_vl is None else _core.parse_sl_to_vl(read_text(sl_to_vl), str(sl_to_vl), network),
    )


class ChannelData(LinkData):
    vl: int
    """The virtual lane of this link."""


class LaneUseData(TypedDict):
    vl: int
    links: int
    """A virtual lane, and how many links between switches carry packets on it."""
    deadlock_free: bool
    """Whether no cycle stays on this lane."""


class LanesData(TypedDict):
    """Deadlock over virtual lanes, of paths between adapters."""

    used: list[LaneUseData]
    deadlock_free: bool
    cycle: list[ChannelData]
    """With the service levels of the paths: whether no cycle can wait for each other, and one that can."""
    deadlock_free_at_sl_0: bool
    cycle_at_sl_0: list[ChannelData]
    """The same if all packets have service level 0, as those of programs that never ask for a path."""
    paths: int
    paths_without_sl: int
    """Pairs of an adapter's port and a LID of another one, and those without a service level; they count at 0."""
    discarded: int
    """Hops at which a switch discards packets: their service level has VL 15 there, or no VL."""


def lanes_as_data(network: Network, lanes: LaneCheck) -> LanesData:
    def cycle(channels: Sequence[_core.Channel]) -> list[ChannelData]:
        return [{**link_as_data(network, channel.link), "vl": channel.vl} for channel in channels]

    return {
        "used": [{"vl": use.vl, "links": use.links, "deadlock_free": use.deadlock_free} for use in lanes.lanes],
        "deadlock_free": lanes.deadlock_free,
        "cycle": cycle(lanes.cycle),
        "deadlock_free_at_sl_0": lanes.deadlock_free_at_sl_0,
        "cycle_at_sl_0": cycle(lanes.cycle_at_sl_0),
        "paths": lanes.paths,
        "paths_without_sl": lanes.paths_without_sl,
        "discarded": lanes.discarded,
    }


@dataclass
class TableFile:
    """Which file of tables is written for OpenSM."""

    comments: bool = False
    """After each entry, not only the first of each LID, its destination's GUID and name: six of seven bytes."""
    changed_from: Routes | None = None
    """Only the switches whose entries differ from these tables."""

    @property
    def name(self) -> str:
        return "lfts" if self.changed_from is None else "changed-lfts"


def table_file_bytes(network: Network, routes: Routes, file: TableFile | None = None) -> int:
    """How large the file of tables will be, without writing it."""
    file = file or TableFile()
    return _core.table_file_bytes(network, routes, file.comments, file.changed_from)


def write_for_opensm(
    network: Network,
    made: MadeRoutes,
    source: str,
    folder: Path,
    checked: TableCheck | None = None,
    file: TableFile | None = None,
) -> None:
    """Writes `lfts` (or `changed-lfts`), `guid2lid` and a README; refuses tables that fail their check.

    `checked`: what check() said of them, if it was asked already.
    """
    checked = checked or check(network, made.routes)
    if not checked.ok:
        raise Error("the tables fail their check", "; ".join(checked.problems), internal=True)
    written = file or TableFile()

    def fill(scratch: Path) -> None:
        path = str(scratch / written.name)
        _core.write_tables(network, made.routes, path, written.comments, written.changed_from)
        _core.write_guid_to_lid(network, made.routes, str(scratch / "guid2lid"))
        (scratch / "README").write_text(opensm_readme(made, source, written), encoding="utf-8")

    write_folder(folder, fill)


def opensm_readme(made: MadeRoutes, source: str, file: TableFile) -> str:
    if file.changed_from is not None:
        return f"""Forwarding tables that change
=============================

Made from {source}: {made.routes.lid_count} LIDs, {made.explanation}.

`changed-lfts` has the switches whose entries differ from the old tables, whole. OpenSM's file engine can't load it: a
switch that its file leaves out gets no routes. Write all switches for it: `ayatori route` without --changed-from.
"""
    return f"""Forwarding tables for OpenSM's file engine
==========================================

Made from {source}: {made.routes.lid_count} LIDs, {made.explanation}.

LIDs change: load them while no job runs and no file system over InfiniBand is mounted. Stop the running
subnet manager first, since it writes guid2lid, too, and keep a copy of that file: with it, and the old
options of opensm, everything is as before. From this folder:

    cp -n "${{OSM_CACHE_DIR:-/var/cache/opensm}}/guid2lid" guid2lid.before
    cp guid2lid "${{OSM_CACHE_DIR:-/var/cache/opensm}}/guid2lid"
    opensm -R file,no_fallback -U "$PWD/lfts" -l {made.lmc} -x

-R file,no_fallback   our tables or none: without no_fallback OpenSM takes min-hop tables
                      silently when it refuses a file
-U lfts               the tables
-l {made.lmc}                  LMC: every HCA port answers to {1 << made.lmc} LIDs
-x                    honour guid2lid, so that ports get the LIDs that the tables speak of

{FOR_JOBS if made.for_jobs else BASE_LIDS}
A standby subnet manager needs the same files. These tables do not change by themselves: when a cable is
lost or a host is added, run `ayatori route` again and restart opensm. To see what the switches have:
`dump_lfts > now`, then `ayatori check ib:live --lfts now`.
{"" if file.comments else FEW_COMMENTS}"""
