"""Are collectives of any size slower with the plug-in, nothing forced? Without a table, and with one of `ayatori tune`.

    python -m bench.validation.slower_cells --mpi openmpi --ranks 2 --table measured.json

Each round runs a collective plain, plain again as a control, with the plug-in, and (with --table) with the plug-in and
that table, in an order that rotates. A cell is a collective of one size. A sign test over the rounds, at one error in a
hundred, flags a cell. Cells are left out as soon as the rounds that remain cannot flag them, so most need few rounds.
Flagged cells are measured again from the start, and are slower if they are flagged again.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from ayatori.base.spreads import is_smaller
from ayatori.base.units import format_bytes, parse_bytes
from ayatori.measurement.collectives import Cell, Setting, Stack, cells_of, measure_collectives, plugin_of
from ayatori.measurement.machine import watched
from bench.harness.sharing_cores import OPEN_MPI_YIELDS, to_preload

COLLECTIVES = "barrier,broadcast,reduce,allreduce,allgather,alltoall"
SIZES = "8B,512B,4KiB,64KiB,256KiB,1MiB,4MiB"
PLAIN, CONTROL, DEFAULT, TABLE = "plain", "control", "default", "table"

Times = Mapping[str, Sequence[float]]
"""Microseconds by stack, round by round."""


def may_be_slower(times: Sequence[float], plain: Sequence[float], rounds: int) -> bool:
    """Whether `rounds` rounds can still flag it, if it is slower in all that remain."""
    left = rounds - len(times)
    return is_smaller([*plain, *[0.0] * left], [*times, *[1.0] * left])


def measured(
    setting: Setting, stacks: Sequence[Stack], cells: Sequence[tuple[Cell, str]], rounds: int
) -> dict[tuple[Cell, str], Times]:
    """Of each cell and stack the times of both, plain and that stack, in as many rounds as they needed."""
    found: dict[tuple[Cell, str], dict[str, list[float]]] = {one: {PLAIN: [], one[1]: []} for one in cells}
    left = list(cells)
    for number in range(rounds):
        left = [(cell, name) for cell, name in left if may_be_slower(*_of(found[cell, name], name), rounds)]
        names = defaultdict(list)
        for cell, name in left:
            names[cell].append(name)
        for wanted in dict.fromkeys(tuple(own) for own in names.values()):
            here = [stack for stack in stacks if stack.name in (PLAIN, *wanted)]
            here = here[number % len(here) :] + here[: number % len(here)]
            alike = [cell for cell, own in names.items() if tuple(own) == wanted]
            for cell, results in measure_collectives(setting, here, alike, 1).items():
                by_stack = {one.stack: one.median for one in results}
                for name in wanted:
                    found[cell, name][PLAIN].append(by_stack[PLAIN])
                    found[cell, name][name].append(by_stack[name])
    return dict(found)


def _of(times: Mapping[str, list[float]], name: str) -> tuple[list[float], list[float]]:
    return times[name], times[PLAIN]


def flagged(found: Mapping[tuple[Cell, str], Times], rounds: int) -> list[tuple[Cell, str]]:
    return [
        (cell, name)
        for (cell, name), times in found.items()
        if len(times[name]) == rounds and is_smaller(times[PLAIN], times[name])
    ]


def say(found: Mapping[tuple[Cell, str], Times], flags: Sequence[tuple[Cell, str]]) -> None:
    for cell in dict.fromkeys(cell for cell, _ in found):
        words = []
        for (other, name), times in found.items():
            if other == cell:
                ratio = median(a / b for a, b in zip(times[name], times[PLAIN], strict=True))
                flag = " FLAGGED" if (cell, name) in flags else ""
                words.append(f"{name} x{ratio:.2f} of {len(times[name])} rounds{flag}")
                plain = median(times[PLAIN])
        print(f"  {cell.collective} {format_bytes(cell.bytes)}: plain {plain:.2f} us; {'; '.join(words)}", flush=True)


def stacks_of(options: argparse.Namespace) -> list[Stack]:
    sharing = to_preload(options.mpi) if options.yields else ()
    variables = OPEN_MPI_YIELDS if options.yields else {}
    plugin = (plugin_of(options.mpi), *sharing)
    stacks = [Stack(PLAIN, variables, sharing), Stack(CONTROL, variables, sharing), Stack(DEFAULT, variables, plugin)]
    if options.table:
        stacks.append(Stack(TABLE, {**variables, "AYATORI_CHOICE": str(options.table.resolve())}, plugin))
    return [stack for stack in stacks if stack.name == PLAIN or stack.name in options.stacks.split(",")]


def sizes_in(text: str) -> list[int]:
    return [parse_bytes(word) for word in text.split(",")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=("openmpi", "mpich"), default="openmpi")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--table", type=Path, metavar="FILE", help="of `ayatori tune` for as many ranks")
    parser.add_argument("--stacks", default=f"{CONTROL},{DEFAULT},{TABLE}")
    parser.add_argument("--collectives", default=COLLECTIVES)
    parser.add_argument("--bytes", type=sizes_in, default=SIZES)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--yields", action="store_true", help="ranks that wait yield their core")
    options = parser.parse_args()
    stacks = stacks_of(options)
    setting = Setting(options.mpi, options.ranks, blocks=3)
    cells = cells_of(options.collectives.split(","), options.bytes)
    pairs = [(cell, stack.name) for cell in cells for stack in stacks if stack.name != PLAIN]
    print(f"{options.mpi}, {options.ranks} ranks: {len(cells)} cells", flush=True)
    with watched() as condition:
        found = measured(setting, stacks, pairs, options.rounds)
        flags = flagged(found, options.rounds)
        say(found, flags)
        if flags:
            print("the flagged ones again", flush=True)
            found = measured(setting, stacks, flags, options.rounds)
            flags = flagged(found, options.rounds)
            say(found, flags)
    slower = {stack.name: sum(name == stack.name for _, name in flags) for stack in stacks[1:]}
    print(f"slower of {len(cells)} cells: {', '.join(f'{name} {count}' for name, count in slower.items())}")
    print(f"other processes had {condition.others:.0%} of the cores")
    return int(any(count for name, count in slower.items() if name != CONTROL))


if __name__ == "__main__":
    sys.exit(main())
