"""What the plug-in takes of a process's memory, as the kernel counts it, and of its heap, as malloc does."""

import plugin

COMMUNICATORS, MANY_COMMUNICATORS = 150, 400
"""By default, and with --all."""
FORCED = {
    "AYATORI_BCAST": "binomial",
    "AYATORI_REDUCE": "binomial",
    "AYATORI_GATHER": "binomial",
    "AYATORI_ALLREDUCE": "recursive-doubling",
    "AYATORI_ALLTOALL": "shift",
    "AYATORI_ALLGATHER": "ring",
    "AYATORI_BARRIER": "dissemination",
}
MAX_OF_A_COMMUNICATOR = 4608
"""Bytes on the heap: 3,968 with MPICH 4.0.2 and 3,554 with Open MPI 4.1.4, within 10, under load as well."""


def measured(mpi: plugin.Mpi, ranks: int, communicators: int, preload: bool) -> list[int]:
    done = mpi.run_well(ranks, "many_communicators.c", str(communicators), preload=preload, timeout=300, **FORCED)
    return [int(word) for word in done.stdout.split()]


def test_memory_of_a_process_and_of_a_communicator_is_bounded(mpi: plugin.Mpi, everything: bool) -> None:
    count = MANY_COMMUNICATORS if everything else COMMUNICATORS
    _, first_without, *heap_without = measured(mpi, 4, count, preload=False)
    _, first, *heap = measured(mpi, 4, count, preload=True)
    # Of the second half: MPIs take memory for many communicators at once.
    each = ((heap[1] - heap[0]) - (heap_without[1] - heap_without[0])) / (count - count // 2)
    print(f"{mpi.family}: {first - first_without} bytes a process, {each:.0f} a communicator")
    assert each < MAX_OF_A_COMMUNICATOR
    assert first - first_without < 1 << 20


def test_communicators_that_come_and_go_leave_nothing(mpi: plugin.Mpi) -> None:
    """10,000 of them by hand; Open MPI makes some hundred a second."""
    times = {"openmpi": 150, "mpich": 600}[mpi.family]
    done = mpi.run_well(2, "check_leaks.c", str(times), AYATORI_ALLREDUCE="ring", AYATORI_IBCAST="binomial")
    assert int(done.stdout) < 32 * 1024
