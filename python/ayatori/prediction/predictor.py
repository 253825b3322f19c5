"""Predictions: how long a collective takes on a job, over which paths, and which links hold it up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from statistics import fmean
from typing import Any, TypedDict

from ayatori import _core
from ayatori._core import Job, Network, Placement, Plan, PlannedSteps, Routes, Schedule
from ayatori.base.errors import Error, UnknownWord
from ayatori.model.network import LinkData, link_as_data
from ayatori.planning.plans import (
    AUTO_RAILS,
    BASE_LIDS,
    MULTIPATH,
    method_named,
    rails_named,
    rails_on,
    traffic_of_nics,
)
from ayatori.planning.plans import plan as make_plan
from ayatori.planning.routes import make_routes
from ayatori.prediction.assumed import assumed_costs, assumed_link_latency, assumed_on_planes
from ayatori.prediction.calls import Call, bandwidth_bytes, make_schedule
from ayatori.prediction.costs import FREE, Costs, MessageCosts, to_core

DIMENSION_ORDER = "dimension-order"
ADAPTIVE = "adaptive"
"""Each packet by load over all shortest paths, as ideal adaptive routing does (adaptive_rates.hpp)."""
ECMP = "ecmp"
"""Each flow on one shortest path, by a hash at every router (paths.hpp)."""
BY_ROUTERS = {ADAPTIVE: _core.PathChoice.load, ECMP: _core.PathChoice.hash}
"""The methods by which routers choose, whatever tables and plans say."""
OTHER_METHODS = (MULTIPATH, ADAPTIVE, ECMP)
PATH_AWARE = "path-aware"
"""The all-to-all whose steps are made for the job's paths."""
STEP_MODES = ("drift", "synchronous")
HOT_LINKS_SHOWN = 20
MAX_HASH_SEEDS = 10**4


@dataclass(frozen=True)
class Packets:
    """Packets that queue in switches with finite buffers and credits, in place of flows that share links fairly."""

    buffer: int = 8
    """Packets that fit into the buffer at the end of each link."""
    seed: int = 1
    """Of the choices among packets that wait for one link."""


@dataclass(frozen=True)
class Model:
    """The simulator's numbers: bytes a second, seconds, bytes."""

    steps: str = "drift"
    link_bandwidth: float = 0
    """Of every link; 0: the network's own rates, 4xHDR where it does not tell."""
    link_latency: float | None = None
    """Of each link whose latency the network does not tell; None: assumed for its rate."""
    costs: Costs | None = None
    """Of messages, copies and reductions; None: assumed for the rate of the links. FREE: they cost nothing."""
    head_of_line: bool = False
    packets: Packets | None = None
    """None: flows."""
    in_order: bool = True
    """Whether a connection carries its messages one after the other; else they share links, as in SimGrid."""
    rails: str = AUTO_RAILS
    """One of planning.plans.RAILS: by which NICs messages leave and arrive at machines with several; or "auto"."""
    on_planes: Sequence[MessageCosts | None] | None = None
    """Of messages between machines on each plane, instead of those of `costs`; None: assumed for the plane's links, or
    as `costs` say where these are given. An empty list: as `costs` say."""
    hash_seed: int = 1
    hash_seeds: int = 8
    """Of ECMP: predictions are means over hashes with the seeds hash_seed, hash_seed + 1, …, so many of them."""
    late: Sequence[float] = ()
    """Seconds by rank: how much later than the others it comes to the call. Empty: all at the same time."""

    def on(self, network: Network) -> Model:
        """With what is assumed for this network in place of None."""
        latency, costs = self.link_latency, self.costs
        return replace(
            self,
            link_latency=assumed_link_latency(network) if latency is None else latency,
            costs=assumed_costs(network) if costs is None else costs,
            rails=rails_on(network, self.rails),
            on_planes=self._on_planes(network),
        )

    def _on_planes(self, network: Network) -> Sequence[MessageCosts | None]:
        if self.on_planes is not None:
            return self.on_planes
        return assumed_on_planes(network) if self.costs is None else ()

    def options(self) -> _core.FlowOptions:
        if self.steps not in STEP_MODES:
            raise UnknownWord("mode of steps", self.steps, STEP_MODES)
        options = _core.FlowOptions()
        options.steps = _core.StepMode[self.steps]
        options.costs = to_core(self.costs or FREE)
        options.on_planes = [to_core(costs) for costs in self.on_planes or ()]
        options.head_of_line = self.head_of_line
        if self.packets is not None:
            options.packets = _core.PacketOptions()
            options.packets.buffer, options.packets.seed = self.packets.buffer, self.packets.seed
        options.in_order = self.in_order
        options.late = list(self.late)
        return options

    def links(self) -> _core.LinkDefaults:
        links = _core.LinkDefaults()
        links.bytes_per_second = self.link_bandwidth
        links.latency = self.link_latency or 0
        return links


@dataclass(frozen=True)
class LinkUse:
    """What a directed link had to do during a call."""

    link: int
    """Of paths by tables the port that it leaves; of paths by dimension order a number of its own."""
    name: str
    busy: float
    """Share of the call's time in which it carried a flow."""
    saturated: float
    """Share of the call's time in which flows had to share all of its bandwidth."""
    bytes: int


@dataclass
class Prediction:
    """What one job's collective takes."""

    seconds: float
    messages: int
    network_bytes: int
    bandwidth: float | None
    """Bytes a second by bandwidth_bytes(); None for a barrier."""
    hot_links: list[LinkUse] = field(default_factory=list)
    rank_seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class PreparedRun:
    """A call on a job, ready to be simulated."""

    job: Job
    placement: Placement
    schedule: Schedule
    plan: Plan | None
    """None where messages go by dimension order, or over all LIDs."""
    moved: float | None
    """The bytes that its bandwidth counts: bandwidth_bytes()."""

    def bandwidth(self, seconds: float) -> float | None:
        """Bytes a second of a call that takes so long; None for a barrier, and for no time."""
        return self.moved / seconds if self.moved is not None and seconds > 0 else None


class Predictor:
    """One network, one way of choosing paths, one model: ready to predict any job and call on it.

    `method` is one of METHODS, of OTHER_METHODS, or DIMENSION_ORDER for machines with built-in routers in a grid; None
    takes what the network would do by itself: dimension order in such a grid, base-lids otherwise. With
    `routes`, a fabric's own tables, they are those, and base-lids means base LIDs on them. With `plan`, made on these
    tables, all messages take its paths, and `method` has no say: jobs are then that of the plan.
    """

    def __init__(
        self,
        network: Network,
        method: str | None = None,
        model: Model | None = None,
        routes: Routes | None = None,
        plan: Plan | None = None,
    ) -> None:
        self.network = network
        self.given = plan
        self.method = method_on(network, method)
        if plan is not None:
            if routes is None or method is not None:
                raise Error("a plan comes with its tables, and without a method", internal=True)
            self.method = plan.method.word
        elif routes is not None:
            self.method = method_named(method or BASE_LIDS, OTHER_METHODS)
            if self.method in BY_ROUTERS:
                raise Error(f"by {self.method} routers choose paths, whatever tables say", hint="leave out --lfts")
        self.model = (model or Model()).on(network)
        self.routes = routes if routes is not None else self._make_routes()
        if self.routes is None and self.model.rails != "own":
            raise Error("machines with routers built in have no rails", hint="--rails own")
        if self.method == ADAPTIVE and self.model.rails == "striped":
            raise Error("packets that spread by load are not cut into rails", hint="--rails aligned")
        if not 1 <= self.model.hash_seeds <= MAX_HASH_SEEDS:
            raise Error(f"{self.model.hash_seeds} hash seeds", hint=f"1 to {MAX_HASH_SEEDS}")
        self._planned_steps: dict[Any, tuple[Plan, PlannedSteps]] = {}

    def _make_routes(self) -> Routes | None:
        if self.method == DIMENSION_ORDER:
            return None
        one_lid = self.method in (BASE_LIDS, *BY_ROUTERS)
        return make_routes(self.network, 0 if one_lid else "auto")

    def placement(self, job: Job) -> Placement:
        return _core.placement_of_job(self.network, job)

    def schedule(self, job: Job, call: Call) -> Schedule:
        return make_schedule(call, self.placement(job))

    def plan(self, job: Job, schedule: Schedule) -> Plan | None:
        """The job's paths for this schedule; None where no plan chooses them."""
        if self.given is not None:
            return self.given
        if self.routes is None or self.method == MULTIPATH:
            return None
        if self.method in (BASE_LIDS, *BY_ROUTERS):
            return self.base_lids(job)
        of_ranks = schedule.participant_count == job.rank_count
        steps = schedule.steps() if of_ranks else _core.shift_all_to_all(job.rank_count)
        nics, steps = traffic_of_nics(self.network, job, steps, self.model.rails)
        return make_plan(self.network, self.routes, nics, self.method, steps).plan

    def base_lids(self, job: Job) -> Plan:
        """No plan: of the job's ranks, or where rails say so of its NICs."""
        nics = job if self.model.rails == "own" else _core.job_of_nics(self.network, job)
        return Plan.base_lids(nics.rank_count)

    def predict(self, jobs: Iterable[Job], call: Call) -> list[Prediction]:
        """The call on each job by itself, jobs in parallel."""
        return self.predict_each((job, call) for job in jobs)

    def predict_each(self, runs: Iterable[tuple[Job, Call]]) -> list[Prediction]:
        """Each call on its job by itself, in parallel."""
        return self.predict_prepared([self.prepare(job, call) for job, call in runs])

    def predict_prepared(self, runs: Sequence[PreparedRun]) -> list[Prediction]:
        """Each run by itself, in parallel."""
        of_seeds = [_core.simulate_jobs(*self.arguments(runs, seed)) for seed in self.hash_seeds]
        return [
            _mean([self._prediction(run, result) for result in results], run)
            for run, results in zip(runs, zip(*of_seeds, strict=True), strict=True)
        ]

    @property
    def hash_seeds(self) -> range:
        """Those whose mean is predicted; without a hash only one, which counts for nothing."""
        first = self.model.hash_seed
        return range(first, first + (self.model.hash_seeds if self.method == ECMP else 1))

    def arguments(self, runs: Sequence[PreparedRun], hash_seed: int | None = None) -> tuple[Any, ...]:
        """What the simulator is called with; without a seed with the first one."""
        seed = self.model.hash_seed if hash_seed is None else hash_seed
        return (
            self.network,
            self.routes,
            [run.plan for run in runs] if self.routes is not None else [],
            [run.job for run in runs],
            [run.schedule for run in runs],
            self.model.options(),
            self.model.links(),
            [self._routers(run.schedule, run.placement) for run in runs],
            rails_named(self.model.rails),
            BY_ROUTERS.get(self.method, _core.PathChoice.plan),
            seed % 2**64,
        )

    def prepare(self, job: Job, call: Call, plan: Plan | None = None) -> PreparedRun:
        """A call on a job: its schedule, and the job's paths for it, unless a `plan` says them already."""
        placement = self.placement(job)
        if plan is not None:
            if self.method in BY_ROUTERS:
                raise Error(f"by {self.method} routers choose paths, whatever a plan says", hint="hostfiles, not plans")
            if self.routes is None:
                raise Error("a plan says paths by tables, not by dimension order", hint="--method base-lids")
            schedule = self._schedule_on(job, call, placement, plan)
        else:
            schedule, plan = self._prepare(job, call, placement)
        return PreparedRun(job, placement, schedule, plan, bandwidth_bytes(call, placement))

    def _schedule_on(self, job: Job, call: Call, placement: Placement, plan: Plan) -> Schedule:
        """The call's schedule; steps of "path-aware" are made for the plan's paths."""
        if call.algorithm != PATH_AWARE or self.routes is None:
            return make_schedule(call, placement)
        self._check_rails_of_steps()
        made = _core.make_steps(self.network, self.routes, job.endpoints(self.network), plan)
        return make_schedule(call, placement, made.steps)

    def _prepare(self, job: Job, call: Call, placement: Placement) -> tuple[Schedule, Plan | None]:
        """The call's schedule, and the job's paths for it. "path-aware" steps are made for the paths of the shift."""
        if call.algorithm != PATH_AWARE or self.routes is None:
            schedule = make_schedule(call, placement)
            return schedule, self.plan(job, schedule)
        if self.method in OTHER_METHODS:
            raise Error("steps are made for one path of each message", hint=f"another --method than {self.method}")
        self._check_rails_of_steps()
        key = tuple(job.machine_of_rank)
        if key not in self._planned_steps:
            plan = self.given or make_plan(self.network, self.routes, job, self.method).plan
            made = _core.make_steps(self.network, self.routes, job.endpoints(self.network), plan)
            self._planned_steps[key] = plan, made.steps
        plan, steps = self._planned_steps[key]
        return make_schedule(call, placement, steps), plan

    def _check_rails_of_steps(self) -> None:
        if self.model.rails != "own":
            raise Error("steps are made for messages between the ranks' own NICs", hint="--rails own")

    def _routers(self, schedule: Schedule, placement: Placement) -> list[int]:
        """The routers that take part, which are numbered after the ranks."""
        taking_part = schedule.participant_count - schedule.ranks
        if taking_part > 0 and self.routes is None:
            raise Error("routers with machines built in can't take part", hint="in-network needs switches")
        return list(placement.aggregators[:taking_part])

    def _prediction(self, run: PreparedRun, result: dict[str, Any]) -> Prediction:
        seconds = result["seconds"]
        return Prediction(
            seconds=seconds,
            messages=result["messages"],
            network_bytes=result["network_bytes"],
            bandwidth=run.bandwidth(seconds),
            hot_links=[LinkUse(**use) for use in result["hot_links"]],
            rank_seconds=result["rank_seconds"],
        )


def _mean(predictions: list[Prediction], run: PreparedRun) -> Prediction:
    """Of the same run with several seeds."""
    if len(predictions) == 1:
        return predictions[0]
    seconds = fmean(each.seconds for each in predictions)
    uses: dict[int, list[LinkUse]] = {}
    for use in chain.from_iterable(each.hot_links for each in predictions):
        uses.setdefault(use.link, []).append(use)
    links = [
        replace(
            found[0],
            busy=sum(use.busy for use in found) / len(predictions),
            saturated=sum(use.saturated for use in found) / len(predictions),
            bytes=sum(use.bytes for use in found) // len(predictions),
        )
        for found in uses.values()
    ]
    return replace(
        predictions[0],
        seconds=seconds,
        bandwidth=run.bandwidth(seconds),
        hot_links=sorted(links, key=lambda use: (-use.saturated, -use.busy, use.link))[:HOT_LINKS_SHOWN],
        rank_seconds=[fmean(ranks) for ranks in zip(*(each.rank_seconds for each in predictions), strict=True)],
    )


def method_on(network: Network, method: str | None) -> str:
    """The method of this name; without one the paths that the network takes by itself, as Predictor says.

    Raises Error for no method.
    """
    if method:
        return method_named(method, [DIMENSION_ORDER, *OTHER_METHODS])
    is_grid_of_machines = network.direct and network.shape().kind == "grid"
    return DIMENSION_ORDER if is_grid_of_machines else BASE_LIDS


class UsedLinkData(TypedDict):
    link: str
    jobs: int
    """The link, and how many jobs used it."""
    saturated: float
    busy: float
    """Shares of the time in which flows shared all of it, and in which it carried any."""
    bytes: int
    """What it carried."""


class UsedCableData(UsedLinkData, LinkData):
    pass


def hottest_links(per_job: list[list[LinkUse]], cables_of: Network | None = None) -> list[UsedCableData | UsedLinkData]:
    """From each job's hot links those that held jobs up longest: shares of the time, on average over all jobs.

    `cables_of` adds both ends, for links that are ports of this network (paths by tables).
    """
    sums: dict[int, UsedLinkData] = {}
    for use in chain.from_iterable(per_job):
        total = sums.setdefault(use.link, {"link": use.name, "jobs": 0, "saturated": 0.0, "busy": 0.0, "bytes": 0})
        total["jobs"] += 1
        total["saturated"] += use.saturated / len(per_job)
        total["busy"] += use.busy / len(per_job)
        total["bytes"] += use.bytes
    hottest = sorted(sums, key=lambda link: (-sums[link]["saturated"], -sums[link]["busy"], link))[:HOT_LINKS_SHOWN]
    if cables_of is None:
        return [sums[link] for link in hottest]
    cables: list[UsedCableData | UsedLinkData] = []
    for link in hottest:
        cable: UsedCableData = {**sums[link], **link_as_data(cables_of, link)}
        cables.append(cable)
    return cables
