"""`ayatori lab fabric`: it proves and writes the tables of `ayatori route`, and leaves no folder."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import ayatori
from ayatori.lab.fabric.tables import parse_lfts
from ayatori.lab.fabric.verification import PortGuids, compare_tables

# A port's GUID is its node's plus 5 here; ibsim gives it the node's plus the port's number.
NET = """\
sysimgguid=0x2c90300000100
switchguid=0x2c90300000100(2c90300000107)
Switch\t4 "S-0002c90300000100"\t\t# "leaf" enhanced port 0 lid 1 lmc 0
[1]\t"H-0002c90300000200"[1](2c90300000205) \t\t# "h1 mlx5_0" lid 2 4xEDR
[2]\t"H-0002c90300000300"[1](2c90300000305) \t\t# "h2 mlx5_0" lid 3 4xEDR

caguid=0x2c90300000200
Ca\t1 "H-0002c90300000200"\t\t# "h1 mlx5_0"
[1](2c90300000205) \t"S-0002c90300000100"[1]\t\t# lid 2 lmc 0 "leaf" lid 1 4xEDR

caguid=0x2c90300000300
Ca\t1 "H-0002c90300000300"\t\t# "h2 mlx5_0"
[1](2c90300000305) \t"S-0002c90300000100"[2]\t\t# lid 3 lmc 0 "leaf" lid 1 4xEDR
"""


def ayatori_process(*arguments: str, **options: object) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-m", "ayatori.cli", *arguments], text=True, **options)  # type: ignore[call-overload]


def run(*arguments: str) -> str:
    process = ayatori_process(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    output, errors = process.communicate()
    assert process.returncode == 0, errors
    return output


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "fabric.net"
    path.write_text(NET)
    return path


def test_lab_holds_the_tables_of_route_and_check_reads_what_lab_writes(net: Path, tmp_path: Path) -> None:
    run("route", f"ib:{net}", "--out-dir", str(tmp_path / "tables"))
    held = tmp_path / "held"
    lab = json.loads(run("lab", "fabric", f"ib:{net}", "--out", str(held), "--json"))
    assert all(check["passed"] for check in lab["checks"])
    written = parse_lfts((tmp_path / "tables" / "lfts").read_text())
    assert compare_tables(written, parse_lfts(held.read_text())) == (3, 0)
    checked = json.loads(run("check", f"ib:{net}", "--lfts", str(held), "--json"))
    assert checked["tables_ok"] and checked["lids"] == 3


def test_sigterm_leaves_no_folder(tmp_path: Path) -> None:
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = ayatori_process(
        "lab", "fabric", "fattree:K=6,levels=2", env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not list(tmp_path.glob("ayatori-lab-*")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 128 + signal.SIGTERM
    assert list(tmp_path.iterdir()) == []


def test_port_guids_are_translated_there_and_back(net: Path) -> None:
    guids = PortGuids(ayatori.open_source(f"ib:{net}"))
    text = "0x0002 001 # Channel Adapter portguid 0x0002c90300000205: 'h1'\n0x0002c90300000305 0x0003 0x0003\n"
    theirs = guids.to_ibsim(text)
    assert theirs == text.replace("0000205", "0000201").replace("0000305", "0000301")
    assert guids.from_ibsim(theirs) == text


def test_compare_tables_counts_entries_that_either_side_lacks() -> None:
    written = {1: {2: 3, 4: 5}, 7: {2: 1}}
    assert compare_tables(written, written) == (3, 0)
    assert compare_tables(written, {1: {2: 3, 4: 6, 9: 1}}) == (3, 3)
