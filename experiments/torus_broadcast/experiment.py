"""Broadcast bandwidth against message size on the paper's tori, and how much several trees at once gain on 4x4x4."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ayatori.cli.output import note, progress
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE, Costs, MessageCosts
from ayatori.prediction.predictor import Model, Predictor
from ayatori.resumable import SavedResults, compute_each
from bench.validation.smpi import execute_calls, platform_of, smpi_is_there, words_of
from experiments.page import Table, open_results, present
from experiments.torus_broadcast import on_nwtopo
from experiments.torus_broadcast.on_nwtopo import OnNwtopo
from experiments.torus_broadcast.presentation import (
    ALLREDUCES,
    COLOURS,
    TREES,
    Broadcasts,
    figures_of,
    no_limit,
    tables_of,
)

FX10 = Model(link_bandwidth=5e9, link_latency=0.1e-6, costs=Costs(between=MessageCosts(latency=0.8e-6, bandwidth=20e9)))
"""Paper 2's table 1: links of 5 GB/s, four of them a node at once. Times as Fujitsu has told of Tofu: 0.9 us for 8
bytes to a neighbour, of which some 0.1 us for the hop. What the paper's software adds to that, it does not tell."""

RUNS = {tree: (tree, FX10) for tree in TREES} | {
    no_limit(tree): (tree, replace(FX10, costs=Costs(between=MessageCosts(latency=0.8e-6))))
    for tree in ("trinaryx3", "sixcolour")
}

LINKS_ONLY = Model(link_bandwidth=5e9, link_latency=1e-6, costs=FREE)
"""What SMPI knows as well: links, and no other limits."""

BOX = "4x4x4"
BOX_BYTES = 32_000_000


@dataclass(frozen=True)
class Settings:
    shapes: tuple[str, ...] = ("2x3x2", "4x6x16")
    sizes: tuple[int, ...] = tuple(1 << exponent for exponent in range(10, 26))
    smpi: bool = True
    """Ask SMPI for its opinion of the 4x4x4 table, if it is installed."""
    on_nwtopo: OnNwtopo | None = OnNwtopo()
    """A broadcast on the public API, executed; None: without it."""


QUICK = Settings(
    sizes=tuple(1 << exponent for exponent in (10, 14, 18, 22, 25)),
    on_nwtopo=OnNwtopo(
        sizes=(1 << 10, 1 << 16, 1 << 20), repeats=2, simulated={"2x3x2": (1 << 10, 1 << 16, 1 << 20, 1 << 25)}
    ),
)


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Computes, prints and draws it all; returns the page."""
    parameters = asdict(settings) | {"fx10": asdict(FX10), "box": asdict(LINKS_ONLY), "box_bytes": BOX_BYTES}
    results = open_results(folder, parameters, resume)
    executed = _on_nwtopo(settings.on_nwtopo, results) if settings.on_nwtopo else []
    found = _compute(settings, results)
    about = (
        "Root 0, one rank a node, links of 5 GB/s each way, a node's transfers four at once, 0.9 us to a neighbour. "
        "The paper's text tells none of its figure's values; its reference 13 tells how much Trinaryx3 gained."
    )
    return present(results, "Paper 2: broadcast on tori", about, [*tables_of(found), *executed], figures_of(found))


def _on_nwtopo(wanted: OnNwtopo, results: SavedResults) -> list[Table]:
    """Measures what a general API costs, as far as this machine can; the tables."""
    measured: list[dict[str, Any]] = []
    simulated = {}
    with progress("broadcast on nwtopo", 1 + len(wanted.simulated) + len(wanted.made)) as advance:
        if reason := on_nwtopo.why_not():
            note(f"no broadcast on nwtopo is executed: {reason}")
        else:
            [measured] = compute_each(results, "on nwtopo, Open MPI", [wanted], on_nwtopo.measure, advance)
        if smpi_is_there():
            for shape, sizes in wanted.simulated.items():
                simulate = partial(on_nwtopo.simulate, shape)
                [simulated[shape]] = compute_each(results, f"on nwtopo, SMPI: {shape}", [sizes], simulate, advance)
        made = []
        for shape, sizes in wanted.made.items():
            time_it = partial(on_nwtopo.time_first_calls, shape)
            [found] = compute_each(results, f"on nwtopo, made: {shape}", [sizes], time_it, advance)
            made += found
    return on_nwtopo.tables_of(measured, simulated, made)


def _compute(settings: Settings, results: SavedResults) -> Broadcasts:
    found = Broadcasts(list(settings.sizes), BOX, BOX_BYTES)
    with_smpi = settings.smpi and smpi_is_there()
    if settings.smpi and not with_smpi:
        note("SMPI (libsimgrid-dev) is not installed: its column is left out")
    broadcasts = len(settings.shapes) * len(RUNS) * len(settings.sizes) + (1 + with_smpi) * len(COLOURS)
    with progress("broadcast", broadcasts + len(ALLREDUCES)) as advance:
        for shape in settings.shapes:
            torus = Torus(shape)
            found.seconds[shape] = {
                name: compute_each(
                    results, f"{shape}: {name}", settings.sizes, partial(torus.broadcast, model, tree), advance
                )
                for name, (tree, model) in RUNS.items()
            }
        torus = Torus(settings.shapes[-1])
        allreduce = partial(torus.allreduce, settings.sizes[-1])
        found.allreduce = compute_each(results, "allreduce", ALLREDUCES, allreduce, advance)
        box = Torus(BOX)
        found.ours = compute_each(
            results, f"{BOX}: ours", COLOURS, lambda tree: box.broadcast(LINKS_ONLY, tree, BOX_BYTES), advance
        )
        if with_smpi:
            found.smpi = compute_each(results, f"{BOX}: SMPI", COLOURS, box.broadcast_by_smpi, advance)
    return found


class Torus:
    """All nodes of one, and the seconds that a call takes there."""

    def __init__(self, shape: str) -> None:
        self.network = open_source(f"torus:{shape}")
        self.job = contiguous_jobs(self.network, [len(self.network.machines)], 1)[0]

    def broadcast(self, model: Model, tree: str, size: int) -> float:
        return self._seconds(model, Call("broadcast", tree, size))

    def allreduce(self, size: int, algorithm: str) -> float:
        return self._seconds(FX10, Call("allreduce", algorithm, size))

    def broadcast_by_smpi(self, tree: str) -> float:
        call = Call("broadcast", tree, BOX_BYTES)
        predictor = Predictor(self.network, model=LINKS_ONLY)
        platform = platform_of(predictor, self.job, call, LINKS_ONLY.links())
        return execute_calls(platform, self.job.rank_count, [words_of(call, predictor.placement(self.job))])[0]

    def _seconds(self, model: Model, call: Call) -> float:
        return Predictor(self.network, model=model).predict([self.job], call)[0].seconds
