"""What is printed of the measurements on real verbs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median
from typing import Any

from experiments.low_memory_transport.verbs_measurement import (
    BYTES,
    HANDLING_US,
    MAX_CONNECTIONS,
    MEMORY_KINDS,
    OURS,
    RC,
    RC_SHORTEST,
)
from experiments.page import Table

Results = Sequence[dict[str, Any]]

BUSY = (
    "Soft-RoCE in a virtual machine; medians of runs that took turns in it. The receiver holds its buffer while it is "
    "busy with the message, as in the paper, where the network was faster than the receiver's processor. The paper's "
    "sizes, rates and processors can't be compared: adapters, RNR NAKs and timers are emulated here, and 31 senders "
    "share one processor."
)
IDLE = (
    "Soft-RoCE carries a reliable connection's message to its buffer, and the acknowledgement back, within the "
    "sender's system call. So there is no incast as long as both processors run: the one buffer is nearly always "
    "free. The acknowledgement of a datagram costs a system call of the receiver more."
)


def verbs_tables(found: Results) -> list[Table]:
    incast = [result for result in found if result["name"] == "incast"]
    busy = BUSY + (f" Ours has {gain:.1f} times the rate of the better RC-SRQ." if (gain := _gain(incast)) else "")
    return [
        _one_buffer(incast, HANDLING_US, busy),
        _one_buffer(incast, 0, IDLE),
        _by_buffers(incast),
        _memory(found),
        _operations(found),
    ]


def _one_buffer(incast: Results, handling_us: int, note: str) -> Table:
    rows = []
    for protocol in _in_order(result["protocol"] for result in incast):
        runs = _runs(incast, protocol, 1, handling_us)
        figures = [_middle(runs, key) for key in ("messages_per_s", "retransmissions", "errors")]
        rows.append([protocol, *figures, _duplicates(runs)])
    does = f"is busy for {handling_us} us with each message" if handling_us else "only takes messages"
    return Table(
        f"Figure 6 on real verbs: one receive buffer, 31 senders of {BYTES} bytes, a receiver that {does}",
        ["", "messages/s", "sent again", "retry errors", "duplicates"],
        rows,
        note,
    )


def _gain(incast: Results) -> float | None:
    """Of ours over the better RC-SRQ that tries without limit."""
    rates = {
        protocol: median(run["messages_per_s"] for run in runs)
        for protocol in (OURS, RC, RC_SHORTEST)
        if (runs := _runs(incast, protocol, 1, HANDLING_US))
    }
    theirs = [rate for protocol, rate in rates.items() if protocol != OURS]
    return rates[OURS] / max(theirs) if theirs and OURS in rates else None


def _by_buffers(incast: Results) -> Table:
    buffers = sorted({result["buffers"] for result in incast if "buffers" in result})
    many = [count for count in buffers if count > 1] or buffers
    protocols = _in_order(result["protocol"] for result in incast if result.get("buffers") in many)
    rows = []
    for protocol in protocols:
        runs_of = [_runs(incast, protocol, count, HANDLING_US) for count in buffers]
        rows.append([protocol, *(_middle(runs, "messages_per_s") + _errors(runs) for runs in runs_of)])
    return Table(
        "Figure 5 on real verbs: messages a second, by receive buffers",
        ["", *(f"{count:,}" for count in buffers)],
        rows,
        f"The receiver is busy for {HANDLING_US} us with each message. In brackets: connections of 31 that gave up "
        "after so many NAKs (the median).",
    )


def _errors(runs: Results) -> str:
    errors = median(run["errors"] for run in runs) if runs else 0
    return f" ({errors:g})" if errors else ""


def _memory(found: Results) -> Table:
    measured = [result for result in found if result["name"] == "memory" and "kind" in result]
    peers = sorted({result["peers"] for result in measured})
    rows = []
    for kind, name in MEMORY_KINDS.items():
        taken = [
            [result["bytes"] for result in measured if (result["kind"], result["peers"]) == (kind, count)]
            for count in peers
        ]
        rows.append([name, *(f"{median(values) / 1e6:.2f}" if values else "" for values in taken)])
    return Table(
        "Figure 1 on real verbs: MB that peers take, by their number",
        ["", *(f"{count:,}" for count in peers)],
        rows,
        "What the machine has less after the connections or address handles were made, of one end: queues of the "
        "process, and what Soft-RoCE keeps in the kernel. Small figures are within what else the kernel does (some 0.3 "
        "MB). Receive buffers are shared, and not counted. Connections were made up to "
        f"{MAX_CONNECTIONS:,}. The paper's figure 1 is of Open MPI, which adds its own.",
    )


def _operations(found: Results) -> Table:
    measured = [result for result in found if result["name"] == "operations" and "operation" in result]
    rows = []
    for operation in _in_order(result["operation"] for result in measured):
        runs = [result for result in measured if result["operation"] == operation]
        rows.append([operation, _middle(runs, "latency_us"), _middle(runs, "operations_per_s")])
    return Table(
        "Remote operations on 8 bytes (the paper's references 2 and 3)",
        ["", "us each", "a second, 16 at once"],
        rows,
        "By a reliable connection, whose adapter carries them out, and by a call of our transport over datagrams, "
        "which the target's process carries out; then the same by libacp, which has both ways. "
        "Soft-RoCE is a program of the kernel, so an adapter's advantage over "
        "a process that polls is smaller here than with hardware.",
    )


def _in_order(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _runs(incast: Results, protocol: str, buffers: int, handling_us: int) -> list[dict[str, Any]]:
    return [
        result
        for result in incast
        if result["protocol"] == protocol
        and result.get("buffers") == buffers
        and result.get("handling_us") == handling_us
    ]


def _middle(runs: Results, key: str) -> str:
    if not runs:
        return "not done"
    value = median(run[key] for run in runs)
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"


def _duplicates(runs: Results) -> str:
    return f"{median(run['duplicates'] / max(run['delivered'], 1) for run in runs):.2%}" if runs else ""
