"""`ayatori run --plan auto` on four hosts: the plan is that of the ranks which start, wherever the launcher puts them.

What is right is told by the programs' own processes: an MPI program prints its rank and host. The launcher runs on N2,
which is not the first host of the hostfiles.
"""

import json
import re
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

from ayatori import _core
from ayatori.lab.cluster import Settings, why_impossible
from subprocesses import AYATORI, ran, said_by

SECONDS = 120.0
FOUR_HOSTS = """
[planes.lan]
rate = "1Gbit/s"
[[switches]]
name = "sw"
plane = "lan"
[[hosts]]
name = "N[2,3,5,8]"
links = [{ to = "sw" }]
"""
SAYS_WHERE = Path(__file__).parents[1] / "mpi/programs/says_where.c"
TREE = "fattree:K=3,levels=2,nodes=9"
"""Of which these four hosts share links, in whatever order the ranks are."""
FILES = {
    "one-each.openmpi": "N5 slots=1\nN2 slots=1\nN8 slots=1\nN3 slots=1\n",
    "one-each.mpich": "N5\nN2\nN8\nN3\n",
    "two-each.openmpi": "N5 slots=2\nN3 slots=2\nN2 slots=2\nN8 slots=2\n",
    "unequal.openmpi": "N5 slots=1\nN3 slots=3\nN2 slots=1\nN8 slots=2\n",
    "unequal.mpich": "N5:1\nN3:3\nN2:1\nN8:2\n",
    "rankfile": "".join(f"rank {rank}=N{host} slot=0\n" for rank, host in enumerate([8, 3, 8, 2])),
}
IN_PYTHON = "python3 -c 'import os, sys; os.execv(sys.argv[1], sys.argv[1:])'"
CYCLIC = {"openmpi": "-np 6 --hostfile two-each.openmpi --map-by node", "mpich": "-np 7 -f unequal.mpich -ppn 1"}
"""Debian 13's Open MPI 5.0.7 gives ranks on unequal hosts the numbers 0, 1, 2, 3, 6, 7, and the job aborts."""
LAUNCHES = {
    "openmpi": [
        CYCLIC["openmpi"],
        "-np 7 --hostfile unequal.openmpi --map-by slot env A=1",
        "--hostfile one-each.openmpi --map-by seq --tag-output bash -c",
        "-np 4 --hostfile unequal.openmpi --rankfile rankfile",
        "--hostfile unequal.openmpi -np 2 ./where.openmpi : -np 3",
    ],
    "mpich": [CYCLIC["mpich"], f"-np 4 -f one-each.mpich {IN_PYTHON}", "-np 7 -f unequal.mpich -l bash -c"],
}

pytestmark = [pytest.mark.skipif(bool(why_impossible(Settings())), reason=why_impossible(Settings()))]

IN_LAB = """
import json, os, re, shlex, subprocess, sys
from pathlib import Path
from ayatori.processes.rank_probe import find_hosts_of_ranks, probe_library, probe_variables

found = {}
for line in json.loads(sys.argv[1]):
    words = shlex.split(line)
    ran = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if ran.returncode < 0:
        continue  # mpirun itself crashed: Debian 13's of two programs with a ":" between them
    pairs = sorted((int(rank), host) for rank, host in re.findall(r"rank (\\d+) on (\\S+)", ran.stdout))
    probe = probe_variables(Path("seen").resolve())
    library = str(probe_library(Path(sys.argv[2])))
    environment = os.environ | probe | {"LD_PRELOAD": library}
    environment["OMPI_MCA_mca_base_env_list"] = "LD_PRELOAD;AYATORI_PROBE;AYATORI_PROBE_FILE"
    found[line] = [pairs, list(enumerate(find_hosts_of_ranks(words, environment, probe)))]
json.dump(found, sys.stdout)
"""


def folder_with_program(factory: pytest.TempPathFactory, family: str) -> Path:
    if shutil.which(f"mpicc.{family}") is None:
        pytest.skip(f"mpicc.{family} is not installed")
    folder = factory.mktemp("four")
    (folder / "four.toml").write_text(FOUR_HOSTS)
    (folder / "seen").touch()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    said_by([f"mpicc.{family}", SAYS_WHERE, "-o", f"where.{family}"], cwd=folder)
    return folder


@pytest.fixture(scope="module", params=["openmpi", "mpich"])
def four(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    return request.param, folder_with_program(tmp_path_factory, request.param)


def ayatori(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return ran([*AYATORI, *words], cwd=folder, env={"UCX_TLS": "tcp,self", "OMPI_MCA_pml": "ob1"}, seconds=SECONDS)


def test_ranks_are_found_where_they_run(four: tuple[str, Path]) -> None:
    """In one lab, each launch twice: the program, and the search."""
    family, folder = four
    plugins = Path(_core.__file__).parent / "mpi"
    lines = [f"mpirun.{family} {launch} ./where.{family}" for launch in LAUNCHES[family]]
    script = [sys.executable, "-c", IN_LAB, json.dumps(lines), str(plugins)]
    done = ayatori(folder, "lab", "cluster", "four.toml", *script)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) >= len(lines) - 1
    for line, (right, probed) in found.items():
        assert right and probed == right, line
    assert any([host for _, host in right] != sorted(host for _, host in right) for right, _ in found.values())
    assert any(len({host for _, host in right}) < len(right) for right, _ in found.values())


def plan_and_ranks(family: str, folder: Path, launch: list[str]) -> tuple[str, list[str]]:
    """What is said, and the hosts by rank, as the processes say it. They must be those of the plan, which is used."""
    out = folder / f"out.{family}"
    auto = ["--lab", "four.toml", "--plan", f"auto:{TREE}", "--applied-out", str(out), "--verbose"]
    done = ayatori(folder, "run", *auto, f"mpirun.{family}", *launch, f"./where.{family}")
    # Hydra may take a rank that has left for lost, since the others are still there.
    assert done.returncode == 0 or family == "mpich", done.stderr
    ran = [host for _, host in sorted(re.findall(r"rank (\d) on (N\d)", done.stdout))]
    planned = json.loads((out / "plan/plan.json").read_text())["machines"]
    assert [host["host"] for host in planned for _ in range(host["ranks"])] == ran
    assert f"ayatori: the plan is used: {out}/plan/plan.json\n" in done.stderr
    return done.stderr, ran


def test_the_plan_is_that_of_the_ranks_that_start(four: tuple[str, Path]) -> None:
    """In the order in which this MPI starts them from N2. The plug-in compares."""
    family, folder = four
    hostfile = ["--hostfile" if family == "openmpi" else "-f", f"one-each.{family}"]
    said, ran = plan_and_ranks(family, folder, ["-np", "4", *hostfile])
    assert sorted(ran) == ["N2", "N3", "N5", "N8"]
    assert re.search(
        r"^ayatori: plan for 4 ranks on 4 hosts: 1\.0000 instead of 0\.\d+, in the mean over the usual traffics$",
        said,
        re.M,
    ), said


def test_the_plan_is_that_of_ranks_that_go_round_the_hosts(four: tuple[str, Path]) -> None:
    family, folder = four
    said, ran = plan_and_ranks(family, folder, CYCLIC[family].split())
    assert len(list(groupby(ran))) > len(set(ran)) == 4, ran
    assert f"ayatori: plan for {len(ran)} ranks on 4 hosts: " in said


def test_a_plan_of_another_order_ends_the_job(four: tuple[str, Path]) -> None:
    """Of the same hosts and as many ranks: by the hostfile, which is not the order from N2 with Open MPI."""
    family, folder = four
    (folder / "other").write_text("N8\nN3\nN5\nN2\n")
    plan = ["plan", TREE, "--job", "other", "--order", "given", "--out", "other.json"]
    assert ayatori(folder, *plan).returncode == 0
    hostfile = ["--hostfile" if family == "openmpi" else "-f", f"one-each.{family}"]
    launch = [f"mpirun.{family}", "-np", "4", *hostfile, f"./where.{family}"]
    done = ayatori(folder, "run", "--lab", "four.toml", "--plan", "other.json", *launch)
    assert done.returncode != 0 and "rank " not in done.stdout, done.stdout
    said = re.findall(r"^ayatori: the job is not started, since its plan can't be used: (.*)$", done.stderr, re.M)
    assert len(said) == 1 and re.fullmatch(rf"rank 0 is on N[25], and in {folder}/other.json on N8", said[0]), (
        done.stderr
    )
