"""The lines that `plan` and `choose` print start the ranks where the plan and the table have them.

Rank and host are what the processes themselves say. They are started from a host that is not the first, with cyclic
placement and with unequal slots among the cases. srun: tests/slurm.
"""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import plugin
import pytest

from ayatori.lab.cluster import Settings, why_impossible
from files_walk import FilesWalk, WrittenPlan, bandwidth_of_shift
from hostfiles import random_hostfile
from subprocesses import AYATORI, ran

FABRIC = "fattree:K=6,levels=2,nodes=30"
LAB = """[planes.lan]
rate = "1Gbit/s"
[[switches]]
name = "sw"
plane = "lan"
[[hosts]]
name = "N[0-{}]"
links = [{{ to = "sw" }}]
"""
HOSTFILES = {
    "shuffled": ("N2\nN0\nN3\nN1\n", ["N2", "N0", "N3", "N1"]),
    "cyclic": ("N2\nN0\nN2\nN0\n", ["N2", "N0", "N2", "N0"]),
    "unequal": ("N3 slots=2\nN1\nN3\nN0 slots=2\n", ["N3", "N3", "N1", "N3", "N0", "N0"]),
}
LAUNCHERS = {"openmpi": ("Open MPI", "mpirun"), "mpich": ("MPICH", "mpiexec")}
STARTED_BY_EACH = 7
"""Random hostfiles that each MPI starts with --all; six more are srun's."""

pytestmark = pytest.mark.skipif(bool(why_impossible(Settings())), reason=why_impossible(Settings()))


def in_lab(folder: Path, hosts: int, script: str) -> subprocess.CompletedProcess[str]:
    """What a shell script prints on the first host of a lab."""
    (folder / "lab.toml").write_text(LAB.format(hosts - 1))
    (folder / "script").write_text(script)
    return ran(
        [*AYATORI, "lab", "cluster", "lab.toml", "--", "sh", "script"],
        cwd=folder,
        env=plugin.OPEN_MPI_HERE | {"UCX_TLS": "tcp,self", "OMPI_MCA_pml": "ob1"},
        seconds=300,
    )


def on_host(host: str, command: str) -> str:
    return f"$HYDRA_LAUNCHER_EXEC {host} {shlex.quote(command)}\n"


def planned(folder: Path, name: str, text: str, family: str, ayatori_command) -> tuple[str, float]:
    """The printed line, without the `ayatori run` before the launcher, and what the plan promises."""
    (folder / name).write_text(text)
    plan = folder / f"{name}.json"
    done = ayatori_command("plan", FABRIC, "--job", str(folder / name), "--out", str(plan), "--json").good()
    launcher, program = LAUNCHERS[family]
    data = json.loads(done.stdout)
    run, launch = data["start"][launcher].split(f"{plan} ", 1)
    assert run == "ayatori run --plan " and launch.startswith(f"{program} ")
    return launch.replace(program, f"{program}.{family}", 1), data["relative_bandwidth"]["mean"]


def hosts_by_rank(folder: Path, hosts: int, launches: dict[str, str]) -> dict[str, list[str]]:
    """Where the ranks of each launch run, as they say; the launcher runs on N1."""
    say = "sh -c 'echo {}: $OMPI_COMM_WORLD_RANK$PMI_RANK $(hostname)'"
    done = in_lab(
        folder, hosts, "set -e\n" + "".join(on_host("N1", f"{line} {say.format(n)}") for n, line in launches.items())
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = {}
    for name in launches:
        said = re.findall(rf"^{name}: (\d+) (\S+)$", done.stdout, re.MULTILINE)
        by_rank = sorted((int(rank), host) for rank, host in said)
        assert [rank for rank, _ in by_rank] == list(range(len(by_rank)))
        found[name] = [host for _, host in by_rank]
    return found


@pytest.mark.parametrize("family", plugin.families())
def test_a_launcher_starts_the_ranks_where_the_plan_has_them(family: str, tmp_path: Path, ayatori_command) -> None:
    lines = {name: planned(tmp_path, name, text, family, ayatori_command)[0] for name, (text, _) in HOSTFILES.items()}
    assert hosts_by_rank(tmp_path, 4, lines) == {name: hosts for name, (_, hosts) in HOSTFILES.items()}


@pytest.mark.sweep
@pytest.mark.parametrize("family", plugin.families())
def test_started_ranks_get_what_plans_predict(family: str, tmp_path: Path, ayatori_command) -> None:
    """Random hostfiles of 16 of 30 hosts, counted by a walk with the hosts that the processes say."""
    for words in (
        ["convert", FABRIC, "--to", "json", "--out", "fabric.json"],
        ["route", FABRIC, "--out-dir", "tables"],
    ):
        ayatori_command(*words, cwd=tmp_path).good()
    walk = FilesWalk(tmp_path / "fabric.json", tmp_path / "tables/lfts")
    first = 1000 + STARTED_BY_EACH * plugin.FAMILIES.index(family)
    texts = {f"job{seed}": random_hostfile(seed)[0] for seed in range(first, first + STARTED_BY_EACH)}
    promises = {name: planned(tmp_path, name, text, family, ayatori_command) for name, text in texts.items()}
    started = hosts_by_rank(tmp_path, 30, {name: line for name, (line, _) in promises.items()})
    for name, (_, promised) in promises.items():
        found, free = bandwidth_of_shift(walk, started[name], WrittenPlan(tmp_path / f"{name}.json"))
        assert (float(found), free) == (pytest.approx(promised), True), name


@pytest.mark.parametrize("family", plugin.families())
def test_the_plug_in_uses_plan_and_choice_of_a_shuffled_hostfile(
    family: str, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, ayatori_command
) -> None:
    """As the README has it: plan and choose for a hostfile, and start by the lines that they print."""
    program = plugin.made(family, tmp_path_factory).compiled("says_where.c")
    (tmp_path / "hostfile").write_text(HOSTFILES["shuffled"][0])
    launcher, name = LAUNCHERS[family]
    script = f"export PATH={Path(sys.executable).parent}:$PATH AYATORI_VERBOSE=1\n"
    for words, result in (
        (["plan", "--method", "rule"], "plan.json"),
        (["choose", "--collective", "alltoall", "--bytes", "4KiB"], "choice.json"),
    ):
        job = ["--job", "hostfile", "--out", result, "--json"]
        line = (
            ayatori_command(words[0], FABRIC, *words[1:], *job, cwd=tmp_path)
            .json()["start"][launcher]
            .replace(f" {name} ", f" {name}.{family} ")
        )
        script += on_host("N1", f"{line} {program}")
    done = in_lab(tmp_path, 4, script)
    said = done.stdout + done.stderr
    assert f"ayatori: the plan is used: {tmp_path}/plan.json" in said, said
    assert re.search(r"MPI_Alltoall on 4 ranks: .*, by the choice table", said), said
    assert "not used" not in said, said
    ranks = sorted(re.findall(r"rank \d on N\d", done.stdout))
    assert ranks == sorted(2 * [f"rank {rank} on {host}" for rank, host in enumerate(HOSTFILES["shuffled"][1])]), said
