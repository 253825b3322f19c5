"""Who sends how much to whom inside of an MPI library's collectives, and in our schedules.

Open MPI's messages are seen where its component pml/monitoring counts them, those of MPICH, and of an Open MPI without
that component, where they are handed to UCX, and Intel MPI's where they are handed to libfabric (traffic/). The
programs are compiled when they are needed.
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
from ayatori.lab.cluster import Settings, words_in_lab
from ayatori.prediction.calls import Call, make_schedule
from bench.harness.installed_mpi import InstalledMpi
from bench.harness.programs import ROOT, output_of
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
    late: int = -1
    """A rank that makes the call later than the others: only what is sent before is seen."""


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
BY_LIBFABRIC = Seen(
    "traffic_ofi.c",
    [],
    {
        "I_MPI_FABRICS": "ofi",
        "I_MPI_OFI_LIBRARY_INTERNAL": "0",
        "I_MPI_OFI_PROVIDER": "tcp",
        "FI_PROVIDER": "tcp",
        "FI_HOOK": "trace",
        "FI_LOG_LEVEL": "trace",
    },
)
OURS = {"bcast": "broadcast"}
LAB = """[planes.lan]
rate = "1Gbit/s"
[[switches]]
name = "switch"
plane = "lan"
[[hosts]]
name = "host[00-{last:02}]"
links = [{{ to = "switch" }}]
"""
IN_LAB = {"UCX_TLS": "tcp,self", "OMPI_MCA_pml": "^ucx,cm"}
"""Namespaces share no memory for messages."""


def is_there(mpi: InstalledMpi) -> bool:
    """Whether programs can be compiled and run with it, and their messages be seen."""
    if mpi.is_intels:
        return mpi.is_there() and libfabric_that_traces() is not None
    return mpi.is_there() and (how_of(mpi) is BY_MONITORING or Path("/usr/include/ucp/api/ucp.h").exists())


def how_of(mpi: InstalledMpi) -> Seen:
    """Not every Open MPI has pml/monitoring: the wheel of 4.1.8 lacks it."""
    if mpi.is_intels:
        return BY_LIBFABRIC
    if mpi.family == "mpich":
        return BY_UCX_OF_MPICH
    ompi_info = "ompi_info" if mpi.library is None else mpi.program("ompi_info")  # Debian's has one name alone
    said = output_of([ompi_info, "--parsable"], environment=mpi.variables)
    return BY_MONITORING if "mca:pml:monitoring:" in said else BY_UCX


def libfabric_that_traces() -> Path | None:
    """One with the hook "trace": neither Debian's nor Intel's has it, but those in other MPIs of PyPI."""
    found = sorted(ROOT.glob("build/*/lib/*/libfabric.so.1"), reverse=True)
    return next((path for path in found if b"ofi_hook_trace" in path.read_bytes()), None)


def _fabric_variables(folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """With which that libfabric is found before Intel's own. `folder` gets a link to it."""
    library = libfabric_that_traces()
    if library is None:
        raise Error("no libfabric with the hook trace: install an MPI of PyPI in build/", internal=True)
    own = folder / "libfabric"
    own.mkdir(exist_ok=True)
    for name in ("libfabric.so", "libfabric.so.1"):
        (own / name).unlink(missing_ok=True)
        (own / name).symlink_to(library)
    return {"LD_LIBRARY_PATH": f"{own}:{library.parent}:{variables['LD_LIBRARY_PATH']}"}


def _ucx_of(mpi: InstalledMpi) -> list[str]:
    """Options that link the UCX that the MPI uses, which the wheels of PyPI have with them."""
    own = mpi.folder / "lib" / mpi.family
    if not (own / "libucp.so.0").exists():
        return ["-lucp"]
    return [f"-L{own}", "-l:libucp.so.0", f"-Wl,-rpath,{own}", "-Wl,--allow-shlib-undefined"]


class Program:
    """The program that makes calls and writes what is sent; compiled into `folder`."""

    def __init__(self, mpi: InstalledMpi, folder: Path, on_hosts: bool = False) -> None:
        """`on_hosts`: ranks are on the hosts of a lab, one on each."""
        self.mpi = mpi
        self._how = how_of(mpi)
        self._folder = folder
        self._on_hosts = on_hosts
        self._path = folder / f"traffic_{mpi.name}"
        preloaded = "" if mpi.is_intels else ":".join(map(str, to_preload(mpi.family)))
        self._preloading = ["env", f"LD_PRELOAD={preloaded}"] if preloaded else []
        self._variables = mpi.variables | (_fabric_variables(folder, mpi.variables) if mpi.is_intels else {})
        sources = [str(SOURCES / name) for name in ("traffic.c", self._how.source)]
        flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-rdynamic"]
        by_ucx = self._how in (BY_UCX, BY_UCX_OF_MPICH)
        libraries = _ucx_of(mpi) if by_ucx else [str(mpi.library)] if mpi.is_intels else []
        _run([*mpi.compiler, *flags, *sources, "-o", str(self._path), *libraries], mpi.variables, folder)

    def traffic(
        self, ranks: int, cells: Sequence[Cell], environment: Mapping[str, str] = {}, late_ms: int = 0
    ) -> list[Traffic]:
        """What each cell's call sends, between those whose messages are seen(). `late_ms`: so late are late ranks."""
        lines = (
            f"{OURS.get(cell.collective, cell.collective)} {cell.bytes} {cell.root} {cell.late}\n" for cell in cells
        )
        (self._folder / "cells").write_text("".join(lines))
        for old in self._folder.glob("sent.*"):
            old.unlink()
        launch = [*self.mpi.launcher, *self._how.launch, "-np", str(ranks), *self._preloading]
        variables = self._variables | dict(self._how.environment) | dict(environment)
        words = [*launch, str(self._path), "cells", "sent", str(late_ms)]
        if self._on_hosts:
            lab = self._folder / "lab.toml"
            lab.write_text(LAB.format(last=ranks - 1))
            words, variables = words_in_lab(lab, Settings(), words), variables | IN_LAB
        _run(words, variables, self._folder)
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
