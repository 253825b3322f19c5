"""Connections of a program under libayatori_paths.so get the source ports of a plan for RoCE."""

import json
import random
from pathlib import Path

import pytest
import verbs

HOSTS = 6
ADDRESSES = [0x0A000001 + i for i in range(HOSTS)]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> Path:
    draw = random.Random(1)
    document = {
        "format": "ayatori-roce-plan",
        "version": 1,
        "hash": "crc32",
        "reason": "a test",
        "ports": [{"host": f"n{i}", "address": f"10.0.0.{i + 1}"} for i in range(HOSTS)],
        "source_ports": [
            [0 if i == j else draw.randrange(0xC000, 0x10000) for j in range(HOSTS)] for i in range(HOSTS)
        ],
    }
    document["source_ports"][2][3] = 0xC000  # of which the flow label must not be 0
    path = tmp_path_factory.mktemp("roce") / "plan.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def gid_of(address: int) -> int:
    """The last eight bytes of ::ffff:ADDRESS."""
    return 0xFFFF << 32 | address


def source_port(label: int) -> int:
    """rdma_flow_label_to_udp_sport."""
    return 0xC000 | ((label & 0x3FFF) ^ (label >> 14))


def run(programs: verbs.Programs, source: int, lines: list[str], **settings: str) -> list[verbs.Address]:
    port = verbs.Port(0, 0, 0, gid=f"{gid_of(ADDRESSES[source]):032x}")
    found, said = programs.run("linked", port, lines, {"CONNECTS_IPV4": "1", **settings})
    assert said == ""
    return found


@pytest.mark.parametrize("source", range(HOSTS))
def test_labels_and_ports_are_planned(programs: verbs.Programs, plan: Path, source: int) -> None:
    planned = json.loads(plan.read_text(encoding="utf-8"))["source_ports"][source]
    others = [i for i in range(HOSTS) if i != source]
    lines = [f"{kind} 0 {gid_of(ADDRESSES[i])} 77" for i in others for kind in ("qp 5", "ah")]
    found = run(programs, source, lines, AYATORI_ROCE_PLAN=str(plan))
    labels = [address.flow for address in found if address.kind in ("qp", "ah")]
    assert all(0 < label < 1 << 20 for label in labels)
    assert [source_port(label) for label in labels] == [planned[i] for i in others for _ in range(2)]
    assert [address.flow for address in found if address.kind == "sport"] == [planned[i] for i in others], "of mlx5"


def test_addresses_may_be_of_ipv6(programs: verbs.Programs, plan: Path, tmp_path: Path) -> None:
    document = json.loads(plan.read_text(encoding="utf-8"))
    for i, port in enumerate(document["ports"]):
        port["address"] = f"fe80::{i + 1}"
    ipv6 = tmp_path / "plan.json"
    ipv6.write_text(json.dumps(document), encoding="utf-8")
    own = verbs.Port(0, 0, 0, gid=f"{0xFE80 << 112 | 1:032x}")
    lines = [f"{kind} 0 {i + 1} 77" for i in range(1, HOSTS) for kind in ("qp 5", "ah")]
    found, said = programs.run("linked", own, [*lines, "ah 0 99 78"], {"AYATORI_ROCE_PLAN": str(ipv6)})
    labels = [address.flow for address in found if address.kind in ("qp", "ah")]
    planned = document["source_ports"][0]
    assert said == "" and labels.pop() == 78
    assert [source_port(label) for label in labels] == [planned[i] for i in range(1, HOSTS) for _ in range(2)]


def test_a_device_at_the_address_of_one_that_was_closed_has_its_own_ports(programs: verbs.Programs, plan: Path) -> None:
    planned = json.loads(plan.read_text(encoding="utf-8"))["source_ports"]
    connection = f"qp 5 0 {gid_of(ADDRESSES[5])} 77"
    lines = [connection, f"other 0 0 {gid_of(ADDRESSES[1]):032x}", connection]
    found = run(programs, 0, lines, AYATORI_ROCE_PLAN=str(plan))
    assert planned[0][5] != planned[1][5]
    assert [address.flow for address in found if address.kind == "sport"] == [planned[0][5], planned[1][5]]


def test_a_queue_pair_at_the_address_of_one_that_was_destroyed_has_its_own_port(
    programs: verbs.Programs, plan: Path
) -> None:
    lines = [f"lost 5 0 {gid_of(ADDRESSES[1])} 77", "ud"]
    assert [address.kind for address in run(programs, 0, lines, AYATORI_ROCE_PLAN=str(plan))] == ["qp"]
    lines = [f"lost 5 0 {gid_of(ADDRESSES[1])} 77", f"qp 5 0 {gid_of(0x0A0000FF)} 78"]
    assert [address.kind for address in run(programs, 0, lines, AYATORI_ROCE_PLAN=str(plan))] == ["qp", "qp"]


def test_unknown_addresses_keep_their_label(programs: verbs.Programs, plan: Path) -> None:
    lines = [f"qp 5 0 {gid_of(0x0A0000FF)} 77", f"ah 0 {gid_of(ADDRESSES[1])} 78", "ah 7 0 0"]
    assert [address.flow for address in run(programs, 1, lines, AYATORI_ROCE_PLAN=str(plan))] == [77, 78, 0]
    assert [address.flow for address in run(programs, 1, lines)] == [77, 78, 0]


def test_a_plan_that_can_not_be_read_is_told(programs: verbs.Programs, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("{", encoding="utf-8")
    port = verbs.Port(0, 0, 0, gid=f"{gid_of(ADDRESSES[0]):032x}")
    settings = {"CONNECTS_IPV4": "1", "AYATORI_ROCE_PLAN": str(tmp_path / "broken")}
    found, said = programs.run("linked", port, [f"ah 0 {gid_of(ADDRESSES[1])} 7"], settings)
    assert found[0].flow == 7
    assert "source ports are left alone" in said
