"""Calls executed by MPI processes under SimGrid's SMPI (execute.cpp): schedules, or what SMPI's selectors choose."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Placement
from ayatori.base.errors import Error
from ayatori.prediction.calls import Call, make_schedule
from ayatori.prediction.predictor import Predictor

EXECUTOR = Path(__file__).parents[2] / "build/release/mpi/execute_smpi"
BUS = 1e15  # bytes a second: messages within a machine take no time, as in ours
FLUID = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:no",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/simulate-computation:no",
    # Messages below 1 byte do not wait for their receive; ours do neither.
    "--cfg=smpi/send-is-detached-thresh:1",
    "--cfg=smpi/async-small-thresh:1",
    "--log=root.thres:error",
]
"""SMPI's fluid model without its correction factors: what our flow simulator models, too."""
AS_IT_COMES = ["--cfg=smpi/simulate-computation:no", "--log=root.thres:error"]
"""SMPI as it comes: bandwidth and latency corrected by size, eager messages up to 64 KiB, acknowledgements that take
bandwidth."""


def smpi_is_there() -> bool:
    return shutil.which("smpirun") is not None and EXECUTOR.exists()


def platform_of(predictor: Predictor, job: Job, call: Call, links: _core.LinkDefaults) -> bytes:
    """The links, and the paths that the call takes."""
    plan = predictor.plan(job, make_schedule(call, predictor.placement(job)))
    return _core.smpi_platform(predictor.network, predictor.routes, plan, job, links, BUS)


def words_of(call: Call, placement: Placement) -> str:
    """The call with this placement, as src/mpi/execute/execute.cpp takes it."""

    def listed(numbers: Sequence[int]) -> str:
        return ",".join(str(int(number)) for number in numbers)

    words = [call.collective, call.algorithm, str(call.bytes), f"root={call.root}", f"chunk={call.chunk_bytes}"]
    words.append(f"ranks={listed([placement.machine.count(machine) for machine in range(placement.machine_count)])}")
    words.append(f"groups={listed(placement.group)}")
    if placement.dimensions:
        words.append(f"grid={'x'.join(map(str, placement.dimensions))}")
        words.append(f"rings={listed(placement.periodic)} points={listed(placement.point)}")
    return " ".join(words)


def execute_calls(
    platform: bytes,
    ranks: int,
    calls: Sequence[str],
    host: str = "rank-{}",
    configuration: Sequence[str] = FLUID,
    selector: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> list[float]:
    """Seconds of each call ("alltoall shift 1024 ppn=2"), one after the other. Rank r runs on the host with r in its
    name. `selector` is the MPI library whose choice SMPI repeats ("ompi", "mpich") for the algorithm `mpi`.
    `variables`: of the ranks' environment, besides this process's."""
    chosen = [f"--cfg=smpi/coll-selector:{selector}"] if selector else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "platform.xml").write_bytes(platform)
        (folder / "hosts").write_text("".join(f"{host.format(rank)}\n" for rank in range(ranks)))
        (folder / "calls").write_text("".join(f"{call}\n" for call in calls))
        command = ["smpirun", "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts"]
        command += [*configuration, *chosen, str(EXECUTOR), "@calls"]
        environment = os.environ | dict(variables or {})
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Error(f"smpirun {calls[0]} failed", cause=(done.stdout + done.stderr).strip()[-500:], internal=True)
    return [float(line) for line in done.stdout.splitlines()[-len(calls) :]]
