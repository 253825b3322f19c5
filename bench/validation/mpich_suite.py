"""MPICH's own tests with the plug-in and without: each program must come to the same end.

    python -m bench.validation.mpich_suite FOLDER             # test/mpi of MPICH's sources, say those of version 4.0.2
    python -m bench.validation.mpich_suite FOLDER --mpi openmpi --folders comm threads --modes thread --only idup

In the mode "table", a measured choice table takes ours for all calls that a table can cover: also for sums of reals,
and under the veto.

The programs are compiled with each MPI and run as the test lists of FOLDER say, with at most 8 ranks. One that does not
end in time has hung. Where the end is another one with the plug-in, both are repeated: some programs also fail without
it now and then, and count as equal if the best ends are the same.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ayatori.formats.choice_table import Measured, Table, sizes_of, write_table
from ayatori.measurement.collectives import COLLECTIVES
from ayatori.prediction.predictor import Model
from ayatori.processes import ProgramError, run_program
from ayatori.tuning.measuring import variable_of
from bench.harness.programs import ROOT
from bench.harness.sharing_cores import to_preload
from bench.validation.mpi4py_suite import OPEN_MPI_HERE, is_there, launcher_of, plugin_of
from bench.validation.mpich_programs import Programs, Test, tests_of
from bench.validation.transports import TRANSPORTS

KEPT = ROOT / "build" / "mpich_suite"
FAMILIES = ("openmpi", "mpich")
BLOCKING = {
    "BARRIER": "tree",
    "BCAST": "chain:chunk=1000B",
    "REDUCE": "binomial",
    "ALLREDUCE": "ring",
    "REDUCE_SCATTER_BLOCK": "pairwise",
    "REDUCE_SCATTER": "pairwise",
    "ALLGATHER": "bruck",
    "ALLGATHERV": "ring",
    "GATHER": "binomial",
    "GATHERV": "linear",
    "SCATTER": "binomial",
    "SCATTERV": "linear",
    "ALLTOALL": "bruck",
    "ALLTOALLV": "pairwise",
}
MODES = {
    "default": {},
    "thread": {"AYATORI_PROGRESS": "thread"},
    "forced": {f"AYATORI_{prefix}{call}": name for prefix in ("", "I") for call, name in BLOCKING.items()},
}
TABLE = "table"
OVER = {f"over {name}": variables for name, variables in TRANSPORTS.items()}
"""Without the plug-in, but over a transport of Open MPI."""
ALL_MODES = ("coll", "comm", "threads")
"""Folders whose programs call collectives and make communicators: run in all modes, others in the default one."""
FOLDERS = (*ALL_MODES, "datatype", "errhan", "topo", "pt2pt", "rma", "init")
REPEATS = 4
OPEN_MPI_VARIABLES = {name: value for name, value in OPEN_MPI_HERE.items() if "single_copy" not in name}
"""Without single copies, Open MPI 4.1 makes no windows among the processes of a host: most of rma fails."""


def table_for(ranks: int) -> Path:
    """A choice table for so many ranks of this machine."""
    table = KEPT / f"table-{ranks}.json"
    names = {one: BLOCKING[variable_of(one).removeprefix("AYATORI_")].partition(":")[0] for one in COLLECTIVES}
    sizes = {one: sizes_of({0 if one == "barrier" else 8: (name, 0)}) for one, name in names.items()}
    measured = Measured("for tests", "any", "2026-11-27", 1)
    write_table(Table("", [(platform.node(), ranks)], "", Model(), sizes, measured), table)
    return table


def best(ends: Sequence[str]) -> str:
    return min(ends, key=("passed", "failed", "hung").index)


@dataclass(frozen=True)
class Way:
    """How a program is run: `mode` is one of MODES, TABLE or OVER, or "plain" without the plug-in."""

    family: str
    mode: str
    seconds: float

    def end_of(self, program: Path, test: Test) -> str:
        """passed, failed or hung."""
        with_ours = self.mode in MODES or self.mode == TABLE
        libraries = [*([plugin_of(self.family)] if with_ours else []), *to_preload(self.family)]
        own = {**MODES, **OVER}.get(self.mode, {})
        if self.mode == TABLE:
            own = {"AYATORI_CHOICE": str(table_for(test.ranks))}
        command = [*launcher_of(self.family), "-np", str(test.ranks), "env"]
        command += ["LD_PRELOAD=" + ":".join(map(str, libraries)), *test.variables, str(program), *test.words]
        with tempfile.TemporaryDirectory(prefix="ayatori-mpich-") as name:
            output = Path(name) / "output"
            try:
                status = run_program(
                    command,
                    folder=Path(name),
                    environment={**os.environ, **OPEN_MPI_VARIABLES, **own},
                    output=output,
                    errors=Path(name) / "errors",
                    timeout=self.seconds,
                )
            except ProgramError:
                return "hung"
            said = output.read_text(encoding="utf-8", errors="replace")
        return "passed" if status == 0 and ("No Errors" in said or not test.says_so) else "failed"


@dataclass(frozen=True)
class Compared:
    """The ends of one program without the plug-in and with it: several if it had to be repeated."""

    test: Test
    mode: str
    without: Sequence[str]
    after: Sequence[str]

    @property
    def is_equal(self) -> bool:
        return best(self.without) == best(self.after)

    def __str__(self) -> str:
        return f"{self.test}, {self.mode}: {', '.join(self.without)} without, {', '.join(self.after)} with it"


def compare(family: str, program: Path, test: Test, modes: Sequence[str], seconds: float) -> Iterator[Compared]:
    plain = Way(family, "over tcp" if modes and modes[0] in OVER else "plain", seconds)
    without = [plain.end_of(program, test)]
    for mode in modes:
        way = Way(family, mode, seconds)
        after = [way.end_of(program, test)]
        while len(after) < REPEATS and best(without) != best(after):
            after.append(way.end_of(program, test))
            if len(without) < REPEATS:
                without.append(plain.end_of(program, test))
        yield Compared(test, mode, without, after)


def modes_of(folder: str, modes: Sequence[str]) -> list[str]:
    return [mode for mode in modes if mode == "default" or mode in OVER or folder.split("/")[0] in ALL_MODES]


def run_folder(family: str, source: Path, folder: str, options: argparse.Namespace) -> list[Compared]:
    programs = Programs(family, source, KEPT / family)
    tests = [one for one in tests_of(source, folder, options.ranks) if options.only in one.name]
    tests = [one for one in tests if one.ranks >= options.fewest_ranks]
    missing: set[str] = set()

    def compared(test: Test) -> list[Compared]:
        program = programs.built(test)
        if program is None:
            missing.add(test.name)
            return []
        found = list(compare(family, program, test, modes_of(folder, options.modes), options.seconds))
        for each in found:
            if not each.is_equal or len(each.after) > 1:
                print(f"{family}: {'equal' if each.is_equal else 'DIFFERENT'}: {each}", flush=True)
        return found

    with ThreadPoolExecutor(options.jobs) as pool:
        done = [each for some in pool.map(compared, tests) for each in some]
    if missing:
        print(
            f"{family}, {folder}: {len(missing)} programs cannot be compiled: {' '.join(sorted(missing))}", flush=True
        )
    return done


def report(family: str, folder: str, done: Sequence[Compared]) -> int:
    """One line per mode; returns how many differ."""
    for mode in dict.fromkeys(one.mode for one in done):
        of_mode = [one for one in done if one.mode == mode]
        ends = Counter(one.after[-1] for one in of_mode)
        words = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        equal = sum(one.is_equal for one in of_mode)
        hangs = sum("hung" in one.after and "hung" not in one.without for one in of_mode)
        found = f"{equal} equal, {len(of_mode) - equal} different, {hangs} hang with the plug-in alone"
        print(f"{family}, {folder}, {mode}: {len(of_mode)} runs ({words}), {found}", flush=True)
    return sum(not one.is_equal for one in done)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="FOLDER", help="test/mpi of MPICH's sources")
    parser.add_argument("--mpi", nargs="+", choices=FAMILIES, default=FAMILIES)
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="of FOLDER, with their subfolders")
    parser.add_argument("--modes", nargs="+", choices=(*MODES, TABLE), default=[*MODES, TABLE])
    parser.add_argument(
        "--transport", nargs="*", default=[], choices=TRANSPORTS, help="Open MPI over these instead, compared with tcp"
    )
    parser.add_argument("--ranks", type=int, default=8, help="leave out tests with more")
    parser.add_argument("--fewest-ranks", type=int, default=1, help="leave out tests with fewer")
    parser.add_argument("--only", default="", metavar="WORD", help="programs with this word in their names")
    parser.add_argument("--seconds", type=float, default=60, help="a run that takes longer has hung")
    parser.add_argument("--jobs", type=int, default=1, help="programs that run at the same time")
    options = parser.parse_args()
    if options.transport:
        options.mpi, options.modes = ["openmpi"], [f"over {name}" for name in options.transport]
    different = 0
    for family in filter(is_there, options.mpi):
        for folder in options.folders:
            different += report(family, folder, run_folder(family, options.source.resolve(), folder, options))
    return 0 if different == 0 else 3


if __name__ == "__main__":
    sys.exit(main())
