"""Intel's MPI Benchmarks, binaries that nobody here has built, with the plug-in and without, alternately.

    python -m bench.validation.imb                              # over Intel's MPI and over MPICH, 2 processes
    python -m bench.validation.imb --mpi mpich --ranks 4 --only Allreduce Bcast --repeats 5

`ayatori run` starts them as any other program, with the choice table that AYATORI_CHOICE names. Of each size the
median over the repeats is compared, of the time that the slowest process takes for a call on the average (`t_max`).
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.harness.programs import alternating, output_of
from bench.validation import intel_mpi

COLLECTIVES = [
    "Allreduce",
    "Reduce",
    "Reduce_scatter",
    "Allgather",
    "Alltoall",
    "Bcast",
    "Gather",
    "Scatter",
    "Barrier",
]
MPIS = ("intelmpi", "mpich")
SLOWER, FASTER = 1.05, 0.95
AYATORI = Path(sys.executable).with_name("ayatori")

Times = dict[tuple[str, int], float]
"""Microseconds of a call, by the benchmark and its bytes."""


@dataclass(frozen=True)
class Setting:
    mpi: str
    ranks: int
    benchmarks: Sequence[str]
    calls: int

    def command(self) -> list[str | Path]:
        launcher = intel_mpi.LAUNCHER if self.mpi == "intelmpi" else "mpiexec.mpich"
        options = ["-npmin", str(self.ranks), "-iter", str(self.calls)]
        return [launcher, "-n", str(self.ranks), intel_mpi.BENCHMARKS, *options, *self.benchmarks]


def rows_of(output: str) -> Iterator[tuple[str, int, float]]:
    """Benchmark, bytes and `t_max` in microseconds of each line of the tables that IMB-MPI1 prints for collectives. A
    table without a column for bytes, as the barrier's, has 0."""
    benchmark = ""
    columns: list[str] = []
    for line in output.splitlines():
        words = line.split()
        if line.startswith("# Benchmarking"):
            benchmark, columns = words[2], []
        elif "t_max[usec]" in words:
            columns = words
        elif columns and not line.startswith("#") and len(words) == len(columns):
            row = dict(zip(columns, words, strict=True))
            yield benchmark, int(row.get("#bytes", 0)), float(row["t_max[usec]"])


def times_of(setting: Setting, with_plugin: bool) -> Times:
    """Raises Error if the program fails, or says nothing of a benchmark."""
    with tempfile.TemporaryDirectory(prefix="ayatori-imb-") as folder:
        intel = setting.mpi == "intelmpi"
        variables = (
            intel_mpi.variables() if intel else intel_mpi.mpich_by_its_name_elsewhere(Path(folder) / "libraries")
        )
        command = setting.command()
        if with_plugin:
            command = [AYATORI, "run", "--", *command]
        rows = rows_of(output_of(command, environment=variables, timeout=600))
        # A call of no bytes is over before it has begun, but for the barrier.
        return {(name, count): time for name, count, time in rows if count > 0 or name == "Barrier"}


def compare(setting: Setting, repeats: int) -> tuple[int, int, int]:
    """Prints a line for each benchmark; how many of its sizes are slower and faster by more than 5%, and all."""
    results = alternating(
        {"plain": lambda _: times_of(setting, False), "plug-in": lambda _: times_of(setting, True)}, repeats
    )
    ratios: dict[str, dict[int, float]] = defaultdict(dict)
    for name, count in results["plain"][0]:
        plain, ours = (median(times[name, count] for times in results[stack]) for stack in ("plain", "plug-in"))
        ratios[name][count] = ours / plain
    for name, by_size in ratios.items():
        worst = max(by_size, key=lambda size: by_size[size])
        print(
            f"{setting.mpi}, {setting.ranks} processes, {name}: {median(by_size.values()):.2f} of the time in the "
            f"median of {len(by_size)} sizes; at most {by_size[worst]:.2f} (at {worst} bytes)",
            flush=True,
        )
    cells = [ratio for by_size in ratios.values() for ratio in by_size.values()]
    return sum(one > SLOWER for one in cells), sum(one < FASTER for one in cells), len(cells)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", choices=MPIS, default=[*MPIS])
    parser.add_argument("--ranks", nargs="+", type=int, default=[2])
    parser.add_argument("--only", nargs="+", choices=COLLECTIVES, default=COLLECTIVES)
    parser.add_argument("--calls", type=int, default=1000, help="of each size, as IMB's -iter")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    intel_mpi.install()
    for mpi in options.mpi:
        if mpi == "mpich" and shutil.which("mpiexec.mpich") is None:
            print("mpich: not installed")
            continue
        for ranks in options.ranks:
            slower, faster, cells = compare(Setting(mpi, ranks, options.only, options.calls), options.repeats)
            print(f"{mpi}, {ranks} processes: {faster} of {cells} sizes faster by > 5%, {slower} slower by > 5%")
    return 0


if __name__ == "__main__":
    sys.exit(main())
