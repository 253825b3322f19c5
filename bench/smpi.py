"""Schedules played by MPI processes under SimGrid's SMPI, in its fluid model without its correction factors."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from ayatori import _core
from ayatori.errors import Error

PLAY = Path(__file__).parent.parent / "build/release/mpi/play_smpi"
BUS = 1e15  # bytes a second: messages inside a node take no time, as in ours
FLUID = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:no",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/simulate-computation:no",
    "--cfg=smpi/send-is-detached-thresh:0",
    "--cfg=smpi/async-small-thresh:0",
    "--log=root.thres:error",
]


def smpi_is_there() -> bool:
    return shutil.which("smpirun") is not None and PLAY.exists()


def play(network, routes, plan, job, links, call: list[str]) -> tuple[float, float]:
    """Seconds of virtual time that the call takes, and of wall time that SMPI takes for it.

    `call` are the words of mpi/play.cpp: collective, algorithm, bytes, key=value …. Without routes and plan, messages
    go by dimension order.
    """
    platform = _core.smpi_platform(network, routes, plan, job, links, BUS)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "platform.xml").write_bytes(platform)
        Path(folder, "hosts").write_text("".join(f"rank-{rank}\n" for rank in range(job.rank_count)))
        command = ["smpirun", "-np", str(job.rank_count), "-platform", "platform.xml", "-hostfile", "hosts", *FLUID]
        start = time.perf_counter()
        done = subprocess.run([*command, str(PLAY), *call], cwd=folder, capture_output=True, text=True, check=False)
        wall = time.perf_counter() - start
    if done.returncode != 0:
        raise Error(f"smpirun {' '.join(call)} failed", cause=(done.stdout + done.stderr).strip()[-500:], internal=True)
    return float(done.stdout.splitlines()[-1]), wall
