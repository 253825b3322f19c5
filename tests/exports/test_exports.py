"""Exports, read by the programs they are for."""

import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import networkx
import pytest

from ayatori import Network, _core, open_source

HERE = Path(__file__).parent
FABRICS = [
    "fattree:K=4,levels=3",
    "torus:3x4",
    "full:5,hosts=2",
    "ib:" + str(HERE.parent / "golden/infiniband/ndr.txt"),
]
MEGABYTE = 1_000_000
HDR = 25e9  # bytes a second
HOP = 1e-6  # seconds, where the network tells no latency
# The fluid model as it is, without factors that were measured on some cluster.
FLUID = [
    "--cfg=network/model:CM02",
    "--cfg=network/crosstraffic:no",
    "--cfg=smpi/bw-factor:0:1",
    "--cfg=smpi/lat-factor:0:1",
    "--cfg=smpi/os:0:0:0",
    "--cfg=smpi/or:0:0:0",
    "--cfg=smpi/simulate-computation:no",
    "--log=root.thres:error",
]

needs_graphviz = pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
needs_simgrid = pytest.mark.skipif(shutil.which("smpicc") is None, reason="libsimgrid-dev is not installed")


@pytest.fixture(params=FABRICS, ids=lambda source: source.rsplit("/", 1)[-1])
def network(request: pytest.FixtureRequest) -> Network:
    return open_source(request.param)


@pytest.fixture
def awkward(tmp_path: Path) -> Network:
    """Names that every format has another quotation for."""
    text = _core.export_network(open_source("fattree:K=2,levels=2"), "ibnetdiscover").decode()
    for name, odd in {"LS0": "a'b;c\\n<d>&", "RS1": "ラック {1} [x|y]", "N3 HCA-1": "node--> mlx5_0"}.items():
        text = text.replace(f'"{name}"', f'"{odd}"')
    path = tmp_path / "odd.txt"
    path.write_text(text)
    return open_source(f"ib:{path}")


def devices(network: Network) -> tuple[int, int]:
    """How many machines and routers an export shows: a grid's routers are built into its machines here."""
    return len(network.machines), 0 if network.shape().kind == "grid" else network.router_count


def cables(network: Network) -> int:
    """Those that an export shows: none of aggregation engines, none inside of a machine."""
    ends = [{network.kind(network.port(port).device) for port in cable} for cable in network.cables()]
    return sum("aggregation" not in kinds and (devices(network)[1] > 0 or kinds == {"router"}) for kinds in ends)


@needs_graphviz
def test_graphviz_draws_dot(network: Network, awkward: Network) -> None:
    for drawn in (network, awkward):
        done = subprocess.run(
            ["dot", "-Tsvg"], input=_core.export_network(drawn, "dot"), capture_output=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")
        nodes = [g for g in ElementTree.fromstring(done.stdout).iter() if g.get("class") == "node"]
        assert len(nodes) == sum(devices(drawn))


def test_networkx_reads_graphml(network: Network, awkward: Network) -> None:
    for written in (network, awkward):
        graph = networkx.parse_graphml(_core.export_network(written, "graphml").decode(), force_multigraph=True)
        machines, routers = devices(written)
        kinds = [kind for _, kind in graph.nodes(data="kind")]
        assert (kinds.count("machine"), kinds.count("router")) == (machines, routers)
        assert graph.number_of_edges() == cables(written)
        assert all(type(data["bandwidth"]) is float for *_, data in graph.edges(data=True))
        assert {name for _, name in graph.nodes(data="name")} >= {machine.name for machine in written.machines}


def test_svg_is_xml_without_scripts(network: Network, awkward: Network) -> None:
    for drawn in (network, awkward):
        picture = ElementTree.fromstring(_core.export_network(drawn, "svg"))
        assert picture.tag == "{http://www.w3.org/2000/svg}svg"
        tags = {element.tag.rsplit("}", 1)[1] for element in picture.iter()}
        assert tags <= {"svg", "g", "path", "rect", "circle", "text", "title", "style"}


@pytest.fixture(scope="module")
def ping_pong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    program = tmp_path_factory.mktemp("simgrid") / "ping_pong"
    subprocess.run(["smpicc", "-O1", "-o", program, HERE / "ping_pong.c"], check=True, capture_output=True)
    return program


def simulated(program: Path, folder: Path, source: str, a: str, b: str) -> float:
    """Seconds of a megabyte from a to b and back."""
    platform, hosts = folder / "platform.xml", folder / "hosts"
    platform.write_bytes(_core.export_network(open_source(source), "simgrid"))
    hosts.write_text(f"{a}\n{b}\n")
    command = ["smpirun", "-np", "2", "-platform", platform, "-hostfile", hosts, *FLUID, program, str(MEGABYTE)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    return float(done.stdout)


@needs_simgrid
@pytest.mark.parametrize(
    ("source", "a", "b", "hops"),
    [
        ("fattree:K=4,levels=2", "N0", "N1", 2),
        ("fattree:K=4,levels=2", "N31", "N0", 4),
        ("fattree:K=10,levels=2", "N0", "N199", 4),  # by Dijkstra's algorithm
        ("torus:4x4", "N0-0", "N2-3", 3),
        ("full:5,hosts=2", "N0", "N9", 3),
        ("xgft:h=2;m=2,2;w=2,2", "N0", "N3", 4),  # two rails: not through another host
    ],
)
def test_simgrid_times_a_message_along_the_shortest_route(
    source: str, a: str, b: str, hops: int, ping_pong: Path, tmp_path: Path
) -> None:
    expected = 2 * (MEGABYTE / HDR + hops * HOP)
    assert simulated(ping_pong, tmp_path, source, a, b) == pytest.approx(expected, rel=1e-3)


@needs_simgrid
def test_simgrid_loads_awkward_names(awkward: Network, ping_pong: Path, tmp_path: Path) -> None:
    platform = tmp_path / "platform.xml"
    platform.write_bytes(_core.export_network(awkward, "simgrid"))
    (tmp_path / "hosts").write_text("N0\nN5\n")
    command = ["smpirun", "-np", "2", "-platform", platform, "-hostfile", tmp_path / "hosts", *FLUID, ping_pong, "1"]
    subprocess.run(command, capture_output=True, check=True, cwd=tmp_path)
