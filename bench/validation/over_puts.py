"""Our schedules played over libacp's puts, beside the collectives of the MPI that starts the processes, in turns.

    ./run bench                                  # builds the programs
    python -m bench.validation.over_puts         # two processes on this machine, with both MPIs

Each program checks its results before it is timed. Of each cell the median over all blocks of all turns is printed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median

from ayatori.base.units import format_bytes
from ayatori.processes import open_mpi_as_root
from bench.harness.programs import BUILT, in_turns, output_of

ALGORITHMS = {"barrier": "spread", "broadcast": "linear", "allreduce": "spread", "alltoall": "spread"}
"""Of two ranks: all others send the same messages, or more of them."""
BYTES = (8, 1024, 65536, 1 << 20)
BLOCKS = 5

Cell = tuple[str, int]
Times = dict[Cell, list[float]]
"""Microseconds of a call, by collective and bytes, one for each block."""


def times_of(program: Path, family: str, ranks: int, over_puts: bool) -> Times:
    """Raises Error if the program fails, as it does where a result is wrong."""
    found: Times = {}
    sizes = ",".join(map(str, BYTES))
    launch = [f"mpirun.{family}", *(["--oversubscribe"] if family == "openmpi" else []), "-np", str(ranks)]
    for collective, algorithm in ALGORITHMS.items():
        words = [collective, "0" if collective == "barrier" else sizes, str(BLOCKS), *([algorithm] * over_puts)]
        said = output_of([*launch, program, *words], environment=open_mpi_as_root(), timeout=300)
        for line in map(json.loads, filter(lambda text: text.startswith("{"), said.splitlines())):
            if "collective" in line:
                found[line["collective"], line["bytes"]] = line["us"]
    return found


def compare(family: str, ranks: int, repeats: int, programs: Path) -> None:
    """Prints a line for each cell."""
    stacks = {"mpi": False, "puts": True}
    results = in_turns(
        {
            name: lambda _, name=name, puts=puts: times_of(  # type: ignore[misc]
                programs / f"collectives_{name}_{family}", family, ranks, puts
            )
            for name, puts in stacks.items()
        },
        repeats,
    )
    together: dict[str, Times] = {name: defaultdict(list) for name in stacks}
    for name, turns in results.items():
        for turn in turns:
            for cell, times in turn.items():
                together[name][cell] += times
    for cell, own in together["mpi"].items():
        ours = together["puts"][cell]
        size = format_bytes(cell[1]) if cell[1] else ""
        print(
            f"{family}, {ranks} processes, {cell[0]:9} {size:6} {median(own):9.2f} us, over puts {median(ours):9.2f} us"
            f" ({min(ours):.2f} to {max(ours):.2f}): {median(ours) / median(own):.2f} times as long",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", nargs="+", choices=("openmpi", "mpich"), default=["openmpi", "mpich"])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--programs", type=Path, default=BUILT / "tasks", help="where they were built")
    options = parser.parse_args()
    for family in options.mpi:
        if shutil.which(f"mpirun.{family}") is None:
            print(f"{family}: not installed")
            continue
        compare(family, options.ranks, options.repeats, options.programs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
