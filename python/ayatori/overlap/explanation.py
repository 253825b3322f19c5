"""Why a program hides what it hides: what was given, who moved its data and when, what to change, what that brings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ayatori.overlap.replay import Job
from ayatori.overlap.trace import RankTrace

LEVELS = ("single", "funneled", "serialized", "multiple")
WORTH_A_CHANGE = 0.02
"""A share of the program's time."""
_TRIAL_SECONDS, _LONGEST_TRIAL, _TRIAL_CYCLES = 1.0, 8.0, 27
"""At the beginning the plug-in's thread is on for half of this time, or of so many cycles if these take longer: the
mean over cycles of 30 to 200 ms (docs/progress.md)."""
_LOOKS = 1 / 41
"""A poll is followed by a pause of forty times its length."""
_BUSY_SECONDS = 0.01
_CROSSED = 0.5
"""At least this share of the bytes of operations is seen on the network if they take it."""
_MOVED = 0.5
"""A share of the bytes from which something is said to move them while the program computes."""


@dataclass(frozen=True)
class Kind:
    """The operations of one name and size that do not block."""

    name: str
    bytes: int
    count: int
    """The operations' name and size, and how many there were."""
    protocol: str
    """`eager`, `rendezvous`, `steps of the MPI` (collectives) or `not known`."""
    computing: float
    """Seconds of all ranks from their begin to the call that ends them."""
    waiting: float
    """Seconds of all ranks in the calls that end them."""
    moved_early: float | None
    """The share of the bytes on the network's interfaces that crossed them before those calls; null: none did."""


@dataclass(frozen=True)
class Explanation:
    given: list[str]
    """Sentences: thread level, cores, eager limits."""
    kinds: list[Kind]
    """One entry for the operations of one name and size that do not block."""
    moved_by: str
    advice: list[str]
    """Sentences: what moved the bytes; what to change."""
    seconds: float
    with_progress: float
    """The program's time, and as predicted with the plug-in's thread; equal where that is not known."""

    @property
    def hidden(self) -> float:
        return self.seconds - self.with_progress

    def as_data(self) -> dict[str, Any]:
        return asdict(self) | {"hidden": self.hidden}


def explain(traces: Sequence[RankTrace], has_plugin: bool) -> Explanation:
    job = Job(traces)
    kinds = kinds_of(traces)
    shares_cores = not free_cores(traces)
    replayed = job.replay(True, _LOOKS if shares_cores else 0.0)
    saved = max(0.0, job.seconds - replayed.seconds) if replayed.is_whole else 0.0
    saved *= 1 - 0.5 * _share_on_trial(job)
    moved_by = who_moved(traces, kinds)
    advice = advice_of(traces, kinds, saved, job.seconds, has_plugin, replayed.is_whole)
    return Explanation(given_of(traces), kinds, moved_by, advice, job.seconds, job.seconds - saved)


def _share_on_trial(job: Job) -> float:
    """Of the job's time. A cycle goes from where something begins, with nothing under way, to the next such place."""
    under_way = cycles = 0
    for call in job.traces[0].calls if job.traces else ():
        begins = any(number not in call.ended for number in call.begun)
        cycles += begins and under_way == 0
        under_way += len(call.begun) - len(call.ended)
    if job.seconds <= 0 or cycles == 0:
        return 1.0
    trial = min(_LONGEST_TRIAL, max(_TRIAL_SECONDS, _TRIAL_CYCLES * job.seconds / cycles))
    return min(1.0, trial / job.seconds)


def free_cores(traces: Sequence[RankTrace]) -> list[str]:
    """Hosts where ranks may use more cores than they are."""
    found = []
    for host in dict.fromkeys(trace.host for trace in traces):
        own = [trace for trace in traces if trace.host == host]
        if len(set().union(*(trace.cores for trace in own))) > len(own):
            found.append(host)
    return found


def given_of(traces: Sequence[RankTrace]) -> list[str]:
    first = traces[0]
    asked = LEVELS[first.asked_level] if 0 <= first.asked_level < len(LEVELS) else "unknown"
    has = LEVELS[first.level] if 0 <= first.level < len(LEVELS) else "unknown"
    found = [f"thread level: the program asked for {asked}, and has {has}"]
    for host in dict.fromkeys(trace.host for trace in traces):
        own = [trace for trace in traces if trace.host == host]
        cores = sorted(set().union(*(trace.cores for trace in own)))
        free = len(cores) - len(own)
        left = f"{free} free" if free > 0 else "none free: a thread that moves messages shares one with the program"
        ranks = f"{len(own)} {'rank' if len(own) == 1 else 'ranks'}"
        found.append(f"{host}: {ranks} on {'core' if len(cores) == 1 else 'cores'} {_words(cores)}, {left}")
    for peer, limit in first.eager_limits.items():
        where = "on one host" if traces[peer].host == first.host else "between hosts"
        found.append(f"messages {where} (ranks 0 and {peer}) are eager up to between {limit} and {2 * limit} bytes")
    if any(trace.left_out for trace in traces):
        found.append(f"{sum(trace.left_out for trace in traces)} calls were too many to be written down")
    return found


def _words(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers)) if len(numbers) <= 8 else f"{numbers[0]} to {numbers[-1]}"


def kinds_of(traces: Sequence[RankTrace]) -> list[Kind]:
    """Of operations that some call began and another one ended."""
    traffic = {trace.host: trace.traffic for trace in traces if trace.traffic.times}
    sums: dict[tuple[str, int, str], list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0.0, 0.0])
    for trace in traces:
        begun = {number: call for call in trace.calls for number in call.begun}
        for call in trace.calls:
            for number in call.ended:
                beginning = begun[number]
                if beginning is call:
                    continue
                operation = trace.operations[number]
                found = sums[operation.name, operation.bytes, _protocol(traces, trace, number)]
                found[0] += 1
                found[1] += call.begin - beginning.end
                found[2] += call.end - call.begin
                if moved := traffic.get(trace.host):
                    found[3] += moved.between(beginning.begin, call.begin)
                    found[4] += moved.between(call.begin, call.end)
    return [
        Kind(name, size, int(count), protocol, computing, waiting, _early_share(early, late, count * size))
        for (name, size, protocol), (count, computing, waiting, early, late) in sums.items()
    ]


def _early_share(early: float, late: float, carried: float) -> float | None:
    """Of the bytes that crossed the network. None if these were fewer than the operations have: then other ones did,
    and the operations' went through memory or past the kernel."""
    return early / (early + late) if early + late >= max(1.0, _CROSSED * carried) else None


def _protocol(traces: Sequence[RankTrace], trace: RankTrace, number: int) -> str:
    operation = trace.operations[number]
    if not operation.is_message:
        return "steps of the MPI"
    limits = traces[0].eager_limits
    peer = traces[operation.peer] if 0 <= operation.peer < len(traces) else None
    near = peer is not None and peer.host == trace.host
    measured = {traces[one].host == traces[0].host: limit for one, limit in limits.items() if one < len(traces)}
    if near not in measured:
        return "not known"
    return "eager" if operation.bytes <= measured[near] else "rendezvous"


def who_moved(traces: Sequence[RankTrace], kinds: Sequence[Kind]) -> str:
    known = [kind for kind in kinds if kind.moved_early is not None and kind.bytes > 0 and kind.computing > 0]
    if not known:
        return "their data crossed no network's interface that could be watched: it is not known who moved them"
    weight = sum(kind.count * kind.bytes for kind in known)
    early = sum(kind.count * kind.bytes * (kind.moved_early or 0.0) for kind in known) / weight
    part = f"{early:.0%} of the bytes had crossed the network when the program came to wait for them"
    if early < _MOVED:
        return f"{part}: they were moved by the program itself, in the calls that wait"
    program = max(traces[0].threads, key=lambda thread: thread[1], default=("", 0.0))
    busy = [(name, seconds) for name, seconds in traces[0].threads if seconds > _BUSY_SECONDS]
    others = [f"{name} ({seconds:.2f} s)" for name, seconds in busy if name != program[0]]
    if others:
        return f"{part}: by threads other than the program's: {', '.join(others)}"
    return f"{part}: by the kernel or the adapter, or in calls of MPI between the computations"


def advice_of(
    traces: Sequence[RankTrace], kinds: Sequence[Kind], saved: float, seconds: float, has_plugin: bool, is_whole: bool
) -> list[str]:
    if not is_whole:
        return ["the calls of the ranks don't fit together, so that nothing can be predicted"]
    if not kinds:
        return ["the program begins nothing that does not block: there is nothing to hide until it does"]
    if saved < WORTH_A_CHANGE * seconds:
        why = (
            "hides what it can"
            if sum(kind.waiting for kind in kinds) < WORTH_A_CHANGE * seconds
            else ("waits for ranks that come late or computes too little meanwhile")
        )
        return [f"nothing: the program {why}; progress would save {saved:.3g} of {seconds:.3g} s"]
    found = []
    if has_plugin:
        found.append(f"ayatori run --progress thread: saves {saved:.3g} of {seconds:.3g} s")
    else:
        found.append("build with this MPI's development package: there is no plug-in for it")
    if hosts := free_cores(traces):
        found.append(f"AYATORI_PROGRESS_CPU: {', '.join(hosts[:3])} have free cores, on which the thread costs nothing")
    longest = max(kinds, key=lambda kind: kind.waiting)
    found.append(
        f"or MPI_Test while it computes, every {longest.computing / max(1, longest.count) / 50 * 1e6:.0f} us or so, "
        f"for {longest.name} of {longest.bytes} bytes: saves about the same"
    )
    return found
