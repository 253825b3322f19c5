"""Two diagrams as SVG: latency and throughput by size, as figures 6 and 7 of the report on the mixed Cell cluster."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from ayatori.base.units import format_bytes, format_seconds
from ayatori.pingpong.measuring import Result

_WIDTH, _HEIGHT = 720, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 200, 30, 60
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")

Curve = tuple[str, Mapping[int, float]]


def latency_plot(results: Sequence[Result]) -> str:
    curves = [(result.stretch.name, result.half_round_trip) for result in results]
    return _plot("half round trip", curves, format_seconds)


def throughput_plot(results: Sequence[Result]) -> str:
    curves = [
        (result.stretch.name, {size: size / seconds for size, seconds in result.one_after_the_other.items()})
        for result in results
    ]
    return _plot("throughput of messages one after the other", curves, lambda rate: f"{rate / 1e6:.4g} MB/s")


def _plot(title: str, curves: Sequence[Curve], words: Callable[[float], str]) -> str:
    """Both axes are logarithmic: that of sizes by powers of two, the other one by powers of ten."""
    values = [value for _, points in curves for value in points.values() if value > 0]
    sizes = [size for _, points in curves for size in points]
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    least, most = math.log2(min(sizes)), math.log2(max(sizes))

    def x(size: int) -> float:
        return _LEFT + (math.log2(size) - least) / max(1, most - least) * (_WIDTH - _LEFT - _RIGHT)

    def y(value: float) -> float:
        return _HEIGHT - _BOTTOM - (math.log10(value) - low) / max(1, high - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [f'<text x="{_LEFT}" y="18" font-weight="bold">{escape(title)}</text>']
    for power in range(low, high + 1):
        at = y(10.0**power)
        parts.append(f'<path d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{escape(words(10.0**power))}</text>')
    for power in range(math.ceil(least), math.floor(most) + 1, 4):
        at = x(1 << power)
        parts.append(f'<text x="{at:.1f}" y="{_HEIGHT - 38}" text-anchor="middle">{format_bytes(1 << power)}</text>')
    parts.append(f'<text x="{(_LEFT + _WIDTH - _RIGHT) / 2}" y="{_HEIGHT - 14}" text-anchor="middle">message</text>')
    for number, (name, points) in enumerate(curves):
        colour = _COLOURS[number % len(_COLOURS)]
        line = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in sorted(points.items()) if value > 0)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        at = _TOP + 18 * number + 10
        parts.append(f'<path d="M{_WIDTH - _RIGHT + 14} {at}h20" stroke="{colour}" stroke-width="2"/>')
        parts.append(f'<text x="{_WIDTH - _RIGHT + 40}" y="{at + 4}">{escape(name)}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif"'
    return f'{head} font-size="12">\n<rect width="100%" height="100%" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
