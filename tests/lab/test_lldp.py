"""The source lldp: on a real Ethernet of two leaves, a spine and four hosts, each with Debian's lldpd."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from ethernet import Ethernet, why_not

from ayatori.model.network import link_as_data, open_source
from subprocesses import program_at

FIXTURE = Path(__file__).parent.parent / "golden" / "lldp"
SWITCHES = ("leaf1", "leaf2", "spine1")
HOSTS = ("n1", "n2", "n3", "n4")
CABLES = [
    (("n1", "eth0"), ("leaf1", "swp1")),
    (("n2", "eth0"), ("leaf1", "swp2")),
    (("n3", "eth0"), ("leaf2", "swp1")),
    (("n4", "eth0"), ("leaf2", "swp2")),
    (("leaf1", "swp49"), ("spine1", "swp1")),
    (("leaf2", "swp49"), ("spine1", "swp2")),
    (("leaf2", "swp50"), ("spine1", "swp4")),
]
SEEN = {
    ("leaf1", 1, "n1 eth0", 1),
    ("leaf1", 2, "n2 eth0", 1),
    ("leaf2", 1, "n3 eth0", 1),
    ("leaf2", 2, "n4 eth0", 1),
    ("leaf1", 49, "spine1", 1),
    ("leaf2", 49, "spine1", 2),
    ("leaf2", 50, "spine1", 4),
}


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with one file per device; UPDATE_SNAPSHOTS=1 keeps it as the fixture of the other tests."""
    if reason := why_not():
        pytest.skip(reason)
    expected = {device: sum(device in (a[0], b[0]) for a, b in CABLES) for device in SWITCHES + HOSTS}
    devices = dict.fromkeys(SWITCHES, True) | dict.fromkeys(HOSTS, False)
    with Ethernet(devices, CABLES) as ethernet:
        outputs = ethernet.gather(expected)
    folder = tmp_path_factory.mktemp("gathered")
    for device, output in outputs.items():
        (folder / f"{device}.json").write_text(output)
    if os.environ.get("UPDATE_SNAPSHOTS"):
        shutil.rmtree(FIXTURE, ignore_errors=True)
        shutil.copytree(folder, FIXTURE)
    yield folder


def cables(source: str) -> set[tuple[str, int, str, int]]:
    network = open_source(source)
    links = [link_as_data(network, link) for link, _ in network.cables()]
    return {(link["from"], link["from_port"], link["to"], link["to_port"]) for link in links}


def test_the_network_has_the_cables_of_the_ethernet(gathered: Path) -> None:
    network = open_source(f"lldp:{gathered}")
    assert list(network.planes) == ["ethernet"]
    assert {network.name(router) for router in range(network.router_count)} == set(SWITCHES)
    assert {machine.name for machine in network.machines} == set(HOSTS)
    assert cables(f"lldp:{gathered}") == SEEN
    assert {link_as_data(network, link)["rate"] for link, _ in network.cables()} == {"10Gbit/s"}


def test_reports_of_hosts_show_their_leaves(gathered: Path, tmp_path: Path) -> None:
    for host in HOSTS:
        shutil.copy(gathered / f"{host}.json", tmp_path / host)  # as dshbak names them
    assert cables(f"lldp:{tmp_path}") == {cable for cable in SEEN if cable[2] != "spine1"}


def test_reports_of_switches_show_all_cables(gathered: Path, tmp_path: Path) -> None:
    for switch in SWITCHES:
        shutil.copy(gathered / f"{switch}.json", tmp_path)
    assert cables(f"lldp:{tmp_path}") == SEEN


def test_the_golden_reports_have_the_same_cables() -> None:
    assert cables(f"lldp:{FIXTURE}") == SEEN


def test_why_not_names_the_reason_where_namespaces_cannot_be_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a chroot whose `/` is not a mount point."""
    program_at(tmp_path / "lldpd", "")
    refusing = '[ "$2" != exec ] || { echo "mount --make-rslave / failed: Invalid argument" >&2; exit 255; }'
    program_at(tmp_path / "ip", refusing)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert why_not() == "cannot enter a network namespace: mount --make-rslave / failed: Invalid argument"
