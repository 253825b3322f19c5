"""Topologies made from others: subsets, differences, caches, bytes and exported files."""

from pathlib import Path

import numpy as np
import pytest
from small_networks import TORUS, TREE, names

from ayatori import Error, nwtopo
from ayatori.nwtopo import Obj, Topology


def test_shrinking_keeps_ids_and_shapes(torus: Topology, tree: Topology) -> None:
    box = [torus.machine(f"N{x}-{y}-{z}") for x in range(3) for y in (1, 2) for z in (4, 0)]
    part = torus.shrink(box)
    assert part.root is not None
    assert (part.root.dimensions, part.root.periodicities, part.root.dense) == ((3, 2, 2), (True, False, False), True)
    assert part.root.reference_coordinates == (0, 1, 4)
    assert sorted(machine.id for machine in part.machines) == sorted(machine.id for machine in box)
    assert part.coords(part.machine("N1-2-0")) == (1, 1, 1)
    few = tree.shrink([tree.machine("N0"), tree.machine("N2")])
    assert names(few.machines) == ["N0", "N2"]
    assert names(few.objects(1)) == ["LS0"]
    assert few.object_by_id(tree.machine("N2").id).name == "N2"


def test_bad_subsets_are_refused(tree: Topology, torus: Topology) -> None:
    for machines in ([], [tree.machines[0]] * 2, [tree.router("LS0")]):
        with pytest.raises(Error):
            tree.shrink(machines)
    with pytest.raises(Error, match="is not an object of"):
        tree.hops(tree.machines[0], Obj(torus, 59))


def test_a_route_through_a_hole_of_a_subset_has_ends_that_are_none(torus: Topology) -> None:
    a, b = torus.machine("N0-0-0"), torus.machine("N0-0-2")
    two = torus.shrink([a, b])
    assert two.hops(a, b) == 2
    first, second = next(two.routes(a, b))
    assert (first.from_.name, first.to, second.from_, second.to.name) == ("N0-0-0", None, None, "N0-0-2")


def test_differences() -> None:
    before, after = nwtopo.load("torus:3x3"), nwtopo.load("torus:3x3,rate=4xNDR")
    assert before.diff(before) == []
    found = before.diff(after)
    assert {(difference.type, difference.is_link, difference.detail) for difference in found} == {
        ("changed", True, "4xHDR -> 4xNDR")
    }
    assert len(found) == 18


@pytest.mark.parametrize("source", [TREE, TORUS, "full:5,hosts=2"])
def test_a_cache_gives_the_same_topology(source: str, tmp_path: Path) -> None:
    before = nwtopo.load(source)
    before.export_file("cache", tmp_path / "cache")
    after = nwtopo.load(f"cache:{tmp_path / 'cache'}")
    assert before.diff(after) == []
    assert np.array_equal(before.links(), after.links())
    assert names(before.machines) == names(after.machines)
    before.export_file("cache", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "cache").read_bytes()


def test_a_topology_goes_through_bytes(tree: Topology) -> None:
    copy = nwtopo.from_buffer(tree.export_buffer(), this_machine="N4")
    assert copy.diff(tree) == []
    assert copy.this_machine.name == "N4"
    with pytest.raises(Error, match="not a topology cache"):
        nwtopo.from_buffer(b"nonsense")


@pytest.mark.parametrize("format", ["dot", "graphml", "ibsim", "simgrid", "svg"])
def test_exports(format: str, tree: Topology, tmp_path: Path) -> None:
    tree.export_file(format, tmp_path / "file")
    assert b"N31" in (tmp_path / "file").read_bytes()
    with pytest.raises(Error, match="powerpoint"):
        tree.export_file("powerpoint", tmp_path / "other")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
