"""Which hosts `bench pingpong` measures between, and what networks it and `doctor --out` write. Needs no lab."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from ayatori import Network, open_source
from ayatori.base.errors import Error
from ayatori.calibration.measuring import Measurement, Samples
from ayatori.diagnosis import Facts
from ayatori.diagnosis.facts import Address, Host, Interface
from ayatori.pingpong import Result, find_stretches, network_of_facts, with_measured_links
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


def measurement(latency: float, bandwidth: float) -> Measurement:
    """Of a network on which a message takes these, without noise."""
    sizes = [1 << power for power in range(23)]
    whole = Samples({size: latency + size / bandwidth for size in sizes})
    whole = replace(whole, tenth=dict(whole.median), three_quarters=dict(whole.median))
    send = Samples({size: latency / 4 for size in sizes if size <= 4096})
    patterns = {"one_way": whole, "send": send, "receive": send, "burst": whole}
    return Measurement("MPI", ("a", "b"), False, 9, 4096, patterns)


def test_measured_rates_and_latencies_become_those_of_the_links(tmp_path: Path) -> None:
    network = open_source(f"cluster:{EXAMPLES / 'three-chassis.toml'}")
    names = [network.machines[index].name for index in network.machines_in_order]
    hosts = {name: ["gbe0:1", "infiniband0:2"] if "gateway" in name else ["gbe0:1"] for name in names}
    results = []
    for stretch in find_stretches(facts_of(hosts)):
        latency = {"near": 20e-6, "far": 26e-6, "gateway": 50e-6}[stretch.place]
        measured = measurement(latency, 50e6 if stretch.plane == "gbe" else 400e6)
        results.append(Result(stretch, measured, fit_ping_pong(measured)))
    text, links = with_measured_links(network, results)
    assert links == {"gbe": 2, "infiniband": 2}
    file = tmp_path / "network.json"
    file.write_text(text)
    found = open_source(f"json:{file}")
    for near, _ in found.cables():
        port = found.port(near)
        is_gbe = found.planes[found.plane_of(port.device)] == "gbe"
        assert port.bytes_per_second == pytest.approx(50e6 if is_gbe else 400e6, rel=0.02)
        # Two more links lie between the far hosts of the Ethernet; all of InfiniBand are on one switch.
        assert port.latency_ns == pytest.approx(3000 if is_gbe else 0, abs=2)
    assert len(json.loads(text)["cables"]) == len(network.cables())
