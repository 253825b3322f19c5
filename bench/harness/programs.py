"""Programs that measure, run alternately. None of them outlives us."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from ayatori.base.errors import Error
from ayatori.processes import Child, run_to_end

T = TypeVar("T")

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "release" / "bench"
"""Where `./run bench` builds the programs: tasks/TASK_PEER and micro/NAME_bench."""


def output_of(
    command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None, timeout: float = 120.0
) -> str:
    """What the program prints; `environment` comes on top of ours.

    Raises Error if it fails or still runs after `timeout` seconds.
    """
    ended = run_to_end(command, environment=os.environ | dict(environment or {}), timeout=timeout)
    if ended.status != 0:
        raise Error(f"{Path(command[0]).name} failed", cause=ended.reason)
    return ended.output


@contextmanager
def running(command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None) -> Iterator[Child]:
    """The program while the block runs; it is ended afterwards."""
    with tempfile.TemporaryDirectory(prefix="ayatori-bench-") as name:
        folder = Path(name)
        variables = os.environ | dict(environment or {})
        child = Child(command, folder=folder, environment=variables, output=folder / "output")
        try:
            yield child
        finally:
            child.stop()


def alternating(stacks: Mapping[str, Callable[[int], T]], repeats: int) -> dict[str, list[T]]:
    """The results of each stack, called with the number of the round.

    Stacks alternate, so that what else the machine does meets them all.
    """
    results: dict[str, list[T]] = {name: [] for name in stacks}
    for round_ in range(repeats):
        for name, measure in stacks.items():
            results[name].append(measure(round_))
    return results
