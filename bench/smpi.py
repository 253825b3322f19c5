"""Schedules played by MPI processes under SimGrid's SMPI, in its fluid model without its correction factors."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
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
    start = time.perf_counter()
    seconds = play_calls(platform, job.rank_count, [" ".join(call)])[0]
    return seconds, time.perf_counter() - start


def play_calls(platform: bytes, ranks: int, calls: Sequence[str]) -> list[float]:
    """Seconds of each call ("alltoall shift 1024 ppn=2"), one after the other on the hosts rank-0, rank-1, …"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "platform.xml").write_bytes(platform)
        (folder / "hosts").write_text("".join(f"rank-{rank}\n" for rank in range(ranks)))
        (folder / "calls").write_text("".join(f"{call}\n" for call in calls))
        command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts", *FLUID]
        done = subprocess.run([*command, str(PLAY), "@calls"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(f"smpirun {calls[0]} failed", cause=(done.stdout + done.stderr).strip()[-500:], internal=True)
    return [float(line) for line in done.stdout.splitlines()[-len(calls) :]]
