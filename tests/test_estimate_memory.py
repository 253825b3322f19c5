"""Memory of messages: the estimate against the kernel's count of real jobs, and connections counted by hand."""

import sys
from pathlib import Path
from statistics import mean

import pytest

from ayatori import _acp
from ayatori.base.errors import Error
from ayatori.base.units import format_about_bytes, parse_count
from ayatori.estimate.memory import OWN_QUEUE, Row, estimate_memory
from subprocesses import said_by

LIBRARY = Path(_acp.__file__).parent / "libacp.so.0"
PROCESS = Path(__file__).parent / "acp_memory.py"
BESIDE = 1.06
"""What the kernel counts besides: the stack of a thread, and pages that are begun."""


def kernel_count(wires: str, processes: int) -> float:
    """Bytes of a process of a job on this machine, by libacp; the mean over the processes."""
    counts = [
        int(word)
        for word in said_by(
            [sys.executable, "-m", "ayatori.processes", str(processes), sys.executable, str(PROCESS), str(LIBRARY)],
            env={"ACP_WIRES": wires},
        ).split()
    ]
    assert len(counts) == processes
    return mean(counts)


def estimated(wires: str, processes: int) -> int:
    use = _acp.acp_memory_use(wires, processes, processes)
    return use.tables + use.wires + use.starter


@pytest.mark.parametrize("processes", [2, 8, pytest.param(64, marks=pytest.mark.sweep)])
def test_a_process_over_shared_memory_has_what_is_estimated(processes: int) -> None:
    share = kernel_count("shm", processes) / estimated("shm", processes)
    assert 0.94 < share < BESIDE


@pytest.mark.parametrize("processes", [2, 8, pytest.param(32, marks=pytest.mark.sweep)])
def test_a_process_over_udp_has_at_most_what_is_estimated(processes: int) -> None:
    """Of the trains, a quarter of it, only those are touched that were under way at the same time."""
    share = kernel_count("udp", processes) / estimated("udp", processes)
    assert 0.7 < share < BESIDE


def uses_of(row: Row) -> dict[str, int]:
    return {use.transport: use.bytes for use in row.uses}


def test_libacp_does_not_grow_and_connections_do() -> None:
    few, many = map(uses_of, estimate_memory([1024, 2**20], 64, connection=1000).rows)
    assert many["shm, UDP"] == pytest.approx(few["shm, UDP"], rel=0.01)
    assert many["UDP"] == pytest.approx(few["UDP"], rel=0.01)
    assert many["RC"] == (2**20 - 1) * (1000 + OWN_QUEUE)
    assert many["RC, SRQ"] - few["RC, SRQ"] == pytest.approx((2**20 - 1024) * 1000, abs=10_000)
    assert many["XRC"] - few["XRC"] == pytest.approx(2 * (2**20 - 1024) // 64 * 1000, abs=10_000)


def test_a_queue_pair_takes_the_same_wherever_it_is() -> None:
    """What another connection takes more is counted for each queue pair: of libacp over verbs, too."""
    small, large = (estimate_memory([4096], 64, connection=size).rows[0].uses for size in (1000, 3000))
    for less, more in zip(small, large, strict=True):
        assert more.bytes - less.bytes == pytest.approx(2000 * less.queue_pairs, abs=10_000)


def test_open_mpi_has_what_paper_5_prints() -> None:
    rows = estimate_memory([10**5, 10**6, 10**7, 10**8], 64).rows
    assert [uses_of(row)["MPI UD"] / 1e9 for row in rows] == pytest.approx([2.63, 25.5, 254, 2539], rel=0.002)
    assert [uses_of(row)["MPI RC-SRQ"] / 1e9 for row in rows] == pytest.approx([2.64, 26.1, 261, 2606], rel=0.002)


def test_hosts_are_full_but_for_the_last() -> None:
    rows = estimate_memory([3, 64, 65], 64).rows
    assert [(row.hosts, row.per_host) for row in rows] == [(1, 3), (1, 64), (2, 64)]


def test_impossible_jobs_are_refused() -> None:
    for counts, per_host in (([0], 1), ([2**31 + 1], 64), ([2**20], 60_000)):
        with pytest.raises(Error):
            estimate_memory(counts, per_host)


def test_the_command_fits_a_page_and_names_what_it_assumes(ayatori_command) -> None:
    outcome = ayatori_command("estimate", "memory", "--processes", "1Ki,1G", "--ppn", "128").good()
    lines = outcome.stdout.splitlines()
    assert max(map(len, lines)) <= 100
    assert any(line.startswith("  1,000,000,000  ") for line in lines)
    for word in ("ACP_STARTER_BYTES", "Soft-RoCE", "Annex A14", "table 1"):
        assert word in " ".join(outcome.stdout.split())
    assert "more columns" not in outcome.stdout
    given = ayatori_command("estimate", "memory", "--connection", "30kB").stdout
    assert "30 kB" in given and "Soft-RoCE" not in given


def test_counts_and_sizes_are_read_and_written_as_people_do() -> None:
    counts = [parse_count(word) for word in ("1", "1k", "1Ki", "1.5M", "1Gi")]
    assert counts == [1, 1000, 1024, 1_500_000, 2**30]
    written = [format_about_bytes(count) for count in (0, 999, 999.6, 4_606_496, 999_600_000, 2.5e12, 2.5e15)]
    assert written == ["0 B", "999 B", "1 kB", "4.61 MB", "1 GB", "2.5 TB", "2,500 TB"]
