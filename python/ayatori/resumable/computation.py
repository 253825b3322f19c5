"""Long runs of many independent pieces: shared by the processes of an MPI run, saved as they go, and resumed."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from ayatori.base.errors import Error, Interrupted
from ayatori.resumable.saved_results import SavedResults
from ayatori.resumable.signals import interrupt, terminate

Item = TypeVar("Item")

Work = Callable[[range], list[Any]]
"""Results of the items with these numbers, in their order; plain data, so that it can travel and be saved."""


def compute(
    saved: SavedResults,
    name: str,
    items: Sequence[Item],
    chunk: int,
    results_of: Callable[[Sequence[Item]], list[Any]],
    advance: Callable[[int], None] = lambda _count: None,
) -> list[Any]:
    """The results of all items, kept in `saved` under `name`; results that are there already are not computed again.

    `results_of` gets up to `chunk` items at a time; `advance` is called with how many more are done. In a run of
    several MPI processes every process calls this with the same arguments: the first has the chunks done by the others
    and returns the results, the others return nothing. Raises Interrupted.
    """
    known = saved.of(name)
    first = len(known)
    advance(first)
    chunks = [range(i, min(i + chunk, len(items))) for i in range(first, len(items), chunk)]

    def work(numbers: range) -> list[Any]:
        return results_of(items[numbers.start : numbers.stop])

    with _interruptions_once(), _mapping(work) as chunk_results:
        if chunk_results is None:
            return []
        try:
            for results in chunk_results(chunks):
                saved.add(name, results)
                advance(len(results))
        except KeyboardInterrupt as interrupt:
            if saved.path is None:
                raise
            saved.save()
            raise Interrupted(f"{len(known)} of {len(items)} are done and kept in {saved.path}") from interrupt
    return known


def compute_each(
    saved: SavedResults,
    name: str,
    items: Sequence[Item],
    result_of: Callable[[Item], Any],
    advance: Callable[[int], None] = lambda _count: None,
) -> list[Any]:
    """The same for items that are done one by one."""
    return compute(saved, name, items, 1, lambda part: [result_of(item) for item in part], advance)


@contextmanager
def _interruptions_once() -> Iterator[None]:
    """The first SIGINT or SIGTERM (mpirun's answer to Ctrl-C) raises KeyboardInterrupt; later ones are ignored.

    People press Ctrl-C twice, and timeout(1) sends two signals: the second must not interrupt the saving.
    """
    interrupting: dict[signal.Signals, list[Any]] = {
        signal.SIGINT: [signal.default_int_handler, interrupt],
        signal.SIGTERM: [signal.SIG_DFL, terminate],
    }

    def interrupt_once(_signal: int, _frame: object) -> None:
        for number in usual:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    # Who ignores a signal, or handles it in another way, has a reason. Other threads can't set handlers.
    usual = {
        number: signal.getsignal(number) for number, ours in interrupting.items() if signal.getsignal(number) in ours
    }
    if threading.current_thread() is not threading.main_thread():
        usual = {}
    for number in usual:
        signal.signal(number, interrupt_once)
    try:
        yield
    finally:
        for number, handler in usual.items():
            signal.signal(number, handler)


Mapping = Callable[[list[range]], Iterator[list[Any]]]


@contextmanager
def _mapping(work: Work) -> Iterator[Mapping | None]:
    """What computes chunks: this process, or the other processes of an MPI run. In those it is None."""
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
        yield None if pool is None else lambda chunks: pool.map(_work_here, chunks)  # type: ignore[attr-defined]


# Only numbers of pieces and results are sent between processes, since each has prepared the same work.
_work_of_this_process: Work | None = None


def _work_here(chunk: range) -> list[Any]:
    assert _work_of_this_process is not None
    return _work_of_this_process(chunk)


def _interruptible(work: Work, chunk: range) -> list[Any]:
    """Does the work in a thread, since Python handles Ctrl-C only between its instructions, and a chunk may be one."""
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
