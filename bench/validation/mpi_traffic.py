"""Who sends how much to whom inside of an MPI library's collectives, and in our schedules.

Open MPI's messages are seen where its component pml/monitoring counts them, MPICH's where its device ch4:ucx hands them
to UCX (traffic/). The programs are compiled when they are needed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.prediction.calls import Call, make_schedule
from bench.harness.sharing_cores import to_preload

SOURCES = Path(__file__).parent / "traffic"
SECONDS = 120
"""No run of a few ranks takes nearly as long."""

Traffic = dict[tuple[int, int], list[int]]
"""By sender and receiver: the sizes of the messages in the order in which they are sent."""


@dataclass(frozen=True)
class Cell:
    """One call, as the MPI library names the collective; sizes as we count them."""

    collective: str
    bytes: int
    root: int = 0


@dataclass(frozen=True)
class Library:
    """How programs of an MPI library are compiled and run."""

    compiler: str
    run: list[str]
    flags: list[str]
    source: str
    environment: dict[str, str]


LIBRARIES = {
    "openmpi": Library(
        "mpicc.openmpi",
        ["mpirun.openmpi", "--oversubscribe", "--mca", "pml_monitoring_enable", "1"],
        [],
        "traffic_openmpi.c",
        {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    ),
    "mpich": Library(
        "mpicc.mpich", ["mpirun.mpich"], ["-lucp"], "traffic_mpich.c", {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "sm,self"}
    ),
}
OURS = {"bcast": "broadcast"}


def is_there(mpi: str) -> bool:
    """Whether programs can be compiled and run with it, and their messages be seen."""
    library = LIBRARIES[mpi]
    headers = mpi != "mpich" or Path("/usr/include/ucp/api/ucp.h").exists()
    return headers and all(shutil.which(program) for program in (library.compiler, library.run[0]))


class Program:
    """The program that makes calls and writes what is sent; compiled into `folder`."""

    def __init__(self, mpi: str, folder: Path) -> None:
        self._library = LIBRARIES[mpi]
        self._folder = folder
        self._path = folder / f"traffic_{mpi}"
        preloaded = ":".join(map(str, to_preload(mpi)))
        self._preloading = ["env", f"LD_PRELOAD={preloaded}"] if preloaded else []
        sources = [str(SOURCES / name) for name in ("traffic.c", self._library.source)]
        flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic"]
        _run([self._library.compiler, *flags, *sources, "-o", str(self._path), *self._library.flags], {}, folder)

    def traffic(self, ranks: int, cells: Sequence[Cell], environment: Mapping[str, str] = {}) -> list[Traffic]:
        """What each cell's call sends, between those whose messages are seen()."""
        lines = (f"{OURS.get(cell.collective, cell.collective)} {cell.bytes} {cell.root}\n" for cell in cells)
        (self._folder / "cells").write_text("".join(lines))
        for old in self._folder.glob("sent.*"):
            old.unlink()
        command = [*self._library.run, "-np", str(ranks), *self._preloading, str(self._path), "cells", "sent"]
        _run(command, self._library.environment | dict(environment), self._folder)
        found: list[Traffic] = [{} for _ in cells]
        for rank in range(ranks):
            for line in (self._folder / f"sent.{rank}").read_text().splitlines()[1:]:
                cell, peer, size = map(int, line.split())
                found[cell].setdefault((rank, peer), []).append(size)
        return found

    def seen(self, ranks: int) -> set[tuple[int, int]]:
        """The senders and receivers between whom the last run saw messages."""
        lines = [(self._folder / f"sent.{rank}").read_text().splitlines()[0] for rank in range(ranks)]
        return {(rank, int(peer)) for rank, line in enumerate(lines) for peer in line.split()[1:]}


def _run(command: list[str], environment: Mapping[str, str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise Error(f"{' '.join(command)} took more than {SECONDS} s", internal=True) from error
    if done.returncode != 0:
        print(done.stdout, done.stderr, file=sys.stderr)
        raise Error(f"{' '.join(command)} failed", cause=done.stderr.strip()[-500:], internal=True)


def traffic_of(call: Call, ranks: int) -> Traffic:
    """What our schedule of the call sends."""
    if call.bytes == 0:
        call = Call("barrier", call.algorithm, 0)
    schedule = make_schedule(call, _core.placement_of_ranks(ranks, 1))
    found: Traffic = {}
    for rank in range(ranks):
        for stream in range(schedule.stream_count):
            for step in range(schedule.step_count(stream)):
                for message in schedule.actions(rank, stream, step).sends:
                    found.setdefault((rank, message.peer), []).append(message.bytes)
    return found
