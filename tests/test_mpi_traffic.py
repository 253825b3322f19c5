"""The table of what MPI libraries send, and plans for it."""

import pytest

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.planning import mpi_traffic
from ayatori.planning.mpi_traffic import ANY_RANKS, COLLECTIVES, KnownMpi, Rule, known_mpis, mpi_named, mpi_of_program
from ayatori.planning.traffics import purpose_of, steps_of
from command_line import run_here

TREE = "fattree:K=6,levels=2,nodes=30"
Pairs = list[set[tuple[int, int]]]


def pairs_of(steps: _core.StepSequence) -> Pairs:
    return [{(m.from_rank, m.to_rank) for m in steps.messages(step)} for step in range(steps.step_count)]


def exchanged_by_xor(ranks: int) -> Pairs:
    return [{(rank, rank ^ distance) for rank in range(ranks)} for distance in range(1, ranks)]


def shifted(ranks: int) -> Pairs:
    return [{(rank, (rank + distance) % ranks) for rank in range(ranks)} for distance in range(1, ranks)]


@pytest.mark.parametrize("name", sorted(known_mpis()))
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_each_rule_has_the_messages_of_its_collective(name: str, collective: str) -> None:
    """As many bytes come in as each rank needs at least: its blocks, of a reduce-scatter one, and of an allreduce what
    the others have added to its own."""
    mpi = mpi_named(name)
    if collective not in mpi.rules:
        assert mpi.seen == "source" or mpi.word == "intel"  # none of our algorithms sends all its sizes
        return
    for ranks in (2, 3, 4, 5, 7, 8, 12, 16, 21, 30, 32):
        for size in (8, 4096, 1 << 20):
            needed = size * (ranks - 1 if collective in ("alltoall", "allgather") else 1)
            received = [0] * ranks
            steps = mpi.steps(collective, ranks, size)
            for step in range(steps.step_count):
                for message in steps.messages(step):
                    received[message.to_rank] += message.bytes
            assert min(received) >= needed, (ranks, size)


def test_what_is_known_of_these_libraries_from_their_documents() -> None:
    """MPICH's pairwise exchange is by XOR among 2^n ranks and by shifts among others; it begins at 32 KiB, below all
    messages go at once. Both have rings for long allgathers, and rank r sends to the next one."""
    for version in ("4.0", "5.0"):
        mpich = mpi_named(f"mpich-{version}")
        assert pairs_of(mpich.steps("alltoall", 8, 1 << 20)) == exchanged_by_xor(8)
        assert pairs_of(mpich.steps("alltoall", 6, 1 << 20)) == shifted(6)
        assert len(pairs_of(mpich.steps("alltoall", 8, 4096))) == 1
    for name in ("mpich", "nccl", "gloo"):
        ring = pairs_of(mpi_named(name).steps("allgather", 12, 1 << 20))
        assert all(step == {(rank, (rank + 1) % 12) for rank in range(12)} for step in ring), name


def test_gloos_allreduce_goes_round_the_other_way() -> None:
    """To the rank before, as its source says."""
    steps = pairs_of(mpi_named("gloo").steps("allreduce", 5, 1 << 20))
    assert len(steps) == 8 and all(step == {(rank, (rank - 1) % 5) for rank in range(5)} for step in steps)


def test_a_step_counts_by_its_bytes() -> None:
    """Recursive doubling: half of an allgather's bytes are in the last of its steps."""
    doubling = KnownMpi("m", "1", "M", "source", {"allgather": {ANY_RANKS: [Rule(1, "recursive-doubling")]}})
    call = mpi_traffic.MpiTraffic(doubling, "allgather", 1024)
    last = {(rank, rank ^ 8) for rank in range(16)}
    assert pairs_of(call.steps(16)).count(last) == pytest.approx(100 * 8 / 15, abs=1)


def test_ranks_that_were_not_seen_are_like_the_most_of_their_kind() -> None:
    rules = {ranks: [Rule(1, "shift")] for ranks in (2, 3, 4, 6, 7, 8, 9, 12, 16)}
    mpi = KnownMpi("m", "1", "M", "trace", {"alltoall": rules})
    assert {ranks: mpi.ranks_seen("alltoall", ranks) for ranks in (4, 5, 10, 13, 32, 100, 101)} == {
        4: 4,
        5: 9,
        10: 12,
        13: 9,
        32: 16,
        100: 12,
        101: 9,
    }


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4", "openmpi-4.1"),
        ("Open MPI v5.0.11, package: Open MPI", "openmpi-5.0"),
        ("Open MPI v6.1.0a1", "openmpi-5.0"),
        ("Open MPI v3.1.0", "openmpi-4.1"),
        ("MPICH Version:      4.0.2", "mpich-4.0"),
        ("MPICH Version: 4.3.2", "mpich-4.0"),
        ("MPICH Version: 5.0.2", "mpich-5.0"),
    ],
)
def test_a_program_has_the_newest_entry_that_is_not_newer(said: str, name: str) -> None:
    found = mpi_of_program(said)
    assert found is not None and found.name == name


def test_other_programs_have_none() -> None:
    assert mpi_of_program("") is None and mpi_of_program("MVAPICH 3.0") is None


@pytest.mark.parametrize(
    ("traffic", "message"),
    [
        ("openmp alltoall 1MiB", "openmp"),
        ("openmpi alltoal 1MiB", "alltoal"),
        ("openmpi alltoall 0", "nothing to send"),
        ("openmpi alltoall much", "much"),
        ("gloo reduce_scatter 1MiB", "has no reduce_scatter in the table"),
    ],
)
def test_what_nobody_sends_is_refused(traffic: str, message: str) -> None:
    with pytest.raises(Error, match=message):
        steps_of(traffic, 8)


def test_a_librarys_collective_is_carried_like_others() -> None:
    assert purpose_of("mpich alltoall 1MiB") == purpose_of("shift") != purpose_of("halo-2d")


def test_plan_is_made_for_a_librarys_collective() -> None:
    """MPICH's long all-to-all among 16 ranks is the XOR exchange, and the plan the one for it."""
    command = ["plan", TREE, "--random-jobs", "1", "--job-size", "16", "--seed", "4", "--json"]
    call = ["--mpi", "mpich-4.0", "--collective", "alltoall", "--bytes", "1MiB"]
    done = run_here(*command, *call).good()
    of_mpich, by_xor = done.json(), run_here(*command, "--traffic", "xor").good().json()
    assert of_mpich["named"] == ["mpich-4.0 alltoall 1MiB"]
    first, same = of_mpich["traffics"][0], next(each for each in by_xor["traffics"] if each["traffic"] == "xor")
    assert (first["without"], first["with_plan"]) == (same["without"], same["with_plan"])
    assert "MPICH 4.0.2, seen in its messages" in done.stderr
    said = run_here(*command, "--mpi", "gloo").good().stderr
    assert "by its source, not seen in its messages" in said


def test_a_size_without_a_library_is_refused() -> None:
    run_here("plan", TREE, "--contiguous", "16..16", "--bytes", "1KiB").refused(2, "--mpi openmpi with them")
    run_here("plan", TREE, "--contiguous", "16..16", "--mpi", "nomad").refused(2, "nomad")
