"""What goes wrong around the plug-in: the program ends or goes on as it would without it, and one line says why."""

import json
import os
import platform
import re
import shutil
import time
from pathlib import Path
from typing import Any

import plugin
import pytest

from bench.validation.mpich_suite import MODES

RING = {"AYATORI_ALLREDUCE": "ring"}
RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
"""In a shell that a launcher started."""
CHECKS = "check_communicators.cpp"


def told(mpi: plugin.Mpi, *arguments: Any, **options: Any) -> list[str]:
    """What the plug-in says in a job that ends well."""
    said = mpi.run_right(*arguments, **options).stderr
    return [line.removeprefix("ayatori: ") for line in said.splitlines() if line.startswith("ayatori: ")]


# --- Not all processes can execute ------------------------------------------------------------------------------------


def told_where_rank_1(does: str, mpi: plugin.Mpi) -> list[str]:
    """What is told if rank 1 does this before it begins with the program."""
    script = f'if [ {RANK} = 1 ]; then {does}; fi; exec "$0"'
    return told(mpi, 3, "sh", "-c", script, mpi.compiled(CHECKS), AYATORI_VERBOSE="1", **RING)


def test_all_processes_step_aside_where_one_has_no_engine(mpi: plugin.Mpi, tmp_path: Path) -> None:
    lone = Path(shutil.copy(plugin.library(mpi.family), tmp_path))
    libraries = ":".join(map(str, [lone, *mpi.waiting(3)]))
    [line] = told_where_rank_1(f"export LD_PRELOAD={libraries}", mpi)
    missing = f"{tmp_path}/libayatori_mpi_engine.so: cannot open shared object file: No such file or directory"
    assert line == f"collectives are left alone: rank 1 on {platform.node()}: {missing}"


def test_all_processes_step_aside_where_one_is_off(mpi: plugin.Mpi) -> None:
    [line] = told_where_rank_1("export AYATORI_MPI=off", mpi)
    why = "AYATORI_MPI=off is set there, and not for all processes"
    assert line == f"collectives are left alone: rank 1 on {platform.node()}: {why}"


# --- No files left ----------------------------------------------------------------------------------------------------


def preloaded(mpi: plugin.Mpi, source: str) -> list[Path]:
    return [mpi.compiled(source, "-shared", "-fPIC", "-ldl")]


def test_without_file_descriptors_left_the_engine_is_missed_with_its_cause(mpi: plugin.Mpi) -> None:
    """Before the MPI has begun, its own need of them ends the job at such limits."""
    exhausts = preloaded(mpi, "exhausts_files.c")
    engine = plugin.library(mpi.family).with_name("libayatori_mpi_engine.so")
    [line] = told(mpi, 2, CHECKS, after=exhausts, UCX_LOG_LEVEL="fatal", **RING)
    why = f"rank 0 on {platform.node()}: {engine}: cannot open shared object file: Too many open files"
    assert line == f"collectives are left alone: {why}"


@pytest.mark.parametrize(
    ("refused", "rank", "why"),
    [
        ("make", 0, r"\d+ KiB of memory can't be shared: Too many open files"),
        ("join", 1, r"/proc/\d+/fd/\d+ can't be opened: Too many open files"),
    ],
    ids=["made", "joined"],
)
def test_without_file_descriptors_left_messages_take_another_way(
    mpi: plugin.Mpi, refused: str, rank: int, why: str
) -> None:
    """What the rank says that had none left is told by rank 0, whichever it is."""
    refusing = preloaded(mpi, "refuses_shared_memory.c")
    variables = {"REFUSED": refused, "AYATORI_VERBOSE": "1"}
    lines = told(mpi, 2, CHECKS, before=refusing, **variables, **RING)
    line = rf"messages within a node go through the MPI on {platform.node()}, where rank {rank} says: {why}"
    assert len([one for one in lines if re.fullmatch(line, one)]) == 1, lines
    assert sum("Too many open files" in one for one in lines) == 1
    assert "MPI_Allreduce on 2 ranks: ring, forced by AYATORI_ALLREDUCE" in lines


# --- A rank dies ------------------------------------------------------------------------------------------------------


def runs_of(program: Path) -> list[str]:
    """The processes of this program that have not ended."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(folder / "exe") == str(program):
                found.append(folder.name)
        except OSError:
            continue
    return found


SIGNALS = {"killed": (9, "Killed"), "terminated": (15, "Terminated")}


@pytest.mark.parametrize("memory", ["on", "off"], ids=["in shared memory", "in the MPI"])
@pytest.mark.parametrize("how", SIGNALS)
def test_the_launcher_names_the_rank_that_died_and_nobody_waits_for_it(
    mpi: plugin.Mpi, how: str, memory: str, tmp_path: Path
) -> None:
    """The other ranks are in a collective that ours executions."""
    program = Path(shutil.copy(mpi.compiled("end_early.c"), tmp_path))  # other tests run it, too
    words = ["killed"] if how == "killed" else []
    done = mpi.run(3, program, *words, timeout=60, AYATORI_NODE_MEMORY=memory, **RING)
    assert done.returncode != 0
    assert "went on" not in done.stdout
    number, name = SIGNALS[how]
    said = done.stdout + done.stderr
    if mpi.family == "openmpi":
        line = rf"process rank 1 with PID \d+ on node \S+ exited on signal {number} \({name}\)"
        assert re.search(line, " ".join(said.split())), said  # Open MPI 5 breaks it
    else:
        # It may take the signal from this rank and the code from one that it ended itself.
        assert re.search(r"EXIT CODE: (9|15)\n", said), said
        assert re.search(r"EXIT STRING: (Killed \(signal 9\)|Terminated \(signal 15\))", said), said
    end = time.monotonic() + 10
    while runs_of(program) and time.monotonic() < end:
        time.sleep(0.05)
    assert not runs_of(program)


def test_who_waits_for_a_rank_that_has_ended_says_so(mpi: plugin.Mpi) -> None:
    """The launcher sees a shell, which outlives the rank: the other finds out in the memory that they share."""
    program = mpi.compiled("waits_for_the_dead.c")
    done = mpi.run(2, "sh", "-c", '"$0"; sleep 3', program, timeout=60, AYATORI_BARRIER="tree")
    assert "rank 0: the barrier failed" in done.stdout, done.stdout + done.stderr
    line = rf"ayatori: rank 0 on {re.escape(platform.node())} can't go on: process \d+, rank 1 on this node, has ended"
    assert len(re.findall(line, done.stderr)) == 1, done.stderr


# --- Files for another cluster ----------------------------------------------------------------------------------------


def choice_table(folder: Path, *machines: tuple[str, int]) -> str:
    """The path of a table in which allreduces are "bine"."""
    choices = {"sampled": [8], "intervals": [{"from": 0, "to": None, "algorithm": "bine", "chunk": 0}]}
    messages = {"latency": 0, "send": [], "receive": [], "gap": 0, "eager_limit": 0, "rendezvous": 0, "bandwidth": 0}
    model = {
        "steps": "drift",
        "link_bandwidth": 1e9,
        "link_latency": 0.0,
        "head_of_line": False,
        "costs_from": "a test",
    }
    table = {
        "format": "ayatori-choice",
        "version": 1,
        "source": "full:2",
        "machines": [{"host": host, "ranks": ranks} for host, ranks in machines],
        "method": "base-lids",
        "model": {**model, "inside": messages, "between": messages, "copy": [], "reduce": []},
        "collectives": {"allreduce": choices},
    }
    path = folder / "choices.json"
    path.write_text(json.dumps(table), encoding="utf-8")
    return str(path)


def told_of_table(mpi: plugin.Mpi, table: str, **more: str) -> list[str]:
    return told(mpi, 3, CHECKS, AYATORI_CHOICE=table, AYATORI_VERBOSE="1", **more)


OBEYED = "MPI_Allreduce on 3 ranks: bine, by the choice table"


@pytest.mark.parametrize("form", [str, str.upper, "{}.some.domain".format, lambda _: "localhost"])
def test_a_choice_table_for_this_host_is_obeyed(mpi: plugin.Mpi, tmp_path: Path, form) -> None:
    assert OBEYED in told_of_table(mpi, choice_table(tmp_path, (form(platform.node()), 3)))


def test_a_choice_table_for_pretended_machines_is_obeyed(mpi: plugin.Mpi, tmp_path: Path) -> None:
    table = choice_table(tmp_path, ("N0", 2), ("N1", 1))
    assert OBEYED in told_of_table(mpi, table, AYATORI_RANKS_PER_MACHINE="2")


@pytest.mark.parametrize(
    ("machines", "why"),
    [
        ([("n7", 3)], f"it was made for other hosts: rank 0 runs on {platform.node()}, and in the table on n7"),
        ([(platform.node(), 4)], "it was made for 4 ranks, and these are 3"),
        (
            [(platform.node(), 1), ("n7", 2)],
            f"it was made for other hosts: rank 1 runs on {platform.node()}, and in the table on n7",
        ),
    ],
    ids=["host", "ranks", "machines"],
)
def test_a_choice_table_of_another_cluster_is_told_and_not_used(
    mpi: plugin.Mpi, tmp_path: Path, machines: list[tuple[str, int]], why: str
) -> None:
    lines = told_of_table(mpi, choice_table(tmp_path, *machines))
    assert lines.count(f"the choice table is not used: {why}") == 1, lines
    assert not any("by the choice table" in line for line in lines)


def test_a_choice_table_for_other_numbers_of_pretended_ranks_is_told(mpi: plugin.Mpi, tmp_path: Path) -> None:
    table = choice_table(tmp_path, ("N0", 1), ("N1", 2))
    lines = told_of_table(mpi, table, AYATORI_RANKS_PER_MACHINE="2")
    assert "the choice table is not used: it was made for a job with other numbers of ranks on its machines" in lines
    assert OBEYED not in lines


def test_a_choice_table_that_can_not_be_read_is_told(mpi: plugin.Mpi, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("{", encoding="utf-8")
    lines = told_of_table(mpi, str(tmp_path / "broken"))
    assert sum(line.startswith("the choice table is not used: ") for line in lines) == 1


# --- Errors of the program --------------------------------------------------------------------------------------------


def test_error_handlers_are_those_of_a_plain_run(mpi: plugin.Mpi) -> None:
    """MPICH's communicators without a handler follow MPI_COMM_WORLD's, Open MPI's keep what they were made with."""
    plain = mpi.run(2, "handlers_of_duplicates.c", preload=False)
    ours = mpi.run(2, "handlers_of_duplicates.c", **RING, AYATORI_VERBOSE="1")
    assert "MPI_Allreduce on 2 ranks: ring" in ours.stderr
    assert (ours.returncode == 0, ours.stdout) == (plain.returncode == 0, plain.stdout)
    assert ("returned" in plain.stdout) == (mpi.family == "mpich")


def test_buffers_that_the_mpi_refuses_are_refused(mpi: plugin.Mpi) -> None:
    """MPICH refuses to receive where it sends from, Open MPI refuses it in MPI_Reduce."""
    forced = {name: value for name, value in MODES["forced"].items() if not name.startswith("AYATORI_I")}
    plain = mpi.run_well(3, "refused_aliases.c", preload=False)
    ours = mpi.run_well(3, "refused_aliases.c", **forced, AYATORI_VERBOSE="1")
    executed = set(re.findall(r"^ayatori: (MPI_\w+) on 3 ranks: (?!the MPI's own)", ours.stderr, re.M))
    said, said_plain = (sorted(re.findall(r"rank \d: \w+ re\w+", done.stdout)) for done in (ours, plain))
    assert said == said_plain and len(said) == 36
    refused = {"mpich": 36, "openmpi": 3}[mpi.family]
    assert plain.stdout.count("refused") == refused
    assert len(executed) == (5 if refused == 36 else 12), ours.stderr  # with a root, the others execute such a call
