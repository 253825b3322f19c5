"""Draws docs/pictures/incast.svg: one incast as its qlog tells it. `.venv/bin/python docs/pictures/incast.py`

With a path, that qlog is drawn instead (`incast.py trace.sqlog > picture.svg`), with `--until MILLISECONDS`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

from ayatori.prediction.incast import OURS, SimulatedIncast, simulate_incast

SEED = 7
LOAD = SimulatedIncast(bytes=512, buffers=1, seed=SEED, clients=10, messages=40)
PICTURE = Path(__file__).parent / "incast.svg"

LEFT, WIDTH, TOP, ROW = 96, 860, 96, 46
BANDS = {"ask_due": "#f6dfa4", "asked": "#f6dfa4", "queued": "#d5dbe3"}
SENT, RESENT, LOST, DROPPED, ASK = "#1f6fb4", "#e07b00", "#c62828", "#c62828", "#7b4fa3"


@dataclass
class Client:
    """What is drawn of one client: times in milliseconds."""

    sent: list[tuple[float, bool]] = field(default_factory=list)
    """And whether it was a further copy."""
    asks: list[float] = field(default_factory=list)
    lost: list[float] = field(default_factory=list)
    acknowledged: int = 0
    credit: list[tuple[float, str]] = field(default_factory=lambda: [(0.0, "granted")])
    """When which state of the credit began."""


def read_qlog(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON text sequence (RFC 7464), the header first."""
    return [json.loads(text) for text in path.read_text().split("\x1e") if text]


def follow(events: list[dict[str, Any]]) -> tuple[dict[int, Client], list[float]]:
    """The clients by rank, and when the network dropped a datagram for the server."""
    clients: dict[int, Client] = {}
    dropped = []
    for event in events:
        data, time = event["data"], event["time"]
        if event["name"] == "transport:packet_dropped":
            dropped.append(time)
        elif event["group_id"] != "0":
            take(clients.setdefault(int(event["group_id"]), Client()), event["name"], data, time)
    return dict(sorted(clients.items())), dropped


def take(client: Client, name: str, data: dict[str, Any], time: float) -> None:
    if name == "transport:packet_sent" and data["header"]["packet_type"] == "data":
        client.sent.append((time, data["is_retransmission"]))
    elif name == "transport:packet_sent" and data["header"]["packet_type"] == "ask":
        client.asks.append(time)
    elif name == "recovery:packet_lost":
        client.lost.append(time)
    elif name == "transport:packets_acked":
        client.acknowledged += len(data["packet_numbers"])
    elif name == "ayatori:flow_state_updated" and data["machine"] == "credit":
        client.credit.append((time, data["new"]))


def line(x: float, top: float, bottom: float, colour: str, width: float = 1.4) -> str:
    return (
        f'<line x1="{x:.1f}" y1="{top:.1f}" x2="{x:.1f}" y2="{bottom:.1f}" stroke="{colour}" stroke-width="{width}"/>'
    )


def text(x: float, y: float, words: str, anchor: str = "start", size: int = 13, colour: str = "#222") -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{colour}"'
    return f"<text {place}>{escape(words)}</text>"


def cross(x: float, y: float) -> str:
    return f'<path d="M{x - 3:.1f} {y - 3:.1f}l6 6m0 -6l-6 6" stroke="{LOST}" stroke-width="1.4"/>'


def row(rank: int, client: Client, top: float, until: float, scale: float) -> list[str]:
    middle = top + ROW / 2
    drawn = [text(LEFT - 10, middle + 4, f"client {rank}", "end")]
    ends = [time for time, _ in client.credit[1:]] + [until]
    for (start, state), end in zip(client.credit, ends, strict=True):
        if state in BANDS and start < until:
            width = (min(end, until) - start) * scale
            drawn.append(
                f'<rect x="{LEFT + start * scale:.1f}" y="{top + 6}" width="{max(width, 1):.1f}" '
                f'height="{ROW - 12}" fill="{BANDS[state]}"/>'
            )
    drawn.append(f'<line x1="{LEFT}" y1="{middle}" x2="{LEFT + WIDTH}" y2="{middle}" stroke="#bbb"/>')
    for time, again in client.sent:
        if time < until:
            drawn.append(line(LEFT + time * scale, middle - 12, middle, RESENT if again else SENT))
    drawn += [line(LEFT + time * scale, middle, middle + 12, ASK, 2.2) for time in client.asks if time < until]
    drawn += [cross(LEFT + time * scale, middle + 8) for time in client.lost if time < until]
    return drawn


def legend(top: float) -> list[str]:
    drawn, x = [], float(LEFT)
    for colour, words, width in (
        (SENT, "packet sent", 108),
        (RESENT, "sent again", 100),
        (ASK, "ask sent", 88),
        (None, "declared lost", 116),
        (DROPPED, "dropped: no buffer was free", 0),
    ):
        drawn.append(cross(x + 2, top - 4) if colour is None else line(x + 2, top - 11, top + 1, colour, 2))
        drawn.append(text(x + 10, top, words))
        x += width
    x = LEFT
    for state, words, width in (("asked", "asks for credit, or is about to", 226), ("queued", "queued for credit", 0)):
        drawn.append(f'<rect x="{x}" y="{top + 9}" width="14" height="13" fill="{BANDS[state]}"/>')
        drawn.append(text(x + 20, top + 20, words))
        x += width
    return drawn


def axis(bottom: float, until: float, scale: float) -> list[str]:
    step = next(step for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 50, 100, 1000) if until / step <= 12)
    drawn = [f'<line x1="{LEFT}" y1="{bottom}" x2="{LEFT + WIDTH}" y2="{bottom}" stroke="#222"/>']
    for number in range(int(until / step) + 1):
        x = LEFT + number * step * scale
        drawn += [line(x, bottom, bottom + 5, "#222", 1), text(x, bottom + 20, f"{number * step:g}", "middle", 12)]
    return [*drawn, text(LEFT + WIDTH / 2, bottom + 40, "virtual time, ms", "middle")]


def draw(records: list[dict[str, Any]], until: float) -> str:
    clients, dropped = follow(records[1:])
    until = until or max(event["time"] for event in records[1:])
    scale = WIDTH / until
    drawn = [text(LEFT, 28, records[0]["title"], size=16), *legend(54)]
    for number, (rank, client) in enumerate(clients.items()):
        drawn += row(rank, client, TOP + number * ROW, until, scale)
    server = TOP + len(clients) * ROW
    drawn.append(text(LEFT - 10, server + 18, "dropped", "end"))
    drawn += [line(LEFT + time * scale, server + 6, server + 20, DROPPED, 1) for time in dropped if time < until]
    drawn += axis(server + 30, until, scale)
    height = server + 82
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 24}" height="{height}" '
        f'viewBox="0 0 {LEFT + WIDTH + 24} {height}" font-family="sans-serif">'
        f'<rect width="100%" height="100%" fill="white"/>' + "\n".join(drawn) + "</svg>\n"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("qlog", nargs="?", type=Path)
    parser.add_argument("--until", type=float, default=0, help="milliseconds; 0: to the end")
    chosen = parser.parse_args()
    if chosen.qlog:
        sys.stdout.write(draw(read_qlog(chosen.qlog), chosen.until))
        return
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "incast.sqlog"
        result = simulate_incast(OURS, LOAD, trace)
        PICTURE.write_text(draw(read_qlog(trace), chosen.until))
    print(f"{PICTURE}: seed {SEED}, {result['delivered']} messages, {result['overflowed']} datagrams dropped")


if __name__ == "__main__":
    main()
