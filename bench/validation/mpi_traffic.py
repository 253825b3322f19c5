"""Who sends how much to whom inside of an MPI library's collectives, and in our schedules.

Open MPI's messages are seen where its component pml/monitoring counts them, those of MPICH, and of an Open MPI without
that component, where they are handed to UCX (traffic/). The programs are compiled when they are needed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.prediction.calls import Call, make_schedule
from bench.harness.installed_mpi import InstalledMpi
from bench.harness.programs import output_of
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
class Seen:
    """How messages are seen in programs of a family."""

    source: str
    launch: Sequence[str]
    """Words for the launcher."""
    environment: Mapping[str, str]


AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
BY_MONITORING = Seen("traffic_openmpi.c", ["--mca", "pml_monitoring_enable", "1"], AS_ROOT)
ANY_UCX = [word for name in ("tls", "devices") for word in ("--mca", f"pml_ucx_{name}", "any")]
BY_UCX = Seen("traffic_ucx.c", ["--mca", "pml", "ucx", *ANY_UCX], {**AS_ROOT, "UCX_TLS": "sm,self"})
BY_UCX_OF_MPICH = Seen(
    "traffic_ucx.c", [], {"MPIR_CVAR_NOLOCAL": "1", "MPIR_CVAR_CH4_NETMOD": "ucx", "UCX_TLS": "sm,self"}
)
OURS = {"bcast": "broadcast"}


def is_there(mpi: InstalledMpi) -> bool:
    """Whether programs can be compiled and run with it, and their messages be seen."""
    return mpi.is_there() and (how_of(mpi) is BY_MONITORING or Path("/usr/include/ucp/api/ucp.h").exists())


def how_of(mpi: InstalledMpi) -> Seen:
    """Not every Open MPI has pml/monitoring: the wheel of 4.1.8 lacks it."""
    if mpi.family == "mpich":
        return BY_UCX_OF_MPICH
    ompi_info = "ompi_info" if mpi.library is None else mpi.program("ompi_info")  # Debian's has one name alone
    said = output_of([ompi_info, "--parsable"], environment=mpi.variables)
    return BY_MONITORING if "mca:pml:monitoring:" in said else BY_UCX


def _ucx_of(mpi: InstalledMpi) -> list[str]:
    """Options that link the UCX that the MPI uses, which the wheels of PyPI have with them."""
    own = mpi.folder / "lib" / mpi.family
    if not (own / "libucp.so.0").exists():
        return ["-lucp"]
    return [f"-L{own}", "-l:libucp.so.0", f"-Wl,-rpath,{own}", "-Wl,--allow-shlib-undefined"]


class Program:
    """The program that makes calls and writes what is sent; compiled into `folder`."""

    def __init__(self, mpi: InstalledMpi, folder: Path) -> None:
        self.mpi = mpi
        self._how = how_of(mpi)
        self._folder = folder
        self._path = folder / f"traffic_{mpi.name}"
        preloaded = ":".join(map(str, to_preload(mpi.family)))
        self._preloading = ["env", f"LD_PRELOAD={preloaded}"] if preloaded else []
        sources = [str(SOURCES / name) for name in ("traffic.c", self._how.source)]
        flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic"]
        libraries = [] if self._how is BY_MONITORING else _ucx_of(mpi)
        _run([mpi.program("mpicc"), *flags, *sources, "-o", str(self._path), *libraries], mpi.variables, folder)

    def traffic(self, ranks: int, cells: Sequence[Cell], environment: Mapping[str, str] = {}) -> list[Traffic]:
        """What each cell's call sends, between those whose messages are seen()."""
        lines = (f"{OURS.get(cell.collective, cell.collective)} {cell.bytes} {cell.root}\n" for cell in cells)
        (self._folder / "cells").write_text("".join(lines))
        for old in self._folder.glob("sent.*"):
            old.unlink()
        launch = [*self.mpi.launcher, *self._how.launch, "-np", str(ranks), *self._preloading]
        variables = self.mpi.variables | dict(self._how.environment) | dict(environment)
        _run([*launch, str(self._path), "cells", "sent"], variables, self._folder)
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
