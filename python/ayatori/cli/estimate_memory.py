"""ayatori estimate memory: what would the messages of a job take of memory?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any, TypedDict

import typer

from ayatori.base.units import format_about_bytes, format_bytes, parse_bytes, parse_count
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import print_json, print_table, say
from ayatori.estimate.memory import CONNECTION, LIBACP, OWN_QUEUE, PROVIDER, MemoryEstimate, Row, estimate_memory


class MemoryData(TypedDict):
    """[The model](memory-model.md) says what is counted; all sizes are bytes."""

    rows: list[Annotated[dict[str, Any], Row]]
    """One entry per number of processes."""
    starter: int
    """Starter memory of each process with libacp, not in `rows`."""
    without_verbs: str
    """Why nothing is known of libacp over verbs; empty if it is."""
    ppn: int
    connection: int
    """As given: processes per host, and the memory of a reliable connection."""
    own_queue: int
    """Receive buffers of a connection that has its own."""


def memory(
    processes: Annotated[
        str, typer.Option(metavar="N[,N…]", help="Processes of the job, such as 1Ki or 1M.")
    ] = "1Ki,64Ki,1Mi",
    ppn: Annotated[int, typer.Option(metavar="N", help="Processes per host.")] = 64,
    connection: Annotated[
        str, typer.Option(metavar="SIZE", help="Memory of a reliable connection, without receive buffers.")
    ] = f"{CONNECTION}B",
    json: options.JSON = False,
) -> None:
    """Estimate the memory of a job's messages, per process and per host.

    The command makes the tables and buffers of libacp over each of its wires, and counts their bytes. It compares them
    with InfiniBand with a connection per peer, and Open MPI as paper 5 measured it (docs/memory-model.md).
    """
    counts = [options.value_of(parse_count, word) for word in processes.split(",")]
    if not 1 <= ppn <= options.MAX_RANKS:
        raise UsageError(f"--ppn {ppn} is out of range", hint=f"1 to {options.MAX_RANKS}")
    size = options.value_of(parse_bytes, connection)
    found = estimate_memory(counts, ppn, size)
    if json:
        data: MemoryData = {
            "rows": [asdict(row) for row in found.rows],
            "starter": found.starter,
            "without_verbs": found.without_verbs,
            "ppn": ppn,
            "connection": size,
            "own_queue": OWN_QUEUE,
        }
        print_json("estimate-memory", data)
    else:
        describe(found, size)


def describe(found: MemoryEstimate, connection: int) -> None:
    uses = {use.transport: use for use in found.rows[-1].uses}
    columns = [name for name in uses if name != PROVIDER]
    process = [[f"  {row.processes:,}", *sizes_of(row, columns)] for row in found.rows]
    print_table("Memory of a process for messages", ["  processes", *columns], process)
    hosts = [[f"  {row.hosts:,} x {row.per_host}", *sizes_of(row, columns, row.per_host)] for row in found.rows]
    print_table("Memory of a host", ["  hosts", *columns], hosts)
    names = "; ".join(name for name in LIBACP if name in uses)
    say(
        f"  {names}: libacp. Its tables and buffers were made here, at their default sizes and for so many processes, "
        "and counted: a process has at most that, however many peers there are. In addition, "
        f"{format_bytes(found.starter)} of starter memory (ACP_STARTER_BYTES), and while datagrams wait at most "
        f"{format_bytes(uses['UDP'].waiting)} of the kernel's for UDP."
    )
    if found.without_verbs:
        say(f"  libacp over verbs is not known here, nor the shared buffers of SRQ and XRC: {found.without_verbs}")
    else:
        say(
            f"  verbs: with {uses['verbs'].queue_pairs} queue pairs, of which all but two are RDMA connections "
            "(ACP_CONNECTIONS)."
        )
    say(
        "  MPI over the transport (run --transport), with wires as shm, UDP: "
        f"{format_about_bytes(uses[PROVIDER].bytes)} for a process, and the MPI's own memory. Address vectors take "
        "nothing in the order of the ranks, otherwise at most 20 B for a rank."
    )
    measured = f"; {format_about_bytes(connection)} is what one takes over Soft-RoCE" * (connection == CONNECTION)
    say(
        f"  RC: queue pairs and receive buffers alone. A queue pair of {format_about_bytes(connection)} for each peer, "
        f"with {format_bytes(OWN_QUEUE)} of receive buffers (P,128,256 of Open MPI's openib){measured}. Paper 5 "
        "reckons with some tens of kB for adapters (section 6; --connection)."
    )
    say("  RC, SRQ: with one set of receive buffers, as large as libacp's over verbs.")
    say("  XRC: the same with two queue pairs a host instead of one a process (InfiniBand Architecture, Annex A14).")
    say("  MPI: Open MPI, by paper 5's table 1: in straight lines from what it measured after an all-to-all.")


def sizes_of(row: Row, transports: Sequence[str], processes: int = 1) -> list[str]:
    return [format_about_bytes(processes * use.bytes) for use in row.uses if use.transport in transports]
