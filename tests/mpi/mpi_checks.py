"""What `./run test mpis` tries with each MPI. A check ends well if what it is about has been done, as counted
afterwards. Or it returns the line by which `ayatori` said before a job that it can't be done."""

import json
import os
import platform
import re
import shlex
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import plugin

from ayatori.base.compiled import PROVIDERS
from ayatori.formats.calibration import read_calibration
from ayatori.formats.choice_table import Table, read_table, sizes_of, write_table
from ayatori.mpi_tables.tables import MPIS, as_here
from ayatori.prediction.predictor import Model
from ayatori.processes import run_to_end
from ayatori.processes.child import Ended
from bench.validation.mpi_tables import prove_chosen
from bench.validation.mpi_traffic import Program
from bench.validation.mpis import TriedMpi
from slurm_nodes import LAUNCHED_BY, in_slurm
from subprocesses import AYATORI

SECONDS = 300.0
"""For one command, on a busy machine: what takes longer hangs."""
REFUSED = re.compile(r"\A(?:measuring .*\n)*error: (.*)\n((?:caused by|hint): .*\n)*\Z")
LAB = """[planes.lan]
rate = "1Gbit/s"
[[switches]]
name = "sw"
plane = "lan"
[[hosts]]
name = "N[2,3,5,8]"
links = [{ to = "sw" }]
"""
HOSTS = ["N2", "N3", "N5", "N8"]
TREE = "fattree:K=3,levels=2,nodes=9"
"""In which these four hosts share links, in whatever order the ranks are."""
ON_HOSTS = ["mpirun", "-np", "4"]
IN_LAB = {"UCX_TLS": "tcp,self", "OMPI_MCA_pml": "ob1"}


@dataclass
class Site:
    """A tried MPI as the only one that programs are started by, and a folder."""

    mpi: TriedMpi
    folder: Path
    programs: Path
    """Where compiled programs are kept."""
    variables: Mapping[str, str] = field(default_factory=dict)

    def run(self, words: Sequence[str | Path], **more: str) -> Ended:
        """Raises ProgramError if that takes too long; nothing of it runs on then."""
        variables = os.environ | dict(self.variables) | {"NO_COLOR": "1", "COLUMNS": "200"} | more
        return run_to_end([str(word) for word in words], environment=variables, timeout=SECONDS, folder=self.folder)

    def ayatori(self, *words: str | Path, **more: str) -> Ended:
        return self.run([*AYATORI, *words], **more)

    def launch(self, ranks: int) -> list[str]:
        """On this machine, which may have fewer cores."""
        return ["mpirun", *(["--oversubscribe"] if self.mpi.family == "openmpi" else []), "-np", str(ranks)]

    def compiled(self, source: Path) -> Path:
        program = self.programs / source.stem
        if not program.exists():
            good(self.run(self.mpi.compiler(source, program)))
        return program

    def file(self, name: str, text: str) -> Path:
        (self.folder / name).write_text(text)
        return self.folder / name


def good(ended: Ended) -> Ended:
    assert ended.status == 0, f"status {ended.status}\n{ended.output}{ended.errors}"
    return ended


def refusal(ended: Ended) -> str:
    """The error line of `ayatori` without folders, if it printed nothing else. Otherwise the command ended well."""
    line = REFUSED.match(ended.errors)
    if line is None or ended.output:
        good(ended)
        return ""
    assert ended.status in (1, 2), ended
    return re.sub(r"/\S*/", "", line[1])


def forced(site: Site) -> str:
    """All collectives of random data give what the MPI's own give, and the plug-in says that it executed them."""
    done = checked(site, "check_collectives.cpp", AYATORI_BCAST="chain")
    assert "ayatori: MPI_Bcast on 2 ranks: chain, forced by AYATORI_BCAST" in done.errors, done.errors
    return ""


def forced_nonblocking(site: Site) -> str:
    """The same. MPICH over libfabric has no progress that others could take part in; over UCX it has."""
    done = checked(site, "check_nonblocking.cpp", AYATORI_IBCAST="chain")
    if line := re.search(r"^ayatori: (calls that do not block: the MPI's own, .*)$", done.errors, re.M):
        if not site.mpi.is_intels:
            done = checked(site, "check_nonblocking.cpp", AYATORI_IBCAST="chain", MPIR_CVAR_CH4_NETMOD="ucx")
            assert "ayatori: MPI_Bcast without blocking on 2 ranks: chain" in done.errors, done.errors
        return line[1]
    assert "ayatori: MPI_Bcast without blocking on 2 ranks: chain" in done.errors, done.errors
    return ""


def checked(site: Site, source: str, **variables: str) -> Ended:
    program = site.compiled(plugin.PROGRAMS / source)
    done = good(site.ayatori("run", "--verbose", "--", *site.launch(2), program, "5", "60", **variables))
    assert "60 rounds, 0 failures" in done.output
    assert done.errors.startswith(f"ayatori: {site.mpi.family}, LD_PRELOAD="), done.errors
    return done


def by_table(site: Site) -> str:
    """A predicted table of this job."""
    chosen = {"broadcast": "linear", "reduce": "binomial", "allreduce": "recursive-doubling"}
    sizes = {name: sizes_of({8: (algorithm, 0)}) for name, algorithm in chosen.items()}
    path = site.folder / "predicted.json"
    write_table(Table("full:4", [(platform.node(), 2)], "base-lids", Model(), sizes, None), path)
    check_table_in_use(site, path, {"MPI_Bcast": "linear", "MPI_Allreduce": "recursive-doubling"})
    return ""


def check_table_in_use(site: Site, table: Path, chosen: Mapping[str, str]) -> None:
    often = [*site.launch(2), site.compiled(plugin.PROGRAMS / "check_often.c"), "100"]
    done = good(site.ayatori("run", "--verbose", "--", *often, AYATORI_CHOICE=str(table), AYATORI_VETO="off"))
    assert done.output == "right\n", done
    for function, algorithm in chosen.items():
        assert f"ayatori: {function} on 2 ranks: {algorithm}, by the choice table" in done.errors, done.errors


def tuned(site: Site) -> str:
    """The table names this MPI, and the next job executes what it says."""
    few = ["--collective", "broadcast,allreduce", "--bytes", "8B", "--seconds", "4s", "--out", "tuned.json"]
    data = json.loads(good(site.ayatori("tune", *few, "--json", *site.launch(2))).output)
    assert site.mpi.version in data["mpi"], data["mpi"]
    assert data["cells"], "nothing was measured"
    table = read_table(site.folder / "tuned.json")
    names = {"MPI_Bcast": "broadcast", "MPI_Allreduce": "allreduce"}
    chosen = {function: table.lookup(name, 4).algorithm for function, name in names.items()}
    own = {function: "the MPI's own" if name == "mpi" else name for function, name in chosen.items()}
    check_table_in_use(site, site.folder / "tuned.json", own)
    return ""


def explained(site: Site) -> str:
    """Two messages each way that computing hides, with the plug-in's thread and without."""
    program = site.compiled(plugin.PROGRAMS / "explained" / "computes.c")
    done = good(site.ayatori("explain", "--repeats", "1", "--json", "--", *site.launch(2), program))
    data = json.loads(done.output)
    assert data["mpi"] == site.mpi.family
    assert {kind["name"]: kind["count"] for kind in data["kinds"]} == {"send": 2, "receive": 2}, data
    assert data["unseen"] == [] and data["seconds"] > 0.5
    return ""


def tables_of_its_own(site: Site) -> str:
    """`choose --to` writes them, and what three ranks then send is what they say. Intel's sends cannot be seen."""
    word = "intel" if site.mpi.is_intels else site.mpi.family
    job = ["choose", TREE, "--contiguous", "3..3", "--link-latency", "1us", "--overhead", "1us"]
    call = ["--collective", "broadcast,allgather", "--bytes", "1KiB,256KiB", "--to", word]
    done = site.ayatori(*job, *call, *([] if site.mpi.is_intels else ["--out", "table"]))
    if line := refusal(done):
        return line
    exports = {name: shlex.split(value)[0] for name, value in re.findall(r"export (\w+)=(.*)", done.output)}
    assert exports
    often = site.compiled(plugin.PROGRAMS / "check_often.c")
    done = good(site.run([*site.launch(3), often, "10"], **exports))
    assert done.output == "right\n", done
    if not site.mpi.is_intels:
        library = as_here(MPIS[word], site.mpi.installed.library)
        found = prove_chosen(library, Program(site.mpi.installed, site.folder), 3, site.folder)
        assert found.calls > 10 and found.wrong == 0, found
    return ""


def calibrated(site: Site) -> str:
    quick = [sys.executable, Path(__file__).with_name("quick_measurements.py")]
    done = site.run([*quick, "calibrate", "--mpirun", "mpirun", "--seconds", "10ms", "--out", "costs.json"])
    if line := refusal(done):
        return line
    measured = read_calibration(site.folder / "costs.json")
    assert measured.mpi.startswith(site.mpi.title.split()[0]) and site.mpi.version in measured.mpi, measured.mpi
    return ""


def planned_at_start(site: Site) -> str:
    """The plan has the ranks where they run, and the plug-in uses it."""
    site.file("four.toml", LAB)
    where = site.compiled(plugin.PROGRAMS / "says_where.c")
    auto = ["--lab", "four.toml", "--plan", f"auto:{TREE}", "--applied-out", "out", "--verbose"]
    done = site.ayatori("run", *auto, *ON_HOSTS, where, **IN_LAB)
    ran = sorted(re.findall(r"rank (\d) on (N\d)", done.output))
    assert sorted(host for _, host in ran) == HOSTS, done
    planned = json.loads((site.folder / "out/plan/plan.json").read_text())["machines"]
    assert [machine["host"] for machine in planned] == [host for _, host in ran]
    line = r"^ayatori: plan for 4 ranks on 4 hosts: 1\.0000 instead of 0\.\d+, in the mean over the usual traffics$"
    assert re.search(line, done.errors, re.M), done
    assert f"ayatori: the plan is used: {site.folder}/out/plan/plan.json\n" in done.errors, done
    return ""


def by_transport(wire: str) -> Callable[[Site], str]:
    """Each rank's messages, as our provider counts them."""

    def check(site: Site) -> str:
        assert (PROVIDERS / "libayatori-fi.so").exists()
        program = site.compiled(plugin.ROOT / "tests/acp/fabric_mpi.c")
        run = ["run", "--transport", "--", *site.launch(3), program]
        done = site.ayatori(*run, ACP_WIRES=wire, FI_AYATORI_STATISTICS="1")
        if line := refusal(done):
            return line
        assert "are right" in done.output
        numbers = re.findall(r"ayatori-fi: rank \d+: .*?(\d+) messages", done.errors)
        assert len(numbers) == 3 and all(int(number) > 10 for number in numbers), done
        return ""

    return check


def in_lab(site: Site) -> str:
    """A rank on each host, found by the launcher itself; by `run --lab` with the plug-in."""
    site.file("four.toml", LAB)
    where = site.compiled(plugin.PROGRAMS / "says_where.c")
    plain = site.ayatori("lab", "cluster", "four.toml", "--", *ON_HOSTS, where, **IN_LAB)
    run = ["run", "--lab", "four.toml", "--verbose"]
    ours = site.ayatori(*run, *ON_HOSTS, where, **IN_LAB, AYATORI_ALLTOALL="pairwise")
    for done in (plain, ours):
        assert sorted(re.findall(r"rank \d on (N\d)", done.output)) == HOSTS, done
    assert "ayatori: MPI_Alltoall on 4 ranks: pairwise, forced by AYATORI_ALLTOALL" in ours.errors, ours
    return ""


def printed_lines(site: Site) -> str:
    """Those of `order` and `plan` start the ranks where they say, with the settings of `doctor` ranks reach each other.
    The launcher runs on N3, which is not the first host."""
    name = {"openmpi": "Open MPI", "mpich": "MPICH"}[site.mpi.family]
    site.file("hosts", "N5\nN2\nN8\nN3\n")
    on_tree = ["--job", "hosts", "--link-latency", "1us"]
    call = ["--collective", "allreduce", "--algorithm", "recursive-doubling"]
    order = site.ayatori("order", TREE, *on_tree, *call, "--out", "order", "--json")
    plan = site.ayatori("plan", TREE, "--job", "hosts", "--order", "given", "--out", "plan.json", "--json")
    lines = {said: json.loads(good(done).output)["start"][name] for said, done in (("order", order), ("plan", plan))}
    where = site.compiled(plugin.PROGRAMS / "says_where.c")
    exchange = site.compiled(plugin.PROGRAMS / "exchange_all.c")
    settings = f'import json; print(*json.load(open("doctor.json"))["settings"]["{site.mpi.family}"])'
    starts = [f"echo {said}; {line} {where}" for said, line in lines.items()]
    doctor = f'{sys.executable} -m ayatori.cli doctor --hosts "$AYATORI_LAB_HOSTFILE" --json >doctor.json'
    doctors = f"echo doctor; mpirun $({sys.executable} -c '{settings}') -np 4 {exchange} 200000"
    on_other = [f"$HYDRA_LAUNCHER_EXEC N3 {shlex.quote(f'cd {site.folder}; {line}')} || exit" for line in starts]
    path = f"export PATH={Path(sys.executable).parent}:$PATH AYATORI_VERBOSE=1"
    site.file("script", "\n".join([path, doctor, f"{doctors} || exit", *on_other, "true"]))
    site.file("four.toml", LAB)
    done = good(site.ayatori("lab", "cluster", "four.toml", "--", "sh", "script", **IN_LAB))
    said = re.split(r"^(order|plan|doctor)\n", done.output, flags=re.M)
    found = dict(zip(said[1::2], said[2::2], strict=True))
    assert found["doctor"] == "right between 4\n", done
    for word in ("order", "plan"):
        rank_order = [host for _, host in sorted(re.findall(r"rank (\d) on (N\d)", found[word]))]
        file = site.folder / ("order" if word == "order" else "plan.json.hosts")
        assert rank_order == file.read_text().split(), done
    assert f"ayatori: the plan is used: {site.folder}/plan.json\n" in done.errors, done
    return ""


def under_slurm(site: Site) -> str:
    """`run srun` on two nodes, whose network is the one that Slurm's files describe."""
    where = site.compiled(plugin.PROGRAMS / "says_where.c")
    srun = f"srun --mpi={LAUNCHED_BY[site.mpi.family]} -N 2 -n 4 {where}"
    ours = f"{sys.executable} -m ayatori.cli run --verbose -- {srun} 2>&1"
    with tempfile.TemporaryDirectory(prefix="s-") as name:  # Slurm's sockets have short names
        good(site.ayatori("convert", "fattree:K=2,levels=2,nodes=4", "--to", "slurm", "--out", f"{name}/topology.conf"))
        said = in_slurm(Path(name), f"export AYATORI_ALLTOALL=pairwise\n{ours}\n", site.variables)
    assert "ayatori: MPI_Alltoall on 4 ranks: pairwise, forced by AYATORI_ALLTOALL" in said, said
    assert len(set(re.findall(r"rank \d on (N\d)", said))) == 2, said
    if line := re.search(r"^ayatori: (the network is not used: .*)$", said, re.M):
        return line[1]
    assert f"ayatori: the network is slurm:{name}/topology.conf" in said, said
    return ""


CHECKS: dict[str, Callable[[Site], str]] = {
    "`run`, algorithms forced": forced,
    "`run`, the same without blocking": forced_nonblocking,
    "`run`, by a choice table": by_table,
    "`explain`": explained,
    "`tune`, and its table in use": tuned,
    "`choose --to`, and its table in use": tables_of_its_own,
    "`calibrate`": calibrated,
    "`run --plan auto`": planned_at_start,
    "`run --transport`, shared memory": by_transport("shm"),
    "`run --transport`, UDP": by_transport("udp"),
    "`lab cluster`, `run --lab`": in_lab,
    "printed lines of `doctor`, `order`, `plan`": printed_lines,
    "`run srun` under Slurm": under_slurm,
}
MAY_BE_A_LINE = [name for name in CHECKS if name.startswith(("`run --transport`", "`choose --to`", "`run`, the same"))]
"""What is not for all MPIs; all else works with Open MPI from 4.1.4 on and MPICH from 4.0 on."""
