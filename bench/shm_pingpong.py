"""64 bytes between two processes of this node: ours beside Open MPI (vader) and libfabric (shm), in turns.

Prints one JSON object: the median round trip of each in microseconds, and ours over the faster of the others. The
peers come from Debian's packages libopenmpi-dev, openmpi-bin and libfabric-bin; whoever is missing is left out.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPETITIONS = 5
HERE = Path(__file__).resolve().parent


def output_of(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout


def ours(program: str) -> float:
    return float(json.loads(output_of(program, "shm-ping"))["round_trip_us"])


def open_mpi(program: str) -> float:
    """Run it with one core a rank, as ours and libfabric's run."""
    options = "--allow-run-as-root --oversubscribe --bind-to core --mca pml ob1 --mca btl self,vader -np 2"
    return float(output_of("mpirun", *options.split(), program))


def libfabric() -> float:
    """Half a round trip is what fi_pingpong prints in its last column but one (usec/xfer), as a mean."""
    options = ["-p", "shm", "-e", "rdm", "-S", "64", "-I", "100000"]
    server = subprocess.Popen(["taskset", "-c", "1", "fi_pingpong", *options], stdout=subprocess.DEVNULL)
    try:
        time.sleep(0.5)
        printed = output_of("taskset", "-c", "0", "fi_pingpong", *options, "127.0.0.1")
        server.wait(30)
    finally:
        server.kill()
    line = next(line for line in printed.splitlines() if re.match(r"\s*64\s", line))
    return 2 * float(line.split()[6])


def main() -> None:
    bench = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parent / "build/release/bench/wire_bench")
    with tempfile.TemporaryDirectory() as folder:
        stacks = {"ours": lambda: ours(bench)}
        if shutil.which("mpicc") and shutil.which("mpirun"):
            program = os.path.join(folder, "ping_mpi")
            output_of("mpicc", "-O2", "-o", program, str(HERE / "ping_mpi.c"))
            stacks["openmpi_vader"] = lambda: open_mpi(program)
        if shutil.which("fi_pingpong"):
            stacks["libfabric_shm"] = libfabric
        seen: dict[str, list[float]] = {name: [] for name in stacks}
        for _ in range(REPETITIONS):
            for name, run in stacks.items():
                seen[name].append(run())
    medians = {name: statistics.median(times) for name, times in seen.items()}
    peers = [time for name, time in medians.items() if name != "ours"]
    ratio = medians["ours"] / min(peers) if peers else None
    print(json.dumps({"bytes": 64, "round_trip_us": medians, "ratio": ratio, "all": seen}))


if __name__ == "__main__":
    main()
