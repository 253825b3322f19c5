"""What the model predicts for ITO's subsystem A (paper 4, table 1): 2,000 nodes of 2 x 18 cores, EDR with full
bisection bandwidth. Messages cost what is assumed for EDR, and what is computed takes what is assumed here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import seconds_of
from ayatori.prediction.krylov_model import (
    CG_REDUCTION_BYTES,
    PIPECG_REDUCTION_BYTES,
    cg_seconds,
    pipecg_seconds,
    work_of,
)
from ayatori.prediction.overlap_model import Communication, Mover, Progress, communication_of, overlapped
from ayatori.prediction.predictor import Predictor

NETWORK = "fattree:K=18,levels=3,nodes=2000,rate=4xEDR"
NUMBER = 8
"""Bytes of a double."""
ELEMENT_SECONDS = 1e-9
"""Of the stencil, on one core: five operations and two numbers moved. Assumed; the paper does not tell."""
CORE_BYTES_PER_SECOND, NODE_BYTES_PER_SECOND = 12e9, 190e9
"""Assumed for a Xeon Gold 6154: a core's share, and three quarters of 2 x 6 channels of DDR4-2666. What fits into
caches is faster."""
BLOCKING, NON_BLOCKING, SWITCHES = "recursive-doubling", "binomial", "in-network"
"""How short reductions are done: as Open MPI does them between hosts where the call blocks (coll/tuned), and where it
does not (coll/libnbc: up a tree and down again, which has twice as many steps), and by SHARP."""

REDUCED_BY = {"hosts": (BLOCKING, NON_BLOCKING), "switches": (SWITCHES, SWITCHES)}
"""Where the call blocks, and where it does not."""

PROGRESS = {
    "nobody": Progress(Mover.nobody),
    "MPI_Test every 10 us": Progress(Mover.polls, 10e-6, 0.2e-6),
    "the MPI's thread": Progress(Mover.spinning),
    "the plug-in's thread": Progress(Mover.polls, 300e-6, 5e-6),
    "the plug-in's thread, a core of its own": Progress(Mover.core, 100e-6),
    "offload": Progress(Mover.adapter),
}
"""Intervals of the plug-in's thread are those that it has (docs/progress.md); a poll takes an assumed time. All
cores of a node compute, but where a core is said to be left to the thread."""
WAYS = ("none", "isend", "isend, thread", "fence", "put")


@dataclass(frozen=True)
class StencilPoint:
    """N × N numbers in blocks of columns, on so many nodes with one process each."""

    order: int
    nodes: int


@dataclass(frozen=True)
class OverlapPoint:
    """A reduction on 128 nodes, and as much computation as Open MPI's takes alone."""

    ranks_on_a_node: int
    bytes: int
    nodes: int = 128


@dataclass(frozen=True)
class KrylovPoint:
    """The paper's problem of PETSc: (order + 1)² rows."""

    order: int
    nodes: int
    ranks_on_a_node: int


@cache
def predictor() -> Predictor:
    return Predictor(open_source(NETWORK))


def stencil(point: StencilPoint) -> dict[str, list[float]]:
    """By way: seconds of a step, and what of the communication is not hidden."""
    job = contiguous_jobs(predictor().network, [point.nodes], 1)[0]
    halo = communication_of(predictor(), job, Call("halo", "halo", NUMBER * point.order, stencil=(point.nodes,)))
    barrier = predictor().predict([job], Call("barrier", "dissemination", 0))[0].seconds
    computed = ELEMENT_SECONDS * point.order**2 / point.nodes
    inside = max(0.0, computed - 2 * ELEMENT_SECONDS * point.order)
    put = _put(halo)
    exposed = {
        "none": halo.seconds,
        "isend": overlapped(halo, inside, PROGRESS["nobody"]) - inside,
        "isend, thread": overlapped(halo, inside, PROGRESS["the plug-in's thread, a core of its own"]) - inside,
        "fence": 2 * barrier + overlapped(put, inside, PROGRESS["offload"]) - inside,
        "put": overlapped(put, inside, PROGRESS["offload"]) - inside,
    }
    return {way: [computed + seconds, seconds] for way, seconds in exposed.items()}


def _put(halo: Communication) -> Communication:
    """To both neighbours the data, the counter that they are there, and the one that they were used: six puts, whose
    bytes the adapter takes from the program's memory."""
    costs = predictor().model.costs
    assert costs is not None
    busy = 6 * seconds_of(costs.between.send, costs.between.eager_limit + 1)
    return Communication(halo.travelling + busy, busy)


def overlap(point: OverlapPoint) -> dict[str, dict[str, Any]]:
    """By who reduces: seconds of the communication and the computation alone, and of both by what moves messages."""
    found: dict[str, dict[str, Any]] = {}
    computation = _reduction(point.nodes, point.ranks_on_a_node, point.bytes, BLOCKING).seconds
    for name, (blocking, algorithm) in REDUCED_BY.items():
        alone, begun = (
            _reduction(point.nodes, point.ranks_on_a_node, point.bytes, one) for one in (blocking, algorithm)
        )
        who = [name for name in PROGRESS if (name == "offload") == (algorithm == SWITCHES) or name == "nobody"]
        both = {name: overlapped(begun, computation, PROGRESS[name]) for name in who}
        found[name] = {"communication": alone.seconds, "computation": computation, "both": both}
    return found


def krylov(point: KrylovPoint) -> dict[str, dict[str, float]]:
    """By who reduces: seconds of an iteration by CG, and by PIPECG with what moves its reduction."""
    ranks = point.nodes * point.ranks_on_a_node
    rate = min(CORE_BYTES_PER_SECOND, NODE_BYTES_PER_SECOND / point.ranks_on_a_node)
    work = work_of((point.order + 1) ** 2 / ranks, rate)
    found = {}
    for name, algorithms in REDUCED_BY.items():
        sizes = (CG_REDUCTION_BYTES, PIPECG_REDUCTION_BYTES)
        short, longer = (
            _reduction(point.nodes, point.ranks_on_a_node, size, algorithm)
            for size, algorithm in zip(sizes, algorithms, strict=True)
        )
        movers = ("nobody", "offload" if name == "switches" else "the plug-in's thread, a core of its own")
        times = {f"PIPECG, {mover}": pipecg_seconds(work, longer, PROGRESS[mover]) for mover in movers}
        found[name] = {"CG": cg_seconds(work, short), "reduction": longer.seconds} | times
    return found


@cache
def _reduction(nodes: int, ranks_on_a_node: int, size: int, algorithm: str) -> Communication:
    job = contiguous_jobs(predictor().network, [nodes], ranks_on_a_node)[0]
    return communication_of(predictor(), job, Call("allreduce", algorithm, size))


def stencil_points(orders: Sequence[int], nodes: Sequence[int]) -> list[StencilPoint]:
    return [StencilPoint(order, count) for order in orders for count in nodes]


def krylov_points(orders: Sequence[int], nodes: Sequence[int], ranks: Sequence[int]) -> list[KrylovPoint]:
    return [KrylovPoint(order, count, own) for count in nodes for order in orders for own in ranks]
