"""Cables with latency where the kernel has no netem: both ends are TAP devices, and a process of its own hands each
frame from one to the other when its time has come. A frame costs some 30 us of a processor: what travels at many
Mbit/s, or takes tens of microseconds, is not for these cables.
"""

from __future__ import annotations

import fcntl
import os
import select
import struct
import sys
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

LEAST_DELAY_NS = 100_000
"""Cables with less are as without latency."""
_DEVICE = Path("/dev/net/tun")
_SET_INTERFACE = 0x400454CA  # TUNSETIFF
_TAP, _NO_PACKET_INFORMATION = 0x0002, 0x1000
_FRAME_BYTES = 65536
_AT_ONCE = 64
"""Frames of one end that are read before others have their turn."""


def can_delay() -> bool:
    """Whether this machine has TAP devices, and lets us open them."""
    try:
        os.close(os.open(_DEVICE, os.O_RDWR | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def make_tap(name: str) -> int:
    """A TAP device of this name in the namespace of the caller. It is there as long as the descriptor is open."""
    descriptor = os.open(_DEVICE, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(descriptor, _SET_INTERFACE, struct.pack("16sH22x", name.encode(), _TAP | _NO_PACKET_INFORMATION))
    return descriptor


def start(cables: Sequence[tuple[int, int, float]]) -> None:
    """A child that delays what passes these cables: the descriptors of both ends, and seconds. It ends with its
    namespace of processes, or when its parent does. The caller's descriptors are closed."""
    if os.fork() == 0:
        with suppress(OSError):  # not without its privilege
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
        try:
            _carry(cables)
        finally:
            os._exit(1)
    for near, far, _ in cables:
        os.close(near)
        os.close(far)


def _carry(cables: Sequence[tuple[int, int, float]]) -> None:
    peers = {near: (far, seconds) for near, far, seconds in cables}
    peers |= {far: (near, seconds) for near, far, seconds in cables}
    waiting: dict[int, deque[tuple[float, bytes]]] = {end: deque() for end in peers}  # by the end they leave from
    while True:
        due = min((frames[0][0] for frames in waiting.values() if frames), default=None)
        pause = None if due is None else max(0.0, due - time.monotonic())
        for end in select.select(list(peers), (), (), pause)[0]:
            _read(end, *peers[end], waiting)
        now = time.monotonic()
        for end, frames in waiting.items():
            while frames and frames[0][0] <= now:
                with suppress(OSError):  # an interface that is down loses it
                    os.write(end, frames.popleft()[1])


def _read(end: int, peer: int, seconds: float, waiting: dict[int, deque[tuple[float, bytes]]]) -> None:
    for _ in range(_AT_ONCE):
        try:
            frame = os.read(end, _FRAME_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            sys.exit(f"lab: a cable's end is gone: {error}")
        waiting[peer].append((time.monotonic() + seconds, frame))
