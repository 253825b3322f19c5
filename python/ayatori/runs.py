"""Long runs of many independent pieces: over the processes of an MPI run, with partial results that can be resumed."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ayatori.errors import Error
from ayatori.files import read_text, write_json

SAVE_EVERY = 10.0
"""Seconds between two savings of partial results."""

Work = Callable[[range], list[Any]]
"""Results of the pieces with these numbers, in their order; plain data, so that it can travel and be saved."""


class PartialResults:
    """Results of the pieces that are done, in a file whose name follows from what was asked for.

    Written now and then while the run goes on, and when it is interrupted; gone when all is done.
    """

    def __init__(self, parameters: dict[str, Any], folder: Path = Path(".")) -> None:
        self.parameters = parameters
        text = json.dumps(parameters, sort_keys=True)
        self.path = folder / f"ayatori-{hashlib.sha256(text.encode()).hexdigest()[:12]}.partial"
        self.results: list[Any] = []
        self._saved_at = time.monotonic()

    def load(self) -> bool:
        """Whether there was something to go on with. Raises Error for a file that can't be that."""
        if not self.path.exists():
            return False
        try:
            saved = json.loads(read_text(self.path))
            results = saved["results"]
            if saved["parameters"] != json.loads(json.dumps(self.parameters)) or not isinstance(results, list):
                raise ValueError("it holds the results of another run")
        except (ValueError, KeyError, TypeError) as error:
            raise Error(f"can't resume from {self.path}", cause=str(error), hint="remove it and start again") from error
        self.results = results
        return True

    def add(self, results: list[Any]) -> None:
        self.results += results
        if time.monotonic() - self._saved_at > SAVE_EVERY:
            self.save()

    def save(self) -> None:
        write_json(self.path, {"parameters": self.parameters, "results": self.results})
        self._saved_at = time.monotonic()

    def remove(self) -> None:
        self.path.unlink(missing_ok=True)


class Interrupted(Exception):
    """Ctrl-C or SIGTERM, after the partial results were saved."""


def run(pieces: int, chunk: int, work: Work, partial: PartialResults, advance: Callable[[int], None]) -> list[Any]:
    """The results of all pieces, those that `partial` has already excepted from the work; `advance` gets counts.

    In a run of several MPI processes every process calls this with the same arguments: the first has chunks done by the
    others and returns the results, the others return nothing. Raises Interrupted.
    """
    advance(len(partial.results))
    first = len(partial.results)
    chunks = [range(i, min(i + chunk, pieces)) for i in range(first, pieces, chunk)]
    with _interruptions_once(), _mapping(work) as chunk_results:
        if chunk_results is None:
            return []
        try:
            for results in chunk_results(chunks):
                partial.add(results)
                advance(len(results))
        except KeyboardInterrupt as interrupt:
            partial.save()
            raise Interrupted(f"{len(partial.results)} of {pieces} are done and kept in {partial.path}") from interrupt
    partial.remove()
    return partial.results


@contextmanager
def _interruptions_once() -> Iterator[None]:
    """The first SIGINT or SIGTERM (mpirun's answer to Ctrl-C) is a KeyboardInterrupt, further ones are nothing.

    Impatient people press twice, timeout(1) sends two: the second must not end the saving.
    """
    usual: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}

    def interrupt(_signal: int, _frame: object) -> None:
        for number in ours:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    in_main_thread = threading.current_thread() is threading.main_thread()
    ours = [number for number in usual if in_main_thread and signal.getsignal(number) == usual[number]]
    for number in ours:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, usual[number])


Mapping = Callable[[list[range]], Iterator[list[Any]]]


@contextmanager
def _mapping(work: Work) -> Iterator[Mapping | None]:
    """How chunks get done: here, or by the other processes of an MPI run; None in those."""
    if mpi_processes() == 1:
        yield lambda chunks: (_interruptible(work, chunk) for chunk in chunks)
        return
    try:
        from mpi4py import MPI
        from mpi4py.futures import MPICommExecutor
    except ImportError as error:
        raise Error(
            f"{mpi_processes()} MPI processes can't share the work", cause=str(error), hint="pip install 'ayatori[mpi]'"
        ) from error
    global _work_of_this_process
    _work_of_this_process = work
    with MPICommExecutor(MPI.COMM_WORLD, root=0) as pool:
        yield None if pool is None else lambda chunks: pool.map(_work_here, chunks)


# What travels between processes are numbers and results: each has prepared the same work.
_work_of_this_process: Work | None = None


def _work_here(chunk: range) -> list[Any]:
    assert _work_of_this_process is not None
    return _work_of_this_process(chunk)


def _interruptible(work: Work, chunk: range) -> list[Any]:
    """Does the work in a thread: Python sees Ctrl-C only between its own instructions, and a chunk may be one call."""
    outcome: list[Any] = []

    def do() -> None:
        try:
            outcome.append(work(chunk))
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=do, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(0.1)
    if isinstance(outcome[0], BaseException):
        raise outcome[0]
    return outcome[0]  # type: ignore[no-any-return]


def mpi_processes() -> int:
    """How many processes mpirun or srun has started with this one; 1 without them."""
    for variable in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"):
        count = os.environ.get(variable, "")
        if count.isdigit() and int(count) > 1:
            return int(count)
    return 1


def is_first_process() -> bool:
    """Whether this process is the one that prints."""
    ranks = (os.environ.get(name, "0") for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"))
    return mpi_processes() == 1 or all(rank == "0" for rank in ranks)
