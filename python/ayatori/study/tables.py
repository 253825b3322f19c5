"""Which tables are the best for a network: those of each of OpenSM's engines, ours, and those in use."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import TypedDict

from typing_extensions import NotRequired

from ayatori import _core
from ayatori._core import AllPairs, Job, LaneCheck, Network, Routes, SearchControl, TableCheck
from ayatori.base.files import read_text
from ayatori.base.spreads import MeanAndLeast
from ayatori.lab.fabric import OpensmRun, ProgramError, SimulatedFabric, SweepOptions
from ayatori.lab.fabric.engines import EngineSetup, setups
from ayatori.lab.fabric.verification import PortGuids, net_text, with_guids
from ayatori.planning.plans import assess_jobs, relative_bandwidths, traffic_of_nics
from ayatori.planning.plans import plan as make_plan
from ayatori.planning.routes import LanesData, check, lanes_as_data, make_routes
from ayatori.planning.together import JobOnFabric, measure_together
from ayatori.planning.traffics import steps_of

OURS, PLANNED, IN_USE = "ours", "ours with a plan", "in use"
METHOD = "pair"
ROUNDS = 100
SAME = 0.005
"""Bandwidths that differ by less are called equal."""
MAX_LAB_HOSTS = 4096
"""OpenSM's dumps of larger fabrics take gigabytes."""
MAX_SL_QUERIES = 70_000
"""Pairs of ports whose service levels OpenSM is asked for, one by one."""


@dataclass(frozen=True)
class Workload:
    """Jobs that are measured: one by one, or all at the same time."""

    name: str
    jobs: tuple[Job, ...] = ()
    together: tuple[JobOnFabric, ...] = ()


@dataclass
class TablesRow:
    """One set of tables, and what they do. Where `refusal` says why there are none, nothing else is known."""

    name: str
    given: str = ""
    refusal: str = ""
    seconds: float | None = None
    """Of OpenSM's run."""
    checked: TableCheck | None = None
    one_lane: LaneCheck | None = None
    """Paths between hosts, all on one VL."""
    pairs: AllPairs | None = None
    service_levels: bool = False
    """Whether the engine gives paths service levels."""
    lanes: LaneCheck | None = None
    """With these; None where OpenSM was not asked for them."""
    bandwidths: dict[str, list[float]] = field(default_factory=dict)
    """By workload, of each job."""
    reason: str = ""
    """Why there are no bandwidths."""

    @property
    def reachable(self) -> bool:
        return self.pairs is not None and self.pairs.unreachable == 0

    @property
    def vls(self) -> int | None:
        """On how many VLs traffic between hosts is free of deadlock; None if nobody knows any that would do."""
        if self.one_lane is not None and self.one_lane.deadlock_free:
            return 1
        if self.lanes is not None and self.lanes.deadlock_free and self.lanes.discarded == 0:
            return len(self.lanes.lanes)
        return None

    @property
    def mean(self) -> float | None:
        """Over all workloads, each with the same weight."""
        return fmean(fmean(own) for own in self.bandwidths.values()) if self.bandwidths else None


@dataclass
class TablesCompared:
    """The rows, and why there are none of OpenSM's engines (empty: there are)."""

    rows: list[TablesRow] = field(default_factory=list)
    without_lab: str = ""
    expected: int = 0
    """Rows if nothing had stopped it."""


class _StoppedError(Exception):
    pass


@dataclass
class Comparison:
    """What is compared: `tables` are those in use, `engine_seconds` is the time limit of each engine."""

    network: Network
    workloads: Sequence[Workload]
    tables: Routes | None = None
    engines: Sequence[str] | None = None
    engine_seconds: float = 120.0
    seed: int = 1
    say: Callable[[str], None] = lambda text: None
    control: SearchControl | None = field(default=None, init=False)
    found: TablesCompared = field(default_factory=TablesCompared, init=False)

    def run(self, control: SearchControl | None = None) -> TablesCompared:
        """Where `control` stops it, the rows that are done."""
        self.control = control
        try:
            self._expect(2 + (self.tables is not None))
            self._add(OURS, lambda: make_routes(self.network, 0))
            self._add_planned()
            if (tables := self.tables) is not None:
                self._add(IN_USE, lambda: tables)
            try:
                self._add_engines()
            except ProgramError as error:
                self.found.without_lab = ": ".join(filter(None, (error.message, error.cause, error.hint)))
        except _StoppedError:
            pass
        return self.found

    def _expect(self, rows: int) -> None:
        self.found.expected += rows
        if self.control is not None:
            self.control.expect(self.found.expected)

    def _stop_if_asked(self) -> None:
        if self.control is not None and self.control.stopped:
            raise _StoppedError

    def _done(self, row: TablesRow) -> None:
        self.found.rows.append(row)
        if self.control is not None:
            self.control.did()

    def _add(self, name: str, routes: Callable[[], Routes]) -> None:
        self._stop_if_asked()
        self.say(f"measuring {name}")
        row = TablesRow(name)
        self._measure(row, self.network, routes(), planned=False)
        self._done(row)

    def _add_planned(self) -> None:
        self._stop_if_asked()
        self.say(f"measuring {PLANNED}")
        routes = make_routes(self.network)
        row = TablesRow(PLANNED, f"LMC {routes.lmc(self.network.endpoints[0])}, method {METHOD}")
        self._measure(row, self.network, routes, planned=True)
        self._done(row)

    def _add_engines(self) -> None:
        hosts = len(self.network.endpoints)
        if hosts > MAX_LAB_HOSTS:
            raise ProgramError(f"{hosts} ports of hosts are more than the lab holds", f"{MAX_LAB_HOSTS} at most")
        text = net_text(self.network)
        with tempfile.TemporaryDirectory(prefix="ayatori-engines-") as folder:
            with SimulatedFabric(text) as fabric:
                network = with_guids(fabric, self.network)
            made = setups(network, Path(folder))
            wanted = [setup for setup in made if self.engines is None or setup.engine in self.engines]
            self._expect(len(wanted))
            for setup in wanted:
                self._add_engine(setup, network, text)

    def _add_engine(self, setup: EngineSetup, network: Network, text: str) -> None:
        """Each engine has a fabric of its own: what one leaves behind is none of the next one's business."""
        self._stop_if_asked()
        row = TablesRow(setup.name, setup.given, setup.unfit, service_levels=setup.lanes)
        if not setup.unfit:
            self.say(f"OpenSM routes with {setup.name}")
            with SimulatedFabric(text) as fabric:
                self._route(fabric, setup, network, row)
        self._done(row)

    def _route(self, fabric: SimulatedFabric, setup: EngineSetup, network: Network, row: TablesRow) -> None:
        ports = len(network.endpoints)
        ask = setup.lanes and ports * (ports - 1) <= MAX_SL_QUERIES
        try:
            run = fabric.run_opensm(
                setup.engine,
                fallback=True,
                timeout=self.engine_seconds,
                more=SweepOptions(setup.arguments, ask, self._stop_if_asked),
            )
            row.refusal = f"{run.refusal}; OpenSM fell back to {run.engine}" if run.refusal else ""
        except ProgramError as error:
            row.refusal = ": ".join(filter(None, (error.message, error.cause)))
            return
        if run.refusal:
            if setup.otherwise is not None:
                row.given = setup.otherwise.given
                self._route(fabric, setup.otherwise, network, row)
            return
        row.seconds = run.seconds
        guids = PortGuids(network)
        routes = _core.parse_tables(guids.from_ibsim(run.lfts_dump), "opensm-lfts.dump", network)
        if ask:
            row.lanes = lanes_of(network, routes, run, guids)
        self.say(f"measuring {setup.name}")
        self._measure(row, network, routes, planned=False)

    def _measure(self, row: TablesRow, network: Network, routes: Routes, planned: bool) -> None:
        row.checked = check(network, routes)
        row.one_lane = _core.check_lanes(network, routes, None, None)
        row.pairs = _core.measure_all_pairs(network, routes, planned)
        if row.pairs.unreachable:
            row.reason = f"{row.pairs.unreachable} of {row.pairs.paths} pairs of hosts are not connected"
            return
        for workload in self.workloads:
            own = [self._bandwidth(network, routes, job, planned) for job in workload.jobs]
            if workload.together:
                own = self._together(network, routes, workload.together, planned)
            row.bandwidths[workload.name] = own

    def _bandwidth(self, network: Network, routes: Routes, job: Job, planned: bool) -> float:
        self._stop_if_asked()
        (bandwidth,) = relative_bandwidths(assess_jobs(network, routes, [job], METHOD if planned else None))
        return bandwidth

    def _together(self, network: Network, routes: Routes, jobs: Sequence[JobOnFabric], planned: bool) -> list[float]:
        self._stop_if_asked()
        if planned:
            jobs = [replace(each, plan=_plan_of(network, routes, each.job)) for each in jobs]
        return [job.together for job in measure_together(network, routes, jobs, ROUNDS, self.seed).jobs]


def _plan_of(network: Network, routes: Routes, job: Job) -> _core.Plan:
    nics, steps = traffic_of_nics(network, job, steps_of("shift", job.rank_count), "own")
    return make_plan(network, routes, nics, METHOD, steps).plan


def lanes_of(network: Network, routes: Routes, run: OpensmRun, guids: PortGuids) -> LaneCheck:
    """Which VLs the paths use that OpenSM's SA answers with."""
    levels = guids.from_ibsim(read_text(run.path_sls))
    mapping = run.sl_to_vl
    return _core.check_lanes(
        network,
        routes,
        _core.parse_path_service_levels(levels, run.path_sls.name, network, routes),
        None if mapping is None else _core.parse_sl_to_vl(read_text(mapping), mapping.name, network),
    )


def in_words(rows: Sequence[TablesRow]) -> str:
    """Which tables are the best, among those that connect all hosts."""
    means = {row.name: row.mean for row in rows if row.reachable and row.mean is not None}
    one_lane = {row.name for row in rows if row.vls == 1}
    plain = {name: mean for name, mean in means.items() if name in one_lane and name != PLANNED}
    if not plain:
        return "no tables connect all hosts and are free of deadlock on one VL"
    best = max(plain.values())
    names = [name for name, mean in plain.items() if mean >= best * (1 - SAME)]
    best_names = _names(names)
    planned = means.get(PLANNED) if PLANNED in one_lane else None
    if planned is None:
        said = f"{best_names} are the best without a plan ({best:.3f})"
    elif planned > best * (1 + SAME):
        said = f"{best_names} are the best without a plan ({best:.3f}), ours with one ({planned:.3f})"
    else:
        said = f"{best_names} are the best ({best:.3f}); a plan on ours gets {planned:.3f}"
    most = max(best, planned or 0)
    others = [row for row in rows if row.name in means and row.name not in one_lane]
    above = [row for row in others if (row.mean or 0) > most * (1 + SAME)]
    if above:
        row = max(above, key=lambda each: each.mean or 0)
        uses = f" (they use {row.vls})" if row.vls else ""
        lanes = f"need VLs{uses}" if row.vls or (row.service_levels and row.lanes is None) else "can deadlock"
        said += f"; {_names([row.name])} would get {row.mean:.3f}, but {lanes}"
    return said


def _names(names: Sequence[str]) -> str:
    """ "ftree's tables", or "ours, those in use and the tables of ftree and updn"."""
    engines = [name for name in names if name not in (OURS, IN_USE)]
    called = [name if name == OURS else "those in use" for name in names if name in (OURS, IN_USE)]
    if len(engines) == 1:
        called.append(f"{engines[0]}'s tables")
    elif engines:
        called.append(f"the tables of {', '.join(engines[:-1])} and {engines[-1]}")
    return called[0] if len(called) == 1 else f"{', '.join(called[:-1])} and {called[-1]}"


class RowData(TypedDict):
    name: str
    given: str
    """The tables (an engine of OpenSM, `ours`, `ours with a plan`, `in use`), and the files or options that it got."""
    refusal: str
    """Why there are no such tables; the keys of the tables are missing then. Empty if there are."""
    opensm_seconds: NotRequired[float | None]
    """The time of OpenSM's run; null for tables that are not OpenSM's."""
    unreachable_pairs: NotRequired[int]
    """Pairs of hosts that the tables do not connect."""
    deadlock_free: NotRequired[bool]
    """Whether paths between hosts, all on one virtual lane, have no cycle of links that wait for each other."""
    deadlock_free_to_switches: NotRequired[bool]
    """The same with packets from hosts to switches, as `check` counts it."""
    vls: NotRequired[int | None]
    """Virtual lanes on which these paths are free of deadlock: 1, or those that the engine's service levels use. Null
    if none are known."""
    service_levels: NotRequired[bool]
    """Whether the engine gives paths service levels."""
    lanes: NotRequired[LanesData | None]
    """With these service levels; null where OpenSM was not asked for them."""
    longest_route: NotRequired[int]
    """Links on the longest path between two hosts."""
    balance: NotRequired[float]
    """Paths of all pairs of hosts on the busiest link between switches, divided by the mean."""
    idle_links: NotRequired[int]
    links: NotRequired[int]
    """Directed links between switches that carry nothing, and all of them."""
    relative_bandwidth: NotRequired[dict[str, MeanAndLeast]]
    """By name of the workload."""
    mean: NotRequired[float | None]
    """Over all workloads; null where `reason` says why there is none."""
    reason: NotRequired[str]
    """Why there are no bandwidths; empty if there are."""


class WorkloadData(TypedDict):
    name: str
    jobs: int
    concurrent: bool
    """Jobs that were measured, and whether they run at the same time."""


class ComparedData(TypedDict):
    rows: list[RowData]
    """One per tables."""
    without_lab: str
    """Why there are no rows of OpenSM's engines; empty if there are."""
    workloads: list[WorkloadData]
    best: str
    """Which tables are the best, in words."""


def as_data(network: Network, compared: TablesCompared, workloads: Sequence[Workload]) -> ComparedData:
    return {
        "rows": [_row_as_data(network, row) for row in compared.rows],
        "without_lab": compared.without_lab,
        "workloads": [
            {"name": each.name, "jobs": len(each.jobs or each.together), "concurrent": bool(each.together)}
            for each in workloads
        ],
        "best": in_words(compared.rows),
    }


def _row_as_data(network: Network, row: TablesRow) -> RowData:
    lanes = row.lanes
    if row.checked is None or row.one_lane is None or row.pairs is None:
        return {"name": row.name, "given": row.given, "refusal": row.refusal}
    return {
        "name": row.name,
        "given": row.given,
        "refusal": "",
        "opensm_seconds": row.seconds,
        "unreachable_pairs": row.pairs.unreachable,
        "deadlock_free": row.one_lane.deadlock_free,
        "deadlock_free_to_switches": row.checked.deadlock_free,
        "vls": row.vls,
        "service_levels": row.service_levels,
        "lanes": None if lanes is None else lanes_as_data(network, lanes),
        "longest_route": row.pairs.longest,
        "balance": row.pairs.imbalance,
        "idle_links": row.pairs.idle,
        "links": row.pairs.links,
        "relative_bandwidth": {name: {"mean": fmean(own), "min": min(own)} for name, own in row.bandwidths.items()},
        "mean": row.mean,
        "reason": row.reason,
    }
