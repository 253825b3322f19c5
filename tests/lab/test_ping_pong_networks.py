"""Which hosts `bench pingpong` measures between, and what networks it and `doctor --out` write. Needs no lab."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from ayatori import Network, open_source
from ayatori.base.errors import Error
from ayatori.calibration.measuring import Measurement, Samples
from ayatori.diagnosis import Facts, ServedPlane
from ayatori.diagnosis.facts import Address, Host, Interface, port_guid_in
from ayatori.pingpong import (
    Result,
    find_stretches,
    join_fabrics,
    network_of_facts,
    served_planes,
    with_measured_links,
)
from ayatori.pingpong.measuring import fit_ping_pong

EXAMPLES = Path(__file__).parents[2] / "examples/cluster"


def facts_of(hosts: dict[str, list[str]], broken: frozenset[str] = frozenset()) -> Facts:
    """Interfaces as "gbe0:1", which is on subnet 10.1.0.0/16. On the `broken` subnets nobody reaches anybody."""
    made = []
    for number, (name, interfaces) in enumerate(hosts.items(), 1):
        ours = []
        for text in interfaces:
            device, subnet = text.split(":")
            address = Address(name, device, f"10.{subnet}.0.{number}", f"10.{subnet}.0.0/16")
            ours.append(Interface(device, (address,), 1500))
        made.append(Host(name, tuple(ours), None, (), None, None))
    reached = {
        (one, other): one.network not in broken
        for near in made
        for far in made
        for one in near.addresses()
        for other in far.addresses()
        if near is not far and one.network == other.network
    }
    routed = {
        (near.name, other): any(one.network not in broken for one in near.addresses())
        for near in made
        for far in made
        for other in far.addresses()
        if other.network not in {one.network for one in near.addresses()}
    }
    return Facts(tuple(made), reached, routed, {"10.1.0.0/16": 12.5e6})


CHASSIS = {"a1": ["gbe0:1"], "a2": ["gbe0:1", "ib0:2"], "b1": ["gbe0:1"], "b2": ["gbe0:1", "ib0:2"]}


def test_each_network_is_measured_between_its_first_hosts_its_first_and_last_and_through_a_gateway() -> None:
    found = {one.name: one.hosts for one in find_stretches(facts_of(CHASSIS))}
    assert found == {
        "gbe near": ("a1", "a2"),
        "gbe far": ("a1", "b2"),
        "ib near": ("a2", "b2"),
        "gbe > ib": ("a1", "b2"),
    }


def test_networks_are_called_as_the_planes_that_their_interfaces_are_on() -> None:
    """An interface need not be called as its plane, and on each host it may be called otherwise."""
    on_fast = {"a2": ("ib0",), "b2": ("ib0",)}
    planes = [ServedPlane("10gbe", ("neighbours",), True, on_fast), ServedPlane("disks", ("storage",), False, {})]
    found = [one.name for one in find_stretches(facts_of(CHASSIS), planes)]
    assert found == ["gbe near", "gbe far", "10gbe near", "gbe > 10gbe"]


def test_networks_that_carry_nothing_are_not_measured() -> None:
    found = [one.name for one in find_stretches(facts_of(CHASSIS, frozenset({"10.2.0.0/16"})))]
    assert "ib near" not in found
    assert "gbe near" in found


def test_what_hosts_say_of_their_networks_is_a_network(tmp_path: Path) -> None:
    file = tmp_path / "network.json"
    for seed in range(40):
        numbers = random.Random(seed)
        hosts = {
            f"h{i}": [f"{name}:{net}" for net, name in enumerate(("gbe0", "ib0", "x7"), 1) if numbers.random() < 0.7]
            for i in range(numbers.randint(2, 6))
        }
        broken = frozenset({"10.2.0.0/16"} if numbers.random() < 0.3 else ())
        facts = facts_of(hosts, broken)
        pairs = {(one.host, other.host) for (one, other), reached in facts.reached.items() if reached}
        if not pairs:
            with pytest.raises(Error, match="no two of the hosts"):
                network_of_facts(facts)
            continue
        file.write_text(network_of_facts(facts))
        network = open_source(f"json:{file}")
        assert joined_pairs(network) == pairs, f"seed {seed}"


def joined_pairs(network: Network) -> set[tuple[str, str]]:
    ends = [
        (machine.name, network.router_of(endpoint)) for machine in network.machines for endpoint in machine.endpoints
    ]
    return {(one, other) for one, near in ends for other, far in ends if one != other and near == far}


def fabric_text(hosts: list[str]) -> str:
    """As ibnetdiscover writes it: a switch with these hosts; the first has the port GUID 0x101, the next 0x201, …"""
    ends = [(number, f"{number}00", host) for number, host in enumerate(hosts, 1)]
    switch = 'vendid=0x2c9\ndevid=0xb924\nswitchguid=0x10(10)\nSwitch\t8 "S-0000000000000010"\t\t# "leaf" lid 1 lmc 0\n'
    lines = [f'[{n}]\t"H-0000000000000{g}"[1]({n}01)\t\t# "{host} HCA-1" lid {n + 1} 4xDDR\n' for n, g, host in ends]
    adapters = [
        f'\nvendid=0x2c9\ndevid=0x634a\ncaguid=0x{g}\nCa\t1 "H-0000000000000{g}"\t\t# "{host} HCA-1"\n'
        f'[1]({n}01)\t"S-0000000000000010"[{n}]\t\t# lid {n + 1} lmc 0 "leaf" lid 1 4xDDR\n'
        for n, g, host in ends
    ]
    return switch + "".join(lines + adapters)


def test_infiniband_that_hosts_have_ip_over_is_their_plane_with_its_switches(tmp_path: Path) -> None:
    file = tmp_path / "fabric.txt"
    file.write_text(fabric_text(["a2", "b2", "other"]))
    facts = facts_of(CHASSIS)
    guids = {"a2": 0x101, "b2": 0x201}
    told = [
        replace(
            host,
            interfaces=tuple(
                replace(one, port_guid=guids[host.name]) if one.name == "ib0" else one for one in host.interfaces
            ),
        )
        for host in facts.hosts
    ]
    facts = replace(facts, hosts=tuple(told))
    out = tmp_path / "network.json"
    fabric = open_source(f"ib:{file}")
    out.write_text(join_fabrics(network_of_facts(facts), facts, {"ib:fabric": fabric}))
    network = open_source(f"json:{out}")
    assert network.planes == ["gbe", "infiniband"], "the subnet over it is not another plane"
    names = {network.name(network.port(end).device) for end in network.endpoints}
    assert names == {"gbe0", "ib0", "other HCA-1"}
    assert {network.port(end).rate for end in network.endpoints if network.plane_of(network.port(end).device)} == {
        "4xDDR"
    }
    [a2] = [machine for machine in network.machines if machine.name == "a2"]
    assert [network.rail(network.port(end).device) for end in a2.endpoints] == [0, 1]
    with pytest.raises(Error, match="full:3 has none of the hosts") as refused:
        join_fabrics(network_of_facts(facts), facts, {"full:3": open_source("full:3")})
    assert "--aliases FILE" in (refused.value.hint or "")


def test_a_fabric_that_calls_hosts_otherwise_is_joined_by_aliases(tmp_path: Path) -> None:
    file, aliases = tmp_path / "fabric.txt", tmp_path / "aliases"
    file.write_text(fabric_text(["rack1-node1", "rack1-node2", "other"]))
    aliases.write_text("rack1-node1 10.2.0.1 a2.cluster a2\nb2 rack1-node2\n")
    facts = facts_of(CHASSIS)
    told: list[str] = []
    fabrics = {"ib:fabric": open_source(f"ib:{file}", aliases=aliases)}
    joined = json.loads(join_fabrics(network_of_facts(facts), facts, fabrics, told.append))
    assert told == ["ib:fabric has 2 of 4 hosts, and not a1, b1"]
    fabric = joined["planes"].index("infiniband")
    machines = {node["machine"] for node in joined["nodes"] if node["kind"] == "nic" and node.get("plane", 0) == fabric}
    assert machines == {"a2", "b2", "other"}
    known, planes = served_planes(open_source(f"ib:{file}", aliases=aliases), facts)
    assert known == ["a2", "b2"] and set(planes[0].interfaces) == {"a2", "b2"}


def test_a_joined_network_is_shown_simulated_chosen_for_and_planned(ayatori_command, tmp_path: Path) -> None:
    """With a purpose that somebody wrote into it: collectives on InfiniBand, which two of the hosts have."""
    (tmp_path / "fabric.txt").write_text(fabric_text(["a2.cluster", "b2.cluster", "other"]))
    facts = facts_of(CHASSIS)
    told: list[str] = []
    fabrics = {"ib:fabric": open_source(f"ib:{tmp_path / 'fabric.txt'}")}
    joined = json.loads(join_fabrics(network_of_facts(facts), facts, fabrics, told.append))
    assert told == ["ib:fabric has 2 of 4 hosts, and not a1, b1"]
    joined["planes"] = [
        {"name": name, "for": ["collectives" if name == "infiniband" else "neighbours"]} for name in joined["planes"]
    ]
    taken = joined | {"planes": [{"name": "infiniband", "for": ["storage"]}, "ib", "first"]}
    again = json.loads(join_fabrics(json.dumps(taken), facts, fabrics))
    assert again["planes"][1:] == ["ib", "infiniband-3"], "a plane's object has a name, too"
    file = tmp_path / "network.json"
    file.write_text(json.dumps(joined))
    (tmp_path / "hosts").write_text("a2\nb2\n")
    source = f"json:{file}"
    on_hosts = ("--job", str(tmp_path / "hosts"))
    shown = ayatori_command("show", source, "--json").json()
    assert {plane["name"]: (plane["machines"], plane["for"]) for plane in shown["planes"]} == {
        "gbe": (4, ["neighbours"]),
        "ib": (2, ["neighbours"]),
        "infiniband": (3, ["collectives"]),
    }
    call = ("--collective", "alltoall", "--bytes", "1MiB")
    simulated = ayatori_command("simulate", source, *on_hosts, *call, "--algorithm", "ring", "--json")
    assert json.loads(simulated.stdout)["time_s"] < 1e-3, "at 4xDDR, where 100 Mbit/s take 80 ms"
    ayatori_command("choose", source, *on_hosts, *call, "--json").good()
    ayatori_command("plan", source, *on_hosts, "--lmc", "0", "--out", str(tmp_path / "plan")).good()
    assert "a2" in (tmp_path / "plan").read_text()


def test_ethernet_by_lldp_takes_the_place_of_its_subnet_and_has_the_measured_rate(tmp_path: Path) -> None:
    def seen(switch: str, port: str) -> dict[str, object]:
        chassis = {"name": [{"value": switch}], "capability": [{"type": "Bridge", "enabled": True}]}
        return {"chassis": [chassis], "port": [{"id": [{"type": "ifname", "value": port}]}]}

    reports = {
        f"{host}.cluster": {"lldp": [{"interface": [{"name": "gbe0", "via": "LLDP"} | seen(switch, f"swp{port}")]}]}
        for host, switch, port in (("a1", "s1", 1), ("a2", "s1", 2), ("b1", "s2", 1), ("b2", "s2", 2))
    }
    file = tmp_path / "lldp.json"
    file.write_text(json.dumps(reports))
    facts = facts_of(CHASSIS)
    out = tmp_path / "network.json"
    out.write_text(join_fabrics(network_of_facts(facts), facts, {"lldp": open_source(f"lldp:{file}")}))
    network = open_source(f"json:{out}")
    assert network.planes == ["ib", "ethernet"]
    ends = [end for end in network.endpoints if network.plane_of(network.port(end).device) == 1]
    assert {network.name(network.router_of(end) or 0) for end in ends} == {"s1", "s2"}
    assert {network.port(end).rate for end in ends} == {"100Mbit/s"}


def test_the_guid_of_a_port_is_the_end_of_the_hardware_address_over_it() -> None:
    hardware = "80:00:02:08:fe:80:00:00:00:00:00:00:00:02:c9:03:00:01:02:03"
    assert port_guid_in(hardware) == 0x0002C90300010203
    assert port_guid_in("02:42:ac:11:00:02") == 0


def measurement(latency: float, bandwidth: float) -> Measurement:
    """Of a network on which a message takes these, without noise."""
    sizes = [1 << power for power in range(23)]
    whole = Samples({size: latency + size / bandwidth for size in sizes})
    whole = replace(whole, tenth=dict(whole.median), three_quarters=dict(whole.median))
    send = Samples({size: latency / 4 for size in sizes if size <= 4096})
    patterns = {"one_way": whole, "send": send, "receive": send, "burst": whole}
    return Measurement("MPI", ("a", "b"), False, 9, 4096, patterns)


def three_chassis_measured(file: Path, latencies: dict[str, float]) -> tuple[Network, dict[str, int]]:
    """What `with_measured_links` finds and writes there."""
    network = open_source(f"cluster:{EXAMPLES / 'three-chassis.toml'}")
    names = [network.machines[index].name for index in network.machines_in_order]
    hosts = {name: ["gbe0:1", "infiniband0:2"] if "gateway" in name else ["gbe0:1"] for name in names}
    results = []
    for stretch in find_stretches(facts_of(hosts)):
        measured = measurement(latencies[stretch.place], 50e6 if stretch.plane == "gbe" else 400e6)
        results.append(Result(stretch, measured, fit_ping_pong(measured)))
    text, links = with_measured_links(network, results)
    file.write_text(text)
    assert len(json.loads(text)["cables"]) == len(network.cables())
    return open_source(f"json:{file}"), links


def test_measured_rates_and_latencies_become_those_of_the_links(tmp_path: Path) -> None:
    found, links = three_chassis_measured(tmp_path / "measured", {"near": 20e-6, "far": 26e-6, "gateway": 50e-6})
    assert links == {"gbe": 2, "infiniband": 2}
    for near, _ in found.cables():
        port = found.port(near)
        is_gbe = found.planes[found.plane_of(port.device)] == "gbe"
        assert port.bytes_per_second == pytest.approx(50e6 if is_gbe else 400e6, rel=0.02)
        # Two more links lie between the far hosts of the Ethernet; all of InfiniBand are on one switch.
        assert port.latency_ns == pytest.approx(3000 if is_gbe else 0, abs=2)


def test_cables_of_hosts_take_no_longer_than_near_hosts_leave_for_them(tmp_path: Path) -> None:
    """Processors take 10 us of the 20 between near hosts. The far ones are 30 us farther, by two links."""
    found, _ = three_chassis_measured(tmp_path / "measured", {"near": 20e-6, "far": 50e-6, "gateway": 50e-6})
    endpoints = set(found.endpoints)
    to_host, between_switches = set(), set()
    for cable in found.cables():
        group = to_host if any(one in endpoints for one in cable) else between_switches
        group.add(round(found.port(cable[0]).latency_ns, -2))
    assert to_host == {5000, 0}, "of InfiniBand nothing is known"
    assert between_switches == {15000}
