"""What a topology says of its objects and links, one by one and as arrays, on networks that one can count by hand."""

import pytest
from small_networks import TORUS, TREE, names

from ayatori import nwtopo
from ayatori.nwtopo import LINK, Topology


def test_a_tree_has_hosts_leaves_and_spines(tree: Topology) -> None:
    assert tree.max_height == 2
    assert [len(tree.objects(height)) for height in range(4)] == [32, 8, 4, 0]
    assert {obj.type for obj in tree.objects(1)} == {"router"}
    assert tree.root is None
    host = tree.machine("N7")
    assert (host.type, host.height, host.num_nics) == ("machine", 0, 1)
    assert names(host.parents) == ["LS1"]
    assert names(tree.router("LS1").children) == ["N4", "N5", "N6", "N7"]
    assert names(tree.router("LS1").parents) == ["RS0", "RS1", "RS2", "RS3"]
    assert len(tree.router("RS0").children) == 8


def test_a_torus_is_a_grid_of_machines(torus: Topology) -> None:
    assert (torus.max_height, len(torus.machines)) == (1, 60)
    root = torus.root
    assert root is not None
    assert (root.type, root.dimensions, root.periodicities, root.dense) == ("grid", (3, 4, 5), (True,) * 3, True)
    assert root.reference_coordinates == (0, 0, 0)
    assert len(root.children) == 60
    assert torus.machines[0].dimensions == ()


def test_objects_are_what_their_ids_say(tree: Topology) -> None:
    for height in range(tree.max_height + 1):
        for obj in tree.objects(height):
            assert tree.object_by_id(obj.id) == obj
            assert obj.height == height
            assert all(obj in parent.children for parent in obj.parents)
            assert len({obj, tree.object_by_id(obj.id)}) == 1


def test_sequences_of_objects_are_sequences(torus: Topology) -> None:
    machines = torus.machines
    assert machines[-1] == machines[59]
    assert list(machines[10:20:3]) == [machines[i] for i in (10, 13, 16, 19)]
    assert machines[5] in machines
    assert machines.index(machines[7]) == 7
    with pytest.raises(IndexError):
        machines[60]
    assert "60 in all" in repr(machines)


def test_links_have_both_ends(tree: Topology) -> None:
    (link,) = tree.machine("N7").links
    assert (link.from_.name, link.to.name, link.from_port, link.to_port) == ("N7", "LS1", 1, 4)
    assert (link.plane, link.rate, link.bandwidth, link.latency) == ("infiniband", "4xHDR", 25e9, 0)
    assert (link.up, link.degraded) == (True, False)
    assert len(tree.router("LS1").links) == 8


@pytest.mark.parametrize("source", [TREE, TORUS, "full:4,hosts=2"])
def test_the_array_of_links_is_every_link_of_every_object(source: str) -> None:
    topology = nwtopo.load(source)
    table = topology.links()
    assert table.dtype == LINK
    expected = [link for height in range(topology.max_height + 1) for o in topology.objects(height) for link in o.links]
    assert table["from"].tolist() == [link.from_.id for link in expected]
    assert table["to"].tolist() == [link.to.id for link in expected]
    assert table["from_port"].tolist() == [link.from_port for link in expected]
    assert table["to_port"].tolist() == [link.to_port for link in expected]
    assert table["bandwidth"].tolist() == [link.bandwidth for link in expected]
    assert table["latency"].tolist() == [link.latency for link in expected]
    assert table["up"].all() and not table["degraded"].any() and not table["plane"].any()
    there = {tuple(row) for row in table[["from", "from_port", "to", "to_port"]].tolist()}
    assert {(c, d, a, b) for a, b, c, d in there} == there


def test_arrays_outlive_their_topology() -> None:
    coordinates = nwtopo.load(TORUS).coordinates()
    links = nwtopo.load(TORUS).links()
    assert coordinates[-1].tolist() == [2, 3, 4]
    assert len(links) == 60 * 6
    assert links.base is not None  # a view of what the core made, no copy of it
