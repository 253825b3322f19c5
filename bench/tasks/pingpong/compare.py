"""64 bytes back and forth between two processes of this machine: our transport and its peers, alternately.

    .venv/bin/python -m bench.tasks.pingpong.compare [shm|udp]

Over shared memory the peers are Open MPI (vader) and libfabric (shm), over UDP plain sockets. Prints one JSON object a
wire: the median round trip of each stack in microseconds, and ours divided by that of the fastest peer. The peers come
from Debian's packages libopenmpi-dev, openmpi-bin and libfabric-bin; a peer that is not installed is left out.
"""

from __future__ import annotations

import json
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.harness.programs import BUILT, alternating, output_of, running

REPEATS = 5
HERE = Path(__file__).resolve().parent
MPI_OPTIONS = "--allow-run-as-root --oversubscribe --bind-to core --mca pml ob1 --mca btl self,vader -np 2"
FI_PINGPONG = ["fi_pingpong", "-p", "shm", "-e", "rdm", "-S", "64", "-I", "100000"]

Stacks = dict[str, Callable[[int], float]]


def round_trip_us(program: str, *arguments: str) -> float:
    return float(json.loads(output_of([BUILT / "tasks" / program, *arguments]))["round_trip_us"])


def open_mpi_round_trip_us(program: Path) -> float:
    """On one core a rank, as ours and libfabric's run."""
    return float(output_of(["mpirun", *MPI_OPTIONS.split(), program]))


def libfabric_round_trip_us() -> float:
    """Half a round trip is what fi_pingpong prints in its last column but one (usec/xfer), as a mean."""
    with running(["taskset", "-c", "1", *FI_PINGPONG]) as server:
        time.sleep(0.5)
        printed = output_of(["taskset", "-c", "0", *FI_PINGPONG, "127.0.0.1"])
        server.wait(30)
    line = next(line for line in printed.splitlines() if re.match(r"\s*64\s", line))
    return 2 * float(line.split()[6])


def stacks_of(wire: str, folder: Path) -> Stacks:
    stacks: Stacks = {"ours": lambda _: round_trip_us("pingpong_ours", wire)}
    if wire == "udp":
        return stacks | {"raw_udp": lambda _: round_trip_us("pingpong_raw_udp")}
    if shutil.which("mpicc") and shutil.which("mpirun"):
        program = folder / "pingpong_mpi"
        output_of(["mpicc", "-O2", "-o", program, HERE / "mpi.c"])
        stacks["openmpi_vader"] = lambda _: open_mpi_round_trip_us(program)
    if shutil.which("fi_pingpong"):
        stacks["libfabric_shm"] = lambda _: libfabric_round_trip_us()
    return stacks


def compare(wire: str) -> None:
    with tempfile.TemporaryDirectory(prefix="ayatori-bench-") as folder:
        runs = alternating(stacks_of(wire, Path(folder)), REPEATS)
    medians = {name: statistics.median(times) for name, times in runs.items()}
    peers = [time for name, time in medians.items() if name != "ours"]
    ratio = medians["ours"] / min(peers) if peers else None
    print(json.dumps({"wire": wire, "bytes": 64, "round_trip_us": medians, "ratio": ratio, "runs_us": runs}))


if __name__ == "__main__":
    for wire in sys.argv[1:] or ["shm", "udp"]:
        compare(wire)
