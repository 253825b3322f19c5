"""Four processes that exchange messages over a loopback that loses packets: our transport, libacp and their peers.

    .venv/bin/python -m bench.tasks.lossy.compare [LOSS …]

Prints one JSON line for each loss in percent (0, 0.1, 1, 5 and 20 if none is given): the median goodput of each stack,
and those of ours divided by that of the kernel's TCP in the same run, libacp's also by that of TCP with a barrier after
each round, which libacp's processes have; the median seconds of a core that each takes, which other programs hardly
change. Then come how much goodput is left when another program has the receiver's core, too, and the round trips of
small messages at 1 %. Needs root or user namespaces, and nft (Debian's nftables). Stacks alternate; one that is not
built (UCX) is left out, and so is one that fails.
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
from collections.abc import Callable
from typing import Any

from ayatori.base.errors import Error
from bench.harness.programs import BUILT, alternating, output_of

REPEATS = 9
LOSSES = ["0", "0.1", "1", "5", "20"]
OURS = ["ours", "libacp"]
STACKS = [*OURS, "tcp", "ucx_tcp"]
LONGEST = 300.0
# Percent lost at the most, and the rounds.
ROUNDS = [(0.01, "1500"), (0.5, "500"), (2.0, "200"), (10.0, "20"), (100.0, "6")]

Line = dict[str, Any]


def core_seconds() -> float:
    """Of all programs that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(stack: str, *arguments: str) -> Line | None:
    before = core_seconds()
    try:
        line: Line = json.loads(output_of([BUILT / "tasks" / f"lossy_{stack}", *arguments], timeout=LONGEST))
    except Error as problem:
        print(f"{stack} {' '.join(arguments)}: {problem} ({problem.cause})", file=sys.stderr)
        return None
    return line | {"core_seconds": core_seconds() - before}


def runs_of(stacks: list[str], *arguments: str) -> dict[str, list[Line]]:
    built = [stack for stack in stacks if (BUILT / "tasks" / f"lossy_{stack}").exists()]
    runs: dict[str, Callable[[int], Line | None]] = {
        stack: lambda _, stack=stack: measured(stack, *arguments) for stack in built
    }
    return {stack: [line for line in lines if line] for stack, lines in alternating(runs, REPEATS).items()}


def rounds_for(loss: str) -> str:
    """As many as kernel TCP does in about a second: windows begin small, and a short run shows little else."""
    return next(rounds for most, rounds in ROUNDS if float(loss) <= most)


def median_rates(runs: dict[str, list[Line]]) -> dict[str, float]:
    return {stack: statistics.median(line["MB_per_s"] for line in lines) for stack, lines in runs.items() if lines}


def median_core_seconds(runs: dict[str, list[Line]]) -> dict[str, float]:
    return {
        stack: round(statistics.median(line["core_seconds"] for line in lines), 2)
        for stack, lines in runs.items()
        if lines
    }


def exchange(loss: str) -> None:
    runs = runs_of(STACKS, "exchange", loss, rounds_for(loss))
    rates = median_rates(runs)
    with_barriers = runs_of(["tcp"], "synchronised", loss, rounds_for(loss))
    synchronised = median_rates(with_barriers)
    print(
        json.dumps(
            {
                "loss_percent": float(loss),
                "MB_per_s": rates,
                "over_tcp": {stack: round(rates[stack] / rates["tcp"], 3) for stack in OURS if stack in rates},
                "libacp_over_synchronised_tcp": round(rates["libacp"] / synchronised["tcp"], 3),
                "synchronised_tcp_MB_per_s": synchronised["tcp"],
                "core_seconds": median_core_seconds(runs),
                "synchronised_tcp_core_seconds": median_core_seconds(with_barriers)["tcp"],
                "duplicates": sum(line["duplicates"] for line in runs["ours"]),
                "packets": sum(line["packets"] for line in runs["ours"]),
                "runs": {stack: [line["MB_per_s"] for line in lines] for stack, lines in runs.items()},
            }
        ),
        flush=True,
    )


def busy_receiver() -> None:
    runs = {load: runs_of(["ours", "tcp"], "stream", load) for load in ("idle", "busy")}
    idle, busy = median_rates(runs["idle"]), median_rates(runs["busy"])
    worst = max(line["duplicates"] / line["packets"] for line in runs["busy"]["ours"])
    print(
        json.dumps(
            {
                "busy_receiver": {
                    "idle_MB_per_s": idle,
                    "busy_MB_per_s": busy,
                    "left": {stack: round(busy[stack] / idle[stack], 3) for stack in busy},
                    "duplicates_max": round(worst, 5),
                }
            }
        ),
        flush=True,
    )


def small_messages() -> None:
    runs = runs_of(["ours", "tcp"], "pingpong", "1")
    median = {
        stack: {key: statistics.median(line["round_trip_us"][key] for line in lines) for key in ("median", "p99")}
        for stack, lines in runs.items()
    }
    ratio = {
        stack: round(
            statistics.median(line["round_trip_us"]["p99"] / line["round_trip_us"]["median"] for line in lines), 2
        )
        for stack, lines in runs.items()
    }
    print(json.dumps({"small_messages": {"round_trip_us": median, "p99_over_median": ratio}}), flush=True)


def require_programs() -> None:
    """UCX's alone may be missing."""
    for stack in (*OURS, "tcp"):
        if not (program := BUILT / "tasks" / f"lossy_{stack}").exists():
            how = "cmake -DAYATORI_BENCH=ON build/release && cmake --build build/release"
            sys.exit(f"error: {program.name} is not built\nhint: {how}")


if __name__ == "__main__":
    require_programs()
    for loss in sys.argv[1:] or LOSSES:
        exchange(loss)
    if not sys.argv[1:]:
        busy_receiver()
        small_messages()
