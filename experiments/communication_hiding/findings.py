"""What paper 4 finds, each beside what is predicted for ITO and what is measured here, and the mark that it gets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from experiments.communication_hiding.found import Found
from experiments.page import Table

REPRODUCED, NOT_REPRODUCED, NOT_TESTABLE = "reproduced", "not reproduced", "not testable here"
NOT_MEASURED = "not measured"
_CLOSE = 0.02
"""A share by which two times may differ and be the same."""


@dataclass(frozen=True)
class Verdict:
    """What is predicted and measured, in words, and whether the finding holds by each; None: that can't be said."""

    predicted: str
    predicted_holds: bool | None
    measured: str
    holds: bool | None


def findings_table(found: Found) -> Table:
    rows = []
    for said, judge in _FINDINGS.items():
        verdict = judge(found)
        agrees = {None: "", True: "yes", False: "no"}[verdict.predicted_holds]
        rows.append([said, verdict.predicted, agrees, verdict.measured, _mark(verdict)])
    noisy, all_cells = found.noisy()
    return Table(
        "What the paper finds, predicted for ITO and measured in the lab",
        ["figures", "predicted", "holds", "measured", "is"],
        rows,
        f"{noisy} of {all_cells} cells were too noisy: medians of the earlier and the later half of their runs differ "
        "by more than 5 %. Shares are of the time without overlap, least … most of all cells; a finding holds if it "
        "does in more than half of them. Measured are Open MPI 4.1 and MPICH 4.0 (for MVAPICH2, which has its code) "
        "over TCP on two cores; the paper has Open MPI 3.1, MVAPICH2 2.2 and HPC-X 2.1 over InfiniBand. Nothing here "
        "reduces in switches, and two hosts are not many. The model knows no library's defects: where it is not as the "
        "paper, something in the library took the time.",
    )


def _mark(verdict: Verdict) -> str:
    """What could be measured here and was not is not said to be untestable."""
    if verdict.measured == NOT_MEASURED:
        return NOT_MEASURED
    if verdict.holds is None:
        return NOT_TESTABLE
    return REPRODUCED if verdict.holds else NOT_REPRODUCED


def _passive_of_open_mpi(found: Found) -> Verdict:
    shares = found.beside_none("communication", "put", family="openmpi")
    predicted = found.predicted_beside_none("put", 1)
    return _judged(predicted, shares, _hides_nothing)


def _fence(found: Found) -> Verdict:
    predicted, shares = found.predicted_beside_none("fence", 1), found.beside_none("communication", "fence")
    return _judged(predicted, shares, _is_more)


def _small_arrays(found: Found) -> Verdict:
    order = min(found.orders)
    shares = [share for way in ("isend", "put", "acp") for share in found.beside_none("total", way, size=order)]
    predicted = [share for way in ("isend", "put") for share in found.predicted_beside_none(way, 0, order)]
    return _judged(predicted, shares, _hides_nothing)


def _large_arrays(found: Found) -> Verdict:
    order = max(found.orders)
    shares = [share for way in ("put", "acp") for share in found.beside_none("total", way, size=order)]
    predicted = found.predicted_beside_none("put", 0, order)
    return _judged(predicted, shares, _is_less)


def _sharp(found: Found) -> Verdict:
    shares = [two["switches"]["communication"] / two["hosts"]["communication"] - 1 for _, two in found.overlaps]
    return Verdict(_range(shares), _most(shares, _is_less), "", None)


def _longer(found: Found) -> Verdict:
    """Of the paper's sizes alone."""
    own = [result["times"] for result in found.results("overlap") if result["size"] <= _LARGEST]
    shares = [times["both"]["median"] / times["sequential"]["median"] - 1 for times in own]
    predicted = [
        both / (one["communication"] + one["computation"]) - 1
        for _, two in found.overlaps
        for one in two.values()
        for both in one["both"].values()
    ]
    return _judged(predicted, shares, _is_more)


def _bytes_of_pipecg(found: Found) -> Verdict:
    each = [[size, count] for size, count in found.pipecg_reductions if count >= 1]
    told = ", ".join(f"{count} of {size} B" for size, count in each)
    return Verdict("", None, told or NOT_MEASURED, each == [[24, 1]] if each else None)


def _cg_is_faster(found: Found) -> Verdict:
    pairs = [
        (own["CG"], seconds)
        for _, by_whom in found.krylovs
        for own in by_whom.values()
        for name, seconds in own.items()
        if name.startswith("PIPECG")
    ]
    measured = []
    for result in found.results("krylov", what="pipecg"):
        same = {name: result[name] for name in ("family", "mechanism", "size", "ranks")}
        cg = found.median("krylov", "total", what="cg", **same)
        if cg is not None:
            measured.append((cg, result["times"]["total"]["median"]))
    holds = [_most([pipecg - cg for cg, pipecg in some], _is_more) for some in (pairs, measured)]
    return Verdict(_wins(pairs), holds[0], _wins(measured), holds[1])


def _sharp_and_pipecg(found: Found) -> Verdict:
    gains = [own["switches"]["PIPECG, offload"] / own["switches"]["PIPECG, nobody"] - 1 for _, own in found.krylovs]
    return Verdict(_range(gains), _most(gains, _hides_nothing), "", None)


_LARGEST = 4096
_FINDINGS: dict[str, Callable[[Found], Verdict]] = {
    "3 to 5: MVAPICH2's passive puts hide": lambda found: _hides(found, "put", "put", family="mpich"),
    "3 to 5: Open MPI's passive puts hide nothing": _passive_of_open_mpi,
    "5: ACP hides at N = 2048": lambda found: _hides(found, "acp", "put", size=max(found.orders)),
    "3: MVAPICH2's Isend hides short messages": lambda found: _hides(
        found, "isend", "isend", family="mpich", size=min(found.orders)
    ),
    "5: Open MPI's Isend hides long messages": lambda found: _hides(
        found, "isend", "isend", family="openmpi", size=max(found.orders)
    ),
    "3 to 5: fences add communication": _fence,
    "6: N = 512 gains nothing in all": _small_arrays,
    "8: N = 2048 gains by puts and ACP": _large_arrays,
    "9 to 12: SHARP's reductions are shorter": _sharp,
    "9 to 12: hiding reductions takes longer": _longer,
    "section 3.3: PIPECG reduces 24 bytes once": _bytes_of_pipecg,
    "13 to 16: CG is mostly faster than PIPECG": _cg_is_faster,
    "13 to 16: SHARP brings PIPECG nothing": _sharp_and_pipecg,
    "15, 16: Open MPI is faster than others": lambda _found: Verdict("", None, "", None),
}
"""By the figures that they are of."""


def _hides(found: Found, way: str, predicted_way: str, family: str = "", size: int = 0) -> Verdict:
    """Whether less of the communication is seen than without overlap. Empty, 0: any."""
    wanted = {name: value for name, value in (("family", family), ("size", size)) if value}
    shares = found.beside_none("communication", way, **wanted)
    predicted = found.predicted_beside_none(predicted_way, 1, size)
    return _judged(predicted, shares, lambda share: not _hides_nothing(share))


def _judged(predicted: Sequence[float], measured: Sequence[float], holds: Callable[[float], bool]) -> Verdict:
    return Verdict(_range(predicted), _most(predicted, holds), _range(measured), _most(measured, holds))


def _hides_nothing(share: float) -> bool:
    return share > -_CLOSE


def _is_more(value: float) -> bool:
    return value > 0


def _is_less(value: float) -> bool:
    return value < 0


def _most(values: Sequence[float], holds: Callable[[float], bool]) -> bool | None:
    """Whether it holds in more than half of the cases."""
    return 2 * sum(map(holds, values)) > len(values) if values else None


def _wins(pairs: Sequence[tuple[float, float]]) -> str:
    return f"CG in {sum(cg < pipecg for cg, pipecg in pairs)} of {len(pairs)}" if pairs else NOT_MEASURED


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):+.0%} … {max(shares):+.0%}" if shares else NOT_MEASURED
