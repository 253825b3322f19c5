"""Processes of mpirun share the jobs, and the first prints what one process would."""

import json
import os
import shutil
import sys

import pytest

from subprocesses import said_by

pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None, reason="Open MPI (openmpi-bin) is not installed")

COMMAND = [
    sys.executable, "-m", "ayatori.cli", "simulate", "fattree:K=6,levels=2,nodes=30", "--random-jobs", "50",
    "--job-size", "8", "--collective", "alltoall", "--algorithm", "shift", "--bytes", "64KiB", "--json",
]  # fmt: skip


def output_of(command: list[str]) -> dict:
    environment = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    return json.loads(said_by(command, env=environment))


def test_mpi_processes_share_the_jobs() -> None:
    alone = output_of(COMMAND)
    together = output_of(["mpirun", "--oversubscribe", "-np", "3", *COMMAND])
    assert alone | {"wall_s": 0} == together | {"wall_s": 0}
