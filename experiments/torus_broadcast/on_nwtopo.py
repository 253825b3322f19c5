"""Figure 6's question: what a broadcast costs that is written on a general API (examples/trinaryx3_broadcast.c), next
to the same written on internals, and to the MPI's own. In Open MPI, under SMPI, and what the first call takes."""

from __future__ import annotations

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.base.units import format_bytes
from ayatori.measurement.collectives import (
    Cell,
    Setting,
    Stack,
    installed_families,
    measure_collectives,
    plugin_of,
)
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.predictor import Predictor
from bench.validation.selectors import torus_platform
from bench.validation.smpi import execute_calls
from experiments.page import Table

LIBRARY = Path(__file__).parents[2] / "build/release/examples/trinaryx3_broadcast.so"
GENERAL, INTERNAL, MPI = f"library:{LIBRARY}", "trinaryx3", "mpi"
NAMES = {GENERAL: "Trinaryx3 on nwtopo.h", INTERNAL: "Trinaryx3 on internals", MPI: "the MPI's own"}
FAMILY = "openmpi"
_WAITING = {"OMPI_MCA_mpi_yield_when_idle": "1", "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
"""More ranks than cores: who waits gives its core to others."""


@dataclass(frozen=True)
class OnNwtopo:
    """What is measured. Each rank counts as a node of the torus, though all are on one machine."""

    shape: str = "2x3x2"
    sizes: tuple[int, ...] = (1 << 10, 1 << 14, 1 << 18, 1 << 20, 1 << 22)
    repeats: int = 3
    simulated: dict[str, tuple[int, ...]] = field(
        default_factory=lambda: {"2x3x2": (1 << 10, 1 << 16, 1 << 20, 1 << 25), "4x6x16": (1 << 10, 1 << 16)}
    )
    """Sizes under SMPI by shape. Every one of its ranks makes all steps of all, in one process."""
    made: dict[str, tuple[int, ...]] = field(
        default_factory=lambda: {"2x3x2": (1 << 10, 1 << 25), "4x6x16": (1 << 10, 1 << 25)}
    )
    """Sizes whose first calls are timed, by shape."""


def why_not() -> str:
    """Why it can't be measured in a real MPI here; empty if it can."""
    if FAMILY not in installed_families() or shutil.which(f"mpirun.{FAMILY}") is None:
        return "Open MPI is not installed"
    return "" if LIBRARY.exists() else f"{LIBRARY.name} was not built"


def measure(wanted: OnNwtopo) -> list[dict[str, Any]]:
    """In Open MPI: microseconds of a call, by algorithm and size. Algorithms alternate."""
    variables = {"NWTOPO_SOURCE": f"torus:{wanted.shape}", "AYATORI_RANKS_PER_MACHINE": "1"} | _WAITING
    ours = [
        Stack(NAMES[name], variables | {"AYATORI_BCAST": name}, (plugin_of(FAMILY),)) for name in (GENERAL, INTERNAL)
    ]
    setting = Setting(FAMILY, math.prod(lengths(wanted.shape)))
    cells = [Cell("broadcast", size) for size in wanted.sizes]
    found = measure_collectives(setting, [*ours, Stack(NAMES[MPI], _WAITING)], cells, wanted.repeats)
    return [{"name": one.stack, "bytes": cell.bytes, "us": one.microseconds} for cell in cells for one in found[cell]]


def simulate(shape: str, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Under SMPI, on SimGrid's torus with the paper's links: seconds by algorithm and size."""
    found = []
    grid = f"grid={shape} ppn=1"
    for name in NAMES:
        calls = [f"broadcast {name} {size}" + ("" if name == MPI else f" {grid}") for size in sizes]
        platform, ranks = torus_platform(lengths(shape)), math.prod(lengths(shape))
        variables = {"NWTOPO_SOURCE": f"torus:{shape}"}
        seconds = execute_calls(platform, ranks, calls, "node-{}", selector="ompi", variables=variables)
        found += [{"name": NAMES[name], "bytes": size, "s": one} for size, one in zip(sizes, seconds, strict=True)]
    return found


def time_first_calls(shape: str, sizes: Sequence[int]) -> list[dict[str, Any]]:
    """Milliseconds in which all steps of a call are there, in a process of its own; and whether they are the same."""
    words = [sys.executable, "-m", "experiments.torus_broadcast.on_nwtopo", shape, *map(str, sizes)]
    environment = os.environ | {"NWTOPO_SOURCE": f"torus:{shape}"}
    done = subprocess.run(
        words, cwd=Path(__file__).parents[2], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise Error("the schedules were not made", cause=done.stderr.strip()[-300:], internal=True)
    made: list[dict[str, Any]] = json.loads(done.stdout)
    return made


def lengths(shape: str) -> list[int]:
    return [int(length) for length in shape.split("x")]


def _first_calls(shape: str, sizes: Sequence[int]) -> list[dict[str, Any]]:
    network = open_source(f"torus:{shape}")
    placement = Predictor(network).placement(contiguous_jobs(network, [len(network.machines)], 1)[0])
    options = _core.AlgorithmOptions()
    library = _core.load_algorithm(GENERAL)
    library.make("broadcast", 0, 1, placement, options)  # loads the topology
    found = []
    for size in sizes:
        begun = perf_counter()
        theirs, why = library.make("broadcast", 0, size, placement, options)
        made = perf_counter()
        ours = _core.make_schedule(INTERNAL, "broadcast", 0, size, placement, options)
        ended = perf_counter()
        if theirs is None:
            raise Error(f"the library makes no schedule: {why}")
        same = theirs.sends_the_same_as(ours)
        times = {"general_ms": (made - begun) * 1e3, "internal_ms": (ended - made) * 1e3}
        found.append({"shape": shape, "bytes": size, "same_messages": same} | times)
    return found


def tables_of(
    measured: list[dict[str, Any]], simulated: dict[str, list[dict[str, Any]]], made: list[dict[str, Any]]
) -> list[Table]:
    tables = []
    if measured:
        rows = [
            [one["name"], format_bytes(one["bytes"]), f"{sorted(one['us'])[len(one['us']) // 2]:.0f}"]
            + [f"{min(one['us']):.0f} to {max(one['us']):.0f}"]
            for one in measured
        ]
        note = "Measured: Open MPI's ranks on this machine's cores, each counted as a node. Only comparisons count."
        tables.append(Table("Figure 6's question in Open MPI", ["", "bytes", "us, median", "us, all"], rows, note))
    for shape, found in simulated.items():
        rows = [[one["name"], format_bytes(one["bytes"]), f"{one['bytes'] / one['s'] / 1e9:.3f}"] for one in found]
        note = "Simulated by SMPI, with the links of table 1. Open MPI's choice is SMPI's copy of it."
        tables.append(Table(f"Figure 6's question on {shape} nodes", ["", "bytes", "GB/s"], rows, note))
    rows = [
        [one["shape"], format_bytes(one["bytes"]), f"{one['general_ms']:.2f}", f"{one['internal_ms']:.3f}"]
        + ["yes" if one["same_messages"] else "no"]
        for one in made
    ]
    heads = ["nodes", "bytes", "on nwtopo.h, ms", "on internals, ms", "same messages"]
    note = "The first call of a size and root makes the steps; later calls use them again. A user's library writes all "
    note += "steps of all ranks, which are then verified; internals compute those of one rank when it comes to them."
    return [*tables, Table("Until the steps of a call are there", heads, rows, note)]


if __name__ == "__main__":
    print(json.dumps(_first_calls(sys.argv[1], [int(size) for size in sys.argv[2:]])))
