"""The pattern of a traced program: its messages, and those of its collectives as its MPI sends them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.planning.mpi_traffic import COLLECTIVES, KnownMpi, mpi_named, mpi_of_program, steps_of_schedule
from ayatori.traces.files import FORMAT, Operation, read_traces
from ayatori.traces.phases import Phases, Step, pattern_of

_BEGIN = f'{{"format": "{FORMAT}"'


@dataclass(frozen=True)
class TracedPattern:
    """`text`: a pattern file's; a step that occurs several times is there once, with all its bytes."""

    text: str
    ranks: int
    steps: int
    unknown: Sequence[str]
    """Kinds of operations whose messages are not in it."""


def folder_of_trace(pattern: str) -> Path | None:
    """The folder with rank-0.json that the pattern names, or in which the file lies that it names; None: no trace."""
    path = Path(pattern)
    if path.is_dir():
        return path
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return path.parent if file.read(len(_BEGIN)) == _BEGIN else None
    except OSError:
        return None


def read_traced(folder: Path) -> TracedPattern:
    """Raises Error for traces that are missing or broken, and if nothing was sent."""
    try:
        changed = (folder / "rank-0.json").stat().st_mtime_ns
    except OSError:
        changed = 0
    return _read(folder, changed)


@lru_cache(maxsize=4)
def _read(folder: Path, _changed: int) -> TracedPattern:
    traces = read_traces(folder)
    mpi = mpi_of_program(traces[0].mpi) or mpi_named("openmpi")
    phases = Phases(traces, lambda operation: _steps_of_collective(mpi, operation))
    steps = phases.steps
    if not steps:
        raise Error(f"{folder}: the program has sent nothing")
    return TracedPattern(pattern_of(steps), len(traces), len(steps), sorted(phases.unknown))


def _steps_of_collective(mpi: KnownMpi, operation: Operation) -> list[Step] | None:
    """Of trees, which the table does not have, those that most libraries have for short messages."""
    ranks, size = len(operation.members), operation.bytes
    if operation.name in ("barrier", "fence") or ranks < 2 or size < 1:
        return []
    collective = operation.name.replace("-", "_")
    if collective in COLLECTIVES:
        if collective == "reduce_scatter":  # the trace has the bytes of all blocks
            size = max(1, size // ranks)
        steps = mpi.steps(collective, ranks, size)
    elif collective in ("broadcast", "reduce", "gather", "scatter") and operation.peer in operation.members:
        root = operation.members.index(operation.peer)
        steps = steps_of_schedule("binomial", collective, ranks, size, root)
    else:
        return None
    found: list[Step] = []
    for number in range(steps.step_count):
        step: Step = {}
        for each in steps.messages(number):
            pair = each.from_rank, each.to_rank
            step[pair] = step.get(pair, 0) + each.bytes
        found.append(step)
    return found
