"""Stencil, Overlap Test and Krylov solvers: predicted on ITO, and measured on two hosts of a lab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from ayatori.cli.output import note, progress
from ayatori.lab.cluster import Settings as Lab
from ayatori.lab.cluster import can_delay, has_netem, why_impossible
from ayatori.measurement.collectives import installed_families
from ayatori.overlap.sweep import measure, runs_of
from ayatori.resumable import SavedResults, compute_each
from experiments.communication_hiding import ito, lab_measurement
from experiments.communication_hiding.found import Found
from experiments.communication_hiding.presentation import figures_of, tables_of
from experiments.page import open_results, present


@dataclass(frozen=True)
class Settings:
    orders: tuple[int, ...] = (512, 1024, 2048)
    """Of the stencil's array."""
    nodes: tuple[int, ...] = (2, 4, 8, 16, 32, 64, 128)
    """Of ITO, on which the stencil is predicted."""
    ranks_on_a_node: tuple[int, ...] = (1, 4, 9, 18, 36)
    """Of the Krylov solvers there."""
    krylov_nodes: tuple[int, ...] = (16, 128)
    krylov_orders: tuple[int, ...] = (1536, 3072)
    overlap_nodes: int = 128
    measured: bool = True
    """In the lab as well."""
    measured_krylov_orders: tuple[int, ...] = (128, 256)
    """On two cores with fewer rows than the paper's: of its sizes reductions would be a thousandth."""
    measured_crossing_order: int = 1024
    """Of the rows with which latencies are tried."""
    repeats: int = 3
    """Runs of each cell in the lab."""
    whole: bool = True
    """Whether all is measured: 4 ranks, each mechanism, and CG and PIPECG with each latency."""
    measured_orders: tuple[int, ...] = (512, 1024, 2048)
    """Of the stencil's array, in the lab."""


OVERLAP_TEST = ((1, 16), (4, 16), (9, 16), (1, 4096))
"""Ranks on a node, and bytes: figures 9 to 12."""
_SAVED_EVERY_SECONDS = 5.0

QUICK = Settings(repeats=1, whole=False, measured_orders=(512, 2048), measured_krylov_orders=(128,))


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Predicts, measures, prints and draws it all; returns the page. The lab needs root."""
    parameters = asdict(settings) | {"network": ito.NETWORK, "rate": lab_measurement.RATE}
    results = open_results(folder, parameters, resume, _SAVED_EVERY_SECONDS)
    found = _predict(settings, results)
    if settings.measured:
        _measure(settings, results, found)
        results.results["measured cells"] = [cell for cells in found.measured.values() for cell in cells]
    about = (
        f"Predicted: {ito.NETWORK}, ITO's 2,000 nodes of 36 cores with EDR and full bisection bandwidth. Measured: two "
        f"hosts as network namespaces of one machine, over cables of {lab_measurement.RATE}. The paper's text tells "
        "none of its figures' values, only what follows from them."
    )
    title = "Paper 4: communication hidden behind computation"
    return present(results, title, about, tables_of(found), figures_of(found))


def _predict(settings: Settings, results: SavedResults) -> Found:
    found = Found(settings.orders, settings.nodes)
    stencils = ito.stencil_points(settings.orders, settings.nodes)
    overlaps = [ito.OverlapPoint(ranks, size, settings.overlap_nodes) for ranks, size in OVERLAP_TEST]
    krylovs = ito.krylov_points(settings.krylov_orders, settings.krylov_nodes, settings.ranks_on_a_node)
    with progress("prediction", len(stencils) + len(overlaps) + len(krylovs)) as advance:

        def predict(name: str, points: list[Any], one: Callable[[Any], Any]) -> list[Any]:
            return list(zip(points, compute_each(results, name, points, one, advance), strict=True))

        found.stencils = predict("predicted stencils", stencils, ito.stencil)
        found.overlaps = predict("predicted overlaps", overlaps, ito.overlap)
        found.krylovs = predict("predicted Krylov solvers", krylovs, ito.krylov)
    return found


def _measure(settings: Settings, results: SavedResults, found: Found) -> None:
    families = installed_families()
    if reason := why_impossible(Lab()) or ("" if families else "no MPI is installed"):
        note(f"nothing is measured: {reason}")
        return
    sweeps = lab_measurement.sweeps(
        families, settings.measured_orders, settings.measured_krylov_orders, settings.repeats, settings.whole
    )
    if "krylov" not in sweeps:
        note("PETSc is not installed (apt-get install libpetsc-real-dev): its methods are not measured")
    with progress("measurement", sum(map(runs_of, sweeps.values()))) as advance:
        for name, sweep in sweeps.items():
            sweep.check()
            cells = measure(results, lab_measurement.site(), sweep, advance, f"measured {name}: ")
            found.measured[name] = cast("list[dict[str, Any]]", cells)
    if "krylov" in sweeps:
        if settings.whole:
            _measure_crossing(settings, results, found)
        [found.pipecg_reductions] = compute_each(
            results, "PIPECG's reductions", [0], lambda _: lab_measurement.reductions_of_pipecg()
        )


def _measure_crossing(settings: Settings, results: SavedResults, found: Found) -> None:
    if not has_netem() and not can_delay():
        note("nothing here delays packets: CG and PIPECG are not put beside each other at several latencies")
        return
    sweeps = lab_measurement.crossing_sweeps(settings.measured_crossing_order, max(1, settings.repeats - 1))
    with progress("latencies", sum(runs_of(sweep) for _, sweep in sweeps.values())) as advance:
        for name, (site, sweep) in sweeps.items():
            cells = measure(results, site, sweep, advance, f"crossing, {name}: ")
            found.crossing[name] = cast("list[dict[str, Any]]", cells)
