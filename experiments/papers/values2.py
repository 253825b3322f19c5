"""Values of ours for paper 2."""

from __future__ import annotations

from experiments.papers.values import Saved, Source, Values, single
from experiments.torus_broadcast.presentation import ALLREDUCES, COLOURS, UNAWARE

SMALL, LARGE = "2x3x2", "4x6x16"
PAPER_LINES = 37 + 147


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


def _share_of_lines(saved: Saved) -> float:
    return float(saved.of("lines")[0]["lines"]) / (227 + 245) * 100


def _faster_mapped(saved: Saved) -> float:
    return float(saved.of("binary tree, by rank")[0]["us"] / saved.of("binary tree, mapped")[0]["us"])


def _growth(saved: Saved) -> float:
    """Bytes of one more machine, from 82,944 to 1,000,000."""
    many, fewer = saved.of("1,000,000 nodes")[0], saved.of("82,944 nodes")[0]
    more = many["all_objects_MiB"] - fewer["all_objects_MiB"]
    return float(more * 2**20 / (many["machines"] - fewer["machines"]))


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
