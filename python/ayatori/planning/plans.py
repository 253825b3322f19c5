"""Plans and contention of one job or many."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import TypedDict, TypeVar

from ayatori import _core
from ayatori._core import (
    Contention,
    Job,
    MadeSteps,
    Network,
    Plan,
    Planned,
    Routes,
    SearchControl,
    StepSequence,
)
from ayatori.base.errors import Error, UnknownWord
from ayatori.base.spreads import PerhapsSpread
from ayatori.model.network import LinkData, link_as_data
from ayatori.planning.traffics import RANDOM, USUAL, judged_steps, steps_of

Item = TypeVar("Item")

BASE_LIDS = "base-lids"
FOR_EVERYBODY = "base LIDs for everybody"
METHODS = {
    BASE_LIDS: "one LID a port, no plan",
    "rule": "one LID a destination, by paper 1's rule",
    "colour": "one LID a destination, by colouring",
    "pair": "one LID a pair of source and destination",
}
PLAN_METHODS = ("rule", "colour", "pair")
RAILS = {
    "own": "by the NICs of both ranks: local rank i has the NIC of rail i",
    "aligned": "on the rail of the receiver's NIC at both ends",
    "striped": "in equal parts over all rails; of several planes over those that are faster together",
    "fastest": "on the fastest plane that both machines are on",
    "lowest-latency": "by size, on the plane where it takes the least time, or over several",
}
"""By which of its NICs a message leaves a machine with several, and by which it arrives (rails.hpp)."""
AUTO_RAILS = "auto"
"""Whichever suits the network: rails_on()."""
MULTIPATH = "multipath"
"""Every message in equal parts over all paths that its destination's LIDs name (multipath_tracer.hpp): no plan."""
HOT_LINKS_SHOWN = 20


def method_named(name: str, others: Iterable[str] = ()) -> str:
    """The method of METHODS or of `others` with this name. Raises Error for no method."""
    known = (*METHODS, *others)
    if name not in known:
        raise UnknownWord("method", name, known)
    return name


def rails_on(network: Network, name: str) -> str:
    """The use of rails of this name; "auto" becomes `lowest-latency` where machines are on several planes, else `own`.
    Raises Error for another name."""
    if name != AUTO_RAILS:
        rails_named(name)
        return name
    if len(network.planes) < 2:
        return "own"
    return "lowest-latency" if any(len(_planes_of(network, machine)) > 1 for machine in network.machines) else "own"


def _planes_of(network: Network, machine: _core.Machine) -> set[int]:
    return {network.plane_of(network.port(endpoint).device) for endpoint in machine.endpoints}


def rails_named(name: str) -> _core.RailUse:
    """One of RAILS. Raises Error for another name."""
    if name not in RAILS:
        raise UnknownWord("use of rails", name, [*RAILS, AUTO_RAILS])
    return _core.RailUse[name.replace("-", "_")]


def traffic_of_nics(network: Network, job: Job, steps: StepSequence, rails: str) -> tuple[Job, StepSequence]:
    """The job and its steps as those whose paths are chosen and counted: of its ranks, or of its NICs."""
    use = rails_named(rails)
    if use == _core.RailUse.own:
        return job, steps
    return _core.job_of_nics(network, job), _core.on_rails(network, job, steps, use)


@dataclass(frozen=True)
class Messages:
    """Which messages a job sends, and by which NICs."""

    pattern: str = "shift"
    """One of traffics.PATTERNS, or a pattern file."""
    seed: int = 1
    """Of random permutations."""
    rails: str = "own"
    """One of RAILS."""
    named: tuple[str, ...] | None = None
    """The patterns that a plan puts first, and then all of USUAL; empty: those alike. None: `pattern` alone counts."""

    @property
    def judged(self) -> tuple[str, ...]:
        """The patterns that a plan is judged by, those that come first first."""
        if self.named is None:
            return ()
        return (*self.named, *(each for each in USUAL if each not in self.named))

    def of(self, network: Network, job: Job) -> tuple[Job, StepSequence]:
        """traffic_of_nics() of the job with the steps of the pattern."""
        return traffic_of_nics(network, job, steps_of(self.pattern, job.rank_count, self.seed), self.rails)

    def judged_steps(self, network: Network, job: Job, pattern: str, seed: int) -> StepSequence:
        """The steps of one of `judged`, between the NICs of of()."""
        return traffic_of_nics(network, job, judged_steps(pattern, job.rank_count, seed), self.rails)[1]


SHIFT = Messages()
"""An all-to-all between the ranks' own NICs."""


def plan(
    network: Network,
    routes: Routes,
    job: Job,
    method: str = "pair",
    steps: StepSequence | None = None,
    control: SearchControl | None = None,
) -> Planned:
    """Plans the job's messages (by default its shift all-to-all) by one of METHODS.

    "base-lids" makes no plan: every message goes to its destination's base LID, on whatever tables. On tables
    with one LID a port that are ours, or those of OpenSM's ftree, the route then goes by the destination modulo K.
    """
    method = method_named(method)
    steps = steps or _core.shift_all_to_all(job.rank_count)
    plan_method = _core.Method.base_lids if method == BASE_LIDS else _core.Method[method]
    return _core.make_plan(network, routes, job.endpoints(network), steps, plan_method, control or SearchControl())


def with_made_steps(
    network: Network, routes: Routes, assessment: Assessment, control: SearchControl | None = None
) -> Assessment:
    """The same paths, with steps of the all-to-all that are made for them."""
    if assessment.planned is None:
        raise Error("steps are made for the paths of a plan", internal=True)
    made = _core.make_steps(
        network, routes, assessment.job.endpoints(network), assessment.planned.plan, control or SearchControl()
    )
    return Assessment(assessment.job, made.contention, assessment.planned, made, assessment.proven)


def contention(network: Network, routes: Routes, job: Job, plan: Plan, steps: StepSequence | None = None) -> Contention:
    """How the job's messages share links, step by step; the shift all-to-all by default."""
    steps = steps or _core.shift_all_to_all(job.rank_count)
    return _core.measure_contention(network, routes, job.endpoints(network), plan, steps)


@dataclass
class Assessment:
    """What a job gets with its plan."""

    job: Job
    contention: Contention
    planned: Planned | None = None
    made: MadeSteps | None = None
    """The steps made for these paths, if `contention` is theirs."""
    proven: bool = True
    """Whether `planned` says how good a plan could be."""
    shares: dict[str, float] = field(default_factory=dict)
    """The relative bandwidth of each pattern that plans are judged by (Messages.judged)."""
    named: int = 0
    """How many of them come first."""
    made_for_all: bool = False
    """Whether the plan was made for all of them."""
    unseen: float | None = None
    """That of random permutations which no plan was judged by, if "random" is one of them."""

    @property
    def judged(self) -> tuple[float, ...]:
        """By what the job with its plan is compared with the job without: what comes first, then the mean over all."""
        if not self.shares:
            return (self.relative_bandwidth,)
        shares = list(self.shares.values())
        return (fmean(shares[: self.named]), fmean(shares)) if self.named else (fmean(shares),)

    @property
    def relative_bandwidth(self) -> float:
        """Of steps that were made: the share of the time in which the busiest NIC sends, over the whole all-to-all."""
        if self.made is None or self.made.time == 0:
            return self.contention.relative_bandwidth
        return self.made.bound.endpoint_time / self.made.time


def until_stopped(items: Iterable[Item], control: SearchControl | None) -> Iterator[Item]:
    """The items, each of which counts as done when the next one is asked for; none after `control` was stopped."""
    for item in items:
        if control is not None and control.stopped:
            return
        yield item
        if control is not None:
            control.did()


def assess_jobs(
    network: Network,
    routes: Routes,
    jobs: Iterable[Job],
    method: str | None,
    messages: Messages = SHIFT,
    control: SearchControl | None = None,
) -> list[Assessment]:
    """Measures the contention of each job's `messages`, planned by `method`, or over all LIDs with MULTIPATH.

    With None each message goes to its base LID, and nobody asks how good a plan could be: that takes most of the time.
    Where `control` stops it, the first ones.
    """
    control = control or SearchControl()
    found: list[Assessment] = []
    for job in jobs:
        if not control.stopped:
            assessment = assess(network, routes, job, method, messages, control)
        if control.stopped:  # perhaps in the midst of this job
            break
        found.append(assessment)
        control.did()
    return found


def assess(
    network: Network,
    routes: Routes,
    job: Job,
    method: str | None,
    messages: Messages = SHIFT,
    control: SearchControl | None = None,
) -> Assessment:
    """One job, as assess_jobs() does; `control` counts nothing. Stopped, it ends soon: with what is found so far, of
    which some steps are measured."""
    nics, steps = messages.of(network, job)
    endpoints = nics.endpoints(network)
    control = control or SearchControl()
    if method == MULTIPATH:
        return Assessment(job, _core.measure_multipath_contention(network, routes, endpoints, steps))
    base_lids = Plan.base_lids(nics.rank_count)
    judged = {each: messages.judged_steps(network, job, each, messages.seed) for each in messages.judged}
    shares: list[float] = []
    named = len(messages.named or ())
    if method is None:
        assessment = Assessment(job, _core.measure_contention(network, routes, endpoints, base_lids, steps, control))
    elif method == "pair" and judged:
        drawn = [pattern == RANDOM for pattern in judged]
        found = _core.plan_for_traffics(network, routes, endpoints, list(judged.values()), drawn, named, control)
        assessment = Assessment(job, found.planned.contention, found.planned, made_for_all=True)
        shares = [share.planned for share in found.shares]
    else:
        planned = plan(network, routes, nics, method, steps, control)
        assessment = Assessment(job, planned.contention, planned)
    used = assessment.planned.plan if assessment.planned else base_lids
    assessment.named = named
    shares = shares or [
        _core.judged_share(network, routes, endpoints, used, each, control=control) for each in judged.values()
    ]
    assessment.shares = dict(zip(judged, shares, strict=True))
    if RANDOM in judged:
        others = messages.judged_steps(network, job, RANDOM, messages.seed + 1)
        assessment.unseen = _core.judged_share(network, routes, endpoints, used, others, control=control)
    return assessment


def relative_bandwidths(assessments: list[Assessment]) -> list[float]:
    return [assessment.relative_bandwidth for assessment in assessments]


def count_free(assessments: list[Assessment]) -> int:
    return sum(assessment.contention.free for assessment in assessments)


class HotLinkData(LinkData):
    hot_steps: int
    worst_load: int
    """Steps in which it is a hot spot, and messages on it in the worst of them."""


class StepsData(TypedDict):
    count: int
    """How many steps were made."""
    time: float
    bound: float
    """The time of all steps, and its bound by load; both in messages on a NIC's cable."""
    reason: str
    """How the steps were made."""


class ProofData(TypedDict, total=False):
    optimal: bool
    lower_bound: int
    reason: str
    """Whether no plan can do better, the fewest hot spots that any plan has, and why."""
    max_relative_bandwidth: float
    """No plan on these tables has more."""
    steps: StepsData
    """Steps that were made for the paths (`plan --path-aware`)."""


class JobData(ProofData):
    machines: int
    ranks: int
    """The job's size."""
    free: bool
    """Whether it has no hot spot."""
    relative_bandwidth: float
    hot_spots: int
    """The same as for all jobs."""
    worst_load: float
    """The most messages on a link."""
    unmeasured_steps: int
    """Steps that were not looked at, since the search was ended: the rest is an estimate."""


class JobsData(TypedDict):
    """Contention of jobs, step by step."""

    method: str
    """How paths are chosen: `base-lids`, `rule`, `colour`, `pair`, or `tables` for those of a file."""
    jobs: int
    free: int
    """How many jobs there are, and how many have no hot spot."""
    relative_bandwidth: PerhapsSpread
    """Over the jobs."""
    hot_spots: int
    """Links with more than their share of messages, counted once per step, over all jobs."""
    hot_links: list[HotLinkData]
    """The 20 worst links."""
    per_job: list[JobData]
    """Each job, in order."""


def assessments_as_data(network: Network, method: str, assessments: list[Assessment]) -> JobsData:
    """What `plan --json` and `check --json` print of their jobs."""
    bandwidths = relative_bandwidths(assessments)
    return {
        "method": method,
        "jobs": len(assessments),
        "free": count_free(assessments),
        "relative_bandwidth": {
            "mean": sum(bandwidths) / len(bandwidths) if bandwidths else None,
            "min": min(bandwidths, default=None),
            "max": max(bandwidths, default=None),
        },
        "hot_spots": sum(assessment.contention.hot_spots for assessment in assessments),
        "hot_links": hottest_links(network, assessments),
        "per_job": [
            {
                "machines": len(assessment.job.machines),
                "ranks": assessment.job.rank_count,
                "free": assessment.contention.free,
                "relative_bandwidth": assessment.relative_bandwidth,
                "hot_spots": assessment.contention.hot_spots,
                "worst_load": assessment.contention.worst_time,
                "unmeasured_steps": assessment.contention.unmeasured,
                **_proof_as_data(assessment),
                **_steps_as_data(assessment.made),
            }
            for assessment in assessments
        ],
    }


def _proof_as_data(assessment: Assessment) -> ProofData:
    planned = assessment.planned
    if planned is None:
        return {}
    if not assessment.proven:
        return {"reason": planned.reason}
    return {
        "optimal": planned.optimal,
        "lower_bound": planned.lower_bound,
        "max_relative_bandwidth": planned.max_relative_bandwidth,
        "reason": planned.reason,
    }


def max_relative_bandwidths(assessments: list[Assessment]) -> list[float]:
    """Of each job what no plan on its tables exceeds."""
    return [assessment.planned.max_relative_bandwidth for assessment in assessments if assessment.planned]


def _steps_as_data(made: MadeSteps | None) -> ProofData:
    if made is None:
        return {}
    count = made.steps.step_count
    return {"steps": {"count": count, "time": made.time, "bound": made.bound.time, "reason": made.reason}}


def hottest_links(network: Network, assessments: list[Assessment]) -> list[HotLinkData]:
    """The links with the most hot steps over all jobs, by name and port."""
    hot_steps: dict[int, int] = {}
    worst_load: dict[int, int] = {}
    for assessment in assessments:
        for hot in assessment.contention.hot_links:
            hot_steps[hot.link] = hot_steps.get(hot.link, 0) + hot.hot_steps
            worst_load[hot.link] = max(worst_load.get(hot.link, 0), hot.worst_load)
    hottest = sorted(hot_steps, key=lambda link: (-hot_steps[link], link))[:HOT_LINKS_SHOWN]
    return [
        {**link_as_data(network, link), "hot_steps": hot_steps[link], "worst_load": worst_load[link]}
        for link in hottest
    ]
