"""The page of `ayatori explain`: a timeline of the calls, of what is under way, and of bytes on the network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ayatori.report.figures import Curve, Figure, Table, axis, page_of_figures, upright
from ayatori.report.markup import ARROW

Span = tuple[float, float]
_TIMES = ("computed, s", "in other calls, s", "waited, s", "late, s")


def overlap_page(data: dict[str, Any]) -> str:
    """`data`: what `ayatori explain --out-dir` writes as explanation.json."""
    figures = [_timeline(data["timeline"]), _bytes(data["timeline"])]
    tables = [
        _list("What is given", [*data["unseen"], *data["given"]]),
        Table(
            "Operations that do not block",
            ["operation", "bytes", "times", "protocol", *_TIMES, "moved early"],
            [_kind(kind) for kind in data["kinds"]],
            data["moved_by"],
        ),
        _list("What to change", data["advice"]),
    ]
    if measured := data["measured"]:
        rows = [
            ["as it is", f"{data['seconds']:.4g}", f"{measured['before']:.4g}"],
            ["with the plug-in's thread", f"{data['with_progress']:.4g}", f"{measured['after']:.4g}"],
            ["hidden", f"{data['hidden']:.4g}", f"{measured['hidden']:.4g}"],
        ]
        tables.append(Table("Predicted and measured", ["seconds", "predicted", "measured"], rows, measured["verdict"]))
    title, kind = "Communication that is hidden", "explain"
    return page_of_figures(title, kind, data["command"], tables, figures, "", overlap_in_words(data))


def overlap_in_words(data: dict[str, Any]) -> str:
    """What the plug-in's thread changes: measured, if it was."""
    measured = data["measured"]
    before, after = (measured["before"], measured["after"]) if measured else (data["seconds"], data["with_progress"])
    mark = "measured" if measured else "predicted"
    return f"Run time with the plug-in's thread: {before:.3g}{ARROW}{after:.3g} s, {mark}"


def _list(title: str, sentences: Sequence[str]) -> Table:
    return Table(title, [""], [[sentence] for sentence in sentences])


def _kind(kind: dict[str, Any]) -> list[str]:
    moved = "not known" if kind["moved_early"] is None else f"{kind['moved_early']:.0%}"
    seconds = [kind[key] for key in ("computing", "in_calls", "waiting", "late")]
    times = ["not known" if one is None else f"{one:.3g}" for one in seconds]
    return [kind["name"], str(kind["bytes"]), str(kind["count"]), kind["protocol"], *times, moved]


def _timeline(timeline: dict[str, Any]) -> Figure:
    calls, under_way = [], []
    for row, rank in enumerate(timeline["ranks"]):
        calls += [(span, row) for span in rank["calls"]]
        under_way += [(span, row + 0.25) for span in rank["under_way"]]
    curves = [_bars("communication is under way", under_way, 1, 6), _bars("in a call of MPI", calls, 0, 14)]
    names = [f"rank {rank['rank']}" for rank in timeline["ranks"]]
    y_axis = {"tickvals": list(range(len(names))), "ticktext": names, "range": [-0.6, len(names) - 0.4]}
    note = "Where a rank is in no call of MPI, it computes."
    return Figure("timeline", "Calls of MPI by rank", note, curves, axis("time, ms"), y_axis)


def _bars(name: str, bars: Sequence[tuple[Span, float]], tone: int, width: float) -> Curve:
    x: list[Any] = []
    y: list[Any] = []
    for (begin, end), row in bars:
        x += [begin * 1e3, end * 1e3, None]
        y += [row, row, None]
    return Curve(name, x, y, tone, width)


def _sent(number: int, host: dict[str, Any]) -> Curve:
    """Hosts often send alike: the line of the second of three lies inside that of the first, and so on."""
    x, y = [time * 1e3 for time in host["times"]], [size / 1e6 for size in host["bytes"]]
    place = number % 3
    return Curve(host["host"], x, y, (3, 5, 0)[place], (7, 4, 2)[place], ("solid", "12px 8px", "3px 5px")[place])


def _bytes(timeline: dict[str, Any]) -> Figure:
    curves = [_sent(number, host) for number, host in enumerate(timeline["traffic"])]
    note = "What the interfaces of each host have sent and received so far."
    return Figure("bytes", "Bytes on the network", note, curves, axis("time, ms"), upright("MB sent and received"))
