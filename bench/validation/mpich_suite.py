"""MPICH's own tests with the plug-in and without: each program must come to the same end.

    python -m bench.validation.mpich_suite FOLDER             # test/mpi of MPICH's sources, say those of version 4.0.2
    python -m bench.validation.mpich_suite FOLDER --mpi openmpi --folders comm threads --modes thread --only idup
    python -m bench.validation.mpich_suite FOLDER --mpi build/mpich-5.0.2      # an MPI that is installed there
    python -m bench.validation.mpich_suite FOLDER --mpi build/openmpi-5.0.11 --transport ayatori ayatori-udp

In the mode "table", a measured choice table takes ours for all calls that a table can cover: also for sums of reals,
and under the veto. In it and in the mode "forced" the plug-in says which calls were ours: it must have executed some in
each folder, and may not refuse the table. With --transport, there is no plug-in: runs over these transports are
compared with runs over tcp, and ours must have sent messages in each folder.

The programs are compiled with each MPI and run as the test lists of FOLDER say, with at most 8 ranks. One that does not
end in time has hung. Where the end is another one with the plug-in, both are repeated: some programs also fail without
it now and then, and count as equal if the best ends are the same.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from ayatori.base.errors import Error
from ayatori.formats.choice_table import Measured, Table, sizes_of, write_table
from ayatori.measurement.collectives import COLLECTIVES, plugin_of
from ayatori.prediction.predictor import Model
from ayatori.processes import ProgramError, run_program
from ayatori.tuning.measuring import variable_of
from bench.harness.installed_mpi import LIBRARIES, InstalledMpi
from bench.harness.programs import ROOT, output_of
from bench.harness.sharing_cores import to_preload
from bench.validation.mpi4py_suite import OPEN_MPI_HERE
from bench.validation.mpich_programs import Programs, Test, tests_of
from bench.validation.transports import TRANSPORTS, transports_of

KEPT = ROOT / "build" / "mpich_suite"
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
OVER = "over "
"""Before the name of a transport: without the plug-in."""
ALL_MODES = ("coll", "comm", "threads")
"""Folders whose programs call collectives and make communicators: run in all modes, others in the default one."""
FOLDERS = (*ALL_MODES, "datatype", "errhan", "errors", "topo", "pt2pt", "rma", "init")
REPEATS = 4
OPEN_MPI_VARIABLES = {name: value for name, value in OPEN_MPI_HERE.items() if "single_copy" not in name}
"""Without single copies, Open MPI 4.1 makes no windows among the processes of a host: most of rma fails."""


REFUSED = "the choice table is not used"
EXECUTED = re.compile(
    r"^ayatori: MPI_\w+(?: without blocking)? on \d+ ranks(?: from \d+ bytes on)?: (?!the MPI's own)", re.M
)
"""What the plug-in says of calls that it executes."""
SENT = re.compile(r"^ayatori-fi: rank \d+: .*\b[1-9]\d* (?:messages sent|writes|reads|atomics)", re.M)
"""What our provider says of a rank that sent something."""
MUST_BE_OURS = {"forced": EXECUTED, TABLE: EXECUTED, **{OVER + name: SENT for name in TRANSPORTS if "ayatori" in name}}
SAID = {EXECUTED: {"AYATORI_VERBOSE": "1"}, SENT: {"FI_AYATORI_STATISTICS": "1"}}
"""If these variables are set."""
VERSION = Path(__file__).with_name("library_version.c")


def version_of(mpi: InstalledMpi, programs: Programs) -> str:
    """As a choice table names the MPI that it was measured with."""
    said = output_of([programs.of_source(VERSION)], environment=mpi.variables)
    return re.split("[,\n]", said)[0].replace("\t", " ")


def table_for(ranks: int, version: str) -> Path:
    """A choice table for so many ranks of this machine, as if it had been measured with this MPI."""
    table = KEPT / f"{'-'.join(re.findall('[A-Za-z0-9.]+', version))}-{ranks}.json"
    names = {one: BLOCKING[variable_of(one).removeprefix("AYATORI_")].partition(":")[0] for one in COLLECTIVES}
    sizes = {one: sizes_of({0 if one == "barrier" else 8: (name, 0)}) for one, name in names.items()}
    measured = Measured("for tests", version, "2026-11-27", 1)
    write_table(Table("", [(platform.node(), ranks)], "", Model(), sizes, measured), table)
    return table


def best(ends: Sequence[str]) -> str:
    return min(ends, key=("passed", "failed", "hung").index)


@dataclass(frozen=True)
class Way:
    """How a program is run: `mode` is one of MODES, TABLE or OVER and a transport, or "plain" without the plug-in."""

    mpi: InstalledMpi
    mode: str
    seconds: float
    version: str
    """Of the MPI, as its library says it."""
    transports: Mapping[str, Mapping[str, str]]
    """Variables by name; none if they are not tried."""

    def _own_variables(self, test: Test) -> dict[str, str]:
        if self.mode == TABLE:
            own: Mapping[str, str] = {"AYATORI_CHOICE": str(table_for(test.ranks, self.version))}
        elif self.mode.startswith(OVER):
            own = self.transports[self.mode.removeprefix(OVER)]
        else:
            own = MODES.get(self.mode, {})
        return {**own, **(SAID[MUST_BE_OURS[self.mode]] if self.mode in MUST_BE_OURS else {})}

    def end_of(self, program: Path, test: Test) -> tuple[str, bool]:
        """passed, failed or hung; and whether calls were ours. Raises Error if the plug-in refuses the table."""
        with_ours = self.mode in MODES or self.mode == TABLE
        libraries = [*([plugin_of(self.mpi.family)] if with_ours else []), *to_preload(self.mpi.family)]
        command = [*self.mpi.launcher, "-np", str(test.ranks), "env"]
        command += ["LD_PRELOAD=" + ":".join(map(str, libraries)), *test.variables, str(program), *test.words]
        with tempfile.TemporaryDirectory(prefix="ayatori-mpich-") as name:
            output, errors = Path(name) / "output", Path(name) / "errors"
            try:
                status = run_program(
                    command,
                    folder=Path(name),
                    environment={**os.environ, **OPEN_MPI_VARIABLES, **self.mpi.variables, **self._own_variables(test)},
                    output=output,
                    errors=errors,
                    timeout=self.seconds,
                )
            except ProgramError:
                return "hung", False
            said, reported = (file.read_text(encoding="utf-8", errors="replace") for file in (output, errors))
        if REFUSED in reported:
            raise Error(next(line for line in reported.splitlines() if REFUSED in line))
        passed = status == 0 and ("No Errors" in said or not test.says_so)
        ours = self.mode in MUST_BE_OURS and MUST_BE_OURS[self.mode].search(reported) is not None
        return "passed" if passed else "failed", ours


@dataclass(frozen=True)
class Compared:
    """The ends of one program without the plug-in and with it: several if it had to be repeated."""

    test: Test
    mode: str
    without: Sequence[str]
    after: Sequence[str]
    were_ours: bool
    """Calls in a run with the plug-in."""

    @property
    def is_equal(self) -> bool:
        return best(self.without) == best(self.after)

    def __str__(self) -> str:
        return f"{self.test}, {self.mode}: {', '.join(self.without)} without, {', '.join(self.after)} with it"


def compare(way: Way, program: Path, test: Test, modes: Sequence[str]) -> Iterator[Compared]:
    plain = replace(way, mode=f"{OVER}tcp" if way.transports else "plain")
    without = [plain.end_of(program, test)[0]]
    for mode in modes:
        own = replace(way, mode=mode)
        ends = [own.end_of(program, test)]
        while len(ends) < REPEATS and best(without) != best([end for end, _ in ends]):
            ends.append(own.end_of(program, test))
            if len(without) < REPEATS:
                without.append(plain.end_of(program, test)[0])
        yield Compared(test, mode, list(without), [end for end, _ in ends], any(ours for _, ours in ends))


def modes_of(folder: str, options: argparse.Namespace) -> list[str]:
    """Those that are named, in all folders; otherwise all, where programs call collectives."""
    if options.transport:
        return [OVER + name for name in options.transport]
    if options.modes:
        return list(options.modes)
    return [*MODES, TABLE] if folder.split("/")[0] in ALL_MODES else ["default"]


def run_folder(mpi: InstalledMpi, source: Path, folder: str, options: argparse.Namespace) -> list[Compared]:
    programs = Programs(mpi, source, KEPT / mpi.name)
    transports = transports_of(mpi) if options.transport else {}
    if not {*options.transport} <= {*transports}:
        raise Error(f"{mpi.name} has these transports: {', '.join(transports)}")
    way = Way(mpi, "", options.seconds, version_of(mpi, programs), transports)
    tests = [one for one in tests_of(source, folder, options.ranks) if options.only in one.name]
    tests = [one for one in tests if one.ranks >= options.fewest_ranks]
    missing: set[str] = set()

    def compared(test: Test) -> list[Compared]:
        program = programs.built(test)
        if program is None:
            missing.add(test.name)
            return []
        found = list(compare(way, program, test, modes_of(folder, options)))
        for each in found:
            if not each.is_equal or len(each.after) > 1:
                print(f"{mpi.name}: {'equal' if each.is_equal else 'DIFFERENT'}: {each}", flush=True)
        return found

    with ThreadPoolExecutor(options.jobs) as pool:
        done = [each for some in pool.map(compared, tests) for each in some]
    if missing:
        print(
            f"{mpi.name}, {folder}: {len(missing)} programs cannot be compiled: {' '.join(sorted(missing))}", flush=True
        )
    return done


def report(name: str, folder: str, done: Sequence[Compared]) -> int:
    """One line per mode; returns how many differ, and in how many modes no call was ours that should be."""
    wrong = 0
    for mode in dict.fromkeys(one.mode for one in done):
        of_mode = [one for one in done if one.mode == mode]
        ends = Counter(one.after[-1] for one in of_mode)
        words = ", ".join(f"{count} {end}" for end, count in sorted(ends.items()))
        equal = sum(one.is_equal for one in of_mode)
        hangs = sum("hung" in one.after and "hung" not in one.without for one in of_mode)
        found = f"{equal} equal, {len(of_mode) - equal} different, {hangs} hang with the plug-in alone"
        ours = sum(one.were_ours for one in of_mode)
        found += f", ours in {ours}" if mode in MUST_BE_OURS else ""
        print(f"{name}, {folder}, {mode}: {len(of_mode)} runs ({words}), {found}", flush=True)
        wrong += len(of_mode) - equal + (mode in MUST_BE_OURS and ours == 0)
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, metavar="FOLDER", help="test/mpi of MPICH's sources")
    parser.add_argument("--mpi", nargs="+", default=LIBRARIES, metavar="MPI", help="openmpi, mpich, or a folder")
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="of FOLDER, with their subfolders")
    parser.add_argument("--modes", nargs="+", choices=(*MODES, TABLE), help="in all folders, instead of the usual ones")
    parser.add_argument(
        "--transport", nargs="*", default=[], choices=TRANSPORTS, help="the MPI over these instead, compared with tcp"
    )
    parser.add_argument("--ranks", type=int, default=8, help="leave out tests with more")
    parser.add_argument("--fewest-ranks", type=int, default=1, help="leave out tests with fewer")
    parser.add_argument("--only", default="", metavar="WORD", help="programs with this word in their names")
    parser.add_argument("--seconds", type=float, default=60, help="a run that takes longer has hung")
    parser.add_argument("--jobs", type=int, default=1, help="programs that run at the same time")
    options = parser.parse_args()
    different = 0
    try:
        for mpi in filter(InstalledMpi.is_there, map(InstalledMpi, options.mpi)):
            for folder in options.folders:
                different += report(mpi.name, folder, run_folder(mpi, options.source.resolve(), folder, options))
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0 if different == 0 else 3


if __name__ == "__main__":
    sys.exit(main())
