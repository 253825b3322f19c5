"""Cables with latency where the kernel has no netem: both ends are TAP devices, and a process of its own hands each
frame from one to the other when its time has come. A frame costs some 40 us of a processor, which the hosts' programs
lose: what travels at many Mbit/s, or takes tens of microseconds, is not for these cables.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ayatori.base.compiled import of_mpi
from ayatori.base.errors import Error

LEAST_DELAY_NS = 100_000
"""Cables with less are as without latency."""
_DEVICE = Path("/dev/net/tun")
_SET_INTERFACE = 0x400454CA  # TUNSETIFF
_TAP, _NO_PACKET_INFORMATION = 0x0002, 0x1000


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
            of_mpi().carry_frames(cables)
        except Error as error:
            print(f"lab: {error.message}: {error.cause}", file=sys.stderr, flush=True)
        except Exception:
            traceback.print_exc()
        finally:
            os._exit(1)
    for near, far, _ in cables:
        os.close(near)
        os.close(far)
