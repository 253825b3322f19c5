"""Coordinates and neighbours in a torus and a mesh."""

from itertools import product

import numpy as np
import pytest

from ayatori import Error, nwtopo
from ayatori.nwtopo import Topology


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


def test_neighbours_go_around_a_torus_and_end_at_the_edge_of_a_mesh(torus: Topology) -> None:
    corner = torus.machine("N0-0-0")
    assert torus.shifted(corner, (-1, -1, -1)) == torus.machine("N2-3-4")
    assert torus.neighbor(corner, 2, -1) == torus.machine("N0-0-4")
    assert torus.neighbor(corner, 1, 6) == torus.machine("N0-2-0")
    mesh = nwtopo.load("mesh:3x4")
    assert mesh.neighbor(mesh.machine("N0-0"), 0, -1) is None
    assert mesh.neighbor(mesh.machine("N0-0"), 0) == mesh.machine("N1-0")
    assert mesh.at((2, 3)) == mesh.machine("N2-3")


def test_coordinates_out_of_range_are_refused(torus: Topology, tree: Topology) -> None:
    for coords in ((3, 0, 0), (0, -1, 0), (0, 0), (0, 0, 0, 0)):
        with pytest.raises(Error, match="not a point of a grid of 3x4x5"):
            torus.at(coords)
    with pytest.raises(Error, match="2 shifts"):
        torus.shifted(torus.machines[0], (1, 1))
    with pytest.raises(Error, match="dimension 3"):
        torus.neighbor(torus.machines[0], 3)
    with pytest.raises(Error, match="has 0 grids"):
        tree.coords(tree.machines[0])
    with pytest.raises(Error, match="is not a grid"):
        torus.coords(torus.machines[0], torus.machines[1])
