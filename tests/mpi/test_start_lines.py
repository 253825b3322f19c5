"""The lines that `plan` prints start the ranks where the plan has them, as the processes themselves say.

They are started from a host that is not the first, with cyclic placement and with unequal slots. srun: tests/slurm.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from plugin import FAMILIES, OPEN_MPI_HERE

from ayatori.lab.cluster import Settings, why_impossible

FABRIC = "fattree:K=2,levels=2,nodes=4"
LAB = """[planes.lan]
rate = "1Gbit/s"
[[switches]]
name = "sw"
plane = "lan"
[[hosts]]
name = "N[0-3]"
links = [{ to = "sw" }]
"""
HOSTFILES = {
    "shuffled": ("N2\nN0\nN3\nN1\n", ["N2", "N0", "N3", "N1"]),
    "cyclic": ("N2\nN0\nN2\nN0\n", ["N2", "N0", "N2", "N0"]),
    "unequal": ("N3 slots=2\nN1\nN3\nN0 slots=2\n", ["N3", "N3", "N1", "N3", "N0", "N0"]),
}
LAUNCHERS = {"openmpi": ("Open MPI", "mpirun"), "mpich": ("MPICH", "mpiexec")}
SAY = "sh -c 'echo {}: $OMPI_COMM_WORLD_RANK$PMI_RANK $(hostname)'"

pytestmark = pytest.mark.skipif(bool(why_impossible(Settings())), reason=why_impossible(Settings()))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_launcher_starts_the_ranks_where_the_plan_has_them(family: str, tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "lab.toml").write_text(LAB)
    launcher, program = LAUNCHERS[family]
    script = "set -e\n"
    for name, (text, _) in HOSTFILES.items():
        (tmp_path / name).write_text(text)
        plan = tmp_path / f"{name}.json"
        done = ayatori_command("plan", FABRIC, "--job", str(tmp_path / name), "--out", str(plan), "--json")
        assert done.status == 0, done.stderr
        line = json.loads(done.stdout)["start"][launcher]
        run, launch = line.split(f"{plan} ", 1)
        assert run == "ayatori run --plan "
        assert launch.startswith(f"{program} ")
        launch = launch.replace(program, f"{program}.{family}", 1)
        script += f"$HYDRA_LAUNCHER_EXEC N1 {json.dumps(f'{launch} {SAY.format(name)}').replace('$', chr(92) + '$')}\n"
    (tmp_path / "script").write_text(script)
    done = subprocess.run(
        [sys.executable, "-m", "ayatori.cli", "lab", "cluster", "lab.toml", "--", "sh", "script"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | OPEN_MPI_HERE,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for name, (_, hosts) in HOSTFILES.items():
        said = sorted(line for line in done.stdout.splitlines() if line.startswith(f"{name}: "))
        assert said == sorted(f"{name}: {rank} {host}" for rank, host in enumerate(hosts)), done.stdout + done.stderr
