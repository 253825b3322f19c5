"""Under which conditions a traced program ran, and what the trace did not see of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ayatori.base.units import format_bytes
from ayatori.traces.files import RankTrace

LEVELS = ("single", "funneled", "serialized", "multiple")


def free_cores(traces: Sequence[RankTrace]) -> list[str]:
    """Hosts where ranks may use more cores than they are."""
    found = []
    for host in dict.fromkeys(trace.host for trace in traces):
        own = [trace for trace in traces if trace.host == host]
        if len(set().union(*(trace.cores for trace in own))) > len(own):
            found.append(host)
    return found


def unseen_by(traces: Sequence[RankTrace]) -> list[str]:
    """Sentences: what the program does that the other sentences leave out."""
    found = []
    calls: Counter[str] = Counter()
    for trace in traces:
        calls.update(trace.unseen)
    requests = calls.pop("", 0)
    if calls:
        names = ", ".join(f"{name} ({count} {'call' if count == 1 else 'calls'})" for name, count in calls.items())
        found.append(f"not seen: what these begin: {names}")
    if requests > sum(calls.values()):
        found.append(f"not seen: {requests} operations of requests that functions beyond this MPI's mpi.h made")
    if left_out := sum(trace.left_out for trace in traces):
        found.append(f"not seen: the last {left_out} calls, which are more than the trace writes down")
    if (threads := max((trace.calling_threads for trace in traces), default=0)) > 1:
        found.append(
            f"not seen: what threads do while another thread is in MPI: {threads} threads of a rank call it, and what "
            "they compute at such times counts as time in MPI"
        )
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
    return found + [_eager_limit(traces, peer, *limits) for peer, limits in first.eager_limits.items()]


def _eager_limit(traces: Sequence[RankTrace], peer: int, eager: int, above: int) -> str:
    where = "on one host" if traces[peer].host == traces[0].host else "between hosts"
    whose = f"messages {where} (ranks 0 and {peer})"
    if not eager:
        return f"{whose}: eager limit unknown: no send of {format_bytes(above)} was over before its receive"
    end = f"of {format_bytes(above)} are not" if above else "larger ones were not tried"
    return f"{whose} of up to {format_bytes(eager)} are eager; {end}"


def _words(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers)) if len(numbers) <= 8 else f"{numbers[0]} to {numbers[-1]}"
