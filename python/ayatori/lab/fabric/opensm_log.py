"""What OpenSM's log says about one sweep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

# OpenSM writes this after every sweep in which no allowed engine could route. Then it tries again, without end.
NO_ENGINE = "No routing engine able to successfully configure"

_LINE = re.compile(r"\w{3} +\d+ [\d:]+ \d+ \[\w+\] 0x(\w\w) -> (.*)")
_ERROR, _INFO = 0x01, 0x02
_ROUTED_BY = re.compile(r"osm_ucast_mgr_process: (\S+) tables configured on all switches")
_BUILDING = "ucast_mgr_route: building routing with"
_CANNOT_BUILD = re.compile(r"ucast_mgr_route: \S+: cannot build")
_SUBNET_UP = "SUBNET UP"
_HARMLESS = "Failed to setup routing engine 'no_fallback'"  # OpenSM prints this although it does as asked
_WARNINGS = ("cannot find switch", "PARSE WARNING", "LID collision", "Errors during initialization")
_FEW = 10


@dataclass(frozen=True)
class OpensmLog:
    """`engine` routed the subnet (None: nobody did), `up` says that the sweep ended well.

    `refusal` is the reason why the first engine gave up, empty if it did not. `errors` and `warnings` are different
    lines, ten at most and a count of the rest.
    """

    engine: str | None
    up: bool
    refusal: str
    errors: tuple[str, ...]
    warnings: tuple[str, ...]


def parse_opensm_log(text: str) -> OpensmLog:
    """Reads the log of one run of OpenSM with log flags 0x07 or more."""
    lines = list(_lines(text))
    routed = [match[1] for _, message in lines if (match := _ROUTED_BY.match(message))]
    return OpensmLog(
        engine=routed[-1] if routed else None,
        up=any(message == _SUBNET_UP for _, message in lines),
        refusal=_refusal(lines),
        errors=few(message for level, message in lines if _is_error(level) and _HARMLESS not in message),
        warnings=few(message for _, message in lines if any(phrase in message for phrase in _WARNINGS)),
    )


def few(lines: Iterable[str]) -> tuple[str, ...]:
    """The first different lines, and how many more there are."""
    different = list(dict.fromkeys(lines))
    more = (f"... and {len(different) - _FEW} more",) if len(different) > _FEW else ()
    return (*different[:_FEW], *more)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Level and message of each line that has them."""
    for line in text.split("\n"):
        if match := _LINE.match(line):
            yield int(match[1], 16), match[2].strip()


def _is_error(level: int) -> bool:
    return bool(level & _ERROR) and not level & _INFO  # its banner has both


def _refusal(lines: list[tuple[int, str]]) -> str:
    """Why the first engine gave up: its first error, else its last message, else the line that says that it gave up."""
    said: list[tuple[int, str]] = []
    for level, message in lines:
        if message.startswith(_BUILDING):
            said = []
        elif _CANNOT_BUILD.match(message):
            errors = [text for flags, text in said if _is_error(flags)]
            infos = [text for flags, text in said if flags & _INFO]
            return errors[0] if errors else infos[-1] if infos else message
        said.append((level, message))
    return ""


class GrowingLog:
    """Follows a log while OpenSM writes it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._rest = ""

    def new_lines(self) -> list[str]:
        """The lines that were completed since the last call; none as long as the file is not there."""
        if not self._path.exists():
            return []
        with self._path.open("rb") as file:
            file.seek(self._offset)
            fresh = file.read()
        self._offset += len(fresh)
        *lines, self._rest = (self._rest + fresh.decode("utf-8", "replace")).split("\n")
        return lines
