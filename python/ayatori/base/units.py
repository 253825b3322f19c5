"""Sizes, rates and times as people write them: 64KiB, 1M, 1716MB/s, 100Gbit/s, 1us."""

from __future__ import annotations

import re

from ayatori.base.errors import Error

_BYTES = {"": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
_SHORT_UNITS = {"K": 2**10, "M": 2**20, "G": 2**30}
"""As in dd and split: one letter is a power of 1024, and with a B a power of 1000."""
_RATES = {f"{unit}/s": float(size) for unit, size in _BYTES.items() if unit} | {"Mbit/s": 1e6 / 8, "Gbit/s": 1e9 / 8}
_TIMES = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
# Letters may be small or capital: no two units differ in that alone.
_BYTES_OF_UNIT = {unit.lower(): size for unit, size in (_BYTES | _SHORT_UNITS).items()}
_RATE_OF_UNIT = {unit.lower(): rate for unit, rate in _RATES.items()}
_COUNTS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
MAX_BYTES = 2**58


def parse_bytes(text: str) -> int:
    """ "1MiB", "1mib" and "1M" → 1048576, "1MB" → 1000000. At most 2^58."""
    number, unit = _split(text)
    size = _BYTES_OF_UNIT.get(unit.lower())
    if size is None or number is None or number * size % 1:
        units = ", ".join(filter(None, _BYTES))
        raise Error(f"'{text}' is not a number of bytes", hint=f"a number and one of {units}, K, M, G (powers of 1024)")
    if number * size > MAX_BYTES:
        raise Error(f"{text} is more than 2^58 bytes")
    return int(number * size)


def parse_count(text: str) -> int:
    """ "1000", "1k" → 1000, "64Ki" → 65536, "1Mi" → 1048576; at least 1."""
    number, unit = _split(text)
    size = _COUNTS.get(unit.lower())
    if size is None or not number or number * size % 1:
        raise Error(f"'{text}' is not a number of processes", hint="a whole number, perhaps with k, M, G, Ki, Mi or Gi")
    return int(number * size)


def parse_rate(text: str) -> float:
    """ "1716MB/s" → 1.716e9 bytes a second; more than 0."""
    number, unit = _split(text)
    rate = _RATE_OF_UNIT.get(unit.lower())
    if rate is None or not number:
        raise Error(f"'{text}' is not a bandwidth", hint=f"a number and one of {', '.join(_RATES)}")
    return number * rate


def parse_seconds(text: str) -> float:
    """ "1.5us" → 1.5e-6. Nothing is as long in each unit: "0" → 0.0."""
    number, unit = _split(text)
    seconds = _TIMES.get(unit.lower()) if unit or number else 1.0
    if seconds is None or number is None:
        raise Error(f"'{text}' is not a time", hint=f"a number and one of {', '.join(_TIMES)}")
    return number * seconds


def _split(text: str) -> tuple[float | int | None, str]:
    match = re.fullmatch(r"\s*(\d{1,20})(\.\d{1,9})?\s*([A-Za-z/]*)\s*", text)
    if not match:
        return None, ""
    return (float(match[1] + match[2]) if match[2] else int(match[1])), match[3]


def format_bytes(count: int) -> str:
    """1048576 → "1 MiB", 32000000 → "32 MB", 1001 → "1001 B": exact, in the unit that makes it shortest."""
    whole = [(count // size, unit) for unit, size in _BYTES.items() if len(unit) > 1 and count and count % size == 0]
    return "{} {}".format(*min(whole, default=(count, "B")))


def format_about_bytes(count: float) -> str:
    """4606496 → "4.61 MB": three figures."""
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= 0.9995 * size:
            value = count / size
            return f"{value:,.0f} {unit}" if value >= 999.5 else f"{value:.3g} {unit}"
    return f"{count:.0f} B"


def format_seconds(seconds: float) -> str:
    """0.0012345 → "1.234 ms"."""
    for unit in ("s", "ms", "us"):
        if seconds >= _TIMES[unit]:
            return f"{seconds / _TIMES[unit]:.4g} {unit}"
    return f"{seconds / _TIMES['ns']:.4g} ns"
