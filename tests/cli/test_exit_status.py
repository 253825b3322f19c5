"""Exit statuses: 0 done, 1 the input, 2 wrong usage, 3 what was checked is bad, 70 our fault, 130 Ctrl-C."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ayatori
from ayatori.base.errors import Error
from ayatori.cli.app import app
from ayatori.cli.execution import Status, execute

PAPER = "fattree:K=6,levels=2,nodes=30"


def test_version(ayatori_command) -> None:
    outcome = ayatori_command("--version")
    assert (outcome.status, outcome.stdout, outcome.stderr) == (0, f"ayatori {ayatori.__version__}\n", "")


def test_help_lists_every_exit_status(ayatori_command) -> None:
    words = re.findall(r"\w+", ayatori_command("--help").stdout)
    assert [status for status in Status if str(int(status)) not in words] == []


def test_good_tables_exit_0_and_tables_with_a_hole_exit_3(tmp_path: Path, ayatori_command) -> None:
    ayatori_command("route", PAPER, "--lmc", "0", "--out-dir", str(tmp_path / "tables")).good()
    lfts = tmp_path / "tables" / "lfts"
    check = ("check", PAPER, "--lfts", str(lfts))
    ayatori_command(*check).good()
    lines = lfts.read_text().splitlines()
    of_a_host = [i for i, line in enumerate(lines) if re.search(r"Channel Adapter|: 'N\d+", line)]
    del lines[of_a_host[-1]]
    lfts.write_text("\n".join(lines) + "\n")
    for extra in ((), ("--json",)):
        outcome = ayatori_command(*check, *extra)
        assert outcome.status == 3, outcome
    assert "tables are BAD" in ayatori_command(*check).stdout


def test_tables_in_which_a_host_has_no_lid_exit_3(tmp_path: Path, ayatori_command) -> None:
    small, large = "fattree:K=3,levels=2,nodes=7", "fattree:K=3,levels=2,nodes=8"
    ayatori_command("route", small, "--lmc", "0", "--out-dir", str(tmp_path / "tables")).good()
    lfts = tmp_path / "tables" / "lfts"
    outcome = ayatori_command("check", large, "--lfts", str(lfts))
    assert (outcome.status, "tables are BAD" in outcome.stdout) == (3, True), outcome
    assert "port 1 of 'N7' has a cable, but no LID in these tables" in " ".join(outcome.stdout.split())
    assert "  reachable     1 port of adapters NOT: without a LID in these tables\n" in outcome.stdout
    lines = lfts.read_text().splitlines()
    lfts.write_text("\n".join(line for line in lines if not line.startswith("0x0002 ")) + "\n")
    outcome = ayatori_command("check", small, "--lfts", str(lfts), "--json")
    assert outcome.status == 3
    assert json.loads(outcome.stdout)["ports_without_lids"] == 1
    assert ["of 'N1' has a cable" in problem for problem in json.loads(outcome.stdout)["problems"]] == [True]


def test_tables_that_can_deadlock_exit_3(tmp_path: Path, ayatori_command) -> None:
    """All packets clockwise around a ring: each arrives, and all can wait for each other."""
    ayatori_command("route", "torus:5", "--lmc", "0", "--out-dir", str(tmp_path / "tables")).good()
    clockwise = tmp_path / "lfts"
    network = ayatori.open_source("torus:5")
    routes = ayatori.read_routes(network, tmp_path / "tables" / "lfts")
    owners = {routes.base_lid(port): network.port(port).device for port in network.endpoints}
    lines = []
    router = -1
    for line in (tmp_path / "tables" / "lfts").read_text().splitlines():
        if line.startswith("Unicast"):
            router += 1
        entry = re.match(r"0x([0-9a-f]{4}) (\d{3})(.*)", line)
        if entry and int(entry[2]) != 0:
            lid = int(entry[1], 16)
            own = lid in owners and network.router_of(endpoint_of(network, owners[lid])) == router
            line = line if own else f"0x{entry[1]} {clockwise_port(network, router):03d}{entry[3]}"
        lines.append(line)
    clockwise.write_text("\n".join(lines) + "\n")
    outcome = ayatori_command("check", "torus:5", "--lfts", str(clockwise))
    assert (outcome.status, "deadlock      POSSIBLE" in outcome.stdout) == (3, True), outcome
    assert "every LID from every router" in outcome.stdout


def endpoint_of(network: ayatori.Network, device: int) -> int:
    return next(port for port in network.endpoints if network.port(port).device == device)


def clockwise_port(network: ayatori.Network, router: int) -> int:
    """The number of the port that leads to the next router."""
    following = (router + 1) % network.router_count
    for ends in network.cables():
        for here, there in (ends, ends[::-1]):
            if (network.port(here).device, network.port(there).device) == (router, following):
                return network.port(here).number
    raise AssertionError(f"no cable from {router} to {following}")


def test_differences_exit_3(ayatori_command) -> None:
    ayatori_command("show", "torus:4", "--diff", "torus:4").good()
    assert ayatori_command("show", "torus:4", "--diff", "torus:5").status == 3
    assert ayatori_command("show", "torus:4", "--diff", "torus:5", "--json").status == 3


@pytest.mark.parametrize("fault", [Error("no memory", internal=True), RuntimeError("a defect")])
def test_our_faults_exit_70(fault: Exception, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    def fail(*_: object) -> None:
        raise fault

    monkeypatch.setattr("ayatori.cli.route.make_routes_explained", fail)
    assert execute(app, ["route", "torus:4"], "ayatori") == 70
    assert capsys.readouterr().err.startswith("error: ")


@pytest.mark.parametrize(
    "milliseconds",
    [
        pytest.param(30, marks=pytest.mark.sweep),
        60,
        *(pytest.param(n, marks=pytest.mark.sweep) for n in (90, 120, 200)),
        160,
    ],
)
def test_ctrl_c_at_the_start_is_one_line(milliseconds: int) -> None:
    """Whatever is being imported then. Earlier, Python itself has not begun with our program."""
    code = "import os; from ayatori.cli import main; os.write(1, b'x'); main()"
    command = [sys.executable, "-c", code, "bench", "peers", "--count", "100000000"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=take_ctrl_c)
    assert process.stdout is not None
    process.stdout.read(1)
    time.sleep(milliseconds / 1000)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, b"error: interrupted\n")


def take_ctrl_c() -> None:
    """A shell that runs the tests in the background has us ignore it."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_out_never_replaces_what_is_not_a_regular_file(tmp_path: Path, ayatori_command) -> None:
    """As root, a rename over /dev/full made a file of the device."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    link = tmp_path / "link"
    link.symlink_to(pipe)
    tables = tmp_path / "tables"
    tables.mkdir()
    os.mkfifo(tables / "lfts")
    for target in (pipe, link):
        for arguments in (
            ("convert", "torus:4", "--to", "json", "--out", str(target)),
            ("convert", "torus:4", "--to", "cache", "--out", str(target)),
            ("plan", PAPER, "--contiguous", "16..16", "--method", "pair", "--out", str(target)),
            ("show", "torus:4", "--svg", str(target)),
        ):
            ayatori_command(*arguments).refused(1, "regular file")
    ayatori_command("route", PAPER, "--out-dir", str(tables)).refused(1, "regular file")
    assert pipe.is_fifo() and link.is_symlink() and (tables / "lfts").is_fifo()


def test_out_goes_through_symbolic_links(tmp_path: Path, ayatori_command) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    link.symlink_to(file)
    ayatori_command("convert", "torus:4", "--to", "json", "--out", str(link)).good()
    assert link.is_symlink() and file.stat().st_size > 0
