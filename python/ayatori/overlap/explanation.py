"""Why a program hides what it hides: what was given, who moved its data and when, what to change, what that brings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from ayatori.base.units import format_bytes
from ayatori.overlap.given import free_cores, given_of, unseen_by
from ayatori.overlap.kinds import Kind, Times, all_together, ended_later, kinds_of
from ayatori.overlap.replay import Job
from ayatori.traces.files import RankTrace, calls_without_overlap

WORTH_A_CHANGE = 0.02
"""A share of the program's time."""
_TRIAL_SECONDS, _LONGEST_TRIAL, _TRIAL_CYCLES = 1.0, 8.0, 27
"""At the beginning the plug-in's thread is on for half of this time, or of so many cycles if these take longer: the
mean over cycles of 30 to 200 ms (docs/progress.md)."""
_LOOKS = 1 / 41
"""A poll is followed by a pause of forty times its length."""
_BUSY_SECONDS = 0.01
_MOST = 0.5


@dataclass(frozen=True)
class Explanation:
    unseen: list[str]
    """Sentences: which operations of the program the trace does not know."""
    given: list[str]
    """Sentences: thread level, cores, eager limits, where the ranks spent their time."""
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
    kinds = kinds_of(job)
    times = all_together(job)
    replayed = job.replay(True, 0.0 if free_cores(traces) else _LOOKS)
    saved = max(0.0, job.seconds - replayed.seconds) if replayed.is_whole else 0.0
    saved *= 1 - 0.5 * _share_on_trial(job)
    advice = _advice(job, kinds, times, saved, has_plugin) if replayed.is_whole else [_DO_NOT_FIT]
    given = [*given_of(traces), _spent(job, times)]
    return Explanation(
        unseen_by(traces), given, kinds, who_moved(traces, times), advice, job.seconds, job.seconds - saved
    )


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


def _spent(job: Job, times: Times) -> str:
    """Where the ranks' time went."""
    ranks_seconds = sum(trace.end - trace.begin for trace in job.traces)
    whole = late = 0.0
    for trace in job.traces:
        later = set(ended_later(trace))
        for call, _, inside in calls_without_overlap(trace):
            whole += inside
            if not later.intersection((*call.ended, call.tested)):
                known = [job.late_seconds((trace.rank, number), call) or 0.0 for number in call.ended]
                late += min(max(known, default=0.0), inside)
    waiting, other = times.waiting, whole - times.waiting
    return (
        f"the ranks' {ranks_seconds:.3g} s together: {ranks_seconds - whole:.3g} s outside of MPI, {waiting:.3g} s "
        f"in calls that end nonblocking operations (at least {times.late or 0.0:.3g} s of them for partners that had "
        f"not begun), {other:.3g} s in other calls of MPI (at least {late:.3g} s for partners that had not begun)"
    )


def who_moved(traces: Sequence[RankTrace], times: Times) -> str:
    crossed = sum(trace.traffic.total for trace in traces)
    on_network = f"the hosts' interfaces carried {format_bytes(crossed)} during the run"
    if times.carried == 0:
        return on_network
    if not times.crossed:
        return (
            f"{on_network}; while nonblocking operations were outstanding, less than half of these operations' "
            f"{format_bytes(round(times.carried))}: it is not known who moved them"
        )
    parts = [times.moved_computing, times.moved_in_calls, times.moved_waiting]
    outside, calls, waits = (part / times.moved for part in parts)
    found = (
        f"of the bytes on the hosts' interfaces while nonblocking operations were outstanding, {outside:.0%} crossed "
        f"while the ranks computed, {calls:.0%} in other calls of MPI, {waits:.0%} in the calls that end them"
    )
    if outside < _MOST:
        return found
    program = max(traces[0].threads, key=lambda thread: thread[1], default=("", 0.0))
    busy = [(name, seconds) for name, seconds in traces[0].threads if seconds > _BUSY_SECONDS]
    others = [f"{name} ({seconds:.2f} s)" for name, seconds in busy if name != program[0]]
    if others:
        return f"{found}; other threads of rank 0 that ran: {', '.join(others)}"
    return f"{found}; no other thread of rank 0 ran: the kernel or the adapter moved them"


_DO_NOT_FIT = "the calls of the ranks don't fit together, so that nothing can be predicted"


def _advice(job: Job, kinds: Sequence[Kind], times: Times, saved: float, has_plugin: bool) -> list[str]:
    if not kinds:
        rest = ", among those that the trace knows" if unseen_by(job.traces) else ": nothing could be hidden"
        return [f"the program has no nonblocking operation that ends in a later call{rest}"]
    if saved < WORTH_A_CHANGE * job.seconds:
        why = _why_nothing(sum(trace.end - trace.begin for trace in job.traces), times)
        return [f"nothing: {why}; progress would save {saved:.3g} of {job.seconds:.3g} s"]
    found = []
    if has_plugin:
        found.append(f"ayatori run --progress thread: saves {saved:.3g} of {job.seconds:.3g} s")
    else:
        found.append("build with this MPI's development package: there is no plug-in for it")
    if hosts := free_cores(job.traces):
        found.append(f"AYATORI_PROGRESS_CPU: {', '.join(hosts[:3])} have free cores, on which the thread costs nothing")
    longest = max(kinds, key=lambda kind: kind.waiting)
    found.append(
        f"or MPI_Test while it computes, every {longest.computing / max(1, longest.count) / 50 * 1e6:.0f} us or so, "
        f"for {longest.name} of {longest.bytes} bytes: saves about the same"
    )
    return found


def _why_nothing(ranks_seconds: float, times: Times) -> str:
    """`ranks_seconds`: the time of all ranks together."""
    waiting = f"the calls that end nonblocking operations take {times.waiting:.3g} s"
    if times.waiting < WORTH_A_CHANGE * ranks_seconds:
        return f"{waiting}, {times.waiting / max(ranks_seconds, 1e-9):.1%} of the ranks' time"
    if times.late is not None and times.late >= _MOST * times.waiting:
        return f"ranks are late: {waiting}, {times.late:.3g} s of them for partners that had not begun"
    outstanding = f"while these are outstanding, the ranks compute for {times.computing:.3g} s"
    if times.computing < WORTH_A_CHANGE * ranks_seconds:
        blocking = f" and are in other calls of MPI for {times.in_calls:.3g} s" if times.in_calls else ""
        return f"nothing is computed: {waiting}; {outstanding}{blocking}"
    return f"{waiting}; {outstanding}; a replay with progress ends no earlier"
