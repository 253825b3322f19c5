"""What `doctor` finds on clusters that are broken by the files in examples/cluster/faults, and whether MPI programs
end with each setting that it prints there."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import tomllib

from ayatori.lab.cluster import Settings, lay_out, read_faults, why_impossible
from ayatori.model.network import open_source
from subprocesses import ran

ROOT = Path(__file__).parents[2]
FAULTS = ROOT / "examples/cluster/faults"
CLUSTERS = {"cluster.toml", "two-switches.toml"}
FILES = sorted(path.stem for path in FAULTS.glob("*.toml") if path.name not in CLUSTERS)
USUAL = {"interface-down", "low-ports-closed-on-one-network", "mtu-of-the-switch"}
"""What costs messages most; the sweep has the others."""
IMPOSSIBLE = why_impossible(Settings(loss_percent=1))
SECONDS = 600


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    made = []
    for family in ("openmpi", "mpich"):
        if shutil.which(f"mpicc.{family}") is None:
            pytest.skip(f"mpicc.{family} is not installed")
        program = tmp_path_factory.mktemp(family) / "exchange_all"
        source = ROOT / "tests/mpi/programs/exchange_all.c"
        subprocess.run([f"mpicc.{family}", "-O1", source, "-o", program], check=True)
        made.append(f"{family}={program}")
    return made


def tried(fault: str, programs: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the file says that doctor must say, and what it said."""
    file = FAULTS / f"{fault}.toml"
    told = tomllib.loads(file.read_text(encoding="utf-8"))
    cluster = FAULTS / told.get("cluster", "cluster.toml")
    wanted: dict[str, Any] = told["doctor"]
    lab = [sys.executable, "-m", "ayatori.cli", "lab", "cluster", cluster, "--slower", "10", "--fault", file, "--"]
    trial = [sys.executable, Path(__file__).with_name("fault_trial.py"), "60"]
    done = ran([*lab, *trial, *(programs if wanted.get("mpi", True) else [])], seconds=SECONDS)
    assert done.stdout, done.stderr
    return wanted, json.loads(done.stdout.splitlines()[-1])


@pytest.mark.skipif(bool(IMPOSSIBLE), reason=IMPOSSIBLE)
@pytest.mark.parametrize(
    "fault", [name if name in USUAL else pytest.param(name, marks=pytest.mark.sweep) for name in FILES]
)
def test_a_planted_fault_is_found_its_culprit_named_and_what_is_recommended_works(
    fault: str, programs: list[str]
) -> None:
    wanted, said = tried(fault, programs)
    found = said["found"]
    trouble = [[one["kind"], *one["hosts"]] for one in found["trouble"] if one["kind"] not in wanted.get("also", [])]
    assert sorted(trouble) == sorted(wanted["finds"]), found["trouble"]
    assert said["status"] == (3 if found["trouble"] else 0)
    assert [one["network"] for one in found["networks"] if one["chosen"]] == (
        [wanted["chosen"]] * bool(wanted["chosen"])
    )
    count = len(found["hosts"])
    assert said["mpi"] == dict.fromkeys(said["mpi"], f"right between {count}")
    if wanted["chosen"] and wanted.get("mpi", True):
        assert {"openmpi", "mpich"} <= said["mpi"].keys()


@pytest.mark.parametrize("fault", FILES)
def test_the_files_of_faults_are_right(fault: str) -> None:
    told = tomllib.loads((FAULTS / f"{fault}.toml").read_text(encoding="utf-8"))
    network = open_source(f"cluster:{FAULTS / told.get('cluster', 'cluster.toml')}")
    assert read_faults(FAULTS / f"{fault}.toml", lay_out(network))
    assert told["doctor"].keys() >= {"finds", "chosen"}
