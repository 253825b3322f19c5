"""Values of ours for paper 5."""

from __future__ import annotations

from collections.abc import Callable
from statistics import geometric_mean, median
from typing import Any

from ayatori.prediction.incast import OURS
from experiments.low_memory_transport.experiment import (
    NAK_DELAYS_US,
    RC,
    RC_SHORTEST,
    Settings,
    connections,
    paper_protocol,
)
from experiments.low_memory_transport.memory_presentation import fit
from experiments.low_memory_transport.paper import SIZES
from experiments.low_memory_transport.verbs_measurement import HANDLING_US
from experiments.papers.values import Missing, Saved, Source, Value, Values, median_of, single

UD = paper_protocol(1_000).name
TIMERS_US = (10_000, 1_000, 100, 10)


def _source(compute: Callable[[Saved], Value | float]) -> Source:
    return Source("low_memory_transport", compute)


def _runs(saved: Saved, name: str, buffers: int, size: int) -> list[dict[str, Any]]:
    """Of each seed."""
    runs = saved.of(f"{name}: {buffers} buffers")
    seeds = len(saved.parameters["seeds"])
    if size not in saved.parameters["sizes"]:
        raise Missing(f"{size} bytes")
    first = saved.parameters["sizes"].index(size) * seeds
    return runs[first : first + seeds]


def _incast(key: str, name: str, buffers: int, size: int, scale: float = 1.0) -> Source:
    return _source(lambda saved: median_of([one[key] * scale for one in _runs(saved, name, buffers, size)], "seeds"))


def _count(key: str, timer_us: int, size: int) -> Source:
    """Packets of as many messages as fit table 2; of fewer, as in quick runs, so many times as many. With the longest
    timer most packets are sent again at the start and the end, however many messages there are."""

    def count(saved: Saved) -> Value:
        scale = 1.0 if timer_us == max(TIMERS_US) else Settings.messages / saved.parameters["messages"]
        runs = _runs(saved, paper_protocol(timer_us).name, 1, size)
        return median_of([one[key] * scale for one in runs], "seeds")

    return _source(count)


def _rate(name: str, buffers: int, size: int = 1024) -> Source:
    """Thousands of messages a second."""
    return _incast("steady_messages_per_s", name, buffers, size, 1e-3)


def _middle(saved: Saved, key: str, name: str, buffers: int, size: int) -> float:
    return float(median(one[key] for one in _runs(saved, name, buffers, size)))


def _ratio(one: tuple[str, int], other: tuple[str, int], size: int = 1024) -> Source:
    """Of two rates, each a protocol with so many buffers."""
    key = "steady_messages_per_s"
    return _source(lambda saved: _middle(saved, key, *one, size) / _middle(saved, key, *other, size))


def _growth(timer_us: int) -> Source:
    """Packets sent again at the largest size, of those at the smallest."""

    def growth(saved: Saved) -> float:
        few, many = (
            _middle(saved, "retransmissions", paper_protocol(timer_us).name, 1, size)
            for size in (saved.parameters["sizes"][0], saved.parameters["sizes"][-1])
        )
        return many / few

    return _source(growth)


def _growth_mended(saved: Saved) -> float:
    growth = _growth(100).compute(saved)
    assert isinstance(growth, float)
    return growth - 1


def _buffers_mended(saved: Saved) -> float:
    """By how much 10 buffers are faster than 10,000, as a share."""
    ratio = _ratio((UD, 10), (UD, 10_000)).compute(saved)
    assert isinstance(ratio, float)
    return ratio - 1.02


def _whole_rate(saved: Saved, name: str) -> float:
    """From the first message to the last, with one buffer; the geometric mean of all sizes."""
    return geometric_mean(_middle(saved, "messages_per_s", name, 1, size) for size in saved.parameters["sizes"])


def _best_timer(saved: Saved) -> float:
    """Over all sizes."""
    return float(max((1, *TIMERS_US), key=lambda us: _whole_rate(saved, paper_protocol(us).name)))


def _ud_ahead_from(saved: Saved) -> float:
    """The shortest delay after a NAK with which connections are slower than UD with 100 us."""
    datagrams = _whole_rate(saved, paper_protocol(100).name)
    slower = [us for us in NAK_DELAYS_US if _whole_rate(saved, connections(us).name) < datagrams]
    return float(min(slower, default=float("inf")))


def _against_best(key: str) -> Source:
    """Ours to the best fixed timer's, summed over all sizes and seeds."""

    def ratio(saved: Saved) -> float:
        best = paper_protocol(round(_best_timer(saved))).name
        ours, theirs = (
            sum(one[key] for size in saved.parameters["sizes"] for one in _runs(saved, name, 1, size))
            for name in (OURS.name, best)
        )
        return float(ours / theirs) if theirs else float("nan")

    return _source(ratio)


def _resends_mended(saved: Saved) -> float:
    ratio = _against_best("retransmissions").compute(saved)
    assert isinstance(ratio, float)
    return 1.0001 - ratio


def _memory(kind: str) -> Source:
    """Kilobytes of a process for each process more, with the standard error of the slope."""

    def slope(saved: Saved) -> Value:
        pairs = list(zip(saved.parameters["processes"], saved.of(f"memory: {kind}"), strict=True))
        measured = {count: one["own"] for count, one in pairs if one}
        if len(measured) < 2:
            raise Missing(kind)
        line = fit(list(measured), list(measured.values()))
        return Value(line.slope / 1e3, 2 * line.error / 1e3, "twice the standard error of the slope")

    return _source(slope)


def _peers(saved: Saved) -> float:
    return float(saved.of("memory: simulated peers")[0]["rss_MB"])


def _verbs(protocol: str, key: str, buffers: int = 1) -> Source:
    """On Soft-RoCE, with a receiver that is busy with each message."""

    def middle(saved: Saved) -> Value:
        runs = [
            one[key]
            for one in saved.of("real verbs")[0]
            if (one.get("protocol"), one.get("buffers"), one.get("handling_us")) == (protocol, buffers, HANDLING_US)
        ]
        if not runs:
            raise Missing(protocol)
        return median_of(runs, "runs")

    return _source(middle)


def _atomic(saved: Saved) -> Value:
    """Microseconds of a remote atomic by an adapter."""
    runs = [
        one["latency_us"]
        for one in saved.of("real verbs")[0]
        if one["name"] == "operations" and one.get("operation") == "fetch and add"
    ]
    if not runs:
        raise Missing("operations")
    return median_of(runs, "runs")


def _broken(saved: Saved) -> float:
    """Connections of 31 that break with 100 buffers and the least limit of retries."""
    runs = saved.of(f"limited: {RC.name}, rnr_retry 0: 100 buffers")
    return float(median(one["broken"] for one in runs))


_PLACES = (("UD", "MPI UD"), ("RC", "MPI RC-SRQ"))
_COUNTS = (10**5, 10**6, 10**7, 10**8)

VALUES: Values = {
    "best_timer": _source(_best_timer),
    "best_timer_mended": _source(lambda saved: 1.0 if _best_timer(saved) == 100 else -1.0),
    "few_over_many_rc": _ratio((RC.name, 10), (RC.name, 10_000)),
    "ud_10": _rate(UD, 10),
    "ud_1000": _rate(UD, 1_000),
    "ud_10000": _rate(UD, 10_000),
    "rc_1": _rate(RC.name, 1),
    "rc_10": _rate(RC.name, 10),
    "rc_10000": _rate(RC.name, 10_000),
    "rc_over_ud": _ratio((RC.name, 10), (UD, 10)),
    "rc_over_ud_many": _ratio((RC.name, 10_000), (UD, 10_000)),
    "few_over_many": _ratio((UD, 10), (UD, 10_000)),
    "few_over_many_mended": _source(_buffers_mended),
    "rc_loss": _ratio((RC.name, 1), (RC.name, 10)),
    "ud_over_rc": _ratio((paper_protocol(100).name, 1), (RC.name, 1)),
    "ud_over_rc_shortest": _ratio((paper_protocol(100).name, 1), (RC_SHORTEST.name, 1)),
    "ud_ahead_from": _source(_ud_ahead_from),
    "growth_100": _growth(100),
    "growth_mended": _source(_growth_mended),
    "our_rate": _against_best("messages_per_s"),
    "our_resends": _against_best("retransmissions"),
    "our_resends_mended": _source(_resends_mended),
    "our_duplicates": _incast("duplicates", OURS.name, 1, 1024),
    "broken_100": _source(_broken),
    "openmpi_slope": _memory("Open MPI, tcp"),
    "provider_slope": _memory("Open MPI over ours, udp"),
    "ucx_slope": _memory("Open MPI over UCX, tcp"),
    "rxm_slope": _memory("Open MPI over tcp;ofi_rxm"),
    "rxd_slope": _memory("Open MPI over udp;ofi_rxd"),
    "our_slope": _memory("ours, udp"),
    "peers_MB": _source(_peers),
    "verbs_ud": _verbs("UD, 100 us", "messages_per_s"),
    "verbs_rc": _verbs("RC-SRQ, 640 us", "messages_per_s"),
    "verbs_rc_shortest": _verbs("RC-SRQ, 10 us", "messages_per_s"),
    "verbs_ours": _verbs("adaptive + admission", "messages_per_s"),
    "verbs_ud_10": _verbs("UD, 1,000 us", "messages_per_s", 10),
    "verbs_rc_10": _verbs("RC-SRQ, 640 us", "messages_per_s", 10),
    "atomic_us": _source(_atomic),
}
VALUES |= {f"rate_{us}": _rate(paper_protocol(us).name, 1) for us in (1, *TIMERS_US)}
VALUES |= {
    f"table1_{short}_{n}": single("memory of messages", f"{name}: {n}")
    for short, name in _PLACES
    for n in (10**6, 10**7)
}
VALUES |= {f"ours_{n}": single("memory of messages", f"UDP: {n}") for n in _COUNTS}
VALUES |= {
    "rc_1000000": single("memory of messages", "RC: 1000000"),
    "rc_srq_1000000": single("memory of messages", "RC, SRQ: 1000000"),
    "xrc_1000000": single("memory of messages", "XRC: 1000000"),
    "xrc_10000000": single("memory of messages", "XRC: 10000000"),
}
VALUES |= {f"ours_verbs_{n}": single("memory of messages", f"verbs: {n}") for n in _COUNTS}
for _us in TIMERS_US:
    for _size in SIZES:
        VALUES[f"resent_{_us}_{_size}"] = _count("retransmissions", _us, _size)
        VALUES[f"dropped_{_us}_{_size}"] = _count("duplicates", _us, _size)
