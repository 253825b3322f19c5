"""The files of rank orders start as many ranks as they say, by the launchers that they are for."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@pytest.mark.parametrize(
    ("word", "launcher", "rank"),
    [
        ("hostfile", "mpirun.openmpi", "OMPI_COMM_WORLD_RANK"),
        ("rankfile", "mpirun.openmpi", "OMPI_COMM_WORLD_RANK"),
        ("mpich", "mpiexec.mpich", "PMI_RANK"),
    ],
)
def test_a_launcher_takes_the_file_that_is_for_it(
    word: str, launcher: str, rank: str, tmp_path: Path, ayatori_command
) -> None:
    """On a network whose only host is this machine."""
    if shutil.which(launcher) is None:
        pytest.skip(f"no {launcher}")
    (tmp_path / "topology.conf").write_text(f"SwitchName=s0 Nodes={socket.gethostname()}\n")
    (tmp_path / "hosts").write_text(f"{socket.gethostname()} slots=2\n")
    job = [f"slurm:{tmp_path / 'topology.conf'}", "--job", str(tmp_path / "hosts"), "--pattern", "ring"]
    done = ayatori_command("order", *job, "--to", word, "--out", str(tmp_path / "order"))
    assert done.status == 0, done.stderr
    use = re.search(r"to use it: (.*)", done.stdout, re.DOTALL)
    assert use, done.stdout
    command = use[1].split()
    assert command[0] in ("mpirun", "mpiexec")
    run = subprocess.run(
        [launcher, *command[1:], "-n", "2", "sh", "-c", f"echo rank ${rank}"],
        env=os.environ | AS_ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert sorted(run.stdout.splitlines()) == ["rank 0", "rank 1"], run.stderr
