"""Values of ours for paper 3."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from experiments.mixed_cluster.cell_cluster import GRIDS
from experiments.mixed_cluster.experiment import CELLS
from experiments.mixed_cluster.lab_measurement import PLANES
from experiments.mixed_cluster.presentation import Measured
from experiments.mixed_cluster.verbs_measurement import SOCKETS
from experiments.papers.values import Missing, Saved, Source, Value, Values, single

ETHERNET, INFINIBAND = PLANES
RELIABLE = "verbs, RC"


def _measured(saved: Saved) -> Measured:
    parameters = saved.parameters
    found = Measured(parameters["slower"], parameters["order"], parameters["repeats"])
    found.ping_pongs = saved.of("ping-pong")[0]
    found.hpl = [point for points in saved.results.get("HPL", []) for point in points]
    return found


def _source(compute: Callable[[Measured], Value | float]) -> Source:
    return Source("mixed_cluster", lambda saved: compute(_measured(saved)))


def _ping_pong(plane: str, key: str, scale: float, largest: bool) -> Source:
    def find(measured: Measured) -> float:
        size = measured.largest() if largest else 1
        for stretch in measured.near():
            if stretch["name"] == f"{plane} near":
                return float(next(one[key] for one in stretch["sizes"] if one["bytes"] == size)) * scale
        raise Missing(plane)

    return _source(find)


def _gain(processes: int) -> Source:
    """Per cent that HPL is faster on Ethernet, in the middle of the block sizes; with the most that runs differ by."""

    def gain(measured: Measured) -> Value:
        gains = sorted(measured.gains(processes))
        if not gains:
            raise Missing("HPL")
        return Value(gains[len(gains) // 2] * 100, measured.noise(processes) * 100, "runs of one point")

    return _source(gain)


def _rate(plane: str, processes: int, which: int) -> Source:
    """GFlop/s at the smallest (0) or the largest (-1) NB."""

    def rate(measured: Measured) -> Value:
        points = [one for one in measured.hpl if (one["plane"], one["p"] * one["q"]) == (plane, processes)]
        if not points:
            raise Missing("HPL")
        own = sorted(points, key=lambda point: int(point["nb"]))[which]["gflops"]
        return Value(own["median"], (own["max"] - own["min"]) / 2, "half of the range of the runs")

    return _source(rate)


def _transport(name: str) -> Source:
    """Half of a round trip of the shortest message, in microseconds: the fastest tenth."""

    def find(saved: Saved) -> float:
        found: list[dict[str, Any]] = saved.of("transports")
        own = next((one for one in found if one["transport"] == name and one.get("sizes")), None)
        if own is None:
            raise Missing(name)
        return float(own["sizes"][0]["tenth_s"]) * 1e6

    return Source("mixed_cluster", find)


def _sockets_share(saved: Saved) -> float:
    """Per cent of verbs' throughput that sockets have on one adapter, at the largest size."""
    found = {
        one["transport"]: one["sizes"][-1]["half_round_trip_s"] for one in saved.of("transports") if one.get("sizes")
    }
    if not {SOCKETS, RELIABLE} <= set(found):
        raise Missing("transports")
    return float(found[RELIABLE] / found[SOCKETS] * 100)


def _cells(key: str, setting: tuple[int, int, str]) -> Source:
    """Of the model of HPL on the cluster to be built, on one grid."""

    def find(saved: Saved) -> float:
        return float(next(one for one in saved.of(CELLS) if (one["p"], one["q"], one["uplink"]) == setting)[key])

    return Source("mixed_cluster", find)


def _best_cells(saved: Saved) -> float:
    return float(max(one["tflops"] for one in saved.of(CELLS) if not one["uplink"]))


VALUES: Values = {
    "sockets_share": Source("mixed_cluster", _sockets_share),
    "cells_12": _cells("tflops", GRIDS[0]),
    "cells_row": _cells("row_mbps", GRIDS[0]),
    "cells_1": _cells("tflops", (1, 156, "")),
    "cells_10g": _cells("tflops", (12, 13, "10Gbit/s")),
    "cells_order": _cells("order", GRIDS[0]),
    "cells_best": Source("mixed_cluster", _best_cells),
    "latency_10gbe": _ping_pong(ETHERNET, "half_round_trip_s", 1e6, False),
    "latency_infiniband": _ping_pong(INFINIBAND, "half_round_trip_s", 1e6, False),
    "latency_gbe": _ping_pong("gbe", "half_round_trip_s", 1e6, False),
    "rate_10gbe": _ping_pong(ETHERNET, "throughput_MBps", 1, True),
    "rate_infiniband": _ping_pong(INFINIBAND, "throughput_MBps", 1, True),
    "rate_gbe": _ping_pong("gbe", "throughput_MBps", 1, True),
    "gain_1": _gain(1),
    "gain_4": _gain(4),
    "gain_8": _gain(8),
    "hpl_10gbe_small": _rate(ETHERNET, 8, 0),
    "hpl_10gbe_large": _rate(ETHERNET, 8, -1),
    "hpl_infiniband_small": _rate(INFINIBAND, 8, 0),
    "hpl_infiniband_large": _rate(INFINIBAND, 8, -1),
    "sockets": _transport(SOCKETS),
    "verbs_rc": _transport(RELIABLE),
    "verbs_ud": _transport("verbs, UD"),
    "blade": single("paper 3's arithmetic", "blade"),
    "chassis": single("paper 3's arithmetic", "chassis"),
    "mixed": single("paper 3's arithmetic", "mixed"),
    "effective": single("paper 3's arithmetic", "effective"),
    "cluster": single("paper 3's arithmetic", "cluster"),
    "real_blades": single("paper 3's arithmetic", "real_blades"),
    "top500_last": single("paper 3's arithmetic", "top500_last"),
    "cell_machines": single("the Cell cluster", "machines"),
    "cell_infiniband": single("the Cell cluster", "machines_on_infiniband"),
    "cell_fibre": single("the Cell cluster", "machines_on_fibre"),
}
