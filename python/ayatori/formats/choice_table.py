"""Choices on disk: for each collective the algorithm by size, as an MPI library looks it up (docs/choice-format.md)."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from ayatori._core import Network
from ayatori.base.errors import Error
from ayatori.base.files import read_text, write_json
from ayatori.planning.plans import METHODS
from ayatori.prediction.choice import Choice, Ranking
from ayatori.prediction.predictor import DIMENSION_ORDER, STEP_MODES, Model, algorithms_of

FORMAT = "ayatori-choice"
VERSION = 1


@dataclass(frozen=True)
class Interval:
    """Sizes from `first` to `last` bytes, both included (None: and all above), and how they are done."""

    first: int
    last: int | None
    algorithm: str
    segment: int


@dataclass(frozen=True)
class Sizes:
    """What is chosen for one collective; intervals cover all sizes from 0 on, each once, in order."""

    sampled: list[int]
    """The sizes that were predicted; what lies between or beyond them takes the nearest one's choice."""
    intervals: list[Interval]


@dataclass(frozen=True)
class Table:
    """Choices, and the job, paths and model that they are valid for."""

    source: str
    machines: list[tuple[str, int]]
    """Hosts in rank order, and how many ranks each has."""
    method: str
    model: Model
    collectives: dict[str, Sizes]

    def lookup(self, collective: str, size: int) -> Interval:
        """What to do with `size` bytes, as MPI counts them. Raises Error for a collective that is not in the table."""
        if collective not in self.collectives:
            raise Error(f"the table has no {collective}", hint=f"it has {', '.join(self.collectives)}")
        intervals = self.collectives[collective].intervals
        return next(interval for interval in intervals if interval.last is None or size <= interval.last)


def table_of(source: str, network: Network, choice: Choice) -> Table:
    """The table of a choice for one job. Raises Error for several."""
    if len(choice.jobs) != 1:
        raise Error("a table is for one job", hint="--job HOSTFILE --out FILE")
    job = choice.jobs[0]
    names = [network.machines[machine].name for machine in job.machines]
    by_collective: dict[str, list[Ranking]] = {}
    for ranking in choice.rankings:
        by_collective.setdefault(ranking.collective, []).append(ranking)
    collectives = {name: _sizes_of(rankings) for name, rankings in by_collective.items()}
    return Table(source, list(zip(names, job.ranks_on_machines, strict=True)), choice.method, choice.model, collectives)


def _sizes_of(rankings: Iterable[Ranking]) -> Sizes:
    """Choices change at the geometric middle of two sizes, for times are about straight lines over their logarithms."""
    by_size = {ranking.bytes: (ranking.best.algorithm, ranking.best.chunk_bytes) for ranking in rankings}
    sampled = sorted(by_size)
    changes = [(a, b) for a, b in zip(sampled, sampled[1:], strict=False) if by_size[a] != by_size[b]]
    lasts = [math.isqrt(a * b) for a, b in changes]
    firsts = [0, *(last + 1 for last in lasts)]
    chosen = [by_size[sampled[0]], *(by_size[b] for _, b in changes)]
    return Sizes(
        sampled,
        [Interval(first, last, *how) for first, last, how in zip(firsts, [*lasts, None], chosen, strict=True)],
    )


def write_table(table: Table, path: Path) -> None:
    """Whole or not at all."""
    write_json(
        path,
        {
            "format": FORMAT,
            "version": VERSION,
            "source": table.source,
            "machines": [{"host": host, "ranks": ranks} for host, ranks in table.machines],
            "method": table.method,
            "model": asdict(table.model),
            "collectives": {name: _sizes_as_data(sizes) for name, sizes in table.collectives.items()},
        },
    )


def _sizes_as_data(sizes: Sizes) -> dict[str, Any]:
    return {
        "sampled": sizes.sampled,
        "intervals": [
            {"from": interval.first, "to": interval.last, "algorithm": interval.algorithm, "segment": interval.segment}
            for interval in sizes.intervals
        ],
    }


def read_table(path: Path) -> Table:
    """Reads what write_table wrote. Raises Error, naming the file and the key that is not as it should be."""
    return _Reader(path).table()


class _Reader:
    """Takes a table apart, key by key."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def table(self) -> Table:
        data = self._document()
        if data.get("format") != FORMAT:
            raise Error(f"{self.path}: this is no table of choices", hint="`ayatori choose --out FILE` writes one")
        if data.get("version") != VERSION:
            raise Error(
                f"{self.path}: version {data.get('version')} of the choice format, this program reads {VERSION}"
            )
        collectives = self._get(data, "collectives", lambda v: _is_object(v) and bool(v), "a key a collective")
        return Table(
            self._get(data, "source", _is_text, "a string"),
            [self._machine(machine, f"machines[{i}]") for i, machine in enumerate(self._filled_list(data, "machines"))],
            self._get(data, "method", lambda value: value in (*METHODS, DIMENSION_ORDER), "a way of choosing paths"),
            self._model(self._get(data, "model", _is_object, "an object")),
            {name: self._sizes(name, sizes, f"collectives.{name}") for name, sizes in collectives.items()},
        )

    def _document(self) -> dict[str, Any]:
        try:
            data = json.loads(read_text(self.path))
        except (ValueError, RecursionError) as error:
            raise Error(f"{self.path}: this is no JSON", str(error)) from error
        return data if isinstance(data, dict) else {}

    def _machine(self, data: Any, key: str) -> tuple[str, int]:
        self._expect(_is_object(data), key, "an object")
        host = self._get(data, "host", _is_text, "a name", key)
        return host, self._get(data, "ranks", lambda value: _is_count(value) and value > 0, "1 or more", key)

    def _model(self, data: dict[str, Any]) -> Model:
        names = {field.name for field in fields(Model)}
        unknown = sorted(data.keys() - names)
        self._expect(not unknown, f"model.{unknown[0] if unknown else ''}", "none of this name")
        checks: dict[str, tuple[Callable[[Any], bool], str]] = {
            "steps": (lambda value: value in STEP_MODES, " or ".join(STEP_MODES)),
            "eager_limit": (_is_count, "bytes"),
            "head_of_line": (lambda value: isinstance(value, bool), "true or false"),
        }
        number = (_is_amount, "a number, 0 or more")
        return Model(**{name: self._get(data, name, *checks.get(name, number), "model") for name in sorted(names)})

    def _sizes(self, collective: str, data: Any, key: str) -> Sizes:
        self._expect(_is_object(data), key, "an object")
        try:
            names = {algorithm.name for algorithm in algorithms_of(collective)}
        except Error as error:
            raise Error(f"{self.path}: {key}: {error.message}", hint=error.hint) from error
        sampled = self._filled_list(data, "sampled", key)
        rising = all(map(_is_count, sampled)) and all(a < b for a, b in zip(sampled, sampled[1:], strict=False))
        self._expect(rising, f"{key}.sampled", "sizes in bytes, rising")
        intervals: list[Interval] = []
        for i, entry in enumerate(self._filled_list(data, "intervals", key)):
            intervals.append(self._interval(entry, names, intervals, f"{key}.intervals[{i}]"))
        end = f"{key}.intervals[{len(intervals) - 1}].to"
        self._expect(intervals[-1].last is None, end, "null, for all sizes above")
        return Sizes(sampled, intervals)

    def _interval(self, data: Any, names: set[str], before: list[Interval], key: str) -> Interval:
        self._expect(_is_object(data), key, "an object")
        end = before[-1].last if before else -1
        if end is None:
            raise Error(f"{self.path}: {key}: expected nothing behind the interval without an end")
        first = self._get(data, "from", lambda v: _is_count(v) and v == end + 1, str(end + 1), key)
        last = self._get(
            data, "to", lambda v: v is None or _is_count(v) and v >= first, f"null, or from {first} on", key
        )
        algorithm = self._get(data, "algorithm", lambda v: _is_text(v) and v in names, "an algorithm's name", key)
        return Interval(first, last, algorithm, self._get(data, "segment", _is_count, "bytes", key))

    def _filled_list(self, data: dict[str, Any], name: str, inside: str = "") -> list[Any]:
        return self._get(data, name, lambda value: isinstance(value, list) and bool(value), "a list, not empty", inside)

    def _get(
        self, data: dict[str, Any], name: str, is_good: Callable[[Any], bool], expected: str, inside: str = ""
    ) -> Any:
        key = f"{inside}.{name}" if inside else name
        self._expect(name in data, key, f"{expected}; it is missing")
        self._expect(is_good(data[name]), key, expected)
        return data[name]

    def _expect(self, good: bool, key: str, expected: str) -> None:
        if not good:
            raise Error(f"{self.path}: {key}: expected {expected}")


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 2**63


def _is_amount(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < math.inf
