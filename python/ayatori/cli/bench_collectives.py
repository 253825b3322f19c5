"""ayatori bench collectives, ayatori bench alltoall: an MPI alone, with a table, and with the plug-in, alternately."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypedDict

import typer
from typing_extensions import NotRequired

from ayatori.base.errors import Error
from ayatori.base.files import read_text
from ayatori.base.units import format_bytes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.options import words_of
from ayatori.cli.output import note, print_json, print_table, progress, say
from ayatori.measurement.collectives import (
    COLLECTIVES,
    FAMILIES,
    Cell,
    Measured,
    Setting,
    Stack,
    Verdict,
    alltoall_bandwidth,
    cells_of,
    check,
    installed_families,
    measure_collectives,
    multiple,
    plugin_of,
    verdict,
)
from ayatori.mpi_tables import mpich, openmpi

SIZES = "8B,64B,512B,4KiB,32KiB,256KiB,1MiB,4MiB"

MPIS = Annotated[str, typer.Option(metavar="M[,M…]", help=f"MPIs: {', '.join(FAMILIES)}; else all that are installed.")]
LAUNCH = Annotated[
    str, typer.Option(metavar="WORDS", help="Launcher with its options: 'mpirun -np 64 --hostfile h'; one MPI, one N.")
]
TABLE = Annotated[Path | None, typer.Option(metavar="FILE", help="Table of `choose --to` to measure, too; one MPI.")]
REPEATS = Annotated[int, typer.Option(metavar="N", help="Rounds of alternating measurements.")]


class StackTimes(TypedDict):
    stack: str
    """`mpi` alone, with a `table`, with the `plug-in`."""
    median_us: float
    min_us: float
    max_us: float
    """Microseconds of a call on the slowest rank, over all measurements."""
    multiple: float
    """Relative to the MPI's time: median over the rounds."""
    bandwidth_MBps: NotRequired[float]
    """With `bench alltoall`: what a host sends to the others in the median time (paper 1, figure 8). On a single host:
    what its ranks send to each other."""


class CellData(TypedDict):
    collective: str
    bytes: int
    """Bytes for one other rank, or of the whole vector."""
    stacks: list[StackTimes]
    """One entry per stack."""


class SettingData(TypedDict):
    mpi: str
    ranks: int
    machines: int
    """An MPI, the number of its ranks, and of the hosts that they were on."""
    cells: list[CellData]
    """One entry per collective and size."""
    verdicts: list[Annotated[dict[str, Any], Verdict]]
    """One entry per other stack."""


class CollectivesData(TypedDict):
    """Every result was checked before it was timed."""

    repeats: int
    """How many rounds of alternating measurements."""
    settings: list[SettingData]
    """One entry per MPI and number of ranks."""


def collectives(
    collective: options.MPI_COLLECTIVES = "",
    bytes: options.MPI_SIZES = SIZES,
    ranks: options.RANKS = "2",
    mpi: MPIS = "",
    launch: LAUNCH = "",
    table: TABLE = None,
    repeats: REPEATS = 5,
    json: options.JSON = False,
) -> None:
    """Measure an MPI's collectives: alone, with a table, with the plug-in.

    Every result is checked first. Measurements of the stacks alternate. A time is the median of the slowest rank's
    time per call, over all roots. A ratio is the median over rounds, each relative to the MPI in the same round.
    """
    data = measured(collective, bytes, ranks, mpi, launch, table, repeats)
    if json:
        printed: CollectivesData = {"repeats": repeats, "settings": data}
        print_json("bench-collectives", printed)
        return
    for setting in data:
        describe(setting)


def alltoall(
    bytes: Annotated[
        str, typer.Option(metavar="SIZE[,SIZE…]", help="Bytes from each rank to each other rank.")
    ] = SIZES,
    ranks: options.RANKS = "2",
    mpi: MPIS = "",
    launch: LAUNCH = "",
    table: TABLE = None,
    repeats: REPEATS = 5,
    json: options.JSON = False,
) -> None:
    """Measure the bandwidth of MPI_Alltoall.

    The bandwidth is that of the bytes that a host sends to the others (paper 1, figure 8). On a single host, it is that
    of the bytes that ranks send to each other.
    """
    data = measured("alltoall", bytes, ranks, mpi, launch, table, repeats)
    for setting in data:
        for cell in setting["cells"]:
            for stack in cell["stacks"]:
                size = Cell("alltoall", cell["bytes"])
                seconds = stack["median_us"] * 1e-6
                rate = alltoall_bandwidth(size, setting["ranks"], setting["machines"], seconds)
                stack["bandwidth_MBps"] = rate / 1e6
    if json:
        printed: CollectivesData = {"repeats": repeats, "settings": data}
        print_json("bench-alltoall", printed)
        return
    for setting in data:
        describe_bandwidth(setting)


def measured(
    collective: str, sizes: str, ranks: str, mpi: str, launch: str, table: Path | None, repeats: int
) -> list[SettingData]:
    families = [word.removeprefix("mpirun.") for word in words_of(mpi)] or installed_families()
    if not families:
        raise Error("no MPI is here", hint="apt-get install openmpi-bin, or mpich")
    counts = [number_of(word) for word in words_of(ranks)]
    if launch and len(families) * len(counts) != 1:
        raise UsageError("--launch starts one MPI with one number of ranks", hint="--mpi openmpi --ranks 64")
    if table is not None and len(families) != 1:
        raise UsageError("--table is the table of one MPI", hint="--mpi openmpi --table FILE")
    cells = cells_of(words_of(collective) or COLLECTIVES, options.sizes_of(sizes))
    settings = [Setting(family, count, launch) for family in families for count in counts]
    for setting in settings:
        check(setting, cells, repeats)
    if table is not None:
        check_table(families[0], table)
    stacks = {family: stacks_of(family, table) for family in families}
    with progress("collectives", sum(repeats * len(stacks[setting.family]) for setting in settings)) as advance:
        return [
            as_data(setting, measure_collectives(setting, stacks[setting.family], cells, repeats, advance))
            for setting in settings
        ]


def number_of(word: str) -> int:
    if not word.isdecimal():
        raise UsageError(f"'{word}' is not a number of ranks", hint="for example 2,4,8")
    return int(word)


def stacks_of(family: str, table: Path | None) -> list[Stack]:
    stacks = [Stack("mpi")]
    if table is not None:
        stacks.append(Stack("table", variables_for(family, table)))
    plugin = plugin_of(family)
    if plugin.exists():
        stacks.append(Stack("plug-in", preloaded=(plugin,)))
    else:
        note(f"the plug-in for {FAMILIES.get(family, family)} was not built, and is left out")
    return stacks


def check_table(family: str, table: Path) -> None:
    """Raises Error for what `choose --to` has not written for this MPI, since an MPI may leave it unused without a
    word, or end without one."""
    text = read_text(table).lstrip()
    if family == "openmpi":
        is_table = re.match(r"(\d|#)", text) is not None
    else:
        is_table = text.startswith("{")
    if not is_table:
        hint = f"ayatori choose SOURCE --job HOSTFILE --collective C --to {family} --out FILE"
        raise Error(f"{table} is no table of {FAMILIES[family]}", hint=hint)


def variables_for(family: str, table: Path) -> dict[str, str]:
    if family == "openmpi":
        return {f"OMPI_MCA_{name}": value for name, value in openmpi.settings(table)}
    device = mpich.device_path(table)
    return dict(mpich.settings([table, device] if device.exists() else [table]))


def as_data(setting: Setting, found: dict[Cell, list[Measured]]) -> SettingData:
    results = list(found.values())
    others = [measured.stack for measured in results[0][1:]]
    return {
        "mpi": setting.family,
        "ranks": setting.ranks,
        "machines": results[0][0].machines,
        "cells": [
            {
                "collective": cell.collective,
                "bytes": cell.bytes,
                "stacks": [times_of(one, measured[0]) for one in measured],
            }
            for cell, measured in found.items()
        ],
        "verdicts": [asdict(verdict(results, stack)) for stack in others],
    }


def times_of(measured: Measured, alone: Measured) -> StackTimes:
    times = measured.microseconds
    return {
        "stack": measured.stack,
        "median_us": measured.median,
        "min_us": min(times),
        "max_us": max(times),
        "multiple": multiple(measured, alone),
    }


def heading(setting: SettingData) -> str:
    machines = "one machine" if setting["machines"] == 1 else f"{setting['machines']} machines"
    return f"{FAMILIES[setting['mpi']]}, {setting['ranks']} ranks on {machines}"


def describe(setting: SettingData) -> None:
    say(f"{heading(setting)}: microseconds for a call, and as a multiple of the MPI alone")
    names = [stack["stack"] for stack in setting["cells"][0]["stacks"]]
    columns = ["  collective", "bytes", "mpi", *(word for name in names[1:] for word in (name, "multiple"))]
    print_table("", columns, [row_of(cell) for cell in setting["cells"]])
    for one in setting["verdicts"]:
        say(
            f"  {one['stack']}: of {one['cells']} cells {one['slower']} are more than 5 % slower, {one['faster']} more "
            f"than 5 % faster; {one['middle']:.2f} times the MPI's time in the middle, {one['worst']:.2f} at worst"
        )


def row_of(cell: CellData) -> list[str]:
    alone = cell["stacks"][0]["median_us"]
    row = [f"  {cell['collective']}", format_bytes(cell["bytes"]), f"{alone:.2f}"]
    for stack in cell["stacks"][1:]:
        row += [f"{stack['median_us']:.2f}", f"{stack['multiple']:.2f}"]
    return row


def describe_bandwidth(setting: SettingData) -> None:
    what = "its ranks send to each other" if setting["machines"] == 1 else "a machine sends to the others"
    say(f"{heading(setting)}: MB/s that {what}")
    names = [stack["stack"] for stack in setting["cells"][0]["stacks"]]
    rows = [
        [f"  {format_bytes(cell['bytes'])}", *(f"{stack['bandwidth_MBps']:.1f}" for stack in cell["stacks"])]
        for cell in setting["cells"]
    ]
    print_table("", ["  bytes", *names], rows)
