"""Schedules played by SimGrid's SMPI (mpi/play.cpp), in its fluid model without its correction factors."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

PLAY = Path(__file__).parent.parent / "build/release/mpi/play_smpi"
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


def play(platform: bytes, ranks: int, calls: Sequence[str]) -> list[float]:
    """Seconds of each call ("alltoall shift 1024 ppn=2"), one after the other on the hosts rank-0, rank-1, …"""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "platform.xml").write_bytes(platform)
        (folder / "hosts").write_text("".join(f"rank-{rank}\n" for rank in range(ranks)))
        (folder / "calls").write_text("".join(f"{call}\n" for call in calls))
        command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts", *FLUID]
        done = subprocess.run([*command, str(PLAY), "@calls"], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"smpirun failed: {done.stdout}{done.stderr}")
    return [float(line) for line in done.stdout.splitlines()[-len(calls) :]]
