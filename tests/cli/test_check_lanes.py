"""`ayatori check --path-sl --sl-to-vl`: deadlock over virtual lanes."""

import json
from itertools import product
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.cli.check import CheckData
from typed_json import unlike

RING = "torus:5"
PORTS = range(4)


def clockwise(network: _core.Network, folder: Path) -> None:
    """Tables that send everything one way around the ring: on one VL they can deadlock."""
    routes = ayatori.make_routes(network, 0)
    _core.write_tables(network, routes, str(folder / "ours"))
    switches = network.router_count
    neighbours = {}
    for a, b in (ends for pair in network.cables() for ends in (pair, pair[::-1])):
        here, there = network.port(a), network.port(b)
        if here.device < switches and there.device < switches:
            neighbours[here.device, there.device] = here.number
    after = ring_order(switches, set(neighbours))
    homes = {routes.base_lid(endpoint): network.router_of(endpoint) for endpoint in network.endpoints}
    lines, router = [], -1
    for line in (folder / "ours").read_text().splitlines():
        if line.startswith("Unicast"):
            router += 1
        elif line.startswith("0x") and (lid := int(line.split()[0], 16)) in homes and homes[lid] != router:
            line = f"{line[:7]}{neighbours[router, after[router]]:03d}{line[10:]}"
        lines.append(line + "\n")
    (folder / "lfts").write_text("".join(lines))


def ring_order(size: int, cabled: set[tuple[int, int]]) -> dict[int, int]:
    """The next switch of each, once around."""
    order = [0]
    while len(order) < size:
        order.append(next(there for here, there in sorted(cabled) if here == order[-1] and there not in order))
    return {here: order[(place + 1) % size] for place, here in enumerate(order)}


def write_levels(network: _core.Network, folder: Path, sl: int) -> None:
    routes = _core.read_tables(str(folder / "lfts"), network)
    ports = [(network.port(endpoint).guid, routes.base_lid(endpoint)) for endpoint in network.endpoints]
    pairs = ((guid, lid) for (guid, own), (_, lid) in product(ports, ports) if own != lid)
    (folder / "sl").write_text("".join(f"{guid:#018x} {lid} {sl}\n" for guid, lid in pairs))


def write_mapping(network: _core.Network, folder: Path) -> None:
    """The VL is the SL."""
    lines = (
        f"{network.guid(router):#018x} {into} {out} 0x01 0x23 0x45 0x67 0x89 0xab 0xcd 0xee\n"
        for router, into, out in product(range(network.router_count), PORTS, PORTS)
    )
    (folder / "vl").write_text("".join(lines))


@pytest.fixture
def files(tmp_path: Path) -> Path:
    network = ayatori.open_source(RING)
    clockwise(network, tmp_path)
    write_levels(network, tmp_path, 3)
    write_mapping(network, tmp_path)
    return tmp_path


def test_a_cycle_is_named_with_its_lane(files: Path, ayatori_command) -> None:
    lanes = ("--path-sl", str(files / "sl"), "--sl-to-vl", str(files / "vl"))
    words = ("check", RING, "--lfts", str(files / "lfts"), *lanes)
    outcome = ayatori_command(*words)
    assert outcome.status == 3
    assert "lanes         VL 3 (5 links, a cycle)" in outcome.stdout
    assert "by their SLs  POSSIBLE: a cycle of 5 links" in outcome.stdout and "on VL 3" in outcome.stdout
    assert "all at SL 0   POSSIBLE" in outcome.stdout and "on VL 0" in outcome.stdout
    data = json.loads(ayatori_command(*words, "--json").stdout)
    assert not list(unlike({key: value for key, value in data.items() if key not in ("format", "version")}, CheckData))
    assert data["lanes"]["paths"] == 20 and data["lanes"]["paths_without_sl"] == 0
    assert {channel["vl"] for channel in data["lanes"]["cycle"]} == {3}


def test_our_tables_are_good_at_any_level(files: Path, ayatori_command) -> None:
    outcome = ayatori_command("check", RING, "--lfts", str(files / "ours"), "--path-sl", str(files / "sl")).good()
    assert "by their SLs  free" in outcome.stdout and "all at SL 0   free" in outcome.stdout


def test_paths_without_a_level_are_counted(files: Path, ayatori_command) -> None:
    (files / "some").write_text((files / "sl").read_text().split("\n", 1)[0] + "\n")
    outcome = ayatori_command("check", RING, "--lfts", str(files / "ours"), "--path-sl", str(files / "some")).good()
    assert "19 of 20 paths have no SL in the file; they count at SL 0" in outcome.stdout


@pytest.mark.parametrize(
    ("option", "text", "why"),
    [
        ("--path-sl", "hello\n", "file:1"),
        ("--path-sl", "0x1 1 0\n", "no port or node with GUID"),
        ("--sl-to-vl", "", "no SL-to-VL mapping of"),
    ],
)
def test_a_broken_file_is_named(option: str, text: str, why: str, files: Path, ayatori_command) -> None:
    (files / "file").write_text(text)
    outcome = ayatori_command("check", RING, "--lfts", str(files / "ours"), option, str(files / "file"))
    assert outcome.status == 1
    assert why in outcome.stderr.replace("\n", " ")
