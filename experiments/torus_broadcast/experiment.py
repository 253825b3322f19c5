"""Broadcast bandwidth against message size on the paper's tori, and how much several trees at once gain on 4x4x4."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ayatori._core import Network
from ayatori.cli.output import note, progress
from ayatori.jobs import contiguous_jobs
from ayatori.network import open_source
from ayatori.prediction import Call, Model, Predictor
from bench.smpi import play, smpi_is_there
from experiments.page import present
from experiments.results import Results
from experiments.torus_broadcast.shown import COLOURS, TREES, Broadcasts, figures_of, no_limit, tables_of

FX10 = Model(link_bandwidth=5e9, link_latency=0.1e-6, overhead=0.8e-6, injection=20e9)
"""Paper 2's table 1: links of 5 GB/s, four of them a node at once. Times as Fujitsu has told of Tofu: 0.9 us for 8
bytes to a neighbour, of which some 0.1 us for the hop. What the paper's software adds to that, it does not tell."""

RUNS = {tree: (tree, FX10) for tree in TREES} | {
    no_limit(tree): (tree, replace(FX10, injection=0)) for tree in ("trinaryx3", "sixcolour")
}

LINKS_ONLY = Model(link_bandwidth=5e9, link_latency=1e-6)
"""What SMPI knows as well: links, and no other limits."""

BOX = "4x4x4"
BOX_BYTES = 32_000_000


@dataclass(frozen=True)
class Settings:
    shapes: tuple[str, ...] = ("2x3x2", "4x6x16")
    sizes: tuple[int, ...] = tuple(1 << exponent for exponent in range(10, 26))
    smpi: bool = True
    """Ask SMPI for its opinion of the 4x4x4 table, if it is installed."""


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Computes, prints and draws it all; returns the page."""
    parameters = asdict(settings) | {"fx10": asdict(FX10), "box": asdict(LINKS_ONLY), "box_bytes": BOX_BYTES}
    results = Results(folder / "results.json", parameters, resume)
    found = _compute(settings, results)
    about = "Root 0, one rank a node, links of 5 GB/s each way, four transfers a node at once, 0.9 us to a neighbour"
    return present(results, "Paper 2: broadcast on tori", about, tables_of(found), figures_of(found))


def _compute(settings: Settings, results: Results) -> Broadcasts:
    found = Broadcasts(list(settings.sizes), BOX, BOX_BYTES)
    with_smpi = settings.smpi and smpi_is_there()
    if settings.smpi and not with_smpi:
        note("SMPI (libsimgrid-dev) is not installed: its column is left out")
    broadcasts = len(settings.shapes) * len(RUNS) * len(settings.sizes) + (1 + with_smpi) * len(COLOURS)
    with progress("broadcast", broadcasts) as advance:
        for shape in settings.shapes:
            network = open_source(f"torus:{shape}")
            found.seconds[shape] = {
                name: results.compute(f"{shape}: {name}", settings.sizes, _seconds(network, *run), 1, advance)
                for name, run in RUNS.items()
            }
        network = open_source(f"torus:{BOX}")
        found.ours = results.compute(f"{BOX}: ours", COLOURS, _box_seconds(network), 1, advance)
        if with_smpi:
            found.smpi = results.compute(f"{BOX}: SMPI", COLOURS, _smpi_seconds(network), 1, advance)
    return found


def _whole(network: Network):
    return contiguous_jobs(network, [len(network.machines)], 1)[0]


def _seconds(network: Network, tree: str, model: Model) -> Callable[[Sequence[int]], list[float]]:
    predictor = Predictor(network, model=model)

    def seconds(sizes: Sequence[int]) -> list[float]:
        return [predictor.predict([_whole(network)], Call("broadcast", tree, size))[0].seconds for size in sizes]

    return seconds


def _box_seconds(network: Network) -> Callable[[Sequence[str]], list[float]]:
    predictor = Predictor(network, model=LINKS_ONLY)

    def seconds(trees: Sequence[str]) -> list[float]:
        calls = [Call("broadcast", tree, BOX_BYTES) for tree in trees]
        return [predictor.predict([_whole(network)], call)[0].seconds for call in calls]

    return seconds


def _smpi_seconds(network: Network) -> Callable[[Sequence[str]], list[float]]:
    def seconds(trees: Sequence[str]) -> list[float]:
        calls = [["broadcast", tree, str(BOX_BYTES), f"grid={BOX}"] for tree in trees]
        return [play(network, None, None, _whole(network), LINKS_ONLY.links(), call)[0] for call in calls]

    return seconds
