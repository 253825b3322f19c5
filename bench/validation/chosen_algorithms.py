"""Is what the plug-in comes to execute the fastest of all that could be executed?

    python -m bench.validation.chosen_algorithms [MPI] [RANKS] [SECONDS] [--repeats N] [--collective C,…] [--bytes B,…]

By default openmpi and 2 ranks, on this machine, which is calibrated and tuned for SECONDS (10) each first. Measured are
the MPI alone, the plug-in by the table of `ayatori tune`, and each of our algorithms that can be executed, forced. They
alternate, as in `ayatori bench collectives`. In a cell (a collective of one size) the best is the fastest of the MPI's
own and of all algorithms. A row names it, and how much slower than it are

    plug-in     what the plug-in executes by that table
    model       what the model alone says is the fastest of ours

    bar         at most 5% slower in 90% of the cells
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from ayatori.base.errors import Error
from ayatori.base.units import format_bytes, parse_bytes
from ayatori.calibration.calibrating import calibrate
from ayatori.calibration.measuring import find_mpi
from ayatori.formats.calibration import costs_of
from ayatori.formats.choice_table import write_table
from ayatori.measurement.collectives import (
    Cell,
    Measured,
    Setting,
    Stack,
    cells_of,
    launcher,
    measure_collectives,
    multiple,
    plugin_of,
)
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.assumed import assumed_costs
from ayatori.prediction.calls import algorithms_of
from ayatori.prediction.choice import LeftOut, Piece, variants_of
from ayatori.prediction.predictor import PATH_AWARE, Model, Predictor
from ayatori.tuning.measuring import tune

VARIABLES = {
    "broadcast": "AYATORI_BCAST",
    "reduce": "AYATORI_REDUCE",
    "allreduce": "AYATORI_ALLREDUCE",
    "reduce_scatter": "AYATORI_REDUCE_SCATTER_BLOCK",
    "allgather": "AYATORI_ALLGATHER",
    "gather": "AYATORI_GATHER",
    "scatter": "AYATORI_SCATTER",
    "alltoall": "AYATORI_ALLTOALL",
}
SIZES = "8B,4KiB,256KiB"
SLOWER_BAR = 0.05
CELLS_BAR = 0.9
OWN, PLUGIN = "mpi", "plug-in"


@dataclass(frozen=True)
class Row:
    cell: Cell
    best: str
    plugin: float
    """Its time as a multiple of the best's."""
    model: float
    predicted_best: str


def predictions(predictor: Predictor, ranks: int, collective: str, sizes: list[int]) -> dict[tuple[str, int], float]:
    """Seconds by algorithm and size, of those that can be executed."""
    [job] = contiguous_jobs(predictor.network, [1], ranks)
    placements = [predictor.placement(job)]
    ours = [one for one in algorithms_of(collective) if not one.of_an_mpi and one.name != PATH_AWARE]
    found = [variants_of(predictor, Piece(collective, size, one), placements) for size in sizes for one in ours]
    calls = [variants[0] for variants in found if not isinstance(variants, LeftOut)]
    seconds = predictor.predict_each((job, call) for call in calls)
    return {(call.algorithm, call.bytes): prediction.seconds for call, prediction in zip(calls, seconds, strict=True)}


def compare(measured: list[Measured], predicted: dict[str, float], cell: Cell) -> Row:
    by_name = {one.stack: one for one in measured}
    [own, chosen] = (by_name.pop(name) for name in (OWN, PLUGIN))
    multiples = {name: multiple(one, own) for name, one in by_name.items()} | {OWN: 1.0}
    best = min(multiples, key=lambda name: multiples[name])
    first = min((name for name in by_name if name in predicted), key=lambda name: predicted[name])
    return Row(cell, best, multiple(chosen, own) / multiples[best], multiples[first] / multiples[best], first)


def measure(
    setting: Setting, predictor: Predictor, collective: str, sizes: list[int], repeats: int, file: Path
) -> list[Row]:
    predicted = predictions(predictor, setting.ranks, collective, sizes)
    names = list(dict.fromkeys(name for name, _ in predicted))
    plugin = plugin_of(setting.family)
    stacks = [Stack(OWN), Stack(PLUGIN, {"AYATORI_CHOICE": str(file)}, (plugin,))]
    stacks += [Stack(name, {VARIABLES[collective]: name}, (plugin,)) for name in names]
    found = measure_collectives(setting, stacks, cells_of([collective], sizes), repeats)
    rows = []
    for cell, measured in found.items():
        row = compare(
            measured, {name: predicted[name, cell.bytes] for name in names if (name, cell.bytes) in predicted}, cell
        )
        print(
            f"{collective:<16}{format_bytes(cell.bytes):>10}  best {row.best:<20} plug-in {row.plugin - 1:+7.1%}   "
            f"model {row.model - 1:+7.1%} ({row.predicted_best})",
            flush=True,
        )
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpi", nargs="?", default="openmpi")
    parser.add_argument("ranks", nargs="?", type=int, default=2)
    parser.add_argument("seconds", nargs="?", type=float, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--collective", default=",".join(VARIABLES))
    parser.add_argument("--bytes", default=SIZES)
    asked = parser.parse_args()
    setting = Setting(asked.mpi, asked.ranks)
    calibration = calibrate(find_mpi(f"mpirun.{asked.mpi}"), asked.seconds)
    network = open_source("fattree:K=2,levels=1")
    predictor = Predictor(network, model=Model(costs=costs_of(calibration, assumed_costs(network), 0)))
    rows: list[Row] = []
    with TemporaryDirectory(prefix="ayatori-") as folder:
        file = Path(folder) / "choice.json"
        collectives, sizes = asked.collective.split(","), [parse_bytes(word) for word in asked.bytes.split(",")]
        words = launcher(setting)
        table, _ = tune(words, asked.mpi, collectives, sizes, asked.seconds, seed=1, note=lambda _text: None)
        write_table(table, file)
        for collective in collectives:
            rows += measure(setting, predictor, collective, sizes, asked.repeats, file)
    for name, multiples in (("plug-in", [row.plugin for row in rows]), ("model", [row.model for row in rows])):
        good = sum(one <= 1 + SLOWER_BAR for one in multiples)
        print(
            f"{name}: at most {SLOWER_BAR:.0%} slower than the best in {good / len(rows):.0%} of {len(rows)} cells "
            f"(bar {CELLS_BAR:.0%}), {max(multiples) - 1:+.1%} at worst"
        )


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(f"error: {error.message}\n{error.cause}")
