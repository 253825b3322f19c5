"""What is measured in the lab, by what `ayatori bench overlap` and `ayatori explain` measure with: two hosts,
whose cables have little bandwidth, so that few processes have as much communication as many on ITO."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from ayatori.base.compiled import PLUGINS
from ayatori.base.errors import Error
from ayatori.overlap.kinds import kinds_of
from ayatori.overlap.krylov import FAMILY, check_petsc, krylov_program
from ayatori.overlap.replay import Job
from ayatori.overlap.sites import Site, lab_of_two, launcher
from ayatori.overlap.sweep import Sweep, cells_of
from ayatori.overlap.tasks import Cell
from ayatori.overlap.tracing import Program
from ayatori.prediction.krylov_model import CG_REDUCTION_BYTES, PIPECG_REDUCTION_BYTES

RATE = "100Mbit/s"
BURST = 3 << 10
"""Packets leave one by one, so that short messages take their bytes at the rate, too."""
WAYS = ("none", "isend", "fence", "put", "acp")
MECHANISMS = ("none", "test:100us", "mpi", "thread")
METHODS = ("cg", "pipecg")
LARGE = 1 << 20
LATENCIES = ("200us", "400us", "800us", "1600us")
"""Of each cable where CG and PIPECG are put beside each other; a message passes two."""
LATENCY_RATE = "1Gbit/s"
CROSSING_MECHANISMS = ("none", "thread")
ITERATIONS = 50


def site() -> Site:
    return lab_of_two(RATE, BURST)


def sweeps(
    families: Sequence[str], orders: Sequence[int], krylov_orders: Sequence[int], repeats: int, whole: bool = True
) -> dict[str, Sweep]:
    """By what they are of. Without PETSc none is of krylov. Unless `whole`: two ranks only, and nobody moves messages
    of reductions."""
    stencils = cells_of("stencil", families, ("none",), WAYS, orders, (2,))
    if whole:
        stencils += cells_of("stencil", families, ("none",), WAYS, orders[-1:], (4,))
    reductions: tuple[Cell, ...] = ()
    for size, ranks in ((16, 2), (16, 4), (4096, 2), (LARGE, 2)) if whole else ((16, 2), (4096, 2)):
        mechanisms = MECHANISMS if whole else MECHANISMS[:1]
        reductions += cells_of("overlap", families, mechanisms, ("iallreduce",), (size,), (ranks,))
    found = {
        "stencil": Sweep(stencils, repeats, 5, iterations=30),
        "overlap": Sweep(reductions, repeats, 7, kernel="matrix-vector"),
    }
    if FAMILY in families and has_petsc():
        cells = cells_of("krylov", (FAMILY,), ("none", "thread"), METHODS, krylov_orders, (2,))
        found["krylov"] = Sweep(cells, repeats, 7, iterations=ITERATIONS)
    return found


def crossing_sweeps(order: int, repeats: int) -> dict[str, tuple[Site, Sweep]]:
    """By what they are of: both methods on this machine, reductions with the least latency, and both methods with each
    latency."""
    here = cells_of("krylov", (FAMILY,), ("none",), METHODS, (order,), (2,))
    methods = cells_of("krylov", (FAMILY,), CROSSING_MECHANISMS, METHODS, (order,), (2,))
    sizes = (CG_REDUCTION_BYTES, PIPECG_REDUCTION_BYTES)
    reductions = cells_of("overlap", (FAMILY,), ("none",), ("iallreduce",), sizes, (2,))
    found = {
        "here": (Site(), Sweep(here, repeats, 5, iterations=ITERATIONS)),
        "reductions": (_with_latency(LATENCIES[0]), Sweep(reductions, repeats, 15)),
    }
    for latency in LATENCIES:
        found[latency] = (_with_latency(latency), Sweep(methods, repeats, 3, iterations=ITERATIONS))
    return found


def _with_latency(latency: str) -> Site:
    return lab_of_two(LATENCY_RATE, BURST, latency)


def has_petsc() -> bool:
    try:
        check_petsc()
    except Error:
        return False
    return True


def reductions_of_pipecg() -> list[list[int]]:
    """Of PIPECG's reductions that do not block, as they are traced: bytes, and how many of a rank in an iteration are
    of so many bytes."""
    iterations = 20
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        words = [*launcher(FAMILY, 2, 2), str(krylov_program()), "pipecg", "32", str(iterations), "1"]
        traces = Program(tuple(words), FAMILY, PLUGINS).run(Path(name), False)
    own = [kind for kind in kinds_of(Job(traces)) if "allreduce" in kind.name.lower()]
    return [[kind.bytes, round(kind.count / len(traces) / iterations)] for kind in own]
