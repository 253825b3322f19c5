"""Ping-pongs on each network, HPL on two of them, and MPI over sockets beside MPI over verbs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any

from ayatori.base.units import parse_bytes
from ayatori.cli.output import note, progress
from ayatori.lab.cluster import Settings as Lab
from ayatori.lab.cluster import why_impossible
from ayatori.linpack.settings import PRESETS
from ayatori.resumable import SavedResults, compute_each
from experiments.mixed_cluster.cell_cluster import GRIDS, cell_table, model_cells
from experiments.mixed_cluster.lab_measurement import CLUSTER, PLANES, measure_hpl, measure_ping_pongs
from experiments.mixed_cluster.presentation import Measured, figures_of, tables_of
from experiments.mixed_cluster.verbs_measurement import TRANSPORTS, measure_transport, why_not
from experiments.page import open_results, present

PAPER = PRESETS["paper3"]
CELLS = "HPL of the cluster to be built"


@dataclass(frozen=True)
class Settings:
    slower: float = 10.0
    """All rates are divided by it; with less the processors carry packets instead of computing. So the networks count
    for more here than in the paper: its four blades had 10 GFlop/s on ten times the bandwidth."""
    seconds: float = 2.0
    """To measure ping-pongs for, each two hosts; large messages take longer."""
    largest: str = "1MiB"
    order: int = PAPER.order
    blocks: tuple[int, ...] = PAPER.blocks
    grids: tuple[tuple[int, int], ...] = PAPER.grids
    repeats: int = 3
    """Of HPL, on the two networks in turns."""
    verbs: bool = True
    """In virtual machines."""


QUICK = Settings(seconds=0.2, largest="64KiB", order=1000, blocks=(32, 128), grids=((1, 8), (1, 1)), repeats=1)


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Measures, prints and draws it all; returns the page. The lab needs root."""
    results = open_results(folder, asdict(settings) | {"cluster": CLUSTER.read_text()}, resume)
    cells = compute_each(results, CELLS, GRIDS, model_cells)
    measured = _measure(settings, results)
    about = (
        f"Four hosts of examples/cluster/evaluation.toml as network namespaces of one machine, every rate divided by "
        f"{settings.slower:g}. The paper's text tells none of its figures' values, only what follows from them."
    )
    tables, figures = [*tables_of(measured), cell_table(cells)], figures_of(measured)
    return present(results, "Paper 3: Ethernet and InfiniBand in one cluster", about, tables, figures)


def _measure(settings: Settings, results: SavedResults) -> Measured:
    measured = Measured(settings.slower, settings.order, settings.repeats)
    if reason := why_impossible(Lab(settings.slower)):
        note(f"no lab can be made: {reason}")
        return measured
    transports = TRANSPORTS if settings.verbs and not (reason := why_not()) else ()
    if settings.verbs and not transports:
        note(f"no virtual machine can be made: {reason}")
    points = list(product(settings.grids, settings.blocks))
    with progress("measurement", 1 + len(points) + len(transports)) as advance:

        def ping_pongs(slower: float) -> list[dict[str, Any]]:
            return measure_ping_pongs(slower, settings.seconds, settings.largest)

        def hpl_on(point: tuple[tuple[int, int], int]) -> list[dict[str, Any]]:
            grid, block = point
            return measure_hpl(settings.slower, settings.order, block, grid, settings.repeats, PLANES)

        def half_round_trips(transport: str) -> dict[str, Any]:
            return measure_transport(transport, parse_bytes(settings.largest))

        [measured.ping_pongs] = compute_each(results, "ping-pong", [settings.slower], ping_pongs, advance)
        hpl = compute_each(results, "HPL", points, hpl_on, advance)
        measured.hpl = [point for points in hpl for point in points]
        measured.transports = compute_each(results, "transports", transports, half_round_trips, advance)
    return measured
