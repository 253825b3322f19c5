"""nwtopo for Python: what it says of networks that one can count by hand."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ayatori import Error, _core, nwtopo
from ayatori.model.network import open_source
from ayatori.nwtopo import LINK, UNREACHABLE, Obj, Topology
from ayatori.planning.routes import make_routes

TREE = "fattree:K=4,levels=2"  # 8 leaves of 4 hosts, 4 spines
TORUS = "torus:3x4x5"


@pytest.fixture(scope="module")
def tree() -> Topology:
    return nwtopo.load(TREE)


@pytest.fixture(scope="module")
def torus() -> Topology:
    return nwtopo.load(TORUS)


def names(objects) -> list[str]:
    return [obj.name for obj in objects]


def ring(a: int, b: int, length: int) -> int:
    return min((a - b) % length, (b - a) % length)


# ---- looking at it


def test_a_tree_has_hosts_leaves_and_spines(tree: Topology) -> None:
    assert tree.max_height == 2
    assert [len(tree.objects(height)) for height in range(4)] == [32, 8, 4, 0]
    assert {obj.kind for obj in tree.objects(1)} == {"router"}
    assert tree.root is None
    host = tree.machine("N7")
    assert (host.kind, host.height, host.num_nics) == ("machine", 0, 1)
    assert names(host.parents) == ["LS1"]
    assert names(tree.router("LS1").children) == ["N4", "N5", "N6", "N7"]
    assert names(tree.router("LS1").parents) == ["RS0", "RS1", "RS2", "RS3"]
    assert len(tree.router("RS0").children) == 8


def test_a_torus_is_a_grid_of_machines(torus: Topology) -> None:
    assert (torus.max_height, len(torus.machines)) == (1, 60)
    root = torus.root
    assert root is not None
    assert (root.kind, root.dimensions, root.periodic, root.dense) == ("grid", (3, 4, 5), (True,) * 3, True)
    assert root.reference == (0, 0, 0)
    assert len(root.children) == 60
    assert torus.machines[0].dimensions == ()


def test_objects_are_what_their_ids_say(tree: Topology) -> None:
    for height in range(tree.max_height + 1):
        for obj in tree.objects(height):
            assert tree.object(obj.id) == obj
            assert obj.height == height
            assert all(obj in parent.children for parent in obj.parents)
            assert len({obj, tree.object(obj.id)}) == 1


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
    assert (link.plane, link.rate, link.bytes_per_second, link.latency) == ("infiniband", "4xHDR", 25e9, 0)
    assert (link.up, link.degraded) == (True, False)
    assert len(tree.router("LS1").links) == 8


# ---- arrays


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
    assert table["bytes_per_second"].tolist() == [link.bytes_per_second for link in expected]
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


def test_coordinates_are_those_of_each_machine(torus: Topology) -> None:
    coordinates = torus.coordinates()
    assert (coordinates.dtype, coordinates.shape) == (np.int32, (60, 3))
    assert [tuple(row) for row in coordinates.tolist()] == list(product(range(3), range(4), range(5)))
    assert [torus.coords(machine) for machine in torus.machines] == [tuple(row) for row in coordinates.tolist()]


def test_machines_below_a_grid_of_routers_have_its_coordinates() -> None:
    topology = nwtopo.load("torus:3x4,hosts=2")
    coordinates = topology.coordinates()
    assert coordinates.shape == (24, 2)
    assert topology.coords(topology.machine("N2-1-0")) == (2, 1)
    assert [tuple(row) for row in coordinates.tolist()] == [topology.coords(machine) for machine in topology.machines]


def test_a_million_machines_cost_nothing_until_they_are_used() -> None:
    topology = nwtopo.load("torus:100x100x100")
    assert topology.private_bytes < 1 << 20
    assert topology.coords(topology.machine("N99-0-1")) == (99, 0, 1)
    assert len(topology.machines) == 1_000_000


# ---- grids


def test_neighbours_go_around_a_torus_and_end_at_the_edge_of_a_mesh(torus: Topology) -> None:
    corner = torus.machine("N0-0-0")
    assert torus.shifted(corner, (-1, -1, -1)) == torus.machine("N2-3-4")
    assert torus.neighbour(corner, 2, -1) == torus.machine("N0-0-4")
    assert torus.neighbour(corner, 1, 6) == torus.machine("N0-2-0")
    mesh = nwtopo.load("mesh:3x4")
    assert mesh.neighbour(mesh.machine("N0-0"), 0, -1) is None
    assert mesh.neighbour(mesh.machine("N0-0"), 0) == mesh.machine("N1-0")
    assert mesh.at((2, 3)) == mesh.machine("N2-3")


def test_coordinates_out_of_range_are_refused(torus: Topology, tree: Topology) -> None:
    for coords in ((3, 0, 0), (0, -1, 0), (0, 0), (0, 0, 0, 0)):
        with pytest.raises(Error, match="not a point of a grid of 3x4x5"):
            torus.at(coords)
    with pytest.raises(Error, match="2 shifts"):
        torus.shifted(torus.machines[0], (1, 1))
    with pytest.raises(Error, match="dimension 3"):
        torus.neighbour(torus.machines[0], 3)
    with pytest.raises(Error, match="has 0 grids"):
        tree.coords(tree.machines[0])
    with pytest.raises(Error, match="is not a grid"):
        torus.coords(torus.machines[0], torus.machines[1])


# ---- queries


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


def test_the_first_route_of_a_torus_goes_by_dimension_from_the_first(torus: Topology) -> None:
    route = next(torus.routes(torus.machine("N0-0-0"), torus.machine("N2-1-2")))
    assert names(link.to for link in route) == ["N2-0-0", "N2-1-0", "N2-1-1", "N2-1-2"]


def test_common_ancestors(tree: Topology, torus: Topology) -> None:
    assert names(tree.common_ancestors(tree.machine("N0"), tree.machine("N1"))) == ["LS0"]
    assert names(tree.common_ancestors(tree.machine("N0"), tree.machine("N31"))) == ["RS0", "RS1", "RS2", "RS3"]
    assert torus.common_ancestors(torus.machines[0], torus.machines[9]) == [torus.root]


def test_nearest_machines(tree: Topology) -> None:
    assert names(tree.nearest(tree.machine("N5"), 4)) == ["N4", "N6", "N7", "N0"]
    assert tree.nearest(tree.machine("N5"), 0) == []
    assert len(tree.nearest(tree.machine("N5"), 100)) == 31
    with pytest.raises(Error):
        tree.nearest(tree.machine("N5"), -1)


def test_machines_under(tree: Topology) -> None:
    assert names(tree.machines_under(tree.router("LS7"))) == ["N28", "N29", "N30", "N31"]
    assert len(tree.machines_under(tree.router("RS0"))) == 32
    assert names(tree.machines_under(tree.machine("N3"))) == ["N3"]


def test_cut_of_a_full_bisection_and_of_an_oversubscribed_one(tree: Topology) -> None:
    cut = tree.cut(tree.machines[:16], tree.machines[16:])
    assert (cut.bytes_per_second, cut.injection, cut.oversubscription) == (16 * 25e9, 16 * 25e9, 1)
    slim = nwtopo.load("xgft:h=2;m=4,2;w=1,2")  # 4 hosts a leaf, 2 cables up
    cut = slim.cut(slim.machines[:4], slim.machines[4:])
    assert (cut.bytes_per_second, cut.oversubscription, cut.links) == (2 * 25e9, 2, 2)
    with pytest.raises(Error):
        tree.cut(tree.machines[:2], tree.machines[1:3])


# ---- other topologies, files


def test_shrinking_keeps_ids_and_shapes(torus: Topology, tree: Topology) -> None:
    box = [torus.machine(f"N{x}-{y}-{z}") for x in range(3) for y in (1, 2) for z in (4, 0)]
    part = torus.shrink(box)
    assert part.root is not None
    assert (part.root.dimensions, part.root.periodic, part.root.dense) == ((3, 2, 2), (True, False, False), True)
    assert part.root.reference == (0, 1, 4)
    assert sorted(machine.id for machine in part.machines) == sorted(machine.id for machine in box)
    assert part.coords(part.machine("N1-2-0")) == (1, 1, 1)
    few = tree.shrink([tree.machine("N0"), tree.machine("N2")])
    assert names(few.machines) == ["N0", "N2"]
    assert names(few.objects(1)) == ["LS0"]
    assert few.object(tree.machine("N2").id).name == "N2"


def test_bad_subsets_are_refused(tree: Topology, torus: Topology) -> None:
    for machines in ([], [tree.machines[0]] * 2, [tree.router("LS0")]):
        with pytest.raises(Error):
            tree.shrink(machines)
    with pytest.raises(Error, match="is not an object of"):
        tree.hops(tree.machines[0], Obj(torus, 59))


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


def test_differences() -> None:
    before, after = nwtopo.load("torus:3x3"), nwtopo.load("torus:3x3,rate=4xNDR")
    assert before.diff(before) == []
    found = before.diff(after)
    assert {(difference.what, difference.is_link, difference.detail) for difference in found} == {
        ("changed", True, "4xHDR -> 4xNDR")
    }
    assert len(found) == 18


@pytest.mark.parametrize("source", [TREE, TORUS, "full:5,hosts=2"])
def test_a_cache_gives_the_same_topology(source: str, tmp_path: Path) -> None:
    before = nwtopo.load(source)
    before.write_cache(tmp_path / "cache")
    after = nwtopo.load(f"cache:{tmp_path / 'cache'}")
    assert before.diff(after) == []
    assert np.array_equal(before.links(), after.links())
    assert names(before.machines) == names(after.machines)
    before.export("cache", tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "cache").read_bytes()


@pytest.mark.parametrize("format", ["dot", "graphml", "ibsim", "simgrid", "svg"])
def test_exports(format: str, tree: Topology, tmp_path: Path) -> None:
    tree.export(format, tmp_path / "file")
    assert b"N31" in (tmp_path / "file").read_bytes()
    with pytest.raises(Error, match="powerpoint"):
        tree.export("powerpoint", tmp_path / "other")
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


# ---- loading


def test_the_environment_names_a_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NWTOPO_SOURCE", "full:3")
    assert nwtopo.load().source == "full:3"
    assert nwtopo.load("full:4").source == "full:4"


def test_what_can_not_be_loaded_says_why() -> None:
    with pytest.raises(Error, match="unknown kind"):
        nwtopo.load("fatree:K=2")
    with pytest.raises(Error, match="no such machine|no machine named 'N99'"):
        nwtopo.load(TREE).machine("N99")
    with pytest.raises(Error, match="no router named 'N0'"):
        nwtopo.load(TREE).router("N0")
    for id in (-1, 44, 1 << 64):
        with pytest.raises(Error, match="no object"):
            nwtopo.load(TREE).object(id)


# ---- forwarding tables


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


# ---- types


ROOT = Path(__file__).parent.parent.parent


def test_the_module_is_typed() -> None:
    module = ROOT / "python/ayatori/nwtopo.py"
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", os.devnull, str(module)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_types_of_the_core_are_those_of_its_bindings(tmp_path: Path) -> None:
    """After a change: python -m nanobind.stubgen -m ayatori._core -o python/ayatori/_core.pyi"""
    stub = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "ayatori._core", "-o", str(stub)]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert stub.read_text() == (ROOT / "python/ayatori/_core.pyi").read_text()


# ---- NICs


def write_two_rails(path: Path) -> str:
    """Two hosts with two adapters each, on a leaf for each rail, and a spine; as ibnetdiscover prints it."""
    lines = []
    for rail in (0, 1):
        lines.append(f'Switch\t4 "S-000000000000010{rail}"\t\t# "leaf-{rail}" base port 0 lid {rail + 1} lmc 0')
        for host in (0, 1):
            guid = f"1070fd03000{host}0{rail}00"
            lines.append(
                f'[{host + 1}]\t"H-{guid}"[1]({guid}) \t\t# "gpu-{host} mlx5_{rail}" lid {10 + 2 * host + rail} 4xHDR'
            )
        lines += [f'[4]\t"S-0000000000000102"[{rail + 1}]\t\t# "spine" lid 3 4xHDR', ""]
    lines.append('Switch\t4 "S-0000000000000102"\t\t# "spine" base port 0 lid 3 lmc 0')
    lines += [f'[{rail + 1}]\t"S-000000000000010{rail}"[4]\t\t# "leaf-{rail}" lid {rail + 1} 4xHDR' for rail in (0, 1)]
    for rail, host in product((0, 1), repeat=2):
        guid = f"1070fd03000{host}0{rail}00"
        lines += ["", f'Ca\t1 "H-{guid}"\t\t# "gpu-{host} mlx5_{rail}"']
        lines.append(
            f'[1]({guid}) \t"S-000000000000010{rail}"[{host + 1}]\t\t# lid 9 lmc 0 "leaf-{rail}" lid {rail + 1} 4xHDR'
        )
    path.write_text("\n".join(lines) + "\n")
    return f"ib:{path}"


def test_links_and_machines_tell_their_nics(tmp_path: Path) -> None:
    topology = nwtopo.load(write_two_rails(tmp_path / "rails"))
    host = topology.machine("gpu-1")
    assert [(nic.index, nic.rail, nic.device) for nic in host.nics] == [(0, 0, "mlx5_0"), (1, 1, "mlx5_1")]
    for nic, link in zip(host.nics, host.links, strict=True):
        assert (link.from_nic, link.rail, link.from_device, link.from_guid) == (
            nic.index,
            nic.rail,
            nic.device,
            nic.guid,
        )
        assert (link.to_nic, link.to_device) == (None, "")
        assert topology.nic(nic.guid) == nic
    assert topology.links()["from_nic"].max() == nwtopo.NO_NIC
    with pytest.raises(Error, match="no NIC has the GUID 0x5"):
        topology.nic(5)


def test_nic_hops_and_nearest_nic(tmp_path: Path) -> None:
    topology = nwtopo.load(write_two_rails(tmp_path / "rails"))
    here, there = topology.machine("gpu-0"), topology.machine("gpu-1")
    for a, b in product(here.nics, there.nics):
        assert topology.nic_hops(a, b) == (2 if a.rail == b.rail else 4)
    assert [topology.nearest_nic(nic, there) for nic in here.nics] == there.nics
    one_rail = nwtopo.load(topology.source, faults="gpu-1:mlx5_1")
    assert one_rail.nearest_nic(one_rail.machine("gpu-0").nics[1], one_rail.machine("gpu-1")).index == 0


# ---- this machine, jobs, bytes


def test_this_machine_is_found_by_name_or_id(monkeypatch: pytest.MonkeyPatch) -> None:
    assert nwtopo.load(TREE, this_machine="N7").this_machine.name == "N7"
    assert nwtopo.load(TREE, this_machine="9").this_machine.name == "N9"
    monkeypatch.setenv("NWTOPO_THIS_MACHINE", "N3")
    assert nwtopo.load(TREE).this_machine.name == "N3"
    monkeypatch.setenv("NWTOPO_THIS_MACHINE", "elsewhere")
    with pytest.raises(Error, match="this machine, 'elsewhere' by NWTOPO_THIS_MACHINE, is not in"):
        _ = nwtopo.load(TREE).this_machine


def test_a_named_source_is_cut_to_the_job_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_JOB_NODELIST", "N[1-3]")
    assert len(nwtopo.load(TREE).machines) == 32
    assert names(nwtopo.load(TREE, this_job=True).machines) == ["N1", "N2", "N3"]
    with pytest.raises(Error, match="exclude each other"):
        nwtopo.load(TREE, this_job=True, whole_system=True)


def test_a_topology_goes_through_bytes(tree: Topology) -> None:
    copy = nwtopo.from_bytes(tree.to_bytes(), this_machine="N4")
    assert copy.diff(tree) == []
    assert copy.this_machine.name == "N4"
    with pytest.raises(Error, match="not a topology cache"):
        nwtopo.from_bytes(b"nonsense")


def test_a_route_through_a_hole_of_a_subset_has_ends_that_are_none(torus: Topology) -> None:
    a, b = torus.machine("N0-0-0"), torus.machine("N0-0-2")
    two = torus.shrink([a, b])
    assert two.hops(a, b) == 2
    first, second = next(two.routes(a, b))
    assert (first.from_.name, first.to, second.from_, second.to.name) == ("N0-0-0", None, None, "N0-0-2")
