"""Files as lldpctl, clouds and administrators write them: what `show` says of them, and which hosts are found."""

import json
from pathlib import Path
from typing import Any

import pytest

LEAVES = 4
HOSTS = 8


def heard(name: str, port: str, is_switch: bool) -> dict[str, Any]:
    """What an interface hears, as `-f json` has it."""
    capabilities = [{"type": kind, "enabled": is_switch} for kind in ("Bridge", "Router")]
    chassis = {name: {"id": {"type": "mac", "value": "02:00:00:00:00:01"}, "capability": capabilities}}
    return {"via": "LLDP", "rid": "1", "chassis": chassis, "port": {"id": {"type": "ifname", "value": port}}}


def two_rails(management: bool) -> dict[str, dict[str, Any]]:
    """By device what it hears at its interfaces: two pods of two leaves, one a rail, four hosts and two spines.

    With `management`, a switch at eno1 of the hosts and eth0 of the leaves.
    """
    devices: dict[str, dict[str, Any]] = {f"gpu{host}": {} for host in range(HOSTS)}
    for number in range(LEAVES):
        pod, rail = divmod(number, 2)
        leaf = devices[f"leaf{pod}-{rail}"] = {}
        for place in range(HOSTS // 2):
            host, port = f"gpu{pod * HOSTS // 2 + place}", f"Ethernet{8 * place}"
            devices[host][f"rail{rail}"] = heard(f"leaf{pod}-{rail}", port, True)
            leaf[port] = heard(host, f"rail{rail}", False)
        for spine in range(2):
            leaf[f"Ethernet{200 + 8 * spine}"] = heard(f"spine{spine}", f"Ethernet{8 * number}", True)
    if management:
        for number, (name, interfaces) in enumerate(devices.items(), 1):
            interfaces["eno1" if name.startswith("gpu") else "eth0"] = heard("mgmt", f"Gi1/0/{number}", True)
    return devices


def write(folder: Path, devices: dict[str, dict[str, Any]]) -> str:
    folder.mkdir()
    for name, interfaces in devices.items():
        told = [{interface: one} for interface, one in interfaces.items()]
        (folder / f"{name}.json").write_text(json.dumps({"lldp": {"interface": told if len(told) > 1 else told[0]}}))
    return f"lldp:{folder}"


@pytest.fixture
def sources(tmp_path: Path) -> dict[str, str]:
    return {
        "without": write(tmp_path / "without", two_rails(False)),
        "with": write(tmp_path / "with", two_rails(True)),
    }


def test_a_management_network_changes_nothing_of_the_other(sources: dict[str, str], ayatori_command) -> None:
    summaries = {}
    for name, source in sources.items():
        data = ayatori_command("show", source, "--json").json()
        summaries[name] = (data["shape"] if name == "without" else data["planes"][0]["shape"])["summary"]
    assert summaries["with"] == summaries["without"]
    assert "4 leaves x 2 spines" in summaries["with"] and "8 hosts with 2 rails" in summaries["with"]
    text = ayatori_command("show", sources["with"]).stdout
    assert "  management:" in text and "for management alone" in text
    job = ["--contiguous", "8..8", "--ppn", "2"]
    found = {name: ayatori_command("roce", source, *job).stdout for name, source in sources.items()}
    assert "0.5769" in found["without"]
    assert found["with"].replace(sources["with"], sources["without"]).split() == found["without"].split()


def test_what_is_left_out_is_not_there(sources: dict[str, str], ayatori_command) -> None:
    expected = ayatori_command("show", sources["without"]).stdout.replace(sources["without"], "F").split()
    for left_out in (",without=mgmt", ",without=eno1,without=eth0", ",without=mg*"):
        source = sources["with"] + left_out
        assert ayatori_command("show", source).stdout.replace(source, "F").split() == expected, left_out
    ayatori_command("show", f"{sources['with']},without=eno2").refused(1, "no device and no interface is called 'eno2'")


def test_hosts_alone_show_the_switches_that_they_are_at(tmp_path: Path, ayatori_command) -> None:
    devices = {
        f"gpu{host}": {
            "enp28s0np0": heard("leaf1", f"etp{host}", True),
            "enp157s0np0": heard("leaf2", f"etp{host}", True),
            "eno1": heard("mgmt-sw", f"Gi1/0/{host}", True),
        }
        for host in (1, 2)
    }
    data = ayatori_command("show", write(tmp_path / "F", devices), "--json").json()
    assert (data["machines"], data["routers"], data["links"]) == (2, 3, 6)
    alone = write(tmp_path / "one", {"n1": {"eth0": heard("sw", "1", True)}})
    one = ayatori_command("show", alone, "--json").json()
    assert (one["machines"], one["routers"], one["links"]) == (1, 1, 1)


def test_aliases_name_hosts_wherever_a_hostfile_does(tmp_path: Path, ayatori_command) -> None:
    instances = [{"InstanceId": f"i-0a{i}", "NetworkNodes": ["nn-1", "nn-2", f"nn-{3 + i // 3}"]} for i in range(1, 5)]
    (tmp_path / "aws.json").write_text(json.dumps({"Instances": instances}))
    (tmp_path / "hosts").write_text("".join(f"ip-10-0-1-{i}\n" for i in range(1, 5)))
    (tmp_path / "etc-hosts").write_text(
        "127.0.0.1 localhost\n" + "".join(f"10.0.1.{i} ip-10-0-1-{i}.ec2.internal i-0a{i} # {i}\n" for i in range(1, 5))
    )
    (tmp_path / "twice").write_text("i-0a1 ip-10-0-1-1\ni-0a2 ip-10-0-1-1\n")
    source, hosts, aliases = (f"aws:{tmp_path}/aws.json", str(tmp_path / "hosts"), str(tmp_path / "etc-hosts"))
    call = ["order", source, "--job", hosts, "--pattern", "ring", "--out", str(tmp_path / "ordered")]
    ayatori_command(*call).refused(1, "--aliases FILE says what else hosts are called")
    ayatori_command(*call, "--aliases", aliases).good()
    assert sorted((tmp_path / "ordered").read_text().split()) == [f"ip-10-0-1-{i}" for i in range(1, 5)]
    ayatori_command(*call, "--aliases", str(tmp_path / "twice")).refused(
        1, ":2: 'ip-10-0-1-1' stands for two hosts: 'i-0a2' and 'i-0a1'"
    )

    # A plan has the names that its launcher and its processes know, and is found again by them.
    plan = tmp_path / "plan.json"
    ayatori_command("plan", source, "--job", hosts, "--aliases", aliases, "--out", str(plan)).good()
    assert [machine["host"] for machine in json.loads(plan.read_text())["machines"]] == [
        f"ip-10-0-1-{i}" for i in range(1, 5)
    ]
    ayatori_command("check", source, "--job", hosts, "--aliases", aliases, "--plan", str(plan)).good()
    assert all(
        name.startswith("ip-")
        for name in ayatori_command(
            "place", source, "--free", hosts, "--nodes", "2", "--aliases", aliases, "--json"
        ).json()["proposals"][0]["hosts"]
    )
    call = ["--job", hosts, "--aliases", aliases, "--collective", "allreduce", "--algorithm", "ring", "--bytes", "1KiB"]
    ayatori_command("simulate", source, *call).good()
