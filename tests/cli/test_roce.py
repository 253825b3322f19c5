"""ayatori roce."""

import shutil
import subprocess
from pathlib import Path

import pytest

from schemas import document_in

ROOT = Path(__file__).parent.parent.parent
PAPER = "fattree:K=6,levels=2,nodes=30"
JOB = ["--random-jobs", "3", "--job-size", "12", "--seed", "4"]


def addresses(folder: Path) -> Path:
    path = folder / "addresses"
    path.write_text("".join(f"N{i} 10.0.{i // 6}.{i % 6 + 1}\n" for i in range(30)), encoding="utf-8")
    return path


@pytest.mark.parametrize("hash", ["xor", "crc16", "crc32"])
@pytest.mark.parametrize("source", [PAPER, "fattree:K=3,levels=3"])
def test_plans_leave_no_shared_link_that_ports_can_avoid(ayatori_command, source: str, hash: str) -> None:
    data = ayatori_command("roce", source, *JOB, "--hash", hash, "--json").json()
    assert data["proven"] == data["jobs"] == 3
    assert data["relative_bandwidth"]["mean"] >= data["without_plan"]["mean"]
    if source == PAPER:
        assert data["free"] == 3 and data["relative_bandwidth"]["min"] == 1


def test_the_report_says_what_hashing_costs_and_a_plan_would_bring(ayatori_command, tmp_path: Path) -> None:
    options = ["--hash", "crc32", "--addresses", str(addresses(tmp_path))]
    done = ayatori_command("roce", PAPER, *JOB, *options).good()
    assert "switches that hash by crc32" in done.stdout
    assert "assumed       seeds\n" in done.stdout
    assert "with the plan mean 1.0000, min 1.0000" in done.stdout
    assert "3 of 3 without a shared link" in done.stdout


def test_a_plan_is_written_for_addresses(ayatori_command, tmp_path: Path) -> None:
    hosts, out = tmp_path / "hosts", tmp_path / "roce.json"
    hosts.write_text("N1\nN7\nN8\nN20\n", encoding="utf-8")
    planning = ["roce", PAPER, "--job", str(hosts), "--out", str(out)]
    assert ayatori_command(*planning).status == 2
    ayatori_command(*planning, "--addresses", str(addresses(tmp_path))).good()
    document = document_in(out, "roce-plan")
    assert [port["address"] for port in document["ports"]] == ["10.0.0.2", "10.0.1.2", "10.0.1.3", "10.0.3.3"]
    run = ayatori_command("run", "--plan", str(out), "--", "env")
    if run.status == 0:  # without libibverbs-dev the library is not built
        assert f"AYATORI_ROCE_PLAN={out}" in run.stdout.splitlines()


def test_seeds_and_addresses_that_do_not_fit_are_told(ayatori_command, tmp_path: Path) -> None:
    def said(option: str, text: str) -> str:
        (tmp_path / "file").write_text(text, encoding="utf-8")
        done = ayatori_command("roce", PAPER, *JOB, option, str(tmp_path / "file"))
        assert done.status == 1
        return done.stderr

    assert "file:2: expected 'HOST ADDRESS'" in said("--addresses", "N0 10.0.0.1\nN1\n")
    assert "expected an IP address like 10.0.0.1 or fd00::1, not '10.0.0.x'" in said("--addresses", "N0 10.0.0.x\n")
    assert "no address for a port of host" in said("--addresses", "N0 10.0.0.1\n")
    assert "has no line 'SWITCH SEED'" in said("--switch-seeds", "# none\n")
    assert "no seed for the switch" in said("--switch-seeds", "X 1\n")
    assert "expected a switch that is new" in said("--switch-seeds", "X -1\n")


def test_addresses_may_be_of_ipv6(ayatori_command, tmp_path: Path) -> None:
    hosts, out, own = tmp_path / "hosts", tmp_path / "roce.json", tmp_path / "addresses"
    hosts.write_text("N1\nN7\nN8\nN20\n", encoding="utf-8")
    own.write_text("".join(f"N{i} fd00:0:0::{i:x}\n" for i in range(30)), encoding="utf-8")
    planning = ["roce", PAPER, "--job", str(hosts), "--out", str(out), "--addresses", str(own)]
    ayatori_command(*planning).good()
    document = document_in(out, "roce-plan")
    assert document["version"] == 1
    assert [port["address"] for port in document["ports"]] == ["fd00::1", "fd00::7", "fd00::8", "fd00::14"]
    own.write_text(own.read_text(encoding="utf-8").replace("fd00:0:0::7\n", "10.0.0.7\n"), encoding="utf-8")
    ayatori_command(*planning).refused(1, "1 of 4 addresses are of IPv4")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_hash_of_ones_own_decides(ayatori_command, tmp_path: Path) -> None:
    """One that ignores ports: every pair has one path, and no plan helps."""
    code = "#include <ayatori_hash.h>\nuint32_t ayatori_choose_cable(const struct ayatori_flow *flow, const char *name,"
    code += " uint32_t seed, uint32_t cables)\n{ return name[0] + seed + flow->destination_port + cables; }\n"
    (tmp_path / "own.c").write_text(code, encoding="utf-8")
    library = tmp_path / "own.so"
    command = [
        "cc",
        "-shared",
        "-fPIC",
        f"-I{ROOT / 'src/planner/include'}",
        str(tmp_path / "own.c"),
        "-o",
        str(library),
    ]
    subprocess.run(command, check=True)
    data = ayatori_command("roce", PAPER, *JOB, "--hash", f"library:{library}", "--json").json()
    assert data["free"] == 0 and data["proven"] == 3
    assert data["relative_bandwidth"] == data["without_plan"]
