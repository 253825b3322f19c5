"""ayatori tune: where are algorithms of ours faster than the MPI's own, on these hosts?"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from ayatori.base.errors import UnknownWord
from ayatori.base.files import check_can_be_written
from ayatori.base.units import format_bytes, format_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.options import words_of
from ayatori.cli.output import counted, note, print_json, print_table, say, say_unbroken, saying_what_is_done
from ayatori.measurement.collectives import COLLECTIVES, FAMILIES
from ayatori.tuning.measuring import Tuned, launcher_family
from ayatori.tuning.measuring import tune as measure

SIZES = "8B,64B,512B,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB"


class TuneData(TypedDict):
    machine: str
    """Host that ran the command, its processor, and its number of cores."""
    mpi: str
    """Name and version of the MPI."""
    table: str
    """File that the choice table is in."""
    cells: list[Annotated[dict[str, object], Tuned]]
    """One entry per collective and size that was measured in time."""


def tune(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="Launcher of the job, without a program.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="Write the choice table to FILE.")] = Path("choice.json"),
    collective: options.MPI_COLLECTIVES = "",
    bytes: options.MPI_SIZES = SIZES,
    seconds: Annotated[str, typer.Option(metavar="TIME", help="Measuring time of all collectives.")] = "180s",
    seed: options.SEED = 1,
    mpi: Annotated[
        str, typer.Option(metavar="M", help=f"MPI of the job, if the launcher starts any: {', '.join(FAMILIES)}.")
    ] = "",
    json: options.JSON = False,
) -> None:
    """Measure where our collectives are faster than the MPI's.

    COMMAND is what starts the job: mpirun, mpiexec or srun with its options. The choice table is for jobs on the same
    hosts with the same numbers of ranks, under the same MPI. Where no algorithm of ours is significantly faster, the
    table has the MPI's own.
    """
    time = options.seconds_to_measure(seconds, "180s")
    options.check_seed(seed)
    if mpi and mpi not in FAMILIES:
        raise UnknownWord("MPI", mpi, FAMILIES)
    collectives = words_of(collective)
    if wrong := next((word for word in collectives if word not in COLLECTIVES), None):
        raise UsageError(f"'{wrong}' is not measured", hint=f"there are {', '.join(COLLECTIVES)}")
    sizes = options.sizes_of(bytes)
    if wrong_size := next((size for size in sizes if size % 4), 0):
        raise UsageError(f"--bytes {wrong_size} is out of range", hint="multiples of 4")
    check_can_be_written(out)
    from ayatori.formats.choice_table import write_table

    family = launcher_family(command, mpi)
    with saying_what_is_done() as doing:
        table, tuned = measure(command, family, collectives, sizes, time, seed, doing)
    write_table(table, out)
    note(f"wrote {out}")
    assert table.measured is not None
    if json:
        cells = [vars(one) for one in tuned]
        data: TuneData = {
            "machine": table.measured.machine,
            "mpi": table.measured.mpi,
            "table": str(out),
            "cells": cells,
        }
        print_json("tune", data)
        return
    describe(tuned)
    say_unbroken(f"to use it: {line_that_uses(out, command)}")


def line_that_uses(table: Path, command: list[str]) -> str:
    return f"AYATORI_CHOICE={shlex.quote(str(table.resolve()))} ayatori run {shlex.join(command)} PROGRAM"


def describe(tuned: list[Tuned]) -> None:
    rows = [
        [
            one.collective if one.collective == "barrier" else f"{one.collective}, {format_bytes(one.bytes)}",
            one.algorithm + (f" in {format_bytes(one.chunk)}" if one.chunk else ""),
            format_seconds(one.seconds),
            format_seconds(one.mpi_seconds),
            f"{one.ratio:.2f}",
        ]
        for one in tuned
        if one.is_faster
    ]
    if rows:
        print_table("faster than the MPI's own", ["collective", "algorithm", "time", "the MPI's", "ratio"], rows)
    say(f"the MPI's own stays for {len(tuned) - len(rows)} of {counted(len(tuned), 'size')}")
