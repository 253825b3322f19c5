"""A short part of a trace, for a picture: some cycles of begin, compute and wait in the middle of the program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ayatori.traces.files import RankTrace

MAX_RANKS = 16
MAX_CALLS = 60
"""Of a rank."""


def timeline_of(traces: Sequence[RankTrace]) -> dict[str, Any]:
    """Plain data; times in seconds from the part's begin."""
    begin, end = part_of(traces)
    ranks = [_rank(trace, begin, end) for trace in traces[:MAX_RANKS]]
    traffic = [_traffic(trace, begin, end) for trace in traces if trace.traffic.times]
    return {"begin": begin - min(trace.begin for trace in traces), "ranks": ranks, "traffic": traffic[:MAX_RANKS]}


def part_of(traces: Sequence[RankTrace]) -> tuple[float, float]:
    """Around the middle call of rank 0 that ends what another one began."""
    calls = traces[0].calls
    places = [i for i, call in enumerate(calls) if call.ended and not call.begun]
    if not places:
        return traces[0].begin, traces[0].end
    middle = places[len(places) // 2]
    first, last = max(0, middle - MAX_CALLS // 2), min(len(calls) - 1, middle + MAX_CALLS // 2)
    return calls[first].begin, calls[last].end


def _rank(trace: RankTrace, begin: float, end: float) -> dict[str, Any]:
    inside = [call for call in trace.calls if call.end >= begin and call.begin <= end]
    ended = {number: call.end for call in trace.calls for number in call.ended}
    under_way = [
        [call.begin - begin, ended[number] - begin] for call in inside for number in call.begun if number in ended
    ]
    return {
        "rank": trace.rank,
        "calls": [[call.begin - begin, call.end - begin] for call in inside],
        "under_way": under_way,
    }


def _traffic(trace: RankTrace, begin: float, end: float) -> dict[str, Any]:
    moments = trace.traffic.moments(begin, end)
    first = trace.traffic.bytes[moments.start] if moments else 0
    return {
        "host": trace.host,
        "times": [trace.traffic.times[i] - begin for i in moments],
        "bytes": [trace.traffic.bytes[i] - first for i in moments],
    }
