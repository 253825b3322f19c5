"""The costs of the model (ayatori/flow/simulate.hpp), fitted to measurements between two ranks, and their errors.

With s(m) and r(m) the overheads of sender and receiver, L the latency, B the bandwidth, R the rendezvous (0 of eager
messages), and S what it takes to begin, the model says of two ranks

    one way     S + s(m) + L + R + m / B + r(m)
    exchange    S + s(m) + L + R + k m / B + r(m),   k = 2 inside a machine, where both messages share B, else 1
    chain       S / n + s(m) + L + R + k m / B + r(m),   one of n exchanges
    several     one of n exchanges that are begun at once: the processor sends all n messages and then receives them,
                while they flow one after the other
    add         an exchange + reduce(m)
    combine     an exchange + reduce(m) + again(m)

The sends of eager messages say s, those of a rendezvous take as long as the smallest; the smallest messages say L, and
S is what the first of several exchanges takes longer. The exchanges say B inside a machine; between machines it is the
slope of the largest messages. r(m) is what is left, by straight lines: of the geometric mean of one way and what an
exchange would be without k, since no r can fit both where a real rank is slowed down by its own message on the way out.
R is at first what the smallest message above the eager limit takes longer than one below it. But what each further one
of several takes longer, too, is not R but r: time of the receiver's processor, as where it copies a message out of the
sender's memory.
A reduction takes what `add` has more than an exchange: what came was written by another core. `again` is what it takes
more to write to what has been sent, since the receiver's cache has it, too.

Between machines a token bucket may limit the rate (fitting_buckets.py). In a chain only the first message finds a full
bucket, each other one what came into it while no bytes flowed.

There h bytes flow in addition to the m of each message: many eager messages one after the other, where they wait for
the wire, take (m + h) / B each."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ayatori.calibration.fitting_buckets import LARGE, SMALL, bytes_that_wait, fit_bucket, slopes_of
from ayatori.calibration.lines import lines_through
from ayatori.calibration.measuring import CHECKED_SIZES, Measurement
from ayatori.formats.calibration import FitError
from ayatori.prediction.costs import Line, MessageCosts, SizeCost, seconds_of

CHAIN = 4
"""Exchanges in a chain."""
SEVERAL = 4
"""Exchanges that are begun at once."""
BURST = 32
"""Messages in a burst."""
FIRST_WITH_HEADER, LAST_WITH_HEADER = 512, 4096
"""Bytes: smaller messages share packets where many are sent, and of larger ones a header is too small a part."""
LARGEST_HEADER = 256
"""Bytes: what takes longer than that waits for something else."""
WAITING = 1.5
"""Messages wait for the wire that take so many times as long as a processor is busy with one."""
CORRECTIONS = 20
"""Of the rendezvous: what several messages take is not linear in it."""
MOSTLY = 0.9
"""Several messages wait for each other's bytes where these flow for at least this share of the time."""
SHARES_BANDWIDTH = 0.05
"""Two messages at once share the bandwidth if they take at least this share longer than one."""


@dataclass(frozen=True)
class Fit:
    messages: MessageCosts
    copy: SizeCost
    reduce: SizeCost
    cache_refill: SizeCost
    start: float
    errors: Sequence[FitError]


def fit(measured: Measurement, where: str) -> Fit:
    """`where` is "inside" or "between" and names the errors."""
    start = fit_start(measured)
    messages = fit_messages(measured, where == "inside", start)
    copy = lines_through(_fitted(measured.medians("copy")))
    reduce = lines_through(_fitted(reductions(measured)), whole=measured.medians("add"))
    again = lines_through(_fitted(differences(measured, "combine", "add")), whole=measured.medians("combine"))
    both = 2 if where == "inside" else 1

    def exchange(size: int) -> float:
        return start + one_way(messages, size, both)

    patterns: list[tuple[str, Callable[[int], float]]] = [
        ("one_way", lambda size: start + one_way(messages, size)),
        ("exchange", exchange),
        ("chain", lambda size: start / CHAIN + one_of_chain(messages, size, both)),
        ("several", lambda size: start / SEVERAL + one_of_several(messages, size, both)),
        ("add", lambda size: exchange(size) + seconds_of(reduce, size)),
        ("combine", lambda size: exchange(size) + seconds_of(reduce, size) + seconds_of(again, size)),
        ("copy", lambda size: seconds_of(copy, size)),
    ]
    errors = []
    for pattern, predicted in patterns:
        times = measured.medians(pattern)
        name = f"{pattern.replace('_', ' ')} {where}"
        errors += errors_of(name, predicted, _fitted(times), fitted=True)
        held_out = [(size, seconds) for size, seconds in times.items() if size in CHECKED_SIZES]
        errors += errors_of(name, predicted, held_out, fitted=False)
    return Fit(messages, copy, reduce, again, start, errors)


def one_way(costs: MessageCosts, size: int, sharing: int = 1) -> float:
    """Seconds of a message, or of each of `sharing` messages that share the bandwidth."""
    seconds = seconds_of(costs.send, size) + costs.latency + seconds_of(costs.receive, size)
    seconds += costs.rendezvous if size > costs.eager_limit else 0
    waiting = bytes_that_wait(size + costs.header, costs.burst, costs.packet)
    return seconds + (sharing * waiting / costs.bandwidth if costs.bandwidth else 0)


def one_of_chain(costs: MessageCosts, size: int, sharing: int) -> float:
    """Seconds of a message in the mean of CHAIN ones, one after the other: a bucket is filled while no bytes flow."""
    alone = one_way(costs, size, sharing)
    if not costs.bandwidth or not costs.burst:
        return alone
    whole = size + costs.header
    quiet = one_way(replace(costs, burst=whole), size, sharing)
    level, sum_of_all = float(costs.burst), 0.0
    for _ in range(CHAIN):
        waiting = bytes_that_wait(whole, level, costs.packet)
        sum_of_all += quiet + waiting / costs.bandwidth
        level = min(costs.burst, level - (whole - waiting) + quiet * costs.bandwidth)
    return sum_of_all / CHAIN


def one_of_several(costs: MessageCosts, size: int, sharing: int) -> float:
    """Seconds of a message in the mean of SEVERAL that are sent at once, each way."""
    send, receive = seconds_of(costs.send, size), seconds_of(costs.receive, size)
    waits = costs.latency + (costs.rendezvous if size > costs.eager_limit else 0)
    level, arrived, received = float(costs.burst), 0.0, SEVERAL * send
    for number in range(SEVERAL):
        begins = max(arrived, (number + 1) * send + waits)
        level = min(costs.burst, level + (begins - arrived) * costs.bandwidth)
        whole = size + costs.header
        waiting = bytes_that_wait(whole, level, costs.packet)
        level -= whole - waiting
        flowing = sharing * waiting / costs.bandwidth if costs.bandwidth else 0.0
        arrived = begins + flowing
        received = max(received, arrived) + receive
    return received / SEVERAL


def fit_start(measured: Measurement) -> float:
    """Seconds that the first of several exchanges takes longer than the others; at most half of any message."""
    exchanges, chains = measured.medians("exchange"), measured.medians("chain")
    more = [(seconds - chains[size]) / (1 - 1 / CHAIN) for size, seconds in exchanges.items() if size <= SMALL]
    least = min((*exchanges.values(), *measured.medians("one_way").values()), default=0.0)
    return min(max(0.0, median(more)), least / 2) if more else 0.0


def exchanges_of(measured: Measurement, start: float, *, with_chains: bool) -> dict[int, float]:
    """Seconds of an exchange without its start, in the mean of one alone and the later ones of a chain."""
    alone, chains = measured.medians("exchange"), measured.medians("chain")
    if not with_chains:
        return {size: one - start for size, one in alone.items()}
    return {size: math.sqrt((one - start) * max(chains[size] - start / CHAIN, one / 4)) for size, one in alone.items()}


def differences(measured: Measurement, more: str, less: str) -> dict[int, float]:
    """Seconds by size that a pattern takes longer than another one."""
    shorter = measured.medians(less)
    return {size: max(0.0, seconds - shorter[size]) for size, seconds in measured.medians(more).items()}


def reductions(measured: Measurement) -> dict[int, float]:
    """Seconds of a reduction, of what lies in the cache at least."""
    cached = measured.medians("reduce")
    return {size: max(seconds, cached[size]) for size, seconds in differences(measured, "add", "exchange").items()}


def fit_messages(measured: Measurement, inside: bool, start: float) -> MessageCosts:
    limit = measured.eager_limit
    single = {size: seconds - start for size, seconds in _fitted(measured.medians("one_way"))}
    exchanged = exchanges_of(measured, start, with_chains=inside)
    bandwidth = shared_bandwidth(exchanged, single) if inside else slope_of_large(single, limit)
    whole = means_of_patterns(exchanged, single, bandwidth if inside else 0)
    burst = packet = header = 0
    if not inside and (bucket := fit_bucket(whole, limit, bandwidth)):
        burst, bandwidth, packet, header = bucket.burst, bucket.rate, bucket.packet, bucket.header
    if not inside and not packet:
        header = fit_header(measured, bandwidth, burst)

    def flowing(size: int) -> float:
        return bytes_that_wait(size + header, burst, packet) / bandwidth if bandwidth else 0.0

    waits = {} if inside else {size: flowing(size) for size in single}
    send = fit_send(measured, single, waits)
    latency = fit_latency(measured, single, send)
    if bandwidth:
        left = [(size, seconds - seconds_of(send, size) - latency) for size, seconds in whole.items()]
        bandwidth = max([bandwidth, *((size + header - burst) / t for size, t in left if t > 0 and size >= LARGE)])

    def rest(size: int) -> float:
        return whole[size] - seconds_of(send, size) - latency - flowing(size)

    below = lines_through([(size, rest(size)) for size in whole if size <= limit], whole=whole)
    above = [(size, rest(size)) for size in whole if size > limit]
    rendezvous = 0.0
    if above and below:
        rendezvous = min(max(0.0, above[0][1] - seconds_of(below, limit)), min(seconds for _, seconds in above))
        rendezvous = max(0.0, rendezvous)

    def costs(rendezvous: float) -> MessageCosts:
        receive = below + lines_through([(size, t - rendezvous) for size, t in above], limit + 1, whole)
        return MessageCosts(latency, send, receive, 0, limit, rendezvous, bandwidth, burst, packet, header)

    least = min((seconds for _, seconds in above), default=0.0)
    for _ in range(CORRECTIONS):
        busier = busier_than_thought(measured, costs(rendezvous), [size for size, _ in above], 2 if inside else 1)
        rendezvous = max(0.0, min(rendezvous - busier, least))
    found = costs(rendezvous)
    return replace(found, gap=fit_gap(measured, found.send, found.receive))


def busier_than_thought(measured: Measurement, costs: MessageCosts, sizes: Iterable[int], sharing: int) -> float:
    """Seconds, in the middle of these sizes, that each further one of several messages takes longer than by `costs`.
    Those that wait for each other's bytes may keep processors less busy than that, but no busier."""
    several, alone = measured.medians("several"), measured.medians("exchange")
    more = []
    for size in sizes:
        if size not in several:
            continue
        further = (SEVERAL * several[size] - alone[size]) / (SEVERAL - 1)
        flowing = sharing * size / costs.bandwidth if costs.bandwidth else 0.0
        predicted = SEVERAL * one_of_several(costs, size, sharing) - one_way(costs, size, sharing)
        longer = further - predicted / (SEVERAL - 1)
        if longer < 0 or flowing < MOSTLY * further:
            more.append(longer)
    return median(more) if more else 0.0


def means_of_patterns(exchanged: Mapping[int, float], single: Mapping[int, float], shared: float) -> dict[int, float]:
    """Seconds of one way by size, as both patterns say it."""
    more = {size: size / shared if shared else 0.0 for size in single}
    return {size: math.sqrt(one * max(exchanged[size] - more[size], one / 4)) for size, one in single.items()}


def fit_send(measured: Measurement, whole: Mapping[int, float], flowing: Mapping[int, float]) -> SizeCost:
    """At most half of the message's time, as a sender that is interrupted would say more than it takes; and no more
    than the rest of it after the bytes that flow: a sender whose buffer is full waits for these."""
    eager = [
        (size, max(0.0, min(seconds, whole[size] / 2, whole[size] - flowing.get(size, 0.0))))
        for size, seconds in _fitted(measured.medians("send"))
    ]
    if not eager:
        return ()
    after = Line(measured.eager_limit + 1, eager[0][1])
    return (*lines_through(eager), after)


def fit_latency(measured: Measurement, whole: Mapping[int, float], send: SizeCost) -> float:
    received = measured.medians("receive")
    rest = [
        whole[size] - seconds_of(send, size) - received[size] for size in whole if size <= SMALL and size in received
    ]
    return max(0.0, median(rest)) if rest else 0.0


def shared_bandwidth(exchanged: Mapping[int, float], whole: Mapping[int, float]) -> float:
    """Bytes a second of all messages inside a machine; 0: two take no longer than one."""
    more = [(size, exchanged[size] - seconds) for size, seconds in whole.items() if size >= LARGE]
    if not more or median(seconds / whole[size] for size, seconds in more) < SHARES_BANDWIDTH:
        return 0.0
    return median(size / seconds for size, seconds in more if seconds > 0)


def slope_of_large(whole: Mapping[int, float], limit: int) -> float:
    """Bytes a second; 0 if no larger message takes longer."""
    eager = [(size, seconds) for size, seconds in whole.items() if LARGE / 4 <= size <= limit]
    others = [(size, seconds) for size, seconds in whole.items() if size >= LARGE and size > limit]
    slopes = [*slopes_of(eager), *slopes_of(others)]
    return 1 / median(slopes) if slopes and median(slopes) > 0 else 0.0


def fit_header(measured: Measurement, bandwidth: float, burst: int) -> int:
    """Bytes that flow with each message; 0 where messages one after the other wait for processors rather than for the
    wire, or where a token bucket lets too many of them pass at once."""
    send, receive = measured.medians("send"), measured.medians("receive")
    at_once = burst / BURST
    more = []
    for size, seconds in _fitted(measured.medians("burst")):
        flowing = bandwidth * seconds + at_once
        wait_for_the_wire = seconds > WAITING * max(send.get(size, 0.0), receive.get(size, 0.0))
        is_right = FIRST_WITH_HEADER <= size <= LAST_WITH_HEADER and 8 * at_once < size
        if is_right and wait_for_the_wire and abs(flowing - size) <= LARGEST_HEADER:
            more.append(flowing - size)
    return round(max(0.0, median(more))) if more else 0


def fit_gap(measured: Measurement, send: SizeCost, receive: SizeCost) -> float:
    """What small messages one after the other take, where it is more than the overheads of either end; else 0."""
    bursts = [(size, seconds) for size, seconds in measured.medians("burst").items() if size <= SMALL]
    gaps = [seconds for size, seconds in bursts if seconds > max(seconds_of(send, size), seconds_of(receive, size))]
    return median(gaps) if 2 * len(gaps) > len(bursts) else 0.0


def errors_of(
    name: str,
    predicted: Callable[[int], float],
    points: Iterable[tuple[int, float]],
    *,
    fitted: bool,
) -> list[FitError]:
    shares = [abs(predicted(size) - seconds) / seconds for size, seconds in points if seconds > 0]
    return [FitError(name, fitted, len(shares), median(shares), max(shares))] if shares else []


def _fitted(times: Mapping[int, float]) -> list[tuple[int, float]]:
    """The measurements that the fit may see, by size."""
    return sorted((size, seconds) for size, seconds in times.items() if size not in CHECKED_SIZES)
