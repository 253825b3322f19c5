"""A process of a job that uses libacp: prints the bytes that it has more in the end than before it opened the library.

Each process writes to, and reads from, each other one. What counts is the kernel's: anonymous and shared memory, shared
pages by their share (Pss_Anon and Pss_Shmem of smaps_rollup, as bench/tasks/memory has it).
"""

import ctypes
import mmap
import sys
from pathlib import Path

WORDS = 128
"""Of 8 bytes, that each sends to each."""
STARTER_BYTES = 1 << 20
ALL = 2**64 - 1


def own_bytes() -> int:
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:")))


def look_at_shared_memory() -> None:
    """It was allocated as a whole; a page that nobody has looked at is in nobody's share."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        if "/memfd:ayatori" in line:
            start, end = (int(word, 16) for word in line.split()[0].split("-"))
            for page in range(start, end, mmap.PAGESIZE):
                ctypes.string_at(page, 1)


def library(path: str) -> ctypes.CDLL:
    acp = ctypes.CDLL(path)
    for name in ("acp_query_starter_ga", "acp_query_ga", "acp_register_memory", "acp_copy"):
        getattr(acp, name).restype = ctypes.c_uint64
    acp.acp_query_address.restype = ctypes.c_void_p
    acp.acp_query_address.argtypes = [ctypes.c_uint64]
    acp.acp_query_ga.argtypes = [ctypes.c_uint64, ctypes.c_void_p]
    acp.acp_register_memory.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    acp.acp_copy.argtypes = [ctypes.c_uint64, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_uint64]
    acp.acp_complete.argtypes = [ctypes.c_uint64]
    return acp


def main() -> None:
    acp = library(sys.argv[1])
    memory = (ctypes.c_uint64 * (3 * WORDS))()
    before = own_bytes()
    assert acp.acp_init(None, None) == 0
    rank, procs = acp.acp_rank(), acp.acp_procs()
    starter = acp.acp_query_address(acp.acp_query_starter_ga(rank))
    ctypes.memset(starter, 0, STARTER_BYTES)
    # Where registered memory is, each tells each by starter memory.
    mine = acp.acp_query_ga(acp.acp_register_memory(memory, ctypes.sizeof(memory), 0), memory)
    memory[0] = mine
    acp.acp_sync()
    for peer in range(procs):
        assert acp.acp_copy(acp.acp_query_starter_ga(peer) + 8 * rank, mine, 8, 0)
    assert acp.acp_complete(ALL) == 0
    acp.acp_sync()
    theirs = list((ctypes.c_uint64 * procs).from_address(starter))
    for peer in set(range(procs)) - {rank}:
        assert acp.acp_copy(theirs[peer] + 8 * WORDS, mine, 8 * WORDS, 0)
        assert acp.acp_copy(mine + 16 * WORDS, theirs[peer], 8 * WORDS, 0)
    assert acp.acp_complete(ALL) == 0
    assert memory[2 * WORDS] in theirs or procs == 1
    look_at_shared_memory()
    acp.acp_sync()
    sys.stdout.write(f"{own_bytes() - before}\n")
    sys.stdout.flush()
    acp.acp_sync()
    assert acp.acp_finalize() == 0


if __name__ == "__main__":
    main()
