"""mpi4py's own test suite with the plug-in and without, or over two transports: every process must pass the same tests.

    python -m bench.validation.mpi4py_suite                 # both MPIs, 1 to 5 processes
    python -m bench.validation.mpi4py_suite --mpi mpich --ranks 3 --only cco_ --variable AYATORI_REPRODUCIBLE=off
    python -m bench.validation.mpi4py_suite --transport ayatori ayatori-udp-rdma --without WORDS
    python -m bench.validation.mpi4py_suite --mpi intelmpi  # Intel's MPI from PyPI, under the plug-in for MPICH

Over a provider of libfabric, Open MPI 4.1.4 hangs or crashes in tests whose names have one of these words:
AlltoallwBottom Cancel p2p_obj pkl5 Spawn; by osc/rdma also CompareAndSwap (docs/libfabric.md has the causes). With
MPI_THREAD_MULTIPLE, osc/pt2pt makes no windows: their tests are skipped with odd numbers of processes. With even
numbers, util_sync hangs over tcp, too. With one process, util_pool ends the program.

The installed mpi4py is used, a wheel that takes the MPI it finds; its tests come from the same version's source
distribution on PyPI. Even numbers of processes ask for one thread, so that messages within the node go through memory;
odd ones for MPI_THREAD_MULTIPLE, as mpi4py does by default.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.measurement.collectives import plugin_of
from ayatori.processes import run_program
from bench.harness.installed_mpi import InstalledMpi
from bench.harness.programs import ROOT
from bench.harness.sharing_cores import to_preload
from bench.validation import intel_mpi
from bench.validation.intel_mpi import mpich_by_its_name_elsewhere
from bench.validation.transports import TRANSPORTS, transports_of

KEPT = ROOT / "build" / "mpi4py"
SECONDS = 600
FAMILIES = {"openmpi": "openmpi", "mpich": "mpich", "intelmpi": "mpich"}
"""With the family of the plug-in."""
LEFT_OUT = {
    "openmpi": ["test_spawn"],  # does not end on few cores, with or without the plug-in
    "mpich": ["test_spawn", "test_util_sync"],  # the second fails without the plug-in, too, and then waits for ever
    "intelmpi": ["test_spawn", "test_util_sync"],
}
OPEN_MPI_HERE = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
}

Outcomes = list[dict[str, str]]
"""By process: what came of each test: ok, skipped, FAIL or ERROR."""


@dataclass(frozen=True)
class Run:
    """A run of the suite, or of its modules whose names contain one of `only`."""

    family: str
    ranks: int
    only: Sequence[str] = ()
    without: Sequence[str] = ()
    """Tests whose names contain one of these are left out."""

    def options(self) -> list[str]:
        chosen = [f"-i{word}" for word in self.only] + [f"-e{word}" for word in LEFT_OUT[self.family]]
        return [*chosen, *(["--thread-level=single"] if self.ranks % 2 == 0 else [])]


def is_there(family: str) -> bool:
    """Intel's MPI is installed by this."""
    if family == "intelmpi":
        intel_mpi.install()
        return plugin_of(FAMILIES[family]).exists()
    return InstalledMpi(family).is_there() and plugin_of(family).exists()


def suite() -> Path:
    """The folder of mpi4py's tests; downloaded when it is first asked for."""
    version = importlib.metadata.version("mpi4py")
    folder = KEPT / f"mpi4py-{version}"
    if not (folder / "test").exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=mpi4py", f"--dest={KEPT}"]
        done = subprocess.run([*pip, f"mpi4py=={version}"], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Error("can't download mpi4py's tests", done.stderr.strip().rpartition("\n")[2])
        # By tar, which keeps what it unpacks within the folder: tarfile of Debian 12's Python (3.11.2) has no filters.
        subprocess.run(["tar", "-xzf", KEPT / f"mpi4py-{version}.tar.gz", "-C", KEPT, "--no-same-owner"], check=True)
    return folder / "test"


def launcher_of(family: str) -> list[str]:
    if family == "intelmpi":
        return [str(intel_mpi.LAUNCHER)]
    return InstalledMpi(family).launcher


def environment_of(family: str, folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    if family == "openmpi":
        return {**os.environ, **OPEN_MPI_HERE, "MPI4PY_MPIABI": "openmpi", **more}
    named = intel_mpi.variables() if family == "intelmpi" else mpich_by_its_name_elsewhere(folder / "libraries")
    return {**os.environ, **named, "MPI4PY_MPIABI": "mpich", **more}


def outcomes_of(run: Run, preload: bool, variables: Mapping[str, str] | None = None) -> Outcomes:
    """Raises Error if the suite does not come to its end."""
    tests = suite()
    program = Path(__file__).with_name("mpi4py_outcomes.py")
    with tempfile.TemporaryDirectory(prefix="ayatori-mpi4py-") as name:
        folder = Path(name)
        lines = folder / "outcomes"
        lines.mkdir()
        launch = [*launcher_of(run.family), "-np", str(run.ranks)]
        preloaded = [plugin_of(FAMILIES[run.family])] if preload else []
        preloaded += to_preload(run.family)
        launch += ["env", "LD_PRELOAD=" + ":".join(map(str, preloaded))]
        status = run_program(
            [*launch, sys.executable, program, tests, lines, ",".join(run.without), *run.options()],
            folder=folder,
            environment=environment_of(run.family, folder, variables or {}),
            output=folder / "output",
            errors=folder / "errors",
            timeout=SECONDS,
        )
        files = [lines / str(rank) for rank in range(run.ranks)]
        read = [file.read_text(encoding="utf-8").splitlines() if file.exists() else [] for file in files]
        if any(len(one) < 2 or one[-1] != "end" for one in read):
            last = next((one[-1] for one in read if one and one[-1] != "end"), "the beginning")
            said = (folder / "errors").read_text(encoding="utf-8", errors="replace")[-2000:]
            raise Error(f"the suite ended early with status {status}, at: {last}", said)
    return [
        {name: word for word, _, name in (line.partition(" ") for line in one[:-1]) if word != "begun"} for one in read
    ]


def differences(without: Outcomes, with_plugin: Outcomes) -> list[str]:
    """One line for each test that has another outcome on some process."""
    return [
        f"process {rank}: {test}: {before.get(test, 'not run')} at first, {after.get(test, 'not run')} then"
        for rank, (before, after) in enumerate(zip(without, with_plugin, strict=True))
        for test in sorted({*before, *after})
        if before.get(test) != after.get(test)
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", choices=FAMILIES, default=["openmpi", "mpich"])
    parser.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 3, 4, 5])
    parser.add_argument("--only", nargs="*", default=[], help="modules with one of these words in their names")
    parser.add_argument(
        "--without", nargs="*", default=[], help="leave out tests with one of these words in their names"
    )
    parser.add_argument("--variable", nargs="*", default=[], metavar="NAME=VALUE", help="for the run with the plug-in")
    parser.add_argument(
        "--transport", nargs="*", default=[], choices=TRANSPORTS, help="Open MPI over these instead, compared with tcp"
    )
    options = parser.parse_args()
    variables = dict(word.split("=", 1) for word in options.variable)
    transports = transports_of(InstalledMpi("openmpi")) if options.transport else {}
    first = transports.get("tcp", {})
    others = {f"over {name}": transports[name] for name in options.transport} or {"with the plug-in": variables}
    wrong = 0
    for family in filter(is_there, ["openmpi"] if options.transport else options.mpi):
        for ranks in options.ranks:
            run = Run(family, ranks, options.only, options.without)
            without = outcomes_of(run, preload=False, variables=first)
            counts = ", ".join(f"{n} {word}" for word, n in sorted(Counter(without[0].values()).items()))
            for name, settings in others.items():
                found = differences(without, outcomes_of(run, preload=not options.transport, variables=settings))
                wrong += len(found)
                print(f"{family}, {ranks} processes: {counts}; {len(found)} differ {name}", flush=True)
                print(*found, sep="\n", end="\n" if found else "", flush=True)
    return 0 if wrong == 0 else 3


if __name__ == "__main__":
    sys.exit(main())
