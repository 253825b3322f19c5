"""The token bucket that limits a NIC, found in the times of messages between two machines.

The first b bytes after a pause pass at once: a message of m bytes takes (m - b) / B instead of m / B. Then the straight
line through the times of larger messages meets 0 bytes below the time of a small one, which no other limit does, and b
is the difference in bytes.

If b is a few packets, the times may be stairs. Linux' `htb` lets a packet pass as soon as its bucket owes nothing, and
then it owes that packet's bytes: only the bytes before a message's last packet wait. `tbf` waits for the bytes of each
packet, which makes a straight line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, median

SMALL = 64
"""Bytes: messages up to this size are all latency and overhead."""
LARGE = 64 * 1024
"""Bytes: messages from this size on are all bandwidth."""
PACKETS = 2048
"""Bytes: messages from this size on are more than a packet of Ethernet."""
PACKET = 1448
"""Bytes of a message in a packet of TCP over Ethernet: 1500 without the headers of IP and TCP, and its time stamps."""
HEADERS = range(0, 65, 8)
"""Bytes that an MPI may send before those of a message: Open MPI's over TCP are 24."""
FAR_BELOW = 0.5
"""A token bucket saves at least this share of a small message's time: less may be noise."""
ALIKE = 0.7
"""Messages that pass a token bucket at once take at least this share of a small one's time (2 KiB: 0.79 to 0.85)."""


@dataclass(frozen=True)
class Bucket:
    burst: int
    """Bytes that pass at once."""
    rate: float
    """Bytes a second that fill it."""
    packet: int = 0
    """Bytes of a message in a packet, if packets pass whole; 0: byte by byte."""
    header: int = 0
    """Bytes before each message, if its packets tell."""


def bytes_that_wait(whole: int, level: float, packet: int) -> float:
    """Of a message for a token bucket that has `level` bytes, or owes some."""
    return max(0.0, (whole if not packet else (whole - 1) // packet * packet) - level)


def fit_bucket(whole: Mapping[int, float], limit: int, bandwidth: float) -> Bucket | None:
    """By the seconds of messages of `whole` bytes, eager up to the `limit`; larger ones flow at this bandwidth."""
    return fit_large_bucket(whole, limit) or fit_bucket_of_packets(whole, min(limit, LARGE), bandwidth)


def fit_large_bucket(whole: Mapping[int, float], limit: int) -> Bucket | None:
    """Of more than a few packets, and such that LARGE empties it."""
    slopes = slopes_of([(size, seconds) for size, seconds in whole.items() if size >= LARGE])
    if not slopes or median(slopes) <= 0:
        return None
    slope = median(slopes)
    burst, small = saved_by_bucket(whole, slope, LARGE, math.inf)
    # The largest pay for their rendezvous, too.
    if eager := [size for size in whole if 1.5 * burst <= size <= limit]:
        burst, small = saved_by_bucket(whole, slope, min(eager), limit)
    if not 2 * PACKETS <= burst <= LARGE:
        return None
    at_once = {
        size: ALIKE * small < seconds < small + FAR_BELOW * slope * max(size, 512)
        for size, seconds in whole.items()
        if SMALL < size <= burst
    }
    # Else something else makes large messages slower or small ones faster: a cache, or the way that an MPI takes.
    return Bucket(round(burst), 1 / slope) if small_ones_pass(at_once, burst, limit) else None


def small_ones_pass(at_once: Mapping[int, bool], burst: float, limit: int) -> bool:
    """By whether each size does. Some MPIs send a message in parts after a rendezvous: that one may not pass at once,
    and it is enough if an eager one of its size does."""
    large = [passes for size, passes in at_once.items() if 2 * size > burst] or list(at_once.values())
    return (any(large) or not large) and all(passes for size, passes in at_once.items() if size <= limit)


def fit_bucket_of_packets(whole: Mapping[int, float], most: int, bandwidth: float) -> Bucket | None:
    """Of a few packets, by messages of up to `most` bytes: stairs or a straight line, what is nearer to their times."""
    small = [seconds for size, seconds in whole.items() if size <= SMALL]
    larger = {size: seconds for size, seconds in whole.items() if PACKETS <= size <= most}
    if not small or not bandwidth:
        return None
    found = [stairs(larger, median(small), bandwidth, header) for header in HEADERS]
    found.append(straight_line(whole, larger, bandwidth))
    buckets = [one for one in found if one is not None]
    return min(buckets, key=lambda one: round(one[1], 3))[0] if buckets else None


def stairs(times: Mapping[int, float], small: float, bandwidth: float, header: int) -> tuple[Bucket, float] | None:
    """Packets pass whole. The bucket, and by what share the `times` are others in the mean. `small`: seconds of a small
    message. What packets cost the processors is no wait: messages that pass at once tell it, those that take less than
    half of a packet's time on the wire more than a small one."""
    passing = [seconds for seconds in times.values() if seconds <= small + FAR_BELOW * PACKET / bandwidth]
    alone = max([small, *passing])
    before_last = {size: int(bytes_that_wait(size + header, 0, PACKET)) for size in times}
    waiting = {before_last[size]: seconds for size, seconds in times.items() if seconds > alone}
    slopes = slopes_of(list(waiting.items()))
    if not slopes or median(slopes) <= 0:
        return None
    slope = median(slopes)
    saved = alone - median(seconds - slope * size for size, seconds in waiting.items())
    if saved <= FAR_BELOW * small:
        return None
    burst = saved / slope
    errors = []
    for size, seconds in times.items():
        wait = slope * max(0.0, before_last[size] - burst)
        errors.append(abs(alone + wait - seconds) / seconds if wait > 0 else max(0.0, seconds - alone) / seconds)
    return Bucket(max(1, round(burst)), bandwidth, PACKET, header), fmean(errors)


def straight_line(
    whole: Mapping[int, float], larger: Mapping[int, float], bandwidth: float
) -> tuple[Bucket, float] | None:
    """Bytes pass one by one. As stairs()."""
    slopes = slopes_of(list(larger.items()))
    if not slopes or median(slopes) <= 0:
        return None
    slope = median(slopes)
    burst, small = saved_by_bucket(whole, slope, min(larger), max(larger))
    if burst == 0:
        return None
    errors = [abs(small + slope * max(0.0, size - burst) - seconds) / seconds for size, seconds in larger.items()]
    return Bucket(max(1, round(burst)), bandwidth), fmean(errors)


def slopes_of(points: Sequence[tuple[int, float]]) -> list[float]:
    """Seconds a byte between each two of which one has at least twice the bytes."""
    return [(u - t) / (b - a) for a, t in points for b, u in points if b >= 2 * a]


def saved_by_bucket(whole: Mapping[int, float], slope: float, first: int, last: float) -> tuple[float, float]:
    """The bytes that pass at once, by the times of messages of `first` to `last` bytes, 0 if that may be noise; and the
    seconds of a small message."""
    times_of_small = [seconds for size, seconds in whole.items() if size <= SMALL]
    at_zero = [seconds - slope * size for size, seconds in whole.items() if first <= size <= last]
    if not times_of_small or not at_zero:
        return 0.0, 0.0
    small = median(times_of_small)
    saved = small - median(at_zero)
    return (saved / slope if saved > FAR_BELOW * small else 0.0), small
