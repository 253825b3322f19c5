"""What `doctor` makes of what single hosts report, without hosts."""

from dataclasses import replace
from itertools import permutations
from typing import Any

from ayatori.diagnosis.facts import Address, Facts, Host, Silent, read_host
from ayatori.diagnosis.findings import find_trouble_of_networks
from ayatori.diagnosis.host_findings import find_trouble_of_hosts, notes_of

GOOD_PORT = {"adapter": "mlx5_0", "port": 1, "state": "ACTIVE", "rate": "100 Gb/sec (4X EDR)", "link": "InfiniBand"}
NO_ERRORS = {"errors": {"symbol_error": 0}}
SPACE = {"path": "/tmp", "bytes": 1 << 40, "free": 1 << 40, "files": 1000, "writable": True}


def host(name: str, number: int, interface: dict[str, Any] | None = None, **told: Any) -> Host:
    address = f"10.0.0.{number}"
    eth0 = {"name": "eth0", "up": True, "loopback": False, "mtu": 1500, "addresses": [[address, 16]]}
    usual = {"own_address": address, "adapters": [], "locked_bytes": None, "open_files": 1 << 20, "hostname": name}
    own = {"hardware": f"02:00:00:00:00:{number:02x}", "speed": 25000, "duplex": "full"}
    return read_host(name, {"interfaces": [eth0 | own | (interface or {})]} | usual | told)


def trouble(*hosts: Host) -> list[tuple[str, tuple[str, ...]]]:
    facts = Facts(hosts, {}, {}, {})
    return [(one.kind, one.hosts) for one in find_trouble_of_hosts(facts)]


def one_of_four(**told: Any) -> list[tuple[str, tuple[str, ...]]]:
    """The third has what is told."""
    hosts = [host(f"c{number}", number, **(told if number == 3 else {})) for number in range(1, 5)]
    return trouble(*hosts)


def of_networks(**interface: Any) -> list[tuple[str, tuple[str, ...]]]:
    hosts = tuple(host(f"c{number}", number, interface if number == 3 else None) for number in range(1, 5))
    found = find_trouble_of_networks(Facts(hosts, {}, {}, {}), [], None)
    return [(one.kind, one.hosts) for one in found if one.kind != "no-network"]


def test_hosts_that_are_alike_have_no_trouble() -> None:
    assert one_of_four() == of_networks() == []
    port = GOOD_PORT | NO_ERRORS
    assert trouble(*(host(f"c{n}", n, adapters=["mlx5_0"], adapter_ports=[port]) for n in range(1, 4))) == []


def test_limits_folders_and_clocks_that_are_bad_on_one_host_are_found() -> None:
    assert one_of_four(processes=512) == [("processes", ("c3",))]
    assert one_of_four(shared_memory=SPACE | {"free": 1 << 16}) == [("shared-memory", ("c3",))]
    assert one_of_four(temporary=SPACE | {"free": 0}) == [("temporary", ("c3",))]
    assert one_of_four(temporary=SPACE | {"files": 0}) == [("temporary", ("c3",))]
    assert one_of_four(temporary=SPACE | {"writable": False}) == [("temporary", ("c3",))]
    assert one_of_four(name_seconds=5.1) == [("slow-names", ("c3",))]
    assert one_of_four(neighbours=7) == [("neighbour-table", ("c3",))]
    clocks = [0.1, 0.0, 5.0, -0.2]
    hosts = [replace(host(f"c{n}", n), clock=(clocks[n - 1], 0.05)) for n in range(1, 5)]
    assert trouble(*hosts) == [("clock", ("c3",))]
    ours = [replace(one, clock=(100.0, 0.05)) for one in hosts]
    assert trouble(*ours) == [], "the clock of this machine is wrong, not theirs"
    late = [replace(one, clock=(5.0 if one.name == "c3" else 0.0, 4.0)) for one in hosts]
    assert trouble(*late) == [], "the answer was late, which says nothing"


def test_names_of_others_and_machines_that_are_listed_twice_are_found() -> None:
    good = {f"c{n}": f"10.0.0.{n}" for n in range(1, 5)}
    hosts = [replace(host(f"c{n}", n), names=good) for n in range(1, 5)]
    assert trouble(*hosts) == []
    wrong = replace(hosts[0], names=good | {"c3": "10.0.0.99"})
    assert trouble(wrong, *hosts[1:]) == [("wrong-name", ("c1",))]
    behind = [replace(one, names=good | {"c3": "203.0.113.7"}) for one in hosts]
    assert trouble(behind[0], behind[1], hosts[2], behind[3]) == [], "all agree: an address of a router before it"
    assert one_of_four(own_address="10.0.9.9") == [("wrong-name", ("c3",))]
    assert one_of_four(hostname="c4") == [("same-hostname", ("c3", "c4"))]
    twice = [host("a", 1, hostname="a"), host("b", 1, hostname="a"), host("c", 2)]
    assert trouble(*twice) == [("same-machine", ("a", "b"))]


def test_other_versions_and_adapters_are_found() -> None:
    theirs = {"mpirun": {"version": "4.1.4", "path": "/usr/bin/mpirun"}}
    hosts = [host(f"c{n}", n, libraries=theirs if n != 3 else {}) for n in range(1, 5)]
    assert trouble(*hosts) == [("versions", ("c3",))]
    ports = {n: [GOOD_PORT | NO_ERRORS] for n in range(1, 5)}

    def with_port(**changed: Any) -> list[tuple[str, tuple[str, ...]]]:
        own = ports | {3: [GOOD_PORT | NO_ERRORS | changed]}
        return trouble(*(host(f"c{n}", n, adapter_ports=own[n]) for n in range(1, 5)))

    assert with_port(state="INIT") == [("adapter-port", ("c3",))]
    assert with_port(rate="25 Gb/sec (1X EDR)") == [("link-rate", ("c3",))]
    assert with_port(errors={"symbol_error": 3}) == [("link-errors", ("c3",))]


def test_what_the_same_hardware_address_breaks_is_not_another_finding() -> None:
    hosts = tuple(host(f"c{n}", n, {"hardware": "02:00:00:00:00:01"} if n == 3 else None) for n in range(1, 5))
    addresses = [address for one in hosts for address in one.addresses()]
    reached = {(near, far): "c3" not in (near.host, far.host) for near, far in permutations(addresses, 2)}
    broken = reached | {(addresses[3], addresses[1]): False}

    def kinds(reached: dict[tuple[Address, Address], bool]) -> list[tuple[str, tuple[str, ...]]]:
        found = find_trouble_of_networks(Facts(hosts, reached, {}, {}), [], None)
        return [(one.kind, one.hosts) for one in found if one.kind != "no-network"]

    assert kinds(reached) == [("same-hardware", ("c1", "c3"))]
    assert kinds(broken) == [("dead-network", ("c4", "c2")), ("same-hardware", ("c1", "c3"))]


def test_links_of_one_host_that_differ_are_found() -> None:
    assert of_networks(speed=100) == [("link-rate", ("c3",))]
    assert of_networks(speed=-1) == [], "the driver does not say"
    assert of_networks(duplex="half") == [("half-duplex", ("c3",))]
    assert of_networks(mtu=9000) == [("mtu", ("c3",))]
    assert of_networks(hardware="02:00:00:00:00:01") == [("same-hardware", ("c1", "c3"))]
    assert of_networks(addresses=[["10.0.0.3", 24]]) == [("netmask", ("c3",))]
    assert of_networks(carrier=False) == [("no-carrier", ("c3",))]
    assert of_networks(up=False) == [("interface-down", ("c3",))]
    assert of_networks(name="eth1", addresses=[["10.9.0.3", 24]]) == [("partial-network", ("c3",))]


def test_silent_hosts_are_grouped_and_what_is_busy_is_a_note() -> None:
    silent = tuple(Silent(f"d{n}", "down, or not reached", "No route to host") for n in range(3))
    facts = Facts((host("c1", 1), host("c2", 2)), {}, {}, {}, silent=(*silent, Silent("x", "no Python 3", "")))
    found = [(one.kind, one.hosts) for one in find_trouble_of_hosts(facts)]
    assert found == [("no-answer", ("d0", "d1", "d2")), ("no-answer", ("x",))]
    use = {"processors": 0.95, "bytes_per_second": {"eth0": 60e6}}
    busy = Facts((host("c1", 1, use=use), host("c2", 2)), {}, {}, {"10.0.0.0/16": 100e6})
    assert find_trouble_of_hosts(busy) == []
    assert [(one.kind, one.hosts) for one in notes_of(busy)] == [
        ("busy-network", ("c1",)),
        ("busy-processors", ("c1",)),
    ]
