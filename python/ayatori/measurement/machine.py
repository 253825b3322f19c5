"""How fast this machine is, and what else happens on it, while something is measured.

The machine's speed is measured by two computations between measurements, on each of up to four cores: a hash of a
mebibyte, which stays in the cache, and a copy of 32 MiB, which does not. What counts is the processor time that they
take: it does not grow when other processes get the core, but when the core, its caches or the memory are slower.

Other processes' load is the processor time of all processes of the machine but this one and those that it has started
and waited for, by the kernel's account (/proc/PID/stat; of ended ones, what their parents were given). Stolen is the
time in which the host of a virtual machine ran others (/proc/stat)."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from statistics import median

from ayatori.base.errors import Error
from ayatori.base.files import make_folder, read_text, write_json

_HASHED = bytes(1 << 20)
_COPIED = 32 << 20
_ROUNDS = 5
_MOST_CORES = 4
_STEAL = 7
"""Column of /proc/stat."""
_REMEMBERED = 32
"""Speeds of a machine."""
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Speed:
    """Seconds of processor time of the two computations: medians on each core, of the slowest one."""

    arithmetic: float
    memory: float


@dataclass
class Condition:
    """During a measurement. Complete when that is over."""

    speed: Speed = field(default_factory=lambda: Speed(0.0, 0.0))
    others: float = 0.0
    """Other processes' share of all cores."""
    stolen: float = 0.0
    """Share of all cores."""


@contextmanager
def watched() -> Iterator[Condition]:
    """Of what is done within: processes that it starts have to be waited for there. Not for several threads at once."""
    condition = Condition()
    before = speed()
    begin, others, stolen = time.monotonic(), _seconds_of_others(), _stolen_seconds()
    yield condition
    available = max(1e-9, time.monotonic() - begin) * (os.cpu_count() or 1)
    condition.others = max(0.0, _seconds_of_others() - others) / available
    condition.stolen = max(0.0, _stolen_seconds() - stolen) / available
    after = speed()
    condition.speed = Speed(max(before.arithmetic, after.arithmetic), max(before.memory, after.memory))


def speed() -> Speed:
    """Takes some 50 ms."""
    cores = os.sched_getaffinity(0)
    found = []
    try:
        for core in sorted(cores)[:_MOST_CORES]:
            os.sched_setaffinity(0, {core})
            rounds = [_one_round() for _ in range(_ROUNDS)]
            found.append([median(times) for times in zip(*rounds, strict=True)])
    finally:
        os.sched_setaffinity(0, cores)
    return Speed(*(max(times) for times in zip(*found, strict=True)))


def middle(speeds: Sequence[Speed]) -> Speed:
    """The median of each computation."""
    return Speed(median(one.arithmetic for one in speeds), median(one.memory for one in speeds))


def usual_speed() -> Speed | None:
    """What this machine has had when it was last remembered, some times; None if it never was."""
    known = _remembered().get(socket.gethostname(), [])
    return middle([Speed(*one) for one in known]) if known else None


def remember(speed: Speed) -> None:
    """For usual_speed(), of this user. Where nothing can be written, nothing is remembered."""
    known = _remembered()
    own = known.setdefault(socket.gethostname(), [])
    own.append([speed.arithmetic, speed.memory])
    del own[:-_REMEMBERED]
    with suppress(Error, OSError):
        make_folder(_file().parent)
        write_json(_file(), {"speeds": known})


def _remembered() -> dict[str, list[list[float]]]:
    """Seconds of the two computations, by host."""
    try:
        speeds = json.loads(read_text(_file()))["speeds"]
        return {str(host): [[float(a), float(m)] for a, m in own] for host, own in speeds.items()}
    except (Error, OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _file() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ayatori" / "speeds.json"


def _one_round() -> tuple[float, float]:
    source, target = _buffers()
    begin = time.thread_time()
    hashlib.sha512(_HASHED).digest()
    hashed = time.thread_time()
    target[:] = source
    return hashed - begin, time.thread_time() - hashed


@lru_cache(maxsize=1)
def _buffers() -> tuple[memoryview, memoryview]:
    source = memoryview(bytearray(b"\1" * _COPIED))
    target = memoryview(bytearray(b"\2" * _COPIED))
    return source, target


def _seconds_of_others() -> float:
    """Of processes that are there, with those of theirs that have ended, since they began."""
    total = 0
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with suppress(OSError, ValueError, IndexError):  # one that has just ended
                total += sum(map(int, (entry / "stat").read_text().rpartition(")")[2].split()[11:15]))
    return total / _TICKS


def _stolen_seconds() -> float:
    with suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/stat").read_text().split("\n", 1)[0].split()[1 + _STEAL]) / _TICKS
    return 0.0
