"""What is printed and drawn of the incasts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log10
from statistics import median
from typing import Any

from ayatori.base.units import format_bytes
from ayatori.prediction.incast import OURS, Protocol
from experiments.low_memory_transport.paper import SIZES, TABLE2
from experiments.page import Axis, Curve, Figure, Table, log_axis, upright

DUPLICATES_ALLOWED = 0.001


@dataclass
class Incasts:
    """Results by protocol's name, buffers, size and seed."""

    sizes: Sequence[int]
    buffers: Sequence[int]
    seeds: Sequence[int]
    messages: int
    """Of each client."""
    protocols: dict[str, Protocol] = field(default_factory=dict)
    results: dict[tuple[str, int], dict[tuple[int, int], dict[str, Any]]] = field(default_factory=dict)

    def add(self, protocol: Protocol, buffers: int, results: dict[tuple[int, int], dict[str, Any]]) -> None:
        self.protocols[protocol.name] = protocol
        self.results[protocol.name, buffers] = results

    def of_seeds(self, name: str, buffers: int, size: int) -> list[dict[str, Any]]:
        return [self.results[name, buffers][size, seed] for seed in self.seeds]

    def median(self, key: str, name: str, buffers: int, size: int) -> float:
        return float(median(result[key] for result in self.of_seeds(name, buffers, size)))

    def rates(self, name: str, buffers: int) -> list[float]:
        """Thousands of messages a second, by size."""
        return [self.median("steady_messages_per_s", name, buffers, size) / 1e3 for size in self.sizes]

    def fixed(self) -> list[Protocol]:
        """The paper's own, by its timers; timers of a microsecond are not in its table."""
        return [
            protocol
            for protocol in self.protocols.values()
            if protocol.timer is not None and not protocol.admission and (protocol.name, 1) in self.results
        ]


def incast_tables(found: Incasts) -> list[Table]:
    return [_table2(found, "retransmissions", 0), _table2(found, "duplicates", 1), _bar(found), _latencies(found)]


def _table2(found: Incasts, key: str, place: int) -> Table:
    rows = []
    for protocol in reversed(found.fixed()):
        counts = [found.median(key, protocol.name, 1, size) for size in found.sizes]
        rows.append([protocol.name, *(f"{count:,.0f}" for count in counts)])
        told = TABLE2.get(round((protocol.timer or 0) * 1e6))
        if told:
            of_size = dict(zip(SIZES, told[place], strict=True))
            rows.append(
                [f"paper: {protocol.name}", *(f"{of_size[size]:,}" if size in of_size else "" for size in found.sizes)]
            )
    ours = [found.median(key, OURS.name, 1, size) for size in found.sizes]
    rows.append([f"ours: {OURS.name}", *(f"{count:,.0f}" for count in ours)])
    titles = {"retransmissions": "sent again by all clients", "duplicates": "duplicates dropped by the server"}
    return Table(
        f"Table 2: {titles[key]}, one receive buffer",
        ["", *(format_bytes(size) for size in found.sizes)],
        rows,
        f"Each of our clients sends {found.messages:,} messages, with a timer of 1 us a tenth. The paper does not say "
        "how many it sent; its counts fit 2,000. Scale ours to that before you compare: the page of the paper does. "
        "Each copy costs the server's link and adapter; a duplicate also costs its processor a receive and an answer.",
    )


def _bar(found: Incasts) -> Table:
    """Against the best fixed timer of each seed, whichever that is."""
    rows = []
    for size in found.sizes:
        whole, timer = _ratios(found, "messages_per_s", size)
        steady, _ = _ratios(found, "steady_messages_per_s", size)
        ours = found.of_seeds(OURS.name, 1, size)
        rate = found.median("messages_per_s", OURS.name, 1, size)
        rows.append(
            [
                format_bytes(size),
                timer,
                *(f"{part:.3f}" for part in (median(whole), min(whole), max(whole))),
                *(f"{part:.3f}" for part in (median(steady), min(steady))),
                f"{max(result['duplicates'] / result['delivered'] for result in ours):.3%}",
                f"{rate / 1e3:.0f}",
                f"{rate * size / 1e6:.1f}",
                f"{found.median('fairness', OURS.name, 1, size):.3f}",
            ]
        )
    columns = ["", "best fixed timer", "ours to it", "least", "most", "steady", "least", "most duplicates"]
    return Table(
        "Adaptive + admission against the best fixed timer of each seed, one receive buffer",
        [*columns, "k messages/s", "MB/s", "Jain's index"],
        rows,
        f"Bar: at least 1, and at most {DUPLICATES_ALLOWED:.1%} duplicates; nothing told. From the first message to "
        "the last; steady: from a tenth to nine tenths of them. The best timer is chosen for each seed after the fact. "
        "A server that is never idle takes 1.2 us to receive a message, 0.5 ns a byte, and 1.2 us to acknowledge it.",
    )


def _ratios(found: Incasts, key: str, size: int) -> tuple[list[float], str]:
    """Ours to the best fixed timer, by seed; and the timer that is best most often."""
    ratios = []
    timers: list[str] = []
    for seed in found.seeds:
        rates = {p.name: found.results[p.name, 1][size, seed][key] for p in found.fixed()}
        best = max(rates, key=lambda name: rates[name])
        timers.append(best)
        ratios.append(found.results[OURS.name, 1][size, seed][key] / rates[best])
    return ratios, max(timers, key=timers.count)


def _latencies(found: Incasts) -> Table:
    size = min(found.sizes, key=lambda size: abs(size - 1024))
    rows = []
    for (name, buffers), results in found.results.items():
        of_seeds = [results[size, seed] for seed in found.seeds]
        quantiles = [median(result["latency_s"][i] for result in of_seeds) * 1e6 for i in range(4)]
        fairness = median(result["fairness"] for result in of_seeds)
        label = f"{name}, {buffers:,} buffer{'s' if buffers > 1 else ''}"
        rows.append([label, *(f"{value:,.0f}" for value in quantiles), f"{fairness:.3f}"])
    return Table(
        f"Latency of {format_bytes(size)}, us, and fairness",
        ["", "median", "99%", "99.9%", "longest", "Jain's index"],
        rows,
        "From the moment the client has the message in hand to its delivery; a client has one at a time.",
    )


def nak_delays(found: Incasts, connections: Sequence[Protocol], datagrams: Protocol) -> Table:
    """Thousands of messages a second with one buffer, and of them what datagrams with a good timer have."""
    names = [datagrams.name, *(protocol.name for protocol in connections)]
    rows = [[name, *(f"{rate:.0f}" for rate in found.rates(name, 1))] for name in names]
    return Table(
        "One receive buffer: k messages/s of connections, by the delay after a NAK",
        ["", *(format_bytes(size) for size in found.sizes)],
        rows,
        "The paper does not tell the delay of its connections. UD is ahead of those that wait long after a NAK.",
    )


def incast_figures(found: Incasts) -> list[Figure]:
    names = list(dict.fromkeys(name for name, buffers in found.results if buffers > 1))
    return [
        *(_figure5(found, name, f"figure5{chr(ord('a') + i)}") for i, name in enumerate(names)),
        _figure6(found),
    ]


def _figure5(found: Incasts, name: str, id: str) -> Figure:
    dashes = ["solid", "8px 4px", "4px 3px", "1px 3px", "12px 4px 2px 4px"]
    curves = [
        Curve(
            f"{buffers:,} buffer{'s' if buffers > 1 else ''}", found.sizes, found.rates(name, buffers), i % 5, 2.6, dash
        )
        for i, (buffers, dash) in enumerate(zip(found.buffers, dashes, strict=False))
    ]
    most = max(max(found.rates(*key)) for key in found.results)
    return Figure(
        id,
        f"Figure 5: {name}, by receive buffers",
        "The paper: RC-SRQ about twice as fast as UD from 10 buffers on, since no software acknowledges; with 100, its "
        "clients gave up. Here interfaces try for ever; a table below has limits.",
        curves[::-1],
        _size_axis(found),
        _rate_axis(most),
    )


def _figure6(found: Incasts) -> Figure:
    names = [name for name, buffers in found.results if buffers == 1]
    curves = []
    for name in names:
        protocol = found.protocols[name]
        if name == OURS.name:
            style: dict[str, Any] = {"tone": 0, "width": 3.4, "symbol": "circle"}
        elif protocol.not_ready_delay is not None:
            style = {"tone": 2, "width": 2, "dash": "solid" if protocol.not_ready_delay > 1e-4 else "2px 4px"}
        elif protocol in found.fixed():
            place = found.fixed().index(protocol)
            style = {
                "tone": 3,
                "width": 2,
                "dash": ["1px 3px", "4px 3px", "solid", "8px 4px", "12px 4px 2px 4px"][place],
            }
        else:
            style = {"tone": 1, "width": 2, "dash": "4px 3px" if protocol.timer is None else "solid"}
        curves.append(Curve(name, found.sizes, found.rates(name, 1), **style))
    most = max(max(found.rates(name, 1)) for name in names)
    return Figure(
        "figure6",
        "Figure 6: one receive buffer, by timer",
        "The paper: 100 us is the best timer, for it is the shortest without duplicates; and better than RC-SRQ. How "
        "long its interfaces waited after a NAK it does not tell.",
        curves,
        _size_axis(found),
        _rate_axis(most),
    )


def _size_axis(found: Incasts) -> Axis:
    ends = [log10(found.sizes[0]) - 0.1, log10(found.sizes[-1]) + 0.1]
    return log_axis("message", found.sizes[::2], format_bytes) | {"range": ends}


def _rate_axis(most: float) -> Axis:
    return upright("1000 messages/s", range=[0, most * 1.05])
