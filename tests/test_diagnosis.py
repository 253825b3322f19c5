"""What `ayatori doctor` makes of facts, without hosts."""

import ast
import re
import subprocess
import sys
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from ayatori.base.errors import Error
from ayatori.diagnosis import (
    Facts,
    ServedPlane,
    choose_way,
    find_trouble,
    find_trouble_of_planes,
    known_of_libraries,
    remedies,
    remedies_by_purpose,
    survey,
    ways_of,
)
from ayatori.diagnosis.connections import program
from ayatori.diagnosis.facts import Address, Host, read_host
from ayatori.diagnosis.remedies import variables_for


def host(name: str, *interfaces: tuple[str, list[tuple[str, int]]], **told: Any) -> Host:
    listed = [
        {
            "name": interface,
            "up": True,
            "loopback": False,
            "mtu": 1500,
            "addresses": of,
        }
        for interface, of in interfaces
    ]
    for one in listed:
        one["mtu"] = told.get("mtu", 1500)
    usual = {"own_address": listed[0]["addresses"][0][0], "adapters": [], "locked_bytes": None, "open_files": 1 << 20}
    return read_host(name, {"interfaces": listed} | usual | told)


def facts_of(*hosts: Host, dead: tuple[str, ...] = (), rates: dict[str, float] | None = None) -> Facts:
    """All addresses of a subnet reach each other, unless the subnet is dead."""
    reached: dict[tuple[Address, Address], bool] = {}
    routed: dict[tuple[str, Address], bool] = {}
    for one, other in permutations(hosts, 2):
        for there in other.addresses():
            same = [here for here in one.addresses() if here.network == there.network]
            reached |= {(here, there): here.network not in dead for here in same}
            if not same:
                routed[one.name, there] = False
    return Facts(hosts, reached, routed, rates or {})


def kinds_of(facts: Facts) -> list[str]:
    ways = ways_of(facts)
    return [one.kind for one in find_trouble(facts, ways, choose_way(ways))]


def test_good_hosts_have_no_trouble() -> None:
    facts = facts_of(host("a", ("e", [("10.0.0.1", 8)])), host("b", ("e", [("10.0.0.2", 8)])))
    assert kinds_of(facts) == []
    way = choose_way(ways_of(facts))
    assert way is not None
    assert remedies(facts, way)["openmpi"][2] == "10.0.0.0/8"


def test_a_difference_of_mtu_a_name_of_the_loopback_and_small_limits_are_found() -> None:
    good = host("a", ("e", [("10.0.0.1", 8)]))
    assert kinds_of(facts_of(good, host("b", ("e", [("10.0.0.2", 8)]), mtu=9000))) == ["mtu"]
    assert kinds_of(facts_of(good, host("b", ("e", [("10.0.0.2", 8)]), own_address="127.0.1.1"))) == [
        "name-is-loopback"
    ]
    assert kinds_of(facts_of(good, host("b", ("e", [("10.0.0.2", 8)]), own_address=None))) == ["name-unknown"]
    assert kinds_of(facts_of(good, host("b", ("e", [("10.0.0.2", 8)]), open_files=256))) == ["open-files"]
    assert kinds_of(facts_of(good, host("b", ("e", [("10.0.0.2", 8)]), locked_bytes=1 << 16))) == []
    locked = host("b", ("e", [("10.0.0.2", 8)]), locked_bytes=1 << 16, adapters=["mlx5_0"])
    assert kinds_of(facts_of(good, locked)) == ["locked-memory"]


def test_hosts_without_a_network_in_common_are_found() -> None:
    facts = facts_of(host("a", ("e", [("10.0.0.1", 16)])), host("b", ("e", [("10.1.0.2", 16)])))
    assert kinds_of(facts) == ["no-network"]
    dead = facts_of(host("a", ("e", [("10.0.0.1", 8)])), host("b", ("e", [("10.0.0.2", 8)])), dead=("10.0.0.0/8",))
    assert kinds_of(dead) == ["no-network", "dead-network"]


def test_interfaces_of_the_same_name_belong_together_and_are_chosen_by_name() -> None:
    pairs = [host(name, ("x", [(f"10.0.0.{i}", 8)]), ("y", [(f"10.0.1.{i}", 8)])) for i, name in ((1, "a"), (2, "b"))]
    swapped = host("c", ("y", [("10.0.1.3", 8)]), ("x", [("10.0.0.3", 8)]))
    facts = facts_of(*pairs, swapped)
    ways = ways_of(facts)
    assert [way.interface for way in ways] == ["x", "y"]
    assert remedies(facts, ways[0])["openmpi"] == [
        *("--mca", "btl_tcp_if_include", "x"),
        *("--mca", "oob_tcp_if_include", "x"),
    ]


def test_where_names_differ_only_libraries_that_take_their_own_of_a_list_have_settings() -> None:
    doubled = [("e", [(f"10.0.0.{i}", 8), (f"10.9.0.{i}", 8)]) for i in (1, 2)]
    facts = facts_of(host("a", doubled[0]), host("b", ("f", doubled[1][1])))
    way = choose_way(ways_of(facts))
    assert way is not None
    assert way.interface is None
    assert way.network == "10.0.0.0/8"
    settings = remedies(facts, way)
    assert "UCX_NET_DEVICES=e,f" in settings["openmpi"], "each host has one of them; Open MPI's TCP takes names of all"
    assert settings["mpich"] == ["-genv", "UCX_NET_DEVICES", "e,f"]
    assert "gloo" not in settings and "openmpi_libfabric" not in settings
    swapped = facts_of(host("a", doubled[0], ("f", [("10.7.0.1", 16)])), host("b", ("f", doubled[1][1])))
    assert dict(remedies(swapped, choose_way(ways_of(swapped)) or way)) == {}, "f is another network's on a"


def test_rates_within_a_tenth_are_equal() -> None:
    hosts = [host(n, ("x", [(f"10.0.0.{i}", 16)]), ("y", [(f"10.1.0.{i}", 16)])) for i, n in ((1, "a"), (2, "b"))]
    near = facts_of(*hosts, rates={"10.0.0.0/16": 95.0, "10.1.0.0/16": 100.0})
    far = facts_of(*hosts, rates={"10.0.0.0/16": 85.0, "10.1.0.0/16": 100.0})
    chosen = [choose_way(ways_of(facts)) for facts in (near, far)]
    assert [way.interface for way in chosen if way is not None] == ["x", "y"]


def with_mpich(version: str, device: str, *, ranks: int = 0) -> list[tuple[str, tuple[str, ...]]]:
    """What is known of it on two hosts of 4 cores, of which the second has so many ranks."""
    mpich = {"version": version, "device": device}
    hosts = [host(n, ("e", [(f"10.0.0.{i}", 8)]), cores=4, mpich=mpich) for i, n in ((1, "a"), (2, "b"))]
    found = known_of_libraries(facts_of(*hosts), {"a": 4, "b": ranks}, Path("/lib/yields.so"))
    return [(one.kind, one.hosts) for one in found]


def test_versions_of_mpich_that_wait_in_finalize_are_told() -> None:
    waits = [("mpich-finalize", ("a", "b"))]
    assert with_mpich("4.0.2", "ch4:ucx") == waits
    assert with_mpich("3.4", "ch4:ucx") == waits
    assert with_mpich("4.1rc1", "ch4:ucx") == waits
    assert with_mpich("4.2.0", "ch4:ucx") == with_mpich("5.0", "ch4:ucx") == with_mpich("4.0.2", "ch4:ofi") == []
    alone = facts_of(host("a", ("e", [("10.0.0.1", 8)]), mpich={"version": "4.0.2", "device": "ch4:ucx"}))
    assert known_of_libraries(alone, {}, None) == [], "within a machine nobody saw it"


def test_more_ranks_of_mpich_than_cores_are_told() -> None:
    assert with_mpich("4.2", "ch4:ofi", ranks=4) == []
    assert with_mpich("4.2", "ch4:ofi", ranks=5) == [("mpich-polls", ("b",))]
    bare = facts_of(host("a", ("e", [("10.0.0.1", 8)]), cores=1))
    assert known_of_libraries(bare, {"a": 9}, None) == [], "no MPICH, nothing to say of it"
    here = facts_of(host("a", ("e", [("10.0.0.1", 8)]), cores=1, mpich={"version": "4.2", "device": "ch4:ucx"}))
    [found] = known_of_libraries(here, {"a": 9}, Path("/lib/yields.so"))
    assert "9 on 1 of a" in found.what and "LD_PRELOAD /lib/yields.so" in found.mend


TREE = ServedPlane("tree", ("collectives",), True, {"a": ("t0",), "b": ("t0",)})
GRID = ServedPlane("grid", ("neighbours", "storage"), True, {"a": ("g0",), "b": ("g0",)})
DISKS = ServedPlane("disks", ("storage",), False, {"a": ("disks0",)})


def test_interfaces_and_hosts_that_a_network_has_and_nobody_else_are_found() -> None:
    facts = facts_of(
        *(host(n, ("t0", [(f"10.0.0.{i}", 16)]), ("g0", [(f"10.1.0.{i}", 16)])) for i, n in ((1, "a"), (2, "b")))
    )
    assert find_trouble_of_planes(facts, ["a", "b"], [TREE, GRID, DISKS]) == [], "Fibre Channel has no interfaces"

    def found(known: list[str], *planes: ServedPlane) -> list[tuple[str, tuple[str, ...]]]:
        return [(one.kind, one.hosts) for one in find_trouble_of_planes(facts, known, planes)]

    misnamed = replace(TREE, interfaces={"a": ("t0",), "b": ("t1",)})
    assert found(["a", "b"], misnamed, GRID) == [("no-interface", ("b",))]
    less = [replace(plane, interfaces={"a": plane.interfaces["a"]}) for plane in (TREE, GRID)]
    assert found(["a"], *less) == [("not-in-network", ("b",))], "of a host that is not known nothing else is said"
    assert found(["a", "b"], TREE, less[1]) == [("no-plane", ("b",))]
    assert found(["a", "b"], TREE) == [("no-plane", ("a", "b"))]


def on_planes(**networks: str) -> Facts:
    """Of two hosts, each with an interface of each name on the /16 network that begins so."""
    interfaces = [[(name, [(f"{start}.0.{i}", 16)]) for name, start in networks.items()] for i in (1, 2)]
    return facts_of(host("a", *interfaces[0]), host("b", *interfaces[1]))


def test_settings_by_purpose_name_all_interfaces_for_neighbours() -> None:
    facts = on_planes(t0="10.0", g0="10.1")
    settings = remedies_by_purpose(facts, [TREE, GRID, DISKS])
    assert settings["openmpi"][:3] == ["--mca", "btl_tcp_if_include", "g0"]
    assert settings["mpich"] == ["-iface", "g0", "-genv", "UCX_NET_DEVICES", "g0", "-genv", "FI_TCP_IFACE", "g0"]
    both = replace(TREE, purposes=("collectives", "neighbours"))
    rails = remedies_by_purpose(facts, [both, GRID])
    assert rails["openmpi"][2] == "g0,t0" and "FI_TCP_IFACE" not in rails["mpich"]
    assert remedies_by_purpose(facts, [replace(GRID, interfaces={"a": ("g0",), "b": ("g1",)})]) == {}
    less = remedies_by_purpose(facts, [replace(GRID, interfaces={"a": ("g0", "t0"), "b": ("g0",)})])
    assert less["openmpi"][2] == "g0", "Open MPI aborts where a host lacks an interface"
    assert remedies_by_purpose(facts, [TREE]) == {}, "nobody serves neighbours"


def test_a_job_gets_the_interfaces_that_all_hosts_have() -> None:
    both = {"a": ["g0", "t0"], "b": ["g0"]}
    assert variables_for(both, openmpi=True)["OMPI_MCA_btl_tcp_if_include"] == "g0"
    assert variables_for(both, openmpi=False) == {"UCX_NET_DEVICES": "g0", "FI_TCP_IFACE": "g0"}
    apart = {"a": ["g0"], "b": ["g1"]}
    assert variables_for(apart, openmpi=False) == {"UCX_NET_DEVICES": "g0,g1"}, "UCX takes those that a host has"
    with pytest.raises(Error, match="no option makes Open MPI use"):
        variables_for(apart, openmpi=True)


def test_open_mpi_is_told_networks_where_it_would_take_names_for_addresses() -> None:
    facts = on_planes(**{"10gbe0": "10.0", "g0": "10.1"})
    fast = replace(GRID, interfaces={"a": ("10gbe0", "g0"), "b": ("10gbe0", "g0")})
    settings = remedies_by_purpose(facts, [fast])
    assert settings["openmpi"][2] == "10.0.0.0/16,g0"
    assert settings["mpich"][:4] == ["-iface", "10gbe0", "-genv", "UCX_NET_DEVICES"]
    lost = replace(GRID, interfaces={"a": ("40gbe0",), "b": ("40gbe0",)})
    assert "openmpi" not in remedies_by_purpose(facts, [lost]), "nobody knows its network"


def test_open_mpi_takes_ucx_where_neither_name_nor_network_would_do() -> None:
    rails = [[("1e", [(f"10.0.0.{i}", 8)]), ("2e", [(f"10.0.1.{i}", 8)])] for i in (1, 2)]
    facts = facts_of(host("a", *rails[0]), host("b", *rails[1]))
    way = choose_way(ways_of(facts))
    assert way is not None and way.interface == "1e"
    assert "UCX_NET_DEVICES=1e" in remedies(facts, way)["openmpi"]


def test_this_machine_is_surveyed_without_an_agent() -> None:
    facts = survey(["here"], [])
    assert [one.name for one in facts.hosts] == ["here"]
    assert all(not address.text.startswith("127.") for address in facts.hosts[0].addresses())


def test_greetings_of_a_host_are_skipped() -> None:
    agent = ["sh", "-c", 'echo "Welcome to $0"; shift 0; exec sh -c "$1"']
    assert [one.name for one in survey(["here"], agent).hosts] == ["here"]


def test_the_probe_needs_no_more_than_python_3_6() -> None:
    """What a newer Python brings is easily used by mistake."""
    check = "import ast, sys; ast.parse(sys.stdin.read(), feature_version=(3, 6))"
    subprocess.run([sys.executable, "-c", check], input=program(), text=True, check=True)
    annotations = [
        ast.unparse(hint)
        for one in ast.walk(ast.parse(program()))
        if isinstance(one, ast.FunctionDef)
        for hint in [one.returns, *(argument.annotation for argument in one.args.args)]
        if hint is not None
    ]
    assert not [hint for hint in annotations if "|" in hint or re.search(r"\b(dict|list|tuple|set)\[", hint)]
