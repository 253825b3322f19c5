"""Values of ours for paper 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.communication_hiding import ito
from experiments.communication_hiding.experiment import OVERLAP_TEST
from experiments.communication_hiding.found import Found
from experiments.papers.values import Missing, Saved, Source, Value, Values, median_of, single


def _found(saved: Saved) -> Found:
    """What the experiment predicted and measured, from what it saved."""
    p = saved.parameters
    found = Found(p["orders"], p["nodes"])
    stencils = ito.stencil_points(p["orders"], p["nodes"])
    overlaps = [ito.OverlapPoint(ranks, size, p["overlap_nodes"]) for ranks, size in OVERLAP_TEST]
    krylovs = ito.krylov_points(p["krylov_orders"], p["krylov_nodes"], p["ranks_on_a_node"])
    found.stencils = list(zip(stencils, saved.of("predicted stencils"), strict=True))
    found.overlaps = list(zip(overlaps, saved.of("predicted overlaps"), strict=True))
    found.krylovs = list(zip(krylovs, saved.of("predicted Krylov solvers"), strict=True))
    for cell in saved.results.get("measured cells", []):
        found.measured.setdefault(cell["task"], []).append(cell)
    found.pipecg_reductions = saved.results.get("PIPECG's reductions", [[]])[0]
    return found


def _source(compute: Callable[[Found], Value | float]) -> Source:
    return Source("communication_hiding", lambda saved: compute(_found(saved)))


def _hidden(way: str, time: str = "communication", **wanted: object) -> Source:
    """Per cent by which the communication (or the total) is longer than without overlap, measured."""

    def share(found: Found) -> Value:
        shares = found.beside_none(time, way, **wanted)
        if not shares:
            raise Missing(way)
        return median_of([100 * one for one in shares], "cells")

    return _source(share)


def _hides(way: str, **wanted: object) -> Source:
    """Per cent of the communication that is hidden, measured."""

    def share(saved: Saved) -> float:
        longer = _hidden(way, "communication", **wanted).compute(saved)
        assert isinstance(longer, Value)
        return -longer.number

    return Source("communication_hiding", share)


def _predicted(way: str, which: int, order: int = 0) -> Source:
    """The same as predicted for ITO, in the middle of the numbers of nodes."""

    def share(found: Found) -> Value:
        return median_of([100 * one for one in found.predicted_beside_none(way, which, order)], "numbers of nodes")

    return _source(share)


def _exposed(order: int, way: str) -> Source:
    """Microseconds of a step that are not hidden, on the most nodes."""
    return _source(lambda found: _stencil(found, order, max(found.nodes))[way][1] * 1e6)


def _stencil(found: Found, order: int, nodes: int) -> dict[str, list[float]]:
    for point, seconds in found.stencils:
        if (point.order, point.nodes) == (order, nodes):
            return seconds
    raise Missing(f"N = {order}")


def _share_of_step(most: bool) -> Source:
    """Per cent of a step that communicates at the smallest N, without overlap, on the most or the fewest nodes."""

    def share(found: Found) -> float:
        step, seen = _stencil(found, min(found.orders), max(found.nodes) if most else min(found.nodes))["none"]
        return 100 * seen / step

    return _source(share)


_BOTH = "sequential"


def _overlap_us(found: Found, ranks: int, size: int, whom: str, what: str, mover: str = "") -> float:
    for point, by_whom in found.overlaps:
        if (point.ranks_on_a_node, point.bytes) == (ranks, size):
            own = by_whom[whom]
            if what == _BOTH:
                return float(own["communication"] + own["computation"]) * 1e6
            return float(own["both"][mover] if what == "both" else own[what]) * 1e6
    raise Missing(f"{ranks} ranks")


def _overlap(ranks: int, size: int, whom: str, what: str, mover: str = "") -> Source:
    """Microseconds."""
    return _source(lambda found: _overlap_us(found, ranks, size, whom, what, mover))


def _longer_with_9(found: Found) -> float:
    """Microseconds by which the total of figure 11 is above that of one after the other."""
    (ranks, size), whom = _OVERLAP[11], "hosts"
    one, other = _overlap_us(found, ranks, size, whom, "both", "nobody"), _overlap_us(found, ranks, size, whom, _BOTH)
    return one - other


def _overlap_measured(found: Found) -> Value:
    """Per cent that both together take longer than one after the other, at the paper's sizes."""
    own: list[dict[str, Any]] = [one for one in found.results("overlap") if one["size"] <= 4096]
    if not own:
        raise Missing("overlap")
    shares = [one["times"]["both"]["median"] / one["times"]["sequential"]["median"] - 1 for one in own]
    return median_of([100 * share for share in shares], "cells")


def _cg_wins(found: Found, nodes: int, order: int) -> float:
    """Per cent of the numbers of ranks at which CG between hosts is faster than every PIPECG between hosts."""
    own = [by["hosts"] for point, by in found.krylovs if (point.nodes, point.order) == (nodes, order)]
    if not own:
        raise Missing("Krylov solvers")
    wins = [all(one["CG"] < s for name, s in one.items() if name.startswith("PIPECG")) for one in own]
    return 100 * sum(wins) / len(wins)


def _krylov(nodes: int, order: int, whom: str, name: str) -> Source:
    """Microseconds of an iteration, with the most ranks on a node."""

    def time(found: Found) -> float:
        own = [by[whom][name] for point, by in found.krylovs if (point.nodes, point.order) == (nodes, order)]
        if not own:
            raise Missing("Krylov solvers")
        return float(own[-1]) * 1e6

    return _source(time)


def _cg_ahead(number: int) -> Source:
    """Per cent that PIPECG takes longer than CG, with the most ranks on a node."""

    def ahead(found: Found) -> float:
        at = _KRYLOV[number]
        own = [by["hosts"] for point, by in found.krylovs if (point.nodes, point.order) == at]
        if not own:
            raise Missing("Krylov solvers")
        return float(own[-1][f"PIPECG, {_THREAD}"] / own[-1]["CG"] - 1) * 100

    return _source(ahead)


def _wins(nodes: int, order: int) -> Source:
    return _source(lambda found: _cg_wins(found, nodes, order))


def _measured_cg(found: Found) -> Value:
    """Per cent that PIPECG takes longer than CG, measured."""
    shares = []
    for result in found.results("krylov", what="pipecg"):
        same = {name: result[name] for name in ("family", "mechanism", "size", "ranks")}
        cg = found.median("krylov", "total", what="cg", **same)
        if cg:
            shares.append(100 * (result["times"]["total"]["median"] / cg - 1))
    if not shares:
        raise Missing("krylov")
    return median_of(shares, "cells")


def _reduction_bytes(found: Found) -> float:
    if not found.pipecg_reductions:
        raise Missing("PIPECG's reductions")
    return float(max(size for size, count in found.pipecg_reductions if count >= 1))


def _sharp_gain(found: Found) -> Value:
    """Per cent that PIPECG with switches is longer than the same without anybody who moves messages."""
    gains = [by["switches"]["PIPECG, offload"] / by["switches"]["PIPECG, nobody"] - 1 for _, by in found.krylovs]
    return median_of([100 * gain for gain in gains], "numbers of nodes, rows and ranks")


_KRYLOV = {13: (16, 1536), 14: (16, 3072), 15: (128, 1536), 16: (128, 3072)}
_OVERLAP = {9: (1, 16), 10: (4, 16), 11: (9, 16), 12: (1, 4096)}
_THREAD = "the plug-in's thread, a core of its own"

VALUES: Values = {
    "exposed_512": _exposed(512, "none"),
    "exposed_512_put": _exposed(512, "put"),
    "exposed_1024": _exposed(1024, "none"),
    "exposed_1024_put": _exposed(1024, "put"),
    "exposed_2048": _exposed(2048, "none"),
    "exposed_2048_put": _exposed(2048, "put"),
    "share_few": _share_of_step(False),
    "share_many": _share_of_step(True),
    "total_512": _predicted("put", 0, 512),
    "total_1024": _predicted("put", 0, 1024),
    "total_2048": _predicted("put", 0, 2048),
    "put_mpich": _hidden("put", family="mpich"),
    "put_mpich_hides": _hides("put", family="mpich"),
    "put_openmpi": _hidden("put", family="openmpi"),
    "put_predicted": _predicted("put", 1),
    "acp_2048": _hidden("acp", size=2048),
    "isend_mpich_512": _hidden("isend", family="mpich", size=512),
    "isend_openmpi_2048": _hidden("isend", family="openmpi", size=2048),
    "isend_predicted": _predicted("isend", 1),
    "fence": _hidden("fence"),
    "fence_predicted": _predicted("fence", 1),
    "small_put": _hidden("put", "total", size=512),
    "large_put": _hidden("put", "total", size=2048),
    "large_acp": _hidden("acp", "total", size=2048),
    "both_longer": _source(_overlap_measured),
    "pipecg_bytes": _source(_reduction_bytes),
    "pipecg_longer": _source(_measured_cg),
    "sharp_gain": _source(_sharp_gain),
    "figure11_longer": _source(_longer_with_9),
    "sharp_gains_nothing": _source(lambda found: _sharp_gain(found).number + 2),
    "sharp_16": single("SHARP", "switches_us: 16"),
    "hosts_16": single("SHARP", "hosts_us: 16"),
    "sharp_4096": single("SHARP", "switches_us: 4096"),
    "hosts_4096": single("SHARP", "hosts_us: 4096"),
}
for _number, (_ranks, _size) in _OVERLAP.items():
    VALUES |= {
        f"figure{_number}_hosts": _overlap(_ranks, _size, "hosts", "communication"),
        f"figure{_number}_switches": _overlap(_ranks, _size, "switches", "communication"),
        f"figure{_number}_sequential": _overlap(_ranks, _size, "hosts", "sequential"),
        f"figure{_number}_both": _overlap(_ranks, _size, "hosts", "both", "nobody"),
    }
for _number, (_nodes, _order) in _KRYLOV.items():
    VALUES |= {
        f"figure{_number}_wins": _wins(_nodes, _order),
        f"figure{_number}_cg": _krylov(_nodes, _order, "hosts", "CG"),
        f"figure{_number}_pipecg": _krylov(_nodes, _order, "hosts", f"PIPECG, {_THREAD}"),
    }
VALUES["figure9_tests"] = _overlap(*_OVERLAP[9], "hosts", "both", "MPI_Test every 10 us")
VALUES |= {f"figure{number}_cg_ahead": _cg_ahead(number) for number in (13, 15, 16)}
