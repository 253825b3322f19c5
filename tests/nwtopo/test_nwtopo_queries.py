"""Hops, routes, ancestors, nearest machines and cuts, around faults and by forwarding tables."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from small_networks import TREE, names

from ayatori import Error, _core, nwtopo
from ayatori.model.network import open_source
from ayatori.nwtopo import UNREACHABLE, Topology
from ayatori.planning.routes import make_routes


def ring(a: int, b: int, length: int) -> int:
    return min((a - b) % length, (b - a) % length)


def test_hops(tree: Topology, torus: Topology) -> None:
    a, b, c = (tree.machine(name) for name in ("N0", "N1", "N31"))
    assert [tree.hops(a, other) for other in (a, b, c)] == [0, 2, 4]
    for x, y in product(torus.machines[::7], repeat=2):
        expected = sum(ring(p, q, n) for p, q, n in zip(torus.coords(x), torus.coords(y), (3, 4, 5), strict=True))
        assert torus.hops(x, y) == expected


def test_distances_are_the_matrix_of_hops(tree: Topology) -> None:
    some = [tree.machine(f"N{i}") for i in (0, 3, 4, 30)]
    matrix = tree.distances(some)
    assert (matrix.dtype, matrix.shape) == (np.uint32, (4, 4))
    assert matrix.tolist() == [[tree.hops(a, b) for b in some] for a in some]
    assert tree.distances().shape == (32, 32)
    assert tree.distances([]).shape == (0, 0)


def test_routes_are_shortest_and_different(tree: Topology) -> None:
    a, b = tree.machine("N0"), tree.machine("N31")
    routes = list(tree.routes(a, b))
    assert len(routes) == tree.num_routes(a, b) == 4
    assert {route[1].to.name for route in routes} == {"RS0", "RS1", "RS2", "RS3"}
    for route in routes:
        assert (route[0].from_, route[-1].to, len(route)) == (a, b, 4)
        assert all(link.to == following.from_ for link, following in zip(route, route[1:], strict=False))
    assert list(tree.routes(a, a)) == [[]]


def test_common_ancestors(tree: Topology, torus: Topology) -> None:
    assert names(tree.common_ancestors(tree.machine("N0"), tree.machine("N1"))) == ["LS0"]
    assert names(tree.common_ancestors(tree.machine("N0"), tree.machine("N31"))) == ["RS0", "RS1", "RS2", "RS3"]
    assert torus.common_ancestors(torus.machines[0], torus.machines[9]) == [torus.root]


def test_nearest_machines(tree: Topology) -> None:
    assert names(tree.nearest_machines(tree.machine("N5"), 4)) == ["N4", "N6", "N7", "N0"]
    assert tree.nearest_machines(tree.machine("N5"), 0) == []
    assert len(tree.nearest_machines(tree.machine("N5"), 100)) == 31
    with pytest.raises(Error):
        tree.nearest_machines(tree.machine("N5"), -1)


def test_machines_under(tree: Topology) -> None:
    assert names(tree.machines_under(tree.router("LS7"))) == ["N28", "N29", "N30", "N31"]
    assert len(tree.machines_under(tree.router("RS0"))) == 32
    assert names(tree.machines_under(tree.machine("N3"))) == ["N3"]


def test_cut_of_a_full_bisection_and_of_an_oversubscribed_one(tree: Topology) -> None:
    cut = tree.cut(tree.machines[:16], tree.machines[16:])
    assert (cut.bandwidth, cut.injection, cut.oversubscription) == (16 * 25e9, 16 * 25e9, 1)
    slim = nwtopo.load("xgft:h=2;m=4,2;w=1,2")  # 4 hosts a leaf, 2 cables up
    cut = slim.cut(slim.machines[:4], slim.machines[4:])
    assert (cut.bandwidth, cut.oversubscription, cut.num_links) == (2 * 25e9, 2, 2)
    with pytest.raises(Error):
        tree.cut(tree.machines[:2], tree.machines[1:3])


def test_faults_are_gone_around() -> None:
    topology = nwtopo.load(TREE, faults="RS0,LS0:6")
    a, b = topology.machine("N0"), topology.machine("N31")
    assert topology.num_routes(a, b) == 2
    assert not topology.router("LS0").links[4].up
    assert (~topology.links()["up"]).sum() == 2 * (8 + 1)
    cut_off = nwtopo.load(TREE, faults="LS0")
    assert cut_off.hops(cut_off.machine("N0"), cut_off.machine("N31")) is None
    assert cut_off.distances([cut_off.machine("N0"), cut_off.machine("N31")])[0, 1] == UNREACHABLE
    with pytest.raises(Error, match="LS77"):
        nwtopo.load(TREE, faults="LS77")


def test_packets_go_by_the_tables_that_were_given(tmp_path: Path) -> None:
    network = open_source(TREE)
    _core.write_tables(network, make_routes(network, 2), str(tmp_path / "lfts"))
    tree = nwtopo.load(TREE, tables=tmp_path / "lfts")
    here, there = tree.machine("N0"), tree.machine("N31")
    spines = {tree.routed_path(here, there, path)[1].to.name for path in range(4)}
    assert spines == {"RS0", "RS1", "RS2", "RS3"}
    assert [link.to.name for link in tree.routed_path(here, tree.machine("N1"))] == ["LS0", "N1"]
    with pytest.raises(Error, match="N31 has no path 4"):
        tree.routed_path(here, there, 4)
    with pytest.raises(Error, match="no forwarding tables"):
        nwtopo.load(TREE).routed_path(here, there)
