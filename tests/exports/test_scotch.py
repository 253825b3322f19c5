"""Target architectures: against nwtopo's distances by a reader of the test's own, and in the real Scotch."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from ayatori import _core, nwtopo, open_source
from subprocesses import said_by

Matrix = npt.NDArray[np.int64]

GOLDEN = Path(__file__).parent.parent / "golden"
FABRICS = {
    "torus:3x4x5": "torusXD",
    "mesh:7x2": "mesh2D",
    "mesh:7": "mesh2D",
    "mesh:3x2x4": "mesh3D",
    "mesh:3x2x3x2": "deco",
    "hypercube:4": "torusXD",
    "full:6": "cmplt",
    "full:1,hosts=9": "cmplt",
    "fattree:K=4,levels=2": "tleaf",
    "fattree:K=3,levels=3": "tleaf",
    "full:5,hosts=2": "tleaf",
    "xgft:h=2;m=4,3;w=2,3": "tleaf",
    "torus:3x4,hosts=2": "deco",
    "dragonfly:g=9,a=4,p=2,h=2": "deco",
    "hyperx:3x4,hosts=2": "deco",
    f"slurm:{GOLDEN}/slurm/three-levels.conf": "",
    f"ib:{GOLDEN}/infiniband/full-fields.txt": "",
}

GMAP = "scotch_gmap"  # so called by Debian
needs_scotch = pytest.mark.skipif(shutil.which("atst") is None, reason="scotch is not installed")


def distances_in(text: str) -> Matrix:
    """What the user's guide of Scotch says of its target architecture files."""
    kind, *words = text.split()
    numbers = [int(word) for word in words]
    if kind == "cmplt":
        return np.ones((numbers[0], numbers[0]), np.int64) - np.eye(numbers[0], dtype=np.int64)
    if kind == "deco":
        version, count, highest = numbers[:3]
        labels = np.array(numbers[3 : 3 + 3 * count]).reshape(count, 3)
        assert version == 0
        assert labels[:, 0].tolist() == list(range(count))
        assert set(labels[:, 1]) == {1}
        assert labels[:, 2].max() == highest
        assert len(set(labels[:, 2])) == count
        matrix = np.zeros((count, count), np.int64)
        matrix[np.tril_indices(count, -1)] = numbers[3 + 3 * count :]
        return matrix + matrix.T
    if kind == "tleaf":
        sizes, weights = numbers[1::2], numbers[2::2]
        assert len(sizes) == len(weights) == numbers[0]
        matrix = np.zeros((1, 1), np.int64)
        for i in range(numbers[0])[::-1]:
            outside = sum(weights[i:])
            blocks = np.full((sizes[i], sizes[i]), outside) * (1 - np.eye(sizes[i], dtype=np.int64))
            matrix = np.kron(blocks, np.ones_like(matrix)) + np.kron(np.eye(sizes[i], dtype=np.int64), matrix)
        return matrix
    dimensions = numbers[1:] if kind == "torusXD" else numbers
    assert len(dimensions) == (numbers[0] if kind == "torusXD" else int(kind[4]))
    matrix = np.zeros((1, 1), np.int64)
    for length in dimensions:  # the first runs fastest
        apart = np.abs(np.subtract.outer(np.arange(length), np.arange(length)))
        line = np.minimum(apart, length - apart) if kind == "torusXD" else apart
        matrix = np.kron(line, np.ones_like(matrix)) + np.kron(np.ones_like(line), matrix)
    return matrix


def architecture(source: str) -> str:
    return _core.export_network(open_source(source), "scotch").decode()


@pytest.mark.parametrize("source", FABRICS, ids=lambda source: source.rsplit("/", 1)[-1])
def test_distances_are_those_of_nwtopo(source: str) -> None:
    text = architecture(source)
    if FABRICS[source]:
        assert text.split()[0] == FABRICS[source]
    expected = nwtopo.load(source).distances().astype(np.int64)
    found = distances_in(text)
    if text.startswith("cmplt"):
        expected = np.minimum(expected, 1)
    assert (found == expected).all()


@needs_scotch
@pytest.mark.parametrize("source", FABRICS, ids=lambda source: source.rsplit("/", 1)[-1])
def test_scotch_reads_them(source: str, tmp_path: Path) -> None:
    text = architecture(source)
    matrix = distances_in(text)
    (tmp_path / "target").write_text(text)
    said = said_by(["atst", tmp_path / "target"])
    numbers = dict(word.split("=") for word in said.split() if "=" in word)
    assert int(numbers["nbr"]) == len(matrix)
    assert int(numbers["max"]) == matrix.max()
    assert float(numbers["avg"]) == pytest.approx(matrix.sum() / (len(matrix) * (len(matrix) - 1)), rel=1e-4)


@needs_scotch
def test_scotch_maps_neighbors_near_each_other(tmp_path: Path) -> None:
    """A ring of as many processes as there are machines, in an order that is bad for it."""
    source = "torus:3x4,hosts=2"
    matrix = distances_in(architecture(source))
    count = len(matrix)
    place = [(i * 7) % count for i in range(count)]
    at = {process: i for i, process in enumerate(place)}
    lines = ["0", f"{count} {2 * count}", "0 000"]
    lines += [f"2 {place[(at[p] - 1) % count]} {place[(at[p] + 1) % count]}" for p in range(count)]
    (tmp_path / "ring").write_text("\n".join(lines) + "\n")
    (tmp_path / "target").write_text(architecture(source))
    subprocess.run([GMAP, tmp_path / "ring", tmp_path / "target", tmp_path / "map"], check=True, capture_output=True)
    rows = [line.split() for line in (tmp_path / "map").read_text().splitlines()[1:]]
    machine = {int(process): int(machine) for process, machine in rows}
    assert sorted(machine.values()) == list(range(count))

    def length(of: dict[int, int]) -> int:
        return sum(int(matrix[of[place[i - 1]], of[place[i]]]) for i in range(count))

    assert length(machine) < length({process: process for process in range(count)})


def test_a_network_in_parts_has_none(tmp_path: Path) -> None:
    (tmp_path / "topology.conf").write_text("SwitchName=s0 Nodes=a[0-1]\nSwitchName=s1 Nodes=b[0-1]\n")
    with pytest.raises(Exception, match="no path leads from a0 to b0"):
        architecture(f"slurm:{tmp_path}/topology.conf")
