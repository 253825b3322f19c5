"""Programs that measure on this machine, compared with each other. They come with the package, in `programs`."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, TypedDict, cast

from ayatori.base.compiled import built_program
from ayatori.base.errors import Error, UnknownWord
from ayatori.base.spreads import MedianSpread
from ayatori.processes import run_to_end

MAX_SECONDS = 300.0
"""Of one run; programs end themselves before."""

STACKS = {
    "ours": ("incast_ours",),
    "ucx-tcp": ("incast_ucx_tcp", "libucx-dev"),
    "ofi-rxd": ("incast_ofi_rxd", "libfabric-dev"),
    "raw-udp": ("incast_raw_udp",),
}
"""Of each stack its program, and the Debian package that it is built with, if that may be missing."""

MAX_SENDERS = 250
MAX_BYTES = 65536
MAX_BYTES_OF_A_DATAGRAM = 65507
"""Over IPv4, for stacks that send each message as one datagram."""


@dataclass(frozen=True)
class IncastSettings:
    senders: int = 31
    bytes: int = 1024
    messages: int = 5000
    """Of each sender."""


class CountedIncast(TypedDict):
    messages_per_s: MedianSpread
    """Over the repeats."""
    receiver_rss_MB: float
    """The receiver's largest resident memory."""
    duplicates: int | None
    retransmissions: int | None
    lost: int | None
    """Messages over all repeats; null where the stack does not count them."""


class StackIncast(CountedIncast):
    stack: str
    """The stack's name."""


class IncastData(TypedDict):
    senders: int
    bytes: int
    messages: int
    repeats: int
    """As given."""
    results: list[StackIncast]
    """One entry per stack."""


class PeersData(TypedDict):
    count: int
    """Peers."""
    messages: int
    delivered: int
    wrong: int
    """Messages to and from them, how many arrived, how many were not as sent."""
    rss_MB: float
    bytes_per_idle_peer: float | None
    """Resident memory, and its growth for each peer that no message goes to."""
    renewals: int
    """Contexts that were taken from one peer and given to another."""
    virtual_s: float
    wall_s: float
    """Time on the simulated network, and on the clock."""


def measure_incast(
    stacks: Sequence[str], incast: IncastSettings, repeats: int, advance: Callable[[], None] = lambda: None
) -> list[StackIncast]:
    """One result a stack. Stacks alternate, so that other load of the machine affects all of them alike."""
    _check(stacks, incast, repeats)
    runs: dict[str, list[dict[str, Any]]] = {stack: [] for stack in stacks}
    arguments = [str(incast.senders), str(incast.bytes), str(incast.messages)]
    programs = {
        stack: built_program(program, *packages) for stack, (program, *packages) in STACKS.items() if stack in stacks
    }
    for _ in range(repeats):
        for stack in stacks:
            runs[stack].append(_run_program(programs[stack], arguments))
            advance()
    return [{"stack": stack, **_summary(runs[stack])} for stack in stacks]


def measure_peers(count: int) -> PeersData:
    """One process with `count` simulated peers, a message to and from each."""
    if not 1 <= count <= 10**8:
        raise Error(f"peers: {count} is out of range", hint="1 to 100000000")
    printed = _run_program(built_program("many_peers_ours"), [str(count)], MAX_SECONDS + count / 1000)
    return cast("PeersData", printed)


def _check(stacks: Sequence[str], incast: IncastSettings, repeats: int) -> None:
    for stack in stacks:
        if stack not in STACKS:
            raise UnknownWord("stack", stack, STACKS)
    if not stacks or len(set(stacks)) < len(stacks):
        raise Error("each stack is named once", hint=f"there are {', '.join(STACKS)}")
    for value, least, most, what in (
        (incast.senders, 1, MAX_SENDERS, "senders"),
        (incast.bytes, 8, MAX_BYTES, "bytes of a message"),
        (incast.messages, 1, 10**7, "messages"),
        (repeats, 1, 1000, "repeats"),
    ):
        if not least <= value <= most:
            raise Error(f"{what}: {value} is out of range", hint=f"{least} to {most}")
    if "raw-udp" in stacks and incast.bytes > MAX_BYTES_OF_A_DATAGRAM:
        raise Error(f"raw-udp can't send {incast.bytes} bytes", hint=f"8 to {MAX_BYTES_OF_A_DATAGRAM}, or other stacks")


def _run_program(program: Path, arguments: list[str], timeout: float = MAX_SECONDS) -> dict[str, Any]:
    """The JSON line that the program prints. It is killed when this process ends, however that happens."""
    ended = run_to_end([program, *arguments], environment=os.environ, timeout=timeout)
    if ended.status == -signal.SIGALRM:
        raise Error(f"{program.name} took too long, and was ended", hint="fewer messages, or fewer senders")
    if missing := re.search(r"loading shared libraries: ([^:\s]+)", ended.errors):
        packages = " ".join(package for name, *rest in STACKS.values() if name == program.name for package in rest)
        raise Error(f"{program.name} needs {missing[1]}", hint=f"apt-get install {packages}; or other --stacks")
    if ended.status != 0:
        raise Error(f"{program.name} failed", cause=ended.reason, internal=True)
    return dict(ended.objects()[-1])


def _summary(runs: list[dict[str, Any]]) -> CountedIncast:
    """Rates of all runs; the receiver's largest memory; all that was dropped, sent again, or lost."""
    rates = [run["messages_per_s"] for run in runs]
    return {
        "messages_per_s": {"median": median(rates), "min": min(rates), "max": max(rates)},
        "receiver_rss_MB": max(run["receiver_rss_MB"] for run in runs),
        "duplicates": _sum([run["duplicates"] for run in runs]),
        "retransmissions": _sum([run["retransmissions"] for run in runs]),
        "lost": _sum([run["lost"] for run in runs]),
    }


def _sum(counts: list[int | None]) -> int | None:
    """The sum, or None if a run does not tell its count."""
    reported = [count for count in counts if count is not None]
    return sum(reported) if len(reported) == len(counts) else None
