"""What libayatori_trace.so has written: the calls of each rank, the operations that they began and ended, and when
bytes crossed the network (docs/overlap.md)."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error

FORMAT, VERSION = "ayatori-trace", 1
ANY = -1
"""A peer or a tag that a receive takes from anybody; the peer of collectives."""
NOBODY = -2
"""The peer of a message to MPI_PROC_NULL."""
SENDS = ("send", "synchronous send", "buffered send")
ALONE = ("put", "get", "accumulate", "partitioned send", "partitioned receive", "file read", "file write")
"""Operations that the trace matches with none of another rank."""


@dataclass(frozen=True)
class Operation:
    """`peer`: in MPI_COMM_WORLD; of a rooted collective its root. `bytes`: a receive's are those that it got."""

    name: str
    peer: int
    tag: int
    members: tuple[int, ...]
    bytes: int
    receivers: tuple[int, ...] = ()
    """Of a collective of neighbours: those that this process sends to."""

    @property
    def is_message(self) -> bool:
        return self.name in (*SENDS, "receive")


@dataclass(frozen=True)
class Call:
    """Of MPI. `begun` and `ended` are numbers of operations of its rank. `inside`: seconds in MPI; less than from its
    begin to its end where it stands for many polls."""

    name: str
    begin: float
    end: float
    inside: float
    begun: range
    ended: tuple[int, ...]
    tested: int = -1
    """An operation that it asked for in vain; -1: none."""


@dataclass(frozen=True)
class Traffic:
    """Bytes that a host's interfaces have sent and received (its loopback, too) up to some moments."""

    times: Sequence[float]
    bytes: Sequence[int]

    def between(self, begin: float, end: float) -> float:
        """Bytes in this time: what lies between two samples is spread evenly."""
        return max(0.0, self._until(end) - self._until(begin))

    @property
    def total(self) -> int:
        """Bytes from the first sample to the last one."""
        return self.bytes[-1] - self.bytes[0] if self.bytes else 0

    def _until(self, time: float) -> float:
        if not self.times:
            return 0.0
        after = bisect_right(self.times, time)
        if after == 0:
            return float(self.bytes[0])
        if after == len(self.times):
            return float(self.bytes[-1])
        before, later = self.times[after - 1], self.times[after]
        part = (time - before) / (later - before) if later > before else 0.0
        return self.bytes[after - 1] + part * (self.bytes[after] - self.bytes[after - 1])

    def moments(self, begin: float, end: float) -> range:
        """The numbers of the samples in this time."""
        return range(bisect_left(self.times, begin), bisect_right(self.times, end))


@dataclass(frozen=True)
class RankTrace:
    rank: int
    mpi: str
    """What MPI_Get_library_version says; empty in traces of before."""
    host: str
    cores: tuple[int, ...]
    asked_level: int
    level: int
    """Of threads: 0 single, 1 funneled, 2 serialized, 3 multiple."""
    eager_limits: dict[int, tuple[int, int]]
    """By the peer of rank 0 with which they were measured: the largest size that was eager, and the smallest one that
    was not; 0: none was."""
    threads: tuple[tuple[str, float], ...]
    """Names, and seconds on a core."""
    left_out: int
    unseen: dict[str, int]
    """Calls of functions whose operations the trace does not know; without a name: requests of unknown origin."""
    calling_threads: int
    begin: float
    end: float
    """The end of MPI_Init, and the begin of MPI_Finalize."""
    operations: tuple[Operation, ...]
    calls: tuple[Call, ...]
    traffic: Traffic
    """Of the host; empty but on its first rank."""


def calls_without_overlap(trace: RankTrace) -> Iterator[tuple[Call, float, float]]:
    """Each call with the time at which it begins, and its seconds in MPI: those that no call before it has. Calls of
    several threads may overlap."""
    before = trace.begin
    for call in trace.calls:
        begin = max(before, call.begin)
        whole = call.end - call.begin
        share = max(0.0, call.end - begin) / whole if whole > 0 else 0.0
        yield call, begin, call.inside * min(1.0, share)
        before = max(before, call.end)


def read_traces(folder: Path) -> list[RankTrace]:
    """Of all ranks, in their order. Raises Error if a rank's file is missing or broken."""
    first = folder / "rank-0.json"
    if not first.exists():
        raise Error(
            "the program has written no trace", f"there is no {first}", "it must call MPI_Init and MPI_Finalize"
        )
    found = [_read(first)]
    ranks = _ranks_in(first)
    for rank in range(1, ranks):
        path = folder / f"rank-{rank}.json"
        if not path.exists():
            raise Error(f"rank {rank} has written no trace", hint=f"its host must see the same {folder}")
        found.append(_read(path))
    return found


def _ranks_in(path: Path) -> int:
    return int(json.loads(path.read_text(encoding="utf-8"))["ranks"])


def _read(path: Path) -> RankTrace:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise ValueError(f"it is not version {VERSION} of the format {FORMAT}")
        return trace_of(data)
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise Error(f"{path} is not a trace", str(error)) from error


def trace_of(data: dict[str, Any]) -> RankTrace:
    """Times are those of rank 0's clock."""
    offset = float(data["clock_offset"])
    members = [tuple(map(int, ranks)) for ranks in data["members"]]
    operations = tuple(
        Operation(
            str(name), int(peer), int(tag), members[number], int(size), members[tag] if name == "neighbours" else ()
        )
        for name, peer, tag, number, size in data["operations"]
    )
    calls = tuple(
        Call(str(name), begin + offset, end + offset, float(inside), range(*begun), tuple(map(int, ended)), int(tested))
        for name, begin, end, inside, begun, ended, tested in data["calls"]
    )
    for call in calls:
        numbers = (*call.begun, *call.ended, *([call.tested] if call.tested >= 0 else []))
        if any(not 0 <= number < len(operations) for number in numbers):
            raise ValueError(f"{call.name} has operations that are not there")
    samples = data["traffic"]
    traffic = Traffic([one[0] + offset for one in samples], [sum(one[1:4]) for one in samples])
    return RankTrace(
        rank=int(data["rank"]),
        mpi=str(data.get("mpi", "")),
        host=str(data["host"]),
        cores=tuple(map(int, data["cores"])),
        asked_level=int(data["thread_level"][0]),
        level=int(data["thread_level"][1]),
        eager_limits={
            int(peer): (int(eager), int(above)) for peer, eager, above in data["eager_limits"] if eager + above > 0
        },
        threads=tuple((str(name), float(seconds)) for name, seconds in data["threads"]),
        left_out=int(data["left_out"]),
        unseen={str(name): int(calls) for name, calls in data["unseen"] if calls > 0},
        calling_threads=int(data["calling_threads"]),
        begin=float(data["from"]) + offset,
        end=float(data["until"]) + offset,
        operations=operations,
        calls=calls,
        traffic=traffic,
    )
