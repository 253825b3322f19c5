"""Bandwidths of the paper's jobs, by flow simulation, for every way to choose paths and every variant of the model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ayatori._core import Job, Network
from ayatori.cli.output import progress
from ayatori.model.jobs import contiguous_jobs, random_jobs
from ayatori.model.network import open_source
from ayatori.planning.plans import METHODS
from ayatori.prediction.assumed import assumed_inside
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE, Costs, MessageCosts
from ayatori.prediction.predictor import Model, Packets, Predictor
from ayatori.resumable import SavedResults, compute
from experiments.fat_tree_alltoall.presentation import Bandwidths, figures_of, packet_tables, tables_of
from experiments.page import open_results, present
from experiments.paper_tables import tables_of_the_paper

SOURCE = "fattree:K=6,levels=2,nodes=30"
NODES = 16
BYTES = 1 << 20
NIC_LIMIT = Costs(between=MessageCosts(bandwidth=1716e6))
PAPER_MODEL = Model(link_bandwidth=1716e6, link_latency=0, costs=FREE)
"""The paper's peak on every link. Latencies are left out: a message of 1 MiB takes 600 us."""
INSIDE_MEASURED = assumed_inside()
"""What a message and a copy inside a node cost each rank, as `ayatori calibrate` measured it on a machine of today."""
INSIDE_SHARED = Costs(inside=MessageCosts(bandwidth=5e9))
"""All messages inside a node share 5 GB/s: a guess, for the paper does not tell how fast its nodes' memory is."""


@dataclass(frozen=True)
class Variant:
    """One way to model the run."""

    name: str
    model: Model = PAPER_MODEL
    algorithm: str = "two-level-ring"
    ranks_per_node: int = 8
    contiguous: bool = False
    """Whether figure 10 has it, too."""


MAIN = Variant("as the paper: 2-level ring, 8 ranks a node, drifting", contiguous=True)
VARIANTS = [
    MAIN,
    Variant("two-level-ring-blocking: each rank waits after each message", algorithm="two-level-ring-blocking"),
    Variant("synchronous steps", replace(PAPER_MODEL, steps="synchronous")),
    Variant("1 rank a node", ranks_per_node=1),
    Variant("1 rank a node, synchronous steps", replace(PAPER_MODEL, steps="synchronous"), ranks_per_node=1),
    Variant("links of 4xDDR's 2000 MB/s, NICs of 1716", Model(link_bandwidth=2000e6, link_latency=0, costs=NIC_LIMIT)),
    Variant("head-of-line blocking", replace(PAPER_MODEL, head_of_line=True)),
    Variant(
        "and the time inside a node: as measured on a machine of today",
        replace(PAPER_MODEL, costs=INSIDE_MEASURED),
        contiguous=True,
    ),
    Variant(
        "and the time inside a node: 5 GB/s for all of its ranks",
        replace(PAPER_MODEL, costs=INSIDE_SHARED),
        contiguous=True,
    ),
    Variant("plain ring over all ranks (shift)", algorithm="shift"),
    Variant("plain ring, head-of-line blocking", replace(PAPER_MODEL, head_of_line=True), "shift"),
]


@dataclass(frozen=True)
class ByPackets:
    """The first of the random jobs, by packets that queue in switches (`ayatori simulate --packets`). Both rings wait
    after each message, as figure 7 writes it."""

    jobs: int = 20
    bytes: int = 1 << 18
    """Of a message; smaller ones than the paper's take less time to simulate, and change little."""
    buffers: tuple[int, ...] = (8, 4, 32)
    """Packets that fit into a switch's buffer for one link; the first is the one that rows quote."""


RINGS = {"2-level ring": "two-level-ring-blocking", "plain ring": "shift"}
PACKET_METHODS = ("base-lids", "rule")


@dataclass(frozen=True)
class Settings:
    jobs: int = 1000
    seed: int = 1
    contiguous: tuple[int, int] = (3, 30)
    """Fewest and most nodes."""
    variants: tuple[Variant, ...] = tuple(VARIANTS)
    packets: ByPackets = ByPackets()
    chunk: int = 50
    """Jobs between two savings; changes no figure."""


_NAMED_BY_THE_PAPER = [
    variant for variant in VARIANTS if variant is MAIN or variant.model.head_of_line or variant.algorithm == "shift"
]
QUICK = Settings(
    jobs=30,
    variants=(
        *_NAMED_BY_THE_PAPER,
        *(replace(variant, contiguous=False) for variant in VARIANTS if "as measured" in variant.name),
    ),
    packets=ByPackets(jobs=4, bytes=1 << 16, buffers=(8,)),
    chunk=15,
)


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Computes, prints and draws it all; returns the page."""
    network = open_source(SOURCE)
    parameters = {name: value for name, value in asdict(settings).items() if name != "chunk"}
    results = open_results(folder, parameters | {"source": SOURCE, "nodes": NODES, "bytes": BYTES}, resume)
    bandwidths = _compute(network, settings, results)
    by_packets = _by_packets(network, settings, results)
    about = f"{SOURCE}, {BYTES >> 20} MiB a pair of ranks, links of 1716 MB/s, seed {settings.seed}"
    return present(
        results,
        "Paper 1: all-to-all on a 6-ary-2-tree of 30 nodes",
        about,
        [*tables_of(bandwidths), *packet_tables(by_packets)],
        figures_of(bandwidths),
    )


def _compute(network: Network, settings: Settings, results: SavedResults) -> Bandwidths:
    first, last = settings.contiguous
    sizes = range(first, last + 1)
    shown = [variant for variant in settings.variants if variant.contiguous]
    figures = len(METHODS) * (len(sizes) * len(shown) + settings.jobs * len(settings.variants))
    found = Bandwidths(settings.seed, list(sizes))
    with progress("all-to-all", figures) as advance:

        def by_method(kind: str, variant: Variant, jobs: Sequence[Job]) -> dict[str, list[float]]:
            return {
                method: compute(
                    results,
                    f"{kind}, {variant.name}: {method}",
                    jobs,
                    settings.chunk,
                    _bandwidths(network, variant, method),
                    advance,
                )
                for method in METHODS
            }

        for variant in settings.variants:
            jobs = random_jobs(network, settings.jobs, NODES, variant.ranks_per_node, settings.seed)
            found.random[variant.name] = by_method("random", variant, jobs)
        for variant in shown:
            jobs = contiguous_jobs(network, sizes, variant.ranks_per_node)
            found.contiguous[variant.name] = by_method("contiguous", variant, jobs)
    return found


def _by_packets(network: Network, settings: Settings, results: SavedResults) -> dict[str, list[float]]:
    """MB/s of jobs by ring, method and buffer."""
    wanted = settings.packets
    if wanted.jobs == 0:
        return {}
    jobs = random_jobs(network, settings.jobs, NODES, MAIN.ranks_per_node, settings.seed)[: wanted.jobs]
    found = {}
    with progress("packets", len(jobs) * len(RINGS) * len(PACKET_METHODS) * len(wanted.buffers)) as advance:
        for buffer in wanted.buffers:
            for ring, algorithm in RINGS.items():
                for method in PACKET_METHODS:
                    name = packets_named(ring, method, buffer)
                    model = replace(PAPER_MODEL, packets=Packets(buffer, settings.seed))
                    variant = Variant(name, model, algorithm)
                    each = _bandwidths(network, variant, method, wanted.bytes)
                    found[name] = compute(results, name, jobs, settings.chunk, each, advance)
    return found


def packets_named(ring: str, method: str, buffer: int) -> str:
    return f"packets, {ring}, buffers of {buffer}: {method}"


def _bandwidths(
    network: Network, variant: Variant, method: str, size: int = BYTES
) -> Callable[[Sequence[Job]], list[float]]:
    """MB/s of jobs, as the paper's figure 8 defines them."""
    predictor = Predictor(network, method, variant.model, tables_of_the_paper(network, method))
    call = Call("alltoall", variant.algorithm, size)

    def bandwidths(jobs: Sequence[Job]) -> list[float]:
        return [(prediction.bandwidth or 0) / 1e6 for prediction in predictor.predict(jobs, call)]

    return bandwidths
