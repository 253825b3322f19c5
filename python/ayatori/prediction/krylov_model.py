"""CG compared with PIPECG (Ghysels and Vanroose, Parallel Computing 2014; paper 4, section 3.3) as PETSc has them:
which is faster where?

An iteration of CG waits for three reductions of 8 bytes, one after the other. One of PIPECG has a single one of 24
bytes, during which its preconditioner and its product of the matrix and a vector are computed, and has more vectors to
update. With matrices of nine entries a row in PETSc's AIJ, and Jacobi's preconditioner, an iteration moves between
processor and memory, a row:

    product       9 · 12 + 4 bytes of the matrix, 8 read and 8 written of the vectors
    Jacobi        24
    CG            updates of 3 vectors of 24, 2 inner products of 16, 1 norm of 8: 112
    PIPECG        updates of 8 vectors of 24, 2 inner products of 16, 1 norm of 8: 232

so that PIPECG is faster where reductions take longer than the 120 bytes more a row:

    CG      = product + Jacobi + updates(CG) + 3 reduction(8)
    PIPECG  = updates(PIPECG) + both(reduction(24), product + Jacobi)

with `both` by the overlap's model. The product exchanges the borders of the ranks' rows; what of that is not hidden
behind its own arithmetic belongs to `product`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ayatori.base.errors import Error
from ayatori.prediction.overlap_model import Communication, Progress, overlapped

PRODUCT_BYTES = 9 * 12 + 4 + 8 + 8
JACOBI_BYTES = 24
CG_BYTES = 3 * 24 + 2 * 16 + 8
PIPECG_BYTES = 8 * 24 + 2 * 16 + 8
CG_REDUCTIONS = 3
CG_REDUCTION_BYTES = 8
PIPECG_REDUCTION_BYTES = 24
"""Three sums at once."""


@dataclass(frozen=True)
class Work:
    """What a rank computes in an iteration. Seconds."""

    product: float
    """With the preconditioner."""
    cg: float
    """All else of CG."""
    pipecg: float


def work_of(rows: float, bytes_per_second: float) -> Work:
    """Of so many rows a rank, whose memory gives it so many bytes a second."""
    product, cg, pipecg = (
        rows * size / bytes_per_second for size in (PRODUCT_BYTES + JACOBI_BYTES, CG_BYTES, PIPECG_BYTES)
    )
    return Work(product, cg, pipecg)


def cg_seconds(work: Work, reduction: Communication, product: float | None = None) -> float:
    """Of an iteration. `product`: with the exchange of borders, where that takes longer than work.product."""
    return (work.product if product is None else product) + work.cg + CG_REDUCTIONS * reduction.seconds


def pipecg_seconds(work: Work, reduction: Communication, progress: Progress, product: float | None = None) -> float:
    return work.pipecg + overlapped(reduction, work.product if product is None else product, progress)


def crossing(difference: Callable[[float], float], low: float, high: float) -> float:
    """Where `difference`, of CG's seconds less PIPECG's, becomes positive between `low` and `high`, both above 0, to
    one per mille. Raises Error if it does not change its sign there."""
    if not 0 < low < high or difference(low) > 0 or difference(high) <= 0:
        raise Error(f"no crossing between {low:g} and {high:g}")
    while high / low > 1.001:
        middle = (low * high) ** 0.5
        if difference(middle) > 0:
            high = middle
        else:
            low = middle
    return high
