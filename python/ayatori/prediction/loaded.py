"""Algorithms of others, by their names: `file:F` and `library:L.so:NAME` (docs/schedule-format.md)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ayatori import _core
from ayatori._core import AlgorithmOptions, LoadedAlgorithm, Placement, Schedule
from ayatori.base.errors import Error

FILE = "file:"
ALGORITHMS_KEPT = 32


@dataclass(frozen=True)
class OtherAlgorithm:
    """An algorithm of others where our own have an Algorithm."""

    name: str
    needs_grid: bool = False
    pipelined: bool = False
    of_an_mpi: bool = False
    within_a_node: bool = False


def is_other(algorithm: str) -> bool:
    return _core.names_loaded_algorithm(algorithm)


def load(algorithm: str) -> LoadedAlgorithm:
    """The algorithm, read again only when its file has changed. Raises Error: files and libraries that are wrong."""
    return _loaded(algorithm, _stamp(algorithm))


def make(
    algorithm: str, collective: str, root: int, size: int, placement: Placement, options: AlgorithmOptions
) -> tuple[Schedule | None, str]:
    """The schedule, which is verified; or None, and why there is none. Raises Error for one that is wrong."""
    loaded = load(algorithm)
    if options.chunk_bytes and not loaded.takes_chunks:
        raise Error(f"the chunks of {algorithm} are what the file says")
    return loaded.make(collective, root, size, placement, options)


def fingerprints(algorithms: Iterable[str]) -> dict[str, str]:
    """Of each algorithm of others what its file holds: predictions that were saved depend on it."""
    found = {}
    for algorithm in filter(is_other, algorithms):
        file = _file_of(algorithm)
        found[algorithm] = hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else ""
    return found


@lru_cache(maxsize=ALGORITHMS_KEPT)
def _loaded(algorithm: str, _stamp: tuple[int, int]) -> LoadedAlgorithm:
    return _core.load_algorithm(algorithm)


def _stamp(algorithm: str) -> tuple[int, int]:
    """Changes when the file does. A library that was loaded stays as it was."""
    file = _file_of(algorithm)
    if not algorithm.startswith(FILE) or not file.is_file():
        return (0, 0)
    status = file.stat()
    return (status.st_mtime_ns, status.st_size)


def _file_of(algorithm: str) -> Path:
    kind, _, rest = algorithm.partition(":")
    return Path(rest if f"{kind}:" == FILE else rest.rpartition(":")[0] or rest)
