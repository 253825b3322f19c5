"""A real Slurm of four nodes on one machine: what we write is taken by it, and what we offer starts under it.

Everything runs in namespaces of its own, which end with their first process; nothing stays.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import slurm_nodes
from files_walk import FilesWalk, WrittenPlan, bandwidth_of_shift
from hostfiles import random_hostfile
from slurm_nodes import LAUNCHED_BY, OPEN_MPI, in_slurm
from subprocesses import program_at, said_by
from thoroughness import tries

ROOT = Path(__file__).parent.parent.parent
FAT_TREE = "fattree:K=2,levels=2,nodes=4"

pytestmark = pytest.mark.skipif(bool(slurm_nodes.why_impossible()), reason=slurm_nodes.why_impossible())


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a short path: Slurm's PMIx makes sockets in it, whose names may have 107 characters."""
    with tempfile.TemporaryDirectory(prefix="s-") as name:
        yield Path(name)


RAILS = "xgft:h=2;m=2,2;w=2,2;p=1,1"
TWO_LEAVES = "full:2,hosts=2"


@pytest.mark.parametrize("network", [FAT_TREE, RAILS, TWO_LEAVES])
def test_the_topology_that_we_write_is_the_one_that_slurm_shows(network: str, folder: Path, ayatori_command) -> None:
    topology = folder / "topology.conf"
    ayatori_command("convert", network, "--to", "slurm", "--out", str(topology)).good()
    written = re.findall(r"SwitchName=(\S+) (?:Nodes|Switches)=(\S+)", topology.read_text())
    assert len(written) == 3
    shown = in_slurm(folder, "scontrol show topology")
    taken = re.findall(r"SwitchName=(\S+) Level=(\d) LinkSpeed=\d+ Nodes=(\S+)(?: Switches=(\S+))?", shown)
    assert {(name, switches or nodes) for name, _, nodes, switches in taken} == set(written)
    assert sorted(level for _, level, _, _ in taken) == ["0", "0", "1"]
    # Read again, it is the tree that it was: two leaves with two hosts each.
    shape = ayatori_command("show", f"slurm:{topology}").stdout
    assert re.search(r"2 levels, 2 leaves x 1 spine, .* 4 hosts", shape), shape
    assert_same_network(folder, shown, topology, ayatori_command)


def assert_same_network(folder: Path, shown: str, topology: Path, ayatori_command) -> None:
    """What scontrol shows is read, and is the network of the file that Slurm was given."""
    (folder / "shown.txt").write_text(shown)
    outcome = ayatori_command("show", str(folder / "shown.txt"), "--diff", f"slurm:{topology}")
    taken = f"taken for slurm:{folder}/shown.txt\n"
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, "no difference\n", taken), shown


def test_switch_names_with_colons_are_those_of_slurm(folder: Path, ayatori_command) -> None:
    topology = folder / "topology.conf"
    topology.write_text(
        "SwitchName=rack:a Nodes=N[0-1]\nSwitchName=az=1/rack@b Nodes=N[2-3]\n"
        "SwitchName=all Switches=rack:a,az=1/rack@b\n"
    )
    shown = in_slurm(folder, "scontrol show topology")
    assert "SwitchName=rack:a Level=0" in shown and "SwitchName=az=1/rack@b Level=0" in shown, shown
    assert_same_network(folder, shown, topology, ayatori_command)


def test_ranks_run_in_the_order_that_we_write(folder: Path, ayatori_command) -> None:
    (folder / "hosts").write_text("N0\nN2\nN3\nN1\n")
    job = ["order", FAT_TREE, "--job", str(folder / "hosts"), "--ppn", "2", "--link-latency", "1us"]
    call = [
        "--collective",
        "allreduce",
        "--algorithm",
        "recursive-doubling",
        "--out",
        str(folder / "order"),
    ]
    done = ayatori_command(*job, *call).good()
    use = re.search(r"  Slurm +(SLURM_HOSTFILE=\S+ srun --distribution=arbitrary -n 8)", done.stdout)
    assert use, done.stdout
    printed = in_slurm(folder, f"{use[1]} sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME'")
    order = (folder / "order").read_text().split()
    assert sorted(printed.splitlines()) == sorted(f"{rank} {host}" for rank, host in enumerate(order))
    assert order != ["N0", "N0", "N2", "N2", "N3", "N3", "N1", "N1"]


def test_srun_starts_the_ranks_where_a_plan_has_them(folder: Path, ayatori_command) -> None:
    """By the line that `plan` prints, outside of an allocation and in one; they get what the plan promises."""
    jobs = {"cyclic": "N2\nN0\nN3\nN2\nN0\nN3\n", "unequal": "N3 slots=3\nN1\nN0 slots=2\n"}
    jobs |= {f"random{seed}": random_hostfile(seed, hosts=4, used=4)[0] for seed in range(tries(0, 6))}
    script, promised = "", {}
    for name, text in jobs.items():
        (folder / name).write_text(text)
        plan, say = folder / f"{name}.json", folder / f"say-{name}"
        say.write_text(f"echo {name}: $SLURM_PROCID $SLURMD_NODENAME")
        data = ayatori_command("plan", FAT_TREE, "--job", str(folder / name), "--out", str(plan), "--json").json()
        promised[name] = data["relative_bandwidth"]["mean"]
        line = data["start"]["Slurm"].replace(f"ayatori run --plan {plan} ", "")
        hosts = sorted({run["host"] for run in json.loads(plan.read_text())["machines"]})
        allocation = f"salloc -Q --exclusive -N {len(hosts)} -w {','.join(hosts)}"
        script += f"{line} sh {say}\n{allocation} sh -c '{line} sh {say}'\n"
    printed = in_slurm(folder, script)
    for words in (["convert", FAT_TREE, "--to", "json", "--out", "fabric"], ["route", FAT_TREE, "--out-dir", "tables"]):
        ayatori_command(*words, cwd=folder).good()
    walk = FilesWalk(folder / "fabric", folder / "tables/lfts")
    for name in jobs:
        said = sorted((int(rank), host) for rank, host in re.findall(rf"^{name}: (\d+) (\S+)$", printed, re.MULTILINE))
        assert said[::2] == said[1::2], printed
        found, _ = bandwidth_of_shift(walk, [host for _, host in said[::2]], WrittenPlan(folder / f"{name}.json"))
        assert float(found) == pytest.approx(promised[name])


def compiled_copies(folder: Path) -> Path:
    libraries = ROOT / "build/release/lib"
    source = ROOT / "src/acp/tests/acp_copy_test.c"
    flags = [
        "-std=c99",
        f"-I{ROOT / 'src/acp/include'}",
        f"-L{libraries}",
        f"-Wl,-rpath,{libraries}",
        "-lacp",
        "-pthread",
    ]
    subprocess.run(["cc", str(source), "-o", str(folder / "copy"), *flags], check=True, timeout=60)
    return folder / "copy"


def test_programs_of_libacp_start_by_srun(folder: Path) -> None:
    """Four processes on a node: their ranks and key come from Slurm's PMIx, and all of their copies arrive."""
    in_slurm(folder, f"ACP_TIMEOUT=20 srun --mpi=pmix -N 1 -n 4 {compiled_copies(folder)}")


def test_programs_of_libacp_learn_from_srun_how_many_ranks_each_node_has(folder: Path) -> None:
    """Slurm fills nodes of four CPUs. Eight processes are four on each of two, four are three and one. The nodes are
    one machine here, with one loopback."""
    copies = compiled_copies(folder)
    run = "ACP_NETWORK=127.0.0.0/8 ACP_TIMEOUT=20 srun --mpi=pmix -N 2 -n"
    in_slurm(folder, f"{run} 8 {copies} && {run} 4 {copies}")


def test_jobs_are_placed_and_planned_as_they_start(folder: Path) -> None:
    """The two examples: sbatch-placed chooses hosts, and the prolog plans each job beside those that run."""
    examples, plans = ROOT / "examples/slurm", folder / "plans"
    plans.mkdir()
    settings = f"""export SLURM_CONF={folder}/slurm.conf AYATORI_SOURCE={FAT_TREE} AYATORI_PLANS={plans}
export PATH={Path(sys.executable).parent}:$PATH:/usr/sbin:/usr/bin:/bin HOME={folder}
"""
    prolog = folder / "prolog"
    # The second job is planned while the first one is still in its prolog.
    program_at(prolog, f"{settings}{examples / 'prolog'}\nsleep 2")
    (folder / "more.conf").write_text(f"PrologSlurmctld={prolog}\n")
    (folder / "job").write_text("#!/bin/sh\nsleep 60\n")
    submit = (
        f"sh {examples / 'sbatch-placed'} 2 --parsable --chdir={folder} --output=out-%j --exclusive {folder / 'job'}"
    )
    wait = "tries=0; until [ -e {0} ] || [ $tries -eq 300 ]; do sleep 0.1; tries=$((tries + 1)); done\n"
    script = settings + "".join(f"{submit}\n{wait.format(plans / f'{job}.json')}" for job in (1, 2))
    script += "squeue --noheader --format='%i %N'\nscancel 1\nscancel 2\n"
    printed = in_slurm(folder, script).splitlines()
    assert printed[:2] == ["1", "2"], printed
    running = json.loads((plans / "running.json").read_text())
    assert [job["name"] for job in running["jobs"]] == ["1", "2"], "the second plan did not take the first job for gone"
    hosts = [{machine["host"] for machine in job["machines"]} for job in running["jobs"]]
    assert sorted(hosts, key=min) == [{"N0", "N1"}, {"N2", "N3"}], "each on a leaf of its own"
    for number in (1, 2):
        planned = json.loads((plans / f"{number}.json").read_text())
        assert {machine["host"] for machine in planned["machines"]} == hosts[number - 1]


MPI_PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv) {
  int rank, ranks, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int mine = rank + 1;
  MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  printf("%d of %d: %d\\n", rank, ranks, sum);
  MPI_Finalize();
}
"""


@pytest.mark.parametrize("family", LAUNCHED_BY)
def test_an_mpi_program_that_srun_starts_is_executed_by_ayatori_run(folder: Path, family: str, ayatori_command) -> None:
    """On two nodes: alone, and by `ayatori run`. The plug-in finds the topology in Slurm's files by itself."""
    if shutil.which(f"mpicc.{family}") is None:
        pytest.skip(f"lib{family}-dev is not installed")
    (folder / "sum.c").write_text(MPI_PROGRAM)
    subprocess.run([f"mpicc.{family}", "sum.c", "-o", "sum"], cwd=folder, check=True, timeout=60)
    topology = folder / "topology.conf"
    ayatori_command("convert", FAT_TREE, "--to", "slurm", "--out", str(topology)).good()
    srun = f"srun --mpi={LAUNCHED_BY[family]} -N 2 -n 4 {folder / 'sum'}"
    ours = f"{sys.executable} -m ayatori.cli run -- {srun}"
    settings = "AYATORI_VERBOSE=1 AYATORI_ALLREDUCE=recursive-doubling"
    script = f"{OPEN_MPI}\n{srun}\necho --\n{settings} {ours} 2>&1\n"
    alone, _, under = in_slurm(folder, script).partition("--\n")
    expected = sorted(f"{rank} of 4: 10" for rank in range(4))
    assert sorted(alone.splitlines()) == expected
    lines = under.splitlines()
    assert re.fullmatch(rf"ayatori: {family}, LD_PRELOAD=\S+/{family}/libayatori_mpi.so", lines[0]), under
    assert f"ayatori: the network is slurm:{topology}" in lines, under
    assert "ayatori: MPI_Allreduce on 4 ranks: recursive-doubling, forced by AYATORI_ALLREDUCE" in lines, under
    assert sorted(line for line in lines if " of 4: " in line) == expected


def test_a_plan_is_made_for_the_ranks_that_srun_starts(folder: Path, ayatori_command) -> None:
    """In another order than Slurm lists the hosts, and by two starts in one allocation. The network is one on which
    four hosts share links whatever their order, with the names of the nodes that are here."""
    if shutil.which("mpicc.openmpi") is None:
        pytest.skip("libopenmpi-dev is not installed")
    said_by(["mpicc.openmpi", ROOT / "tests/mpi/programs/says_where.c", "-o", folder / "where"])
    tree = ayatori_command("convert", "fattree:K=3,levels=2,nodes=9", "--to", "json").stdout
    names = {"N2": "N0", "N3": "N1", "N5": "N2", "N8": "N3", "N0": "N5", "N1": "N8"}
    (folder / "tree.json").write_text(re.sub(r'"(N\d)"', lambda name: f'"{names.get(name[1], name[1])}"', tree))
    (folder / "hosts").write_text("N2\nN0\nN3\nN1\n")
    run = (
        f"{sys.executable} -m ayatori.cli run --verbose --plan auto:json:{folder}/tree.json --applied-out {folder}/out"
    )
    srun = f"srun --mpi=pmix -l -m arbitrary -n 4 -w N2,N0,N3,N1 {folder / 'where'}"
    script = f"{OPEN_MPI}\n"
    said = in_slurm(folder, f"{script}salloc -Q -N 4 -n 4 sh -c '{run} {srun} 2>&1'\n")
    ran = [host for _, host in sorted(re.findall(r"rank (\d) on (N\d)", said))]
    assert ran == ["N2", "N0", "N3", "N1"], said
    assert re.search(
        r"ayatori: plan for 4 ranks on 4 hosts: 1\.0000 instead of 0\.\d+, in the mean over the usual traffics\n", said
    ), said
    plan = folder / "out/plan/plan.json"
    assert [host["host"] for host in json.loads(plan.read_text())["machines"]] == ran
    assert f"ayatori: the plan is used: {plan}\n" in said
