"""ayatori explain: real programs under libayatori_trace.so, with and without the plug-in."""

import json
import os
import sys
from pathlib import Path

import plugin
import pytest

from ayatori.base.compiled import PLUGINS, PROGRAMS
from ayatori.overlap.replay import Job
from ayatori.traces.files import RankTrace, read_traces
from bench.validation.mpi4py_suite import environment_of


def traced(mpi: plugin.Mpi, folder: Path, ranks: int, *words: str | Path, **more: object) -> list[RankTrace]:
    trace = PLUGINS / mpi.family / "libayatori_trace.so"
    mpi.run_well(ranks, *words, before=[trace], AYATORI_TRACE=str(folder), **more)
    return read_traces(folder)


@pytest.mark.parametrize("preload", [False, True])
def test_calls_and_operations_of_a_stencil_are_written_down(mpi: plugin.Mpi, tmp_path: Path, preload: bool) -> None:
    """Each step begins and ends as many messages as there are sides; with the plug-in's thread the same."""
    progress = {"AYATORI_PROGRESS": "thread"} if preload else {}
    program = PROGRAMS / f"stencil_mpi_{mpi.family}"
    words = [program, "isend", "64", "10", "1", "1"]
    traces = traced(mpi, tmp_path, 2, *words, preload=preload, **progress)
    assert len(traces) == 2
    for trace in traces:
        sent = [one for one in trace.operations if one.name == "send" and one.peer >= 0]
        assert [(one.peer, one.bytes, one.members) for one in sent] == [(1 - trace.rank, 512, (0, 1))] * 10
        ended = [number for call in trace.calls for number in call.ended]
        assert sorted(ended) == list(range(len(trace.operations)))
        assert all(call.begin <= call.end for call in trace.calls)
        assert sum(call.name == "MPI_Waitall" for call in trace.calls) == 10
    job = Job(traces)
    executed = job.replay(with_progress=False)
    assert executed.is_whole and executed.seconds == pytest.approx(job.seconds, rel=0.05)


def test_a_program_of_the_other_mpi_is_refused_in_one_line(mpi: plugin.Mpi, tmp_path: Path) -> None:
    """Its handles have another size: passed on, they would crash the program."""
    (other,) = {"openmpi", "mpich"} - {mpi.family}
    trace = PLUGINS / other / "libayatori_trace.so"
    if not trace.exists():
        pytest.skip("there is only one MPI here")
    names = {"openmpi": "Open MPI", "mpich": "MPICH"}
    for variables in ({}, {"AYATORI_TRACE": str(tmp_path)}):
        done = mpi.run(2, "check_communicators.cpp", before=[trace], preload=False, **variables)
        said = [line for line in done.stderr.splitlines() if line.startswith("ayatori:")]
        refusal = f"this trace library is for {names[other]} and cannot trace a program of {names[mpi.family]}"
        assert said == [f"ayatori: {refusal}"], done.stderr
        assert done.returncode not in (0, 139)
    assert not list(tmp_path.iterdir())


def test_persistent_requests_and_collectives_of_neighbours(mpi: plugin.Mpi, tmp_path: Path) -> None:
    for way, name in (("persistent", "send"), ("neighbourhood", "neighbours")):
        folder = tmp_path / way
        folder.mkdir()
        program = PROGRAMS / f"stencil_mpi_{mpi.family}"
        traces = traced(mpi, folder, 2, program, way, "16", "5", "1", "1", preload=False)
        own = [one for one in traces[1].operations if one.name == name and one.peer != -2]
        assert len(own) == 5
        assert Job(traces).replay(with_progress=True).is_whole


FROM_PYTHON = """
from mpi4py import MPI

world = MPI.COMM_WORLD
other = 1 - world.rank
begun = [world.Isend(bytes(100), dest=other), world.Irecv(bytearray(100), source=other)]
MPI.Request.Waitall(begun)
world.Ibcast(bytearray(200), root=0).Wait()
world.Allreduce(bytes(300), bytearray(300), op=MPI.BOR)
world.Gather(bytes(400), bytearray(800), root=0)
block = [400, 800][world.rank]
world.Ialltoallv([bytes(1200), [400, 800]], [bytearray(2 * block), [block, block]]).Wait()
"""


def test_calls_of_mpi4py_are_written_down(mpi: plugin.Mpi, tmp_path: Path) -> None:
    """Over MPICH these have large counts: MPI_Isend_c, …"""
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(FROM_PYTHON)
    (tmp_path / "traces").mkdir()
    variables = dict(environment_of(mpi.family, tmp_path, {}).items() - os.environ.items())
    traces = traced(mpi, tmp_path / "traces", 2, sys.executable, tmp_path / "program.py", preload=False, **variables)
    for trace in traces:
        found = [(one.name, one.bytes) for one in trace.operations if one.bytes in (100, 200, 300, 400, 800)]
        assert sorted(found) == [
            ("allreduce", 300),
            ("alltoall", [400, 800][trace.rank]),
            ("broadcast", 200),
            ("gather", 400),
            ("receive", 100),
            ("send", 100),
        ]


def test_a_trace_behind_the_plugin_sees_what_reaches_an_mpi_that_is_loaded_later(
    mpi: plugin.Mpi, tmp_path: Path
) -> None:
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(FROM_PYTHON)
    (tmp_path / "traces").mkdir()
    variables = dict(environment_of(mpi.family, tmp_path, {}).items() - os.environ.items())
    variables |= {"AYATORI_TRACE": str(tmp_path / "traces"), "AYATORI_ALLREDUCE": "ring"}
    library = PLUGINS / mpi.family / "libayatori_trace.so"
    mpi.run_well(2, sys.executable, tmp_path / "program.py", after=[library], **variables)
    for trace in read_traces(tmp_path / "traces"):
        names = [one.name for one in trace.operations if one.bytes in (100, 200, 300, 400, 800)]
        assert sorted(names) == ["alltoall", "broadcast", "gather", "receive", "send"]


def test_a_page_and_the_files_beside_it(mpi: plugin.Mpi, tmp_path: Path, ayatori_command) -> None:
    launch = [f"mpirun.{mpi.family}", "-np", "2", *(["--oversubscribe"] if mpi.family == "openmpi" else [])]
    program = [str(PROGRAMS / f"overlap_mpi_{mpi.family}"), "iallreduce", "arithmetic", "65536", "3"]
    words = ["explain", "--repeats", "0", "--out-dir", str(tmp_path / "why"), "--json", "--", *launch]
    data = ayatori_command(*words, *program).json()
    [kind] = data["kinds"]
    assert (kind["name"], kind["bytes"], kind["protocol"]) == ("allreduce", 65536, "steps of the MPI")
    assert kind["count"] > 2 * 3
    assert data["given"][0].startswith("thread level: the program asked for single")
    assert any(" are eager; " in sentence for sentence in data["given"])
    page = (tmp_path / "why/index.html").read_text(encoding="utf-8")
    assert "In a call of MPI" in page or "in a call of MPI" in page
    assert json.loads((tmp_path / "why/perfetto.json").read_text())["traceEvents"]


def test_what_cannot_be_explained_is_refused(ayatori_command, tmp_path: Path) -> None:
    ayatori_command("explain", "--", "true").refused(1, "can't tell which MPI 'true' uses")
    ayatori_command("explain", "--repeats", "-1", "--", "true").refused(2)


def test_a_program_that_fails_or_is_no_mpi_program(mpi: plugin.Mpi, ayatori_command) -> None:
    launch = ["explain", "--", f"mpirun.{mpi.family}", "-np", "1"]
    ayatori_command(*launch, "false").refused(1, f"mpirun.{mpi.family} failed")
    # Not `true`: MPICH's launcher may end by SIGPIPE where a program is over before it has begun to look after it.
    ayatori_command(*launch, "sleep", "0.3").refused(1, "has written no trace")
