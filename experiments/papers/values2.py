"""Values of ours for paper 2."""

from __future__ import annotations

from statistics import fmean, median

from experiments.papers.values import Missing, Saved, Source, Value, Values, mean_of, median_of, single
from experiments.torus_broadcast.on_nwtopo import GENERAL, INTERNAL, MPI, NAMES
from experiments.torus_broadcast.presentation import ALLREDUCES, COLOURS, UNAWARE

SMALL, LARGE = "2x3x2", "4x6x16"
PAPER_LINES = 37 + 147
ON_NWTOPO, ON_INTERNALS, OF_THE_MPI = (NAMES[name] for name in (GENERAL, INTERNAL, MPI))
EXECUTED = 1 << 20
"""Bytes of the broadcast whose times a row has."""


def _gigabytes(saved: Saved, shape: str, tree: str) -> float:
    """At the largest size."""
    return float(saved.parameters["sizes"][-1] / saved.of(f"{shape}: {tree}")[-1] / 1e9)


def _rate(shape: str, tree: str) -> Source:
    return Source("torus_broadcast", lambda saved: _gigabytes(saved, shape, tree))


def _gain(shape: str) -> Source:
    """Of Trinaryx3 over the best tree that does not know the network."""
    return Source(
        "torus_broadcast",
        lambda saved: _gigabytes(saved, shape, "trinaryx3") / max(_gigabytes(saved, shape, one) for one in UNAWARE),
    )


def _allreduce(saved: Saved) -> float:
    """Trinaryx3's gain over the best allreduce that does not know the network."""
    seconds = dict(zip(ALLREDUCES, saved.of("allreduce"), strict=True))
    own = seconds.pop("trinaryx3")
    return float(min(seconds.values()) / own)


def _against_smpi(saved: Saved) -> float:
    """Per cent, of Trinaryx3 on the box."""
    place = COLOURS.index("trinaryx3")
    ours, theirs = (next(saved.of(name)[place] for name in saved.results if name.endswith(who)) for who in _WHO)
    return float((theirs / ours - 1) * 100)


_WHO = (": ours", ": SMPI")


def _executed(name: str, size: int) -> Source:
    """Microseconds of a broadcast in Open MPI: the median of blocks of calls, with half of their range."""

    def find(saved: Saved) -> Value:
        return median_of(_blocks(saved)[name, size], "blocks of calls")

    return Source("torus_broadcast", find)


def _blocks(saved: Saved) -> dict[tuple[str, int], list[float]]:
    return {(one["name"], one["bytes"]): one["us"] for one in saved.of("on nwtopo, Open MPI")[0]}


def _costs_of_the_api(saved: Saved) -> Value:
    """Per cent by which the broadcast on nwtopo.h is slower than the one on internals, by medians."""
    blocks = _blocks(saved)
    sizes = sorted({size for _, size in blocks})
    apart = [(median(blocks[ON_NWTOPO, size]) / median(blocks[ON_INTERNALS, size]) - 1) * 100 for size in sizes]
    return mean_of(apart, "sizes")


def _simulated(name: str, shape: str, place: int) -> Source:
    """GB/s under SMPI, at one of the sizes."""

    def find(saved: Saved) -> float:
        found = [one for one in saved.of(f"on nwtopo, SMPI: {shape}")[0] if one["name"] == name]
        return float(found[place]["bytes"] / found[place]["s"] / 1e9)

    return Source("torus_broadcast", find)


def _simulated_apart(saved: Saved) -> float:
    """Per cent: the most by which the two Trinaryx3 differ under SMPI, over all shapes and sizes."""
    apart = []
    for found in (saved.of(name)[0] for name in saved.results if name.startswith("on nwtopo, SMPI: ")):
        seconds = {(one["name"], one["bytes"]): one["s"] for one in found}
        apart += [
            abs(s / seconds[ON_INTERNALS, size] - 1) * 100 for (who, size), s in seconds.items() if who == ON_NWTOPO
        ]
    if not apart:
        raise Missing("SMPI")
    return float(max(apart))


def _first_call(shape: str, place: int, key: str) -> Source:
    """Milliseconds until the steps of a call are there: at the smallest (0) or largest (-1) size."""
    return Source("torus_broadcast", lambda saved: float(saved.of(f"on nwtopo, made: {shape}")[0][place][key]))


def _share_of_lines(saved: Saved) -> float:
    return float(saved.of("lines")[0]["lines"]) / (227 + 245) * 100


def _faster_mapped(saved: Saved) -> float:
    return float(saved.of("binary tree, by rank")[0]["us"] / saved.of("binary tree, mapped")[0]["us"])


def _growth(saved: Saved) -> float:
    """Bytes of one more machine, from 82,944 to 1,000,000."""
    many, fewer = saved.of("1,000,000 nodes")[0], saved.of("82,944 nodes")[0]
    more = many["all_objects_MiB"] - fewer["all_objects_MiB"]
    return float(more * 2**20 / (many["machines"] - fewer["machines"]))


def _same_messages(saved: Saved) -> float:
    """Of the schedules, those with the same messages as the one on internals; of 100."""
    made = [one for shape in (SMALL, LARGE) for one in saved.of(f"on nwtopo, made: {shape}")[0]]
    return 100 * fmean(one["same_messages"] for one in made)


_NODES = {
    "12": "12 nodes",
    "384": "384 nodes",
    "4800": "4,800 nodes",
    "82944": "82,944 nodes",
    "million": "1,000,000 nodes",
}

VALUES: Values = {
    "trinaryx3_small": _rate(SMALL, "trinaryx3"),
    "trinaryx3_large": _rate(LARGE, "trinaryx3"),
    "gain_small": _gain(SMALL),
    "gain_large": _gain(LARGE),
    "allreduce_gain": Source("torus_broadcast", _allreduce),
    "against_smpi": Source("torus_broadcast", _against_smpi),
    "lines": single("lines", "lines"),
    "lines_initialisation": single("lines", "initialisation"),
    "lines_pattern": single("lines", "pattern"),
    "api_costs": Source("torus_broadcast", _costs_of_the_api),
    "nwtopo_us": _executed(ON_NWTOPO, EXECUTED),
    "internals_us": _executed(ON_INTERNALS, EXECUTED),
    "mpi_us": _executed(OF_THE_MPI, EXECUTED),
    "smpi_apart": Source("torus_broadcast", _simulated_apart),
    "smpi_nwtopo": _simulated(ON_NWTOPO, SMALL, -1),
    "smpi_internals": _simulated(ON_INTERNALS, SMALL, -1),
    "smpi_mpi": _simulated(OF_THE_MPI, SMALL, -1),
    "made_small": _first_call(LARGE, 0, "general_ms"),
    "made_large": _first_call(LARGE, -1, "general_ms"),
    "made_internal": _first_call(LARGE, -1, "internal_ms"),
    "made_same": Source("torus_broadcast", _same_messages),
    "lines_share": Source("single_commands", _share_of_lines, "lines"),
    "hops": single("binary tree", "hops"),
    "shared": single("binary tree", "shared"),
    "mapped_hops": single("binary tree", "mapped_hops"),
    "mapped_shared": single("binary tree", "mapped_shared"),
    "faster_mapped": Source("single_commands", _faster_mapped, "binary tree, mapped"),
    "torus_grids": single("objects of a torus", "grid"),
    "tree_routers": single("objects of a fat tree", "router"),
    "tree_machines": single("objects of a fat tree", "machine"),
    "dragonfly_full": single("objects of a dragonfly", "full"),
    "trinaryx3_children": single("Trinaryx3", "children"),
    "trinaryx3_colours": single("Trinaryx3", "colours"),
    "trinaryx3_nodes": single("Trinaryx3", "nodes"),
    "k_machines": single("Tofu, logical", "machines"),
    "checks": single("OpenSM's file engine", "checks"),
    "checks_passed": single("OpenSM's file engine", "passed"),
    "growth": Source("single_commands", _growth, "1,000,000 nodes"),
    "loaded_82944": single("82,944 nodes", "loaded_MiB"),
    "loaded_million": single("1,000,000 nodes", "loaded_MiB"),
}
VALUES |= {f"memory_{short}": single(name, "all_objects_MiB") for short, name in _NODES.items()}
