"""Networks of several planes, with the defaults of each verb."""

import json
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples/cluster"
THREE_CHASSIS = f"cluster:{EXAMPLES / 'three-chassis.toml'}"
ALL_TO_ALL = ("--collective", "alltoall", "--bytes", "64KiB")


def test_show_says_what_each_plane_is(ayatori_command) -> None:
    data = ayatori_command("show", THREE_CHASSIS, "--json").json()
    gbe, infiniband = data["planes"]
    assert (gbe["machines"], gbe["shape"]["kind"], gbe["shape"]["levels"]) == (12, "fat_tree", 2)
    assert (infiniband["machines"], infiniband["routers"], infiniband["links"]) == (6, 1, 6)
    text = ayatori_command("show", THREE_CHASSIS).stdout
    assert "2 planes" in text and "oversubscription 4:1" in text


def test_the_whole_cell_cluster_has_what_table_1_lists(ayatori_command) -> None:
    source = f"cluster:{EXAMPLES / 'cell-cluster.toml'}"
    hosts = ayatori_command("convert", source, "--to", "json").json()["nodes"]
    machines = {node["machine"] for node in hosts if node["kind"] == "nic"}
    routers = [node["name"] for node in hosts if node["kind"] == "router"]
    assert sum("qs21" in name for name in machines) == 156
    assert sum("qs21" not in name for name in machines) == 29 + 4
    assert sum(node["name"] == "infiniband0" for node in hosts) == 42
    assert sum(name.startswith(("cell", "xeon")) for name in routers) == 15
    assert sum(name.startswith("gbe") for name in routers) == 11
    assert sum(name.startswith("ten") for name in routers) == 3


PURPOSES = """
[planes.fibre]
rate = "32GFC"
[planes.tree]
rate = "1Gbit/s"
for = ["collectives"]
[planes.grid]
rate = "10Gbit/s"
for = ["neighbours", "storage"]
[[switches]]
name = "f"
plane = "fibre"
[[switches]]
name = "t"
plane = "tree"
[[switches]]
name = "g"
plane = "grid"
[[hosts]]
name = "h[1-3]"
links = [{ to = "f" }, { to = "t" }, { to = "g" }]
[[hosts]]
name = "h4"
links = [{ to = "f" }, { to = "t" }]
[[hosts]]
name = "disks"
links = [{ to = "f" }]
[[background]]
from = "disks"
to = "h1"
plane = "fibre"
rate = "10Gbit/s"
"""


@pytest.fixture
def purposes(tmp_path: Path) -> str:
    (tmp_path / "purposes.toml").write_text(PURPOSES)
    return f"cluster:{tmp_path / 'purposes.toml'}"


def test_show_says_what_each_plane_is_for(ayatori_command, purposes: str) -> None:
    data = ayatori_command("show", purposes, "--json").json()
    found = {plane["name"]: plane["for"] for plane in data["planes"]}
    assert found == {"fibre": ["storage"], "tree": ["collectives"], "grid": ["neighbours", "storage"]}
    text = ayatori_command("show", purposes).stdout
    assert "for storage alone" in text and "for neighbours and storage alone" in text and "27200Mbit/s" in text


@pytest.mark.parametrize("form", ["json", "cache"])
def test_converted_networks_keep_what_planes_are_for(ayatori_command, purposes: str, tmp_path: Path, form: str) -> None:
    converted = ayatori_command("convert", purposes, "--to", form, "--out", str(tmp_path / "file"))
    assert converted.status == 0 and converted.stderr == ""
    again = f"{form}:{tmp_path / 'file'}"
    shown = ayatori_command("show", again, "--json").json()
    assert shown["planes"] == ayatori_command("show", purposes, "--json").json()["planes"]
    for pattern in ("shift", "neighbour"):
        before, after = (
            ayatori_command("check", name, "--pattern", pattern, "--lmc", "0", "--json").json()
            for name in (purposes, again)
        )
        assert after | {"source": ""} == before | {"source": ""}


def test_what_no_plane_is_for_is_refused(ayatori_command, tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text(
        ayatori_command("convert", "full:3", "--to", "json").stdout.replace(
            '"planes": ["infiniband"]', '"planes": [{"name": "infiniband", "for": ["neighbours"]}]'
        )
    )
    source = f"json:{tmp_path / 'net.json'}"
    ayatori_command("check", source, "--pattern", "neighbour", "--lmc", "0").good()
    ayatori_command("choose", source, "--collective", "alltoall", "--bytes", "64KiB").refused(
        1, "no plane is for collectives"
    )


def test_collectives_take_only_the_planes_that_are_for_them(ayatori_command, purposes: str) -> None:
    call = (*ALL_TO_ALL, "--algorithm", "ring", "--calibration", "none", "--json")
    found = ayatori_command("simulate", purposes, *call).json()
    assert found["per_job"][0]["ranks"] == 4, "none on the host that is on Fibre Channel alone"
    assert found["background"] == []
    assert found["time_s"] >= 3 * 65536 / 125e6, "1 Gbit/s, though two planes are wider"


def test_choose_and_plan_send_no_mpi_over_fibre_channel(ayatori_command, purposes: str, tmp_path: Path) -> None:
    ayatori_command("choose", purposes, "--collective", "alltoall", "--bytes", "64KiB", "--json").good()
    for pattern, hosts in (("shift", 4), ("neighbour", 3)):
        checked = ayatori_command("check", purposes, "--pattern", pattern, "--lmc", "0", "--json")
        assert json.loads(checked.stdout)["lids"] == 1 + hosts, f"a switch and a NIC of each host: {checked.stderr}"
    plan = tmp_path / "plan"
    ayatori_command("plan", purposes, "--lmc", "0", "--contiguous", "4..4", "--out", str(plan)).good()
    assert all(host in plan.read_text() for host in ("h1", "h4")) and "disks" not in plan.read_text()


def test_a_cluster_with_fibre_channel_alone_is_refused(ayatori_command, tmp_path: Path) -> None:
    (tmp_path / "only.toml").write_text('[planes.fibre]\nrate = "4GFC"\n')
    for verb in (["show"], ["lab", "cluster"]):
        name = f"cluster:{tmp_path / 'only.toml'}" if verb == ["show"] else str(tmp_path / "only.toml")
        ayatori_command(*verb, name, *(["--", "true"] if verb != ["show"] else [])).refused(
            1, "only.toml:1: for: no plane is for MPI's collectives"
        )


def test_messages_take_the_plane_of_both_hosts_that_is_best_by_default(ayatori_command) -> None:
    """An all-to-all among three chassis waits for the buses' uplinks, and InfiniBand carries what gateways exchange."""
    call = ("simulate", THREE_CHASSIS, *ALL_TO_ALL, "--algorithm", "two-level-ring", "--calibration", "none", "--json")
    found = ayatori_command(*call).json()
    assert found["model"]["rails"] == "lowest-latency"
    assert found["per_job"][0]["ranks"] == 12, "a rank on each host: none has two NICs on one plane"
    hot = {found["hot_links"][0]["from"], found["hot_links"][0]["to"]}
    assert hot in [{"gbe-core", f"chassis{number}"} for number in (1, 2, 3)]
    # Of a chassis's 4 x 8 messages to the others, the 2 x 4 between gateways are not on the uplink.
    assert found["time_s"] >= 24 * 65536 / 125e6
    assert found["time_s"] < 32 * 65536 / 125e6


@pytest.mark.parametrize("collective", ["alltoall", "allreduce"])
def test_choose_finds_an_algorithm_on_several_planes(ayatori_command, collective: str) -> None:
    call = ("choose", THREE_CHASSIS, "--collective", collective, "--bytes", "64KiB", "--json")
    ayatori_command(*call).good()


def test_a_host_on_planes_that_are_equally_fast_can_stripe(ayatori_command, tmp_path: Path) -> None:
    planes = [f'[planes.p{i}]\nrate = "1Gbit/s"\n[[switches]]\nname = "s{i}"\nplane = "p{i}"\n' for i in (1, 2)]
    hosts = '[[hosts]]\nname = "h[1-2]"\nlinks = [{ to = "s1" }, { to = "s2" }]\n'
    (tmp_path / "two.toml").write_text("".join(planes) + hosts)
    call = ["simulate", f"cluster:{tmp_path / 'two.toml'}", "--collective", "broadcast", "--algorithm", "binomial"]
    call += ["--bytes", "4MiB", "--json"]
    times = {
        rails: ayatori_command(*call, "--rails", rails).json()["time_s"] for rails in ("fastest", "striped", "auto")
    }
    assert 1.8 <= times["fastest"] / times["striped"] <= 2.0
    assert times["auto"] == times["striped"]


QUICK_AND_WIDE = """
[planes.quick]
rate = "1Gbit/s"
latency = "1us"
[planes.wide]
rate = "10Gbit/s"
latency = "50us"
[[switches]]
name = "s1"
plane = "quick"
[[switches]]
name = "s2"
plane = "wide"
[[hosts]]
name = "h[1-2]"
links = [{ to = "s1" }, { to = "s2" }]
"""


def test_small_messages_take_the_quick_plane_and_large_ones_the_wide_one(ayatori_command, tmp_path: Path) -> None:
    (tmp_path / "planes.toml").write_text(QUICK_AND_WIDE)
    call = ["simulate", f"cluster:{tmp_path / 'planes.toml'}", "--collective", "broadcast", "--algorithm", "binomial"]
    call += ["--calibration", "none", "--json", "--bytes"]
    small, large = (ayatori_command(*call, size).json()["time_s"] for size in ("8B", "1MiB"))
    assert small == pytest.approx(2e-6 + 8 / 125e6)
    assert large == pytest.approx(100e-6 + 2**20 / 1.25e9)


def test_storage_traffic_slows_messages_that_share_its_cable(ayatori_command, tmp_path: Path) -> None:
    storage = '[[background]]\nfrom = "h1"\nto = "h2"\nplane = "wide"\nrate = "4Gbit/s"\n'
    (tmp_path / "planes.toml").write_text(QUICK_AND_WIDE + storage)
    source = f"cluster:{tmp_path / 'planes.toml'}"
    call = ["simulate", source, "--collective", "broadcast", "--algorithm", "binomial", "--calibration", "none"]
    call += ["--bytes", "1MiB"]
    found = ayatori_command(*call, "--json").json()
    assert found["time_s"] == pytest.approx(100e-6 + 2**20 / 0.75e9)
    assert found["background"] == [{"from": "h1", "to": "h2", "plane": "wide", "bytes_per_second": 5e8}]
    for words in (call, ["show", source]):
        assert "1 flow on wide, 500 MB/s asked for" in ayatori_command(*words).stdout
    ayatori_command(*call, "--steps", "synchronous").refused(1, "background traffic")
