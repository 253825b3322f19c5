"""What is printed and drawn: figures 6 to 9, and what the paper concludes from them beside what is measured here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from ayatori.base.units import format_bytes, format_seconds
from ayatori.report.hpl_page import hpl_figure, hpl_table
from experiments.mixed_cluster.lab_measurement import PLANES
from experiments.page import Curve, Figure, Table, log_axis, upright

SMALL = 1
_SHOWN = (1, 1 << 6, 1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20)
_SYMBOLS = ("circle", "square", "diamond")
_SMALL_GAIN = 0.1
"""Less is as little as the paper's 4%: other things matter more."""
ETHERNET, INFINIBAND = PLANES


@dataclass
class Measured:
    slower: float
    order: int
    repeats: int
    ping_pongs: list[dict[str, Any]] = field(default_factory=list)
    hpl: list[dict[str, Any]] = field(default_factory=list)
    transports: list[dict[str, Any]] = field(default_factory=list)

    def near(self) -> list[dict[str, Any]]:
        """Of each network its first two hosts."""
        return [stretch for stretch in self.ping_pongs if stretch["place"] == "near"]

    def largest(self) -> int:
        """Bytes of the largest message of all networks."""
        return min((max(size["bytes"] for size in stretch["sizes"]) for stretch in self.near()), default=0)

    def process_counts(self) -> list[int]:
        return sorted({point["p"] * point["q"] for point in self.hpl})

    def gains(self, processes: int) -> list[float]:
        """By NB: how much more GFlop/s HPL has on Ethernet than on InfiniBand, as a share."""
        ethernet, infiniband = (self._rates(plane, processes) for plane in (ETHERNET, INFINIBAND))
        return [one / other - 1 for one, other in zip(ethernet, infiniband, strict=True)]

    def noise(self, processes: int) -> float:
        """By how much runs of one point differ, as a share; of all points the most."""
        spreads = [p["gflops"]["max"] / p["gflops"]["min"] - 1 for p in self.hpl if p["p"] * p["q"] == processes]
        return max(spreads, default=0.0)

    def rates_by_block(self) -> list[list[float]]:
        """For each network and number of processes above one: GFlop/s in the order of NB."""
        counts = [count for count in self.process_counts() if count > 1]
        rates = [self._rates(plane, count) for plane in (ETHERNET, INFINIBAND) for count in counts]
        return [own for own in rates if len(own) > 1]

    def _rates(self, plane: str, processes: int) -> list[float]:
        own = [point for point in self.hpl if (point["plane"], point["p"] * point["q"]) == (plane, processes)]
        return [point["gflops"]["median"] for point in sorted(own, key=lambda point: point["nb"])]


def tables_of(measured: Measured) -> list[Table]:
    tables = []
    if measured.ping_pongs:
        tables.append(_ping_pong_table(measured))
    if measured.hpl:
        tables.append(hpl_table(measured.hpl))
    if measured.transports:
        tables.append(_transport_table(measured.transports))
    return [*tables, _conclusions(measured)]


def _ping_pong_table(measured: Measured) -> Table:
    rows = []
    for stretch in measured.near():
        by_size = {size["bytes"]: size for size in stretch["sizes"]}
        shown = [by_size[size] for size in _SHOWN if size in by_size]
        network = stretch["name"].removesuffix(" near")
        rows.append([f"{network}, half round trip", *(format_seconds(s["half_round_trip_s"]) for s in shown)])
        rows.append([f"{network}, MB/s", *(f"{s['throughput_MBps']:.2f}" for s in shown)])
    sizes = [size for size in _SHOWN if any(size == s["bytes"] for s in measured.near()[0]["sizes"])]
    return Table("Figures 6 and 7: MPICH's ping-pong", ["", *map(format_bytes, sizes)], rows)


def _transport_table(transports: list[dict[str, Any]]) -> Table:
    sizes = [s["bytes"] for s in next((t["sizes"] for t in transports if "sizes" in t), [])]
    rows = []
    for transport in transports:
        if "failed" in transport:
            rows.append([f"{transport['transport']}: {transport['failed']}", *[""] * len(sizes)])
            continue
        by_size = {size["bytes"]: size for size in transport["sizes"]}
        for name, key in (("median", "half_round_trip_s"), ("a tenth is below", "tenth_s")):
            row = [format_seconds(by_size[size][key]) if size in by_size else "" for size in sizes]
            rows.append([f"{transport['transport']}, {name}", *row])
    return Table(
        "MPICH over UCX, half round trip between two emulated machines",
        ["", *map(format_bytes, sizes)],
        rows,
        "Soft-RoCE carries verbs in the kernel's UDP, on an emulated adapter and processor: it can't show the time "
        "that an adapter saves which reads and writes memory by itself.",
    )


def _conclusions(measured: Measured) -> Table:
    """The paper's findings, each as text, with what is measured here."""
    rows = []
    for said, verdict in _FINDINGS.items():
        here, holds = verdict(measured) or ("not measured", None)
        rows.append([said, here, "not testable" if holds is None else "reproduced" if holds else "not reproduced"])
    return Table(
        "What the paper concludes, and what is measured here",
        ["", "here", ""],
        rows,
        "Ethernet is that of 10 Gbit/s. Both networks here are the kernel's TCP, and no latency is imposed: figure 6 "
        "shows the machine's own. IPoIB is slower than its link for reasons that are not here; what differs between "
        "the networks here is their rates, 10 to 8. The blades of the paper have other processors, another BLAS, and "
        "more bandwidth for each operation.",
    )


Verdict = tuple[str, bool | None] | None
"""What is measured, and whether the finding is reproduced; None: it can't be tested here."""


def _latency(measured: Measured) -> Verdict:
    times = _on_planes(measured, SMALL, "half_round_trip_s")
    return (", ".join(map(format_seconds, times)), None) if times else None


def _throughput(measured: Measured) -> Verdict:
    rates = _on_planes(measured, measured.largest(), "throughput_MBps")
    return (", ".join(f"{rate:.1f}" for rate in rates) + " MB/s", rates[0] > rates[1]) if rates else None


def _hpl_gain(measured: Measured) -> Verdict:
    gains = measured.gains(max(measured.process_counts(), default=1))
    if not gains or max(measured.process_counts()) == 1:
        return None
    return _range(gains), 0 < median(gains) and max(gains) < _SMALL_GAIN


def _one_host(measured: Measured) -> Verdict:
    gains = measured.gains(1)
    return (_range(gains), max(map(abs, gains)) <= measured.noise(1)) if gains else None


def _block_size(measured: Measured) -> Verdict:
    rates = measured.rates_by_block()
    if not rates:
        return None
    return _range([own[-1] / own[0] - 1 for own in rates]), all(own == sorted(own) for own in rates)


def _network_or_block_size(measured: Measured) -> Verdict:
    rates = measured.rates_by_block()
    gains = [abs(gain) for count in measured.process_counts() if count > 1 for gain in measured.gains(count)]
    if not rates or not gains:
        return None
    by_block = min(max(own) / min(own) - 1 for own in rates)
    return f"{by_block:.1%} or more, {max(gains):.1%} or less", by_block > max(gains)


def _sockets(measured: Measured) -> Verdict:
    times = [transport["sizes"][0]["tenth_s"] for transport in measured.transports if transport.get("sizes")]
    return (", ".join(map(format_seconds, times)), None) if times else None


_FINDINGS: dict[str, Callable[[Measured], Verdict]] = {
    "figure 6: Ethernet has less latency than InfiniBand": _latency,
    "figure 7: and more throughput": _throughput,
    "HPL: 4% faster on Ethernet with the most processes": _hpl_gain,
    "HPL: no difference on one host": _one_host,
    "HPL: a larger NB is faster": _block_size,
    "HPL: NB matters more than the network": _network_or_block_size,
    "sockets make InfiniBand slow (sockets, RC, UD)": _sockets,
}


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):+.1%} … {max(shares):+.1%}"


def _on_planes(measured: Measured, size: int, what: str) -> list[float]:
    """Of Ethernet, then of InfiniBand; nothing if one of them is missing."""
    found = [
        entry[what]
        for plane in (ETHERNET, INFINIBAND)
        for stretch in measured.near()
        for entry in stretch["sizes"]
        if stretch["name"] == f"{plane} near" and entry["bytes"] == size
    ]
    return found if len(found) == 2 else []


def figures_of(measured: Measured) -> list[Figure]:
    figures = []
    if measured.ping_pongs:
        figures += [
            _ping_pong_figure(measured, "figure6", "Figure 6: half of a round trip", "us", _microseconds),
            _ping_pong_figure(measured, "figure7", "Figure 7: messages one after the other", "MB/s", _throughput_of),
        ]
    for plane, id, title in (
        (ETHERNET, "figure8", "Figure 8: HPL over 10 Gbit/s Ethernet"),
        (INFINIBAND, "figure9", "Figure 9: HPL over InfiniBand"),
    ):
        if measured.hpl:
            figures.append(hpl_figure(measured.hpl, plane, id, title))
    return figures


def _microseconds(size: dict[str, Any]) -> float:
    return float(size["half_round_trip_s"]) * 1e6


def _throughput_of(size: dict[str, Any]) -> float:
    return float(size["throughput_MBps"])


def _ping_pong_figure(
    measured: Measured, id: str, title: str, unit: str, value: Callable[[dict[str, Any]], float]
) -> Figure:
    curves = []
    for number, stretch in enumerate(measured.near()):
        sizes = [s["bytes"] for s in stretch["sizes"]]
        values = [value(s) for s in stretch["sizes"]]
        name = stretch["name"].removesuffix(" near")
        curves.append(Curve(name, sizes, values, number % 6, symbol=_SYMBOLS[number % len(_SYMBOLS)]))
    shown = [size for size in _SHOWN if size <= max(max(curve.x) for curve in curves)]
    return Figure(
        id,
        title,
        f"Between the first two hosts, MPICH over TCP; rates are a {measured.slower:g}th of the real ones.",
        curves,
        log_axis("message", shown, format_bytes),
        upright(unit, type="log"),
    )
