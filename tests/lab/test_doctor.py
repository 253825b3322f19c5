"""`ayatori doctor`: what it finds on hosts of the cluster lab, and whether MPI works with what it says."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ayatori.lab.cluster import Settings, why_impossible
from subprocesses import ran, said_by

ROOT = Path(__file__).parents[2]
REPORTS = ROOT / "examples/cluster/open-mpi"
SECONDS = 120
IMPOSSIBLE = why_impossible(Settings())
pytestmark = [pytest.mark.skipif(bool(IMPOSSIBLE), reason=IMPOSSIBLE)]

FOUND = {
    "12232-public-address-on-one-of-four": {"several-addresses", "same-subnet"},
    "4963-dead-subnet": {"dead-network"},
    "5818-two-addresses-in-one-subnet": {"several-addresses"},
    "6377-docker0": {"same-address"},
    "8967-second-address-on-some-hosts": {"several-addresses"},
}
MISSED_BY_5_0_7 = "12232-public-address-on-one-of-four"
"""Debian 13's Open MPI asks the kernel by which interface packets would leave, which is not the one that is named."""
LAUNCHERS = {"openmpi": "mpirun.openmpi", "mpich": "mpiexec.mpich"}


def in_lab(file: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    lab = [sys.executable, "-m", "ayatori.cli", "lab", "cluster", file, "--slower", "10", "--", *words]
    return ran(lab, seconds=SECONDS)


def line_in_lab(file: Path, *words: str | Path) -> str:
    """What the command says first. The lab is ended then: with MPICH 4.0 over UCX's TCP processes sometimes wait for
    each other in MPI_Finalize for ever."""
    lab = [sys.executable, "-m", "ayatori.cli", "lab", "cluster", file, "--slower", "10", "--", "timeout", "90", *words]
    with subprocess.Popen(lab, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as running:
        assert running.stdout is not None
        line = running.stdout.readline()
        running.kill()
    return line.strip()


def diagnosis_of(file: Path) -> tuple[int, dict[str, Any]]:
    call = f'{sys.executable} -m ayatori.cli doctor --hosts "$AYATORI_LAB_HOSTFILE" --json'
    done = in_lab(file, "sh", "-c", call)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A program that talks with all others, by family."""
    made = {}
    for family in LAUNCHERS:
        if shutil.which(f"mpicc.{family}") is None:
            pytest.skip(f"mpicc.{family} is not installed")
        made[family] = tmp_path_factory.mktemp(family) / "exchange_all"
        source = ROOT / "tests/mpi/programs/exchange_all.c"
        subprocess.run([f"mpicc.{family}", "-O1", source, "-o", made[family]], check=True)
    return made


@pytest.mark.parametrize("report", FOUND)
def test_with_the_settings_of_doctor_mpi_works_where_open_mpi_was_reported_to_hang(
    report: str, programs: dict[str, Path]
) -> None:
    file = REPORTS / f"{report}.toml"
    status, data = diagnosis_of(file)
    assert status == 3
    assert {one["kind"] for one in data["trouble"]} == FOUND[report]
    count = len(data["hosts"])
    for family, launcher in LAUNCHERS.items():
        if report == MISSED_BY_5_0_7 and family == "openmpi" and "5.0.7" in said_by([launcher, "--version"]):
            continue
        words = [launcher, *data["settings"][family], "-np", str(count), programs[family], "200000"]
        assert line_in_lab(file, *words) == f"right between {count}"


def test_hosts_on_one_good_network_have_no_trouble(tmp_path: Path) -> None:
    file = tmp_path / "good.toml"
    file.write_text(
        '[planes.eth]\nrate = "1Gbit/s"\n[[switches]]\nname = "s"\nplane = "eth"\n'
        '[[hosts]]\nname = "n[1-4]"\nlinks = [{ to = "s" }]\n'
    )
    status, data = diagnosis_of(file)
    assert (status, data["trouble"]) == (0, [])
    assert [network["chosen"] for network in data["networks"]] == [True]
    assert 3e6 < data["networks"][0]["bytes_per_second"] < 15e6, "1 Gbit/s divided by 10"


def test_the_faster_of_two_networks_is_chosen_and_names_that_lead_to_the_slower_are_told(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    switches = "".join(f'[[switches]]\nname = "{plane}"\nplane = "{plane}"\n' for plane in ("slow", "fast"))
    file.write_text(
        '[planes.slow]\nrate = "100Mbit/s"\n[planes.fast]\nrate = "1Gbit/s"\n'
        + switches
        + '[[hosts]]\nname = "n[1-2]"\nlinks = [{ to = "slow" }, { to = "fast" }]\n'
    )
    status, data = diagnosis_of(file)
    assert status == 3
    assert [one["kind"] for one in data["trouble"]] == ["slow-first"]
    assert [network["chosen"] for network in data["networks"]] == [False, True]
    assert data["settings"]["openmpi"][:3] == ["--mca", "btl_tcp_if_include", data["networks"][1]["network"]]


def test_interfaces_are_named_by_what_the_network_has_them_for(tmp_path: Path) -> None:
    """Also when one of them is called otherwise in the network, and of MPICH what is known where ranks share cores."""
    file = tmp_path / "purposes.toml"
    file.write_text(
        '[planes.tree]\nrate = "1Gbit/s"\nfor = ["collectives"]\n'
        '[planes.grid]\nrate = "1Gbit/s"\nfor = ["neighbours"]\n'
        '[[switches]]\nname = "t"\nplane = "tree"\n[[switches]]\nname = "g"\nplane = "grid"\n'
        '[[hosts]]\nname = "n[1-2]"\nlinks = [{ to = "t" }, { to = "g" }]\n'
    )
    (tmp_path / "other.toml").write_text(
        file.read_text().replace("planes.grid", "planes.net").replace('"grid"', '"net"')
    )
    (tmp_path / "hosts").write_text("n1 slots=1000\nn2\n")
    doctor = f"{sys.executable} -m ayatori.cli doctor --hosts {tmp_path}/hosts"
    one, other = (f"{doctor} --network cluster:{tmp_path}/{name}.toml" for name in ("purposes", "other"))
    done = in_lab(file, "sh", "-c", f"{one} --json | tr -d '\\n'; echo; {one}; {other}")
    first, text = done.stdout.split("\n", 1)
    data = json.loads(first)
    assert data["trouble"] == [], done.stderr
    assert [(plane["name"], plane["for"], plane["interfaces"]) for plane in data["planes"]] == [
        ("tree", ["collectives"], [["tree0"], ["tree0"]]),
        ("grid", ["neighbours"], [["grid0"], ["grid0"]]),
    ]
    assert data["settings"]["openmpi"] == [
        "--mca",
        "btl_tcp_if_include",
        "grid0",
        "--mca",
        "oob_tcp_if_include",
        "grid0",
    ]
    assert "  grid (grid0): for neighbours\n" in text and f"ayatori run --network cluster:{file} -- mpirun" in text
    assert "trouble: n1, n2: there is no net0 with an address, by which the network has them on net" in text
    if shutil.which("mpichversion"):
        assert "mpich-polls" in {one["kind"] for one in data["known"]}
    assert done.returncode == 3, "of the second"


def test_a_host_that_does_not_answer_is_named(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("nowhere\n")
    call = [
        sys.executable,
        "-m",
        "ayatori.cli",
        "doctor",
        "--hosts",
        hosts,
        "--agent",
        "sh -c 'echo no way in >&2; exit 1'",
    ]
    done = ran(call, seconds=SECONDS)
    assert done.returncode == 1
    assert "error: host 'nowhere' does not answer\ncaused by: no way in" in done.stderr


def test_two_interfaces_of_a_host_in_one_subnet_are_found(tmp_path: Path) -> None:
    """On two cables of each host, on hosts of which one alone has them, and not where the subnets differ."""
    switch = '[planes.roce]\nrate = "1Gbit/s"\n[[switches]]\nname = "sw"\nplane = "roce"\n'

    def host(number: int, *subnets: int, length: int) -> str:
        links = ", ".join(f'{{ to = "sw", addresses = ["10.1.{net}.{number}/{length}"] }}' for net in subnets)
        return f'[[hosts]]\nname = "h{number}"\nlinks = [{links}]\n'

    def same_subnet(*hosts: str) -> tuple[int, list[list[str]]]:
        file = tmp_path / "two.toml"
        file.write_text(switch + "".join(hosts))
        status, data = diagnosis_of(file)
        return status, [one["hosts"] for one in data["trouble"] if one["kind"] == "same-subnet"]

    assert same_subnet(host(1, 0, 1, length=16), host(2, 0, 1, length=16)) == (3, [["h1", "h2"]])
    assert same_subnet(host(1, 0, length=16), host(2, 0, 1, 2, length=16)) == (3, [["h2"]])
    assert same_subnet(host(1, 0, 1, length=24), host(2, 0, 1, length=24)) == (0, [])
