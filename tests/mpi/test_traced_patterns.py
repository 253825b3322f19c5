"""Programs that are recorded: their messages, as they are made, are the pattern that a plan is for."""

import os
import sys
from pathlib import Path

import plugin
import pytest

from ayatori import _core
from ayatori.base.compiled import PLUGINS, PROGRAMS
from ayatori.lab.cluster import Settings, why_impossible
from ayatori.overlap.tracing import Program
from ayatori.planning.traced import read_traced
from ayatori.planning.traffics import steps_of
from bench.validation.mpi4py_suite import environment_of

HALO = {(0, 1), (1, 0), (2, 3), (3, 2), (0, 2), (2, 0), (1, 3), (3, 1)}
"""Of a grid of 2 x 2."""
ROWS, COLUMNS = {(0, 1), (1, 0), (2, 3), (3, 2)}, {(0, 2), (2, 0), (1, 3), (3, 1)}
LAB = """[planes.lan]
rate = "1Gbit/s"
[[switches]]
name = "sw"
plane = "lan"
[[hosts]]
name = "N[2,3,5,8]"
links = [{ to = "sw" }]
"""
IN_LAB = {"UCX_TLS": "tcp,self", "OMPI_MCA_pml": "ob1"}

TRANSFORM = """
from mpi4py import MPI

world = MPI.COMM_WORLD
rows, columns = world.Split(world.rank // 2), world.Split(world.rank % 2)
here, there = bytearray(2 << 16), bytearray(2 << 16)
for _ in range(3):
    rows.Alltoall(here, there)
    columns.Alltoall(there, here)
    world.Allreduce(bytes(8), bytearray(8), op=MPI.BOR)
"""


def pairs_of(steps: _core.StepSequence) -> list[set[tuple[int, int]]]:
    return [{(m.from_rank, m.to_rank) for m in steps.messages(step)} for step in range(steps.step_count)]


def record(mpi: plugin.Mpi, folder: Path, *words: str | Path, **more: str) -> str:
    folder.mkdir()
    trace = PLUGINS / mpi.family / "libayatori_trace.so"
    mpi.run_well(4, *words, before=[trace], preload=False, AYATORI_TRACE=str(folder), **more)
    return str(folder)


@pytest.mark.parametrize("way", ["isend", "persistent", "neighbourhood", "put"])
def test_a_halo_is_one_step(mpi: plugin.Mpi, tmp_path: Path, way: str) -> None:
    """Whatever it is exchanged by. The result of the ranks is gathered once, in messages that hardly matter."""
    trace = record(mpi, tmp_path / "trace", PROGRAMS / f"stencil_mpi_{mpi.family}", way, "400", "30", "2", "1")
    assert read_traced(Path(trace)).unknown == []
    seen = pairs_of(steps_of(trace, 4))
    assert sum(step == HALO for step in seen) > 0.9 * len(seen)


def test_a_transforms_exchanges_are_those_of_rows_and_columns(mpi: plugin.Mpi, tmp_path: Path) -> None:
    """By mpi4py. Two ranks of a row exchange in one step, whatever the MPI."""
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(TRANSFORM)
    variables = dict(environment_of(mpi.family, tmp_path, {}).items() - os.environ.items())
    trace = record(mpi, tmp_path / "trace", sys.executable, tmp_path / "program.py", **variables)
    seen = pairs_of(steps_of(trace, 4))
    assert 2 * seen.count(ROWS) == 2 * seen.count(COLUMNS) == len(seen) > 0


@pytest.mark.skipif(bool(why_impossible(Settings())), reason="no lab")
def test_a_halo_between_hosts_of_a_lab_is_one_step(mpi: plugin.Mpi, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "four.toml").write_text(LAB)
    for name, value in IN_LAB.items():
        monkeypatch.setenv(name, value)
    words = (
        f"mpirun.{mpi.family}",
        "-np",
        "4",
        str(PROGRAMS / f"stencil_mpi_{mpi.family}"),
        "isend",
        "400",
        "30",
        "2",
        "1",
    )
    traces = Program(words, mpi.family, PLUGINS, tmp_path / "four.toml").run(tmp_path / "run", False)
    assert sorted(trace.host for trace in traces) == ["N2", "N3", "N5", "N8"]
    seen = pairs_of(steps_of(str(tmp_path / "run"), 4))
    assert sum(step == HALO for step in seen) > 0.9 * len(seen)
