"""Applications as they are, plain and with the plug-in: does it execute their collectives, and do they become faster?

    python -m bench.validation.applications                         # this machine
    python -m bench.validation.applications --lab 1Gbit/s           # two hosts of a lab, whose cables carry so much
    python -m bench.validation.applications --choice table.json --only LAMMPS --rounds 20

Each round runs an application plain, plain again, with the plug-in and (with --choice) with the plug-in and that choice
table, in an order that rotates. Results are compared with those of the first plain run, digit by digit. A sign test
over the rounds says faster, no difference or slower; plain against plain is the control, which must say no difference.
Two more runs count the collectives that the program calls, and those that reach the MPI: the plug-in executes the
others. Programs that are not installed are skipped (scripts/packages.sh has them in application_packages).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from ayatori.base.compiled import PLUGINS
from ayatori.base.errors import Error
from ayatori.measurement.machine import watched
from ayatori.overlap.sites import lab_of_two, launcher
from ayatori.processes import first_error, open_mpi_as_root, run_program
from ayatori.traces.files import read_traces
from bench.validation.applications.comparison import gain, verdict
from bench.validation.applications.programs import APPLICATIONS, Application
from bench.validation.intel_mpi import mpich_by_its_name_elsewhere

SECONDS = 900.0
"""Of a run."""
BURST = 32 << 10
COUNTED = tuple(
    f"MPI_{name}"
    for name in (
        *("Barrier", "Bcast", "Reduce", "Allreduce", "Reduce_scatter", "Reduce_scatter_block", "Allgather"),
        *("Allgatherv", "Gather", "Gatherv", "Scatter", "Scatterv", "Alltoall", "Alltoallv"),
    )
)
"""Collectives that the plug-in intercepts."""
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
KEPT_MEMORY = {"MALLOC_TRIM_THRESHOLD_": str(1 << 30), "MALLOC_MMAP_THRESHOLD_": str(1 << 25)}
"""glibc's malloc gives the kernel back what was freed at the end of the heap. What lies there depends on the libraries
and variables of a process: NumPy's FFTs took 30,000 page faults or 108,000, and 0.35 s or 0.65 s."""
BUSY = 0.05


@dataclass
class Place:
    """This machine, or a lab (`file`) of so many hosts."""

    ranks: int
    hosts: int = 1
    file: Path | None = None

    def words(self, family: str, program: Sequence[str], with_plugin: bool) -> list[str]:
        started = [*launcher(family, self.ranks, -(-self.ranks // self.hosts)), *program]
        ayatori = [sys.executable, "-m", "ayatori.cli"]
        if with_plugin:
            lab = ["--lab", str(self.file)] if self.file else []
            return [*ayatori, "run", *lab, "--", *started]
        return [*ayatori, "lab", "cluster", str(self.file), "--", *started] if self.file else started


@dataclass
class Times:
    """Of one application."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    """By kind of run, in the order of the rounds."""
    others: float = 0.0
    """The largest share of the cores that other processes had in a run."""
    differing: set[str] = field(default_factory=set)
    """Kinds of runs with other results than the first plain one."""


def main() -> int:
    options = _options()
    if options.choice is not None and not options.choice.is_file():
        raise Error(f"there is no choice table {options.choice}")
    with tempfile.TemporaryDirectory(prefix="ayatori-applications-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        place = Place(options.ranks)
        if options.lab:
            place = Place(options.ranks, 2, folder / "lab.toml")
            (folder / "lab.toml").write_text(lab_of_two(options.lab, BURST).cluster, encoding="utf-8")
        failed = 0
        for application in APPLICATIONS:
            if options.only.lower() in application.name.lower() and options.mpi in application.families:
                failed += not _reported(application, options, place, folder)
    return int(failed > 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.validation.applications")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--lab", metavar="RATE", help="two hosts of a lab, whose cables carry RATE")
    parser.add_argument("--choice", type=Path, metavar="FILE", help="also with this choice table")
    parser.add_argument("--only", default="", metavar="NAME", help="applications with this in their name")
    parser.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    parser.add_argument("--json", action="store_true", help="one object per application and line")
    return parser.parse_args()


def _reported(application: Application, options: argparse.Namespace, place: Place, folder: Path) -> bool:
    """The others go on if one fails."""
    try:
        _report(application, options, place, folder)
    except Error as error:
        print(f"{application.name}: failed: {error.message}{f': {error.cause}' if error.cause else ''}", flush=True)
        return False
    return True


def _report(application: Application, options: argparse.Namespace, place: Place, parent: Path) -> None:
    folder = parent / application.name.replace(" ", "-").replace(",", "")
    folder.mkdir()
    try:
        program = application.words(folder)
    except Error as error:
        print(f"{application.name}: skipped: {error.message}{f' ({error.hint})' if error.hint else ''}", flush=True)
        return
    kinds = {"plain": None, "control": None, "plug-in": dict[str, str]()}
    if options.choice is not None:
        kinds["with the table"] = {"AYATORI_CHOICE": str(options.choice.resolve())}
    for_mpi4py = {"MPI4PY_MPIABI": options.mpi}
    if options.mpi == "mpich":
        for_mpi4py |= mpich_by_its_name_elsewhere(folder / "libraries")
    runner = Runner(application, program, place, options.mpi, folder, for_mpi4py)
    of_program = runner.collectives("program", None)
    reaching = {kind: runner.collectives(kind, given) for kind, given in kinds.items() if given is not None}
    times = runner.alternate(kinds, options.rounds)
    data = {
        "application": application.name,
        **{"mpi": options.mpi, "ranks": place.ranks, "lab": options.lab or "", "rounds": options.rounds},
        "seconds": {kind: median(own) for kind, own in times.seconds.items()},
        "verdict": {kind: verdict(times.seconds["plain"], times.seconds[kind]) for kind in kinds if kind != "plain"},
        "gain": {kind: gain(times.seconds["plain"], times.seconds[kind]) for kind in kinds if kind != "plain"},
        "collectives": of_program.total(),
        "executed": {kind: (of_program - calls).total() for kind, calls in reaching.items()},
        "differing": sorted(times.differing),
        "others": times.others,
    }
    print(json.dumps(data), flush=True) if options.json else _say(data)


def _say(data: Mapping[str, Any]) -> None:
    where = f"two hosts, {data['lab']}" if data["lab"] else "one host"
    print(f"{data['application']} ({data['mpi']}, {data['ranks']} ranks, {where}, {data['rounds']} rounds)")
    print(f"  plain {data['seconds']['plain']:.3g} s")
    for kind, word in data["verdict"].items():
        calls = ""
        if kind in data["executed"]:
            calls = f"; it executes {data['executed'][kind]} of {data['collectives']} collectives"
        digits = "other results" if kind in data["differing"] else "same digits"
        time = f"{data['seconds'][kind]:.3g} s: {word}, {data['gain'][kind]:+.1%} of the time gained"
        print(f"  {kind} {time}, {digits}{calls}")
    if data["others"] > BUSY:
        print(f"  the machine was busy: other processes had up to {data['others']:.0%} of the cores")
    sys.stdout.flush()


@dataclass(frozen=True)
class Runner:
    application: Application
    program: Sequence[str]
    place: Place
    family: str
    folder: Path
    for_mpi4py: Mapping[str, str]
    """Variables by which it finds this MPI."""

    def alternate(self, kinds: Mapping[str, Mapping[str, str] | None], rounds: int) -> Times:
        """Variables of each kind; None: without the plug-in."""
        times = Times({kind: [] for kind in kinds})
        expected: list[str] | None = None
        names = list(kinds)
        for number in range(rounds):
            for kind in names[number % len(names) :] + names[: number % len(names)]:
                with watched() as condition:
                    output = self.run(kinds[kind])
                times.seconds[kind].append(self.application.seconds_in(output))
                times.others = max(times.others, condition.others)
                result = self.application.result_in(output)
                if not result:
                    raise Error(f"{self.application.name} prints no result")
                expected = expected or result
                if result != expected:
                    times.differing.add(kind)
        return times

    def collectives(self, name: str, variables: Mapping[str, str] | None) -> Counter[str]:
        """Calls over all ranks by function: of the program, or (with the plug-in's variables) those that reach the MPI
        beneath the plug-in. Among the latter are some of its own: one Allreduce for each communicator, and a Barrier
        before each call that it compares."""
        traced = self.folder / f"traces-{name.replace(' ', '-')}"
        traced.mkdir()
        library = str(PLUGINS / self.family / "libayatori_trace.so")
        # Behind the plug-in, which `ayatori run` puts before what is preloaded already.
        self.run(variables, {"LD_PRELOAD": library, "AYATORI_TRACE": str(traced)})
        calls = [call.name.removesuffix("_c") for trace in read_traces(traced) for call in trace.calls]
        return Counter(name for name in calls if name in COUNTED)

    def run(self, variables: Mapping[str, str] | None, more: Mapping[str, str] | None = None) -> str:
        output = self.folder / "output"
        own = {**ONE_THREAD, **KEPT_MEMORY, "OMPI_MCA_mpi_yield_when_idle": "1", **(variables or {}), **(more or {})}
        own |= self.for_mpi4py
        program = list(self.program)
        if variables is None and more:
            program = ["env", *(f"{name}={value}" for name, value in more.items()), *program]
            own = {name: value for name, value in own.items() if name not in more}
        status = run_program(
            self.place.words(self.family, program, variables is not None),
            folder=self.folder,
            environment={**os.environ, **open_mpi_as_root(), **own},
            output=output,
            errors=self.folder / "errors",
            timeout=SECONDS,
        )
        text = output.read_text(encoding="utf-8", errors="replace")
        if status != 0:
            said = first_error(self.folder / "errors") or f"status {status}"
            raise Error(f"{self.application.name} failed", cause=said)
        return text


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"error: {error.message}{f': {error.cause}' if error.cause else ''}")
