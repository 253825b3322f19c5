"""What the messages of a job take of memory in each process: by libacp, and by connections to all peers.

docs/memory-model.md has the equations, and where the figures come from.
"""

from __future__ import annotations

from dataclasses import dataclass

from ayatori.base.compiled import libacp
from ayatori.base.errors import Error

TABLE1 = {"UD": (2.63, 25.5, 254, 2539), "RC-SRQ": (2.64, 26.1, 261, 2606)}
"""Paper 5: GB of an Open MPI process among 10^5, 10^6, 10^7 and 10^8."""
CONNECTION = 5100
"""Bytes of an RC queue pair over Soft-RoCE, which bench/tasks/verbs_memory measures."""
OWN_QUEUE = 256 * 128
"""Bytes of a connection's own receive buffers: P,128,256 of Open MPI's btl_openib_receive_queues."""
MAX_PROCESSES = 2**31


@dataclass(frozen=True)
class Use:
    """Of one process, in bytes, over a transport: one of LIBACP, PROVIDER, one of OPEN_MPI, or RC, "RC, SRQ", XRC."""

    transport: str
    bytes: int
    """By what messages travel, and the memory that a process has for it."""
    waiting: int = 0
    """At most, in addition, in the kernel: datagrams that have arrived over UDP and wait."""
    queue_pairs: int = 0
    """Those of a process; each is in `bytes` with `connection`."""


@dataclass(frozen=True)
class Row:
    processes: int
    per_host: int
    hosts: int
    """How many processes, how many a full host has, and how many hosts there are."""
    uses: list[Use]
    """One entry per transport."""


@dataclass(frozen=True)
class MemoryEstimate:
    rows: list[Row]
    starter: int
    """Bytes of starter memory in each process of libacp, not counted above: they are the program's."""
    without_verbs: str
    """Why nothing is known of libacp over verbs; "" if it is."""


PROVIDER = "libfabric"
"""MPI over the transport, by its provider of libfabric, over shared memory and UDP."""
LIBACP = {"shm, UDP": "auto", "UDP": "udp", "verbs": "verbs"}
"""Of each of libacp's columns its value of ACP_WIRES."""
OPEN_MPI = {"MPI UD": "UD", "MPI RC-SRQ": "RC-SRQ"}


def estimate_memory(counts: list[int], per_host: int, connection: int = CONNECTION) -> MemoryEstimate:
    """`per_host`: processes on each host but perhaps the last."""
    without_verbs = _why_no_verbs()
    rows = []
    for count in counts:
        if not 1 <= count <= MAX_PROCESSES:
            raise Error(f"{count} processes are not 1 to {MAX_PROCESSES}")
        here = min(per_host, count)
        hosts = -(-count // here)
        ours = {
            name: libacp().acp_memory_use(wires, count, here)
            for name, wires in LIBACP.items()
            if not (name == "verbs" and without_verbs)
        }
        uses = [
            Use(name, use.tables + use.wires + use.queue_pairs * connection, use.waiting, use.queue_pairs)
            for name, use in ours.items()
        ]
        auto = ours["shm, UDP"]
        uses.append(Use(PROVIDER, auto.provider + auto.wires, auto.waiting))
        uses += _connected(count, hosts, connection, ours["verbs"].wires if "verbs" in ours else 0)
        uses += [Use(name, _open_mpi(kind, count)) for name, kind in OPEN_MPI.items()]
        rows.append(Row(count, here, hosts, uses))
    return MemoryEstimate(rows, libacp().acp_memory_use("udp", 1, 1).starter, without_verbs)


def _why_no_verbs() -> str:
    try:
        libacp().acp_memory_use("verbs", 1, 1)
    except Error as error:
        return error.message
    return ""


def _connected(processes: int, hosts: int, connection: int, shared_buffers: int) -> list[Use]:
    peers = processes - 1
    # By XRC a process has a queue pair that sends to each host; those that receive, one from each process of the job,
    # are shared by the processes of a host.
    by_host = 2 * hosts if peers else 0
    return [
        Use("RC", peers * (connection + OWN_QUEUE), 0, peers),
        Use("RC, SRQ", peers * connection + shared_buffers, 0, peers),
        Use("XRC", by_host * connection + shared_buffers, 0, by_host),
    ]


def _open_mpi(kind: str, processes: int) -> int:
    """On the straight line through the first and the last column of the paper's table."""
    first, *_, last = TABLE1[kind]
    slope = (last - first) * 1e9 / (10**8 - 10**5)
    return round(first * 1e9 + slope * (processes - 10**5))
