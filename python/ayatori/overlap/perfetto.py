"""Traces in the Trace Event Format, which ui.perfetto.dev and chrome://tracing show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ayatori.traces.files import RankTrace


def perfetto_of(traces: Sequence[RankTrace]) -> dict[str, Any]:
    """Ranks are processes: their calls, their operations from their begin to their end, and their host's traffic."""
    start = min((trace.begin for trace in traces if trace.calls), default=0.0)
    events: list[dict[str, Any]] = []
    for trace in traces:
        name = {"name": f"rank {trace.rank} on {trace.host}"}
        events.append({"ph": "M", "name": "process_name", "pid": trace.rank, "tid": 0, "args": name})
        events += _calls(trace, start)
        events += _traffic(trace, start)
    return {"traceEvents": events, "displayTimeUnit": "ms"}


def _calls(trace: RankTrace, start: float) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    common = {"pid": trace.rank, "tid": 0}
    for call in trace.calls:
        times = {"ts": _us(call.begin - start), "dur": _us(call.end - call.begin)}
        found.append({"ph": "X", "name": call.name, "cat": "mpi", **times, **common})
        for phase, numbers, time in (("b", call.begun, call.begin), ("e", call.ended, call.end)):
            for number in numbers:
                operation = trace.operations[number]
                key = {"id": f"{trace.rank}.{number}", "cat": "operation", "name": operation.name}
                arguments = {"bytes": operation.bytes, "peer": operation.peer}
                found.append({"ph": phase, "ts": _us(time - start), "args": arguments, **key, **common})
    return found


def _traffic(trace: RankTrace, start: float) -> list[dict[str, Any]]:
    common = {"ph": "C", "name": f"bytes of {trace.host}", "pid": trace.rank, "tid": 0}
    first = trace.traffic.bytes[0] if trace.traffic.bytes else 0
    return [
        {"ts": _us(time - start), "args": {"bytes": count - first}, **common}
        for time, count in zip(trace.traffic.times, trace.traffic.bytes, strict=True)
    ]


def _us(seconds: float) -> float:
    return round(seconds * 1e6, 3)
