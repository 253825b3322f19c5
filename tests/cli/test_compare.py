"""`ayatori compare` without OpenSM: our own tables and those in use, walked once more by other code."""

import json
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.lab.fabric.opensm import adapters_of, manager_of
from ayatori.study import tables
from ayatori.study.tables import OURS, PLANNED, Comparison, TablesRow, Workload, in_words
from table_walker import TableWalker, WalkError, Wiring, random_jobs
from walked_network import walker_of

SOURCES = ["fattree:K=4,levels=2", "torus:4x4", "dragonfly:g=5,a=4,p=2,h=1", "hyperx:3x3,hosts=2", "mesh:3x4"]


@pytest.fixture
def no_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_LAB_HOSTS", 1)


def compared(ayatori_command, *words: str) -> dict:
    return json.loads(ayatori_command("compare", *words, "--json").good().stdout)


@pytest.mark.parametrize("source", SOURCES)
def test_the_walker_confirms_our_rows(source: str, no_lab, ayatori_command) -> None:
    found = compared(ayatori_command, source, "--jobs-per-size", "5", "--job-sizes", "4,8", "--seed", "3")
    rows = {row["name"]: row for row in found["rows"]}
    assert list(rows) == [OURS, PLANNED]
    network = ayatori.open_source(source)
    walker = walker_of(network, ayatori.make_routes(network, 0))
    ours = rows[OURS]
    assert ours["longest_route"] == walker.longest + 2
    assert ours["balance"] == pytest.approx(walker.balance())
    assert ours["idle_links"] == walker.idle_links()
    assert ours["vls"] == 1 and ours["unreachable_pairs"] == 0
    places = {endpoint: number for number, endpoint in enumerate(network.endpoints)}
    for size in (4, 8):
        jobs = _core.random_jobs(network, 5, size, 0, 3, False)
        walked = [walker.bandwidth(places[port] for port in job.endpoints(network)) for job in jobs]
        measured = ours["relative_bandwidth"][f"{size} hosts"]
        assert measured["mean"] == pytest.approx(sum(walked) / 5), f"seed 3, {size} hosts"
        assert measured["min"] == pytest.approx(min(walked))
        assert rows[PLANNED]["relative_bandwidth"][f"{size} hosts"]["mean"] >= measured["mean"] - 1e-9


def test_tables_in_use_are_a_row(no_lab, tmp_path: Path, ayatori_command) -> None:
    source = "torus:4x4"
    network = ayatori.open_source(source)
    _core.write_tables(network, ayatori.make_routes(network, 0), str(tmp_path / "lfts"))
    found = compared(ayatori_command, source, "--lfts", str(tmp_path / "lfts"), "--jobs-per-size", "2")
    ours, _, in_use = found["rows"]
    assert in_use["name"] == "in use"
    assert in_use["relative_bandwidth"] == ours["relative_bandwidth"]
    assert found["best"].startswith("ours and those in use are the best")


def test_tables_with_holes_say_so(no_lab, tmp_path: Path, ayatori_command) -> None:
    """One switch lacks its entry for one host."""
    source = "fattree:K=2,levels=2"
    network = ayatori.open_source(source)
    _core.write_tables(network, ayatori.make_routes(network, 0), str(tmp_path / "whole"))
    before, after = (tmp_path / "whole").read_text().split("0x0001 ", 1)
    holes = before + after.split("\n", 1)[1]
    (tmp_path / "holes").write_text(holes)
    found = compared(ayatori_command, source, "--lfts", str(tmp_path / "holes"), "--jobs-per-size", "2")
    in_use = found["rows"][-1]
    assert in_use["unreachable_pairs"] > 0 and in_use["relative_bandwidth"] == {} and in_use["mean"] is None
    assert in_use["reason"] == f"{in_use['unreachable_pairs']} of 56 pairs of hosts are not connected"
    assert "in use" not in found["best"]


def test_a_comparison_that_is_stopped_has_the_rows_that_are_done(no_lab) -> None:
    network = ayatori.open_source("torus:3x3")
    jobs = tuple(_core.random_jobs(network, 2, 4, 0, 1, False))
    control = _core.SearchControl()

    def stop_at_the_plan(text: str) -> None:
        if text.endswith(PLANNED):
            control.stop()

    comparison = Comparison(network, [Workload("4 hosts", jobs)], say=stop_at_the_plan)
    found = comparison.run(control)
    assert [row.name for row in found.rows] == [OURS] and found.expected == 2


def test_the_lab_that_is_too_small_is_a_warning(no_lab, ayatori_command) -> None:
    outcome = ayatori_command("compare", "torus:3x3", "--jobs-per-size", "2").good()
    assert "no tables of OpenSM: 9 ports of hosts are more than the lab holds" in outcome.stderr.replace("\n", " ")
    assert "the network has 9 hosts: jobs of 9" in outcome.stderr
    assert "9 hosts (seed 1)" in outcome.stdout and "\nbest: " in outcome.stdout


def test_concurrent_jobs_are_measured_together(no_lab, tmp_path: Path, ayatori_command) -> None:
    for name, hosts in (("left", range(0, 30, 2)), ("right", range(1, 30, 2))):
        (tmp_path / name).write_text("".join(f"N{host}\n" for host in hosts))
    found = compared(ayatori_command, "fattree:K=6,levels=2,nodes=30", "--jobs", str(tmp_path))
    assert found["workloads"] == [{"name": "concurrent jobs", "jobs": 2, "concurrent": True}]
    ours, planned = found["rows"]
    assert 0 < ours["relative_bandwidth"]["concurrent jobs"]["min"] <= 1
    assert planned["relative_bandwidth"]["concurrent jobs"]["mean"] > 0


def test_one_job_is_measured_alone(no_lab, tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "hosts").write_text("N0\nN4\nN9\n")
    found = compared(ayatori_command, "fattree:K=6,levels=2,nodes=30", "--job", str(tmp_path / "hosts"))
    assert found["workloads"] == [{"name": "hosts", "jobs": 1, "concurrent": False}]


@pytest.mark.parametrize(
    "words",
    [
        ["--engines", "magic"],
        ["--engine-seconds", "0s"],
        ["--job-sizes", "1"],
        ["--job-sizes", "many"],
        ["--job", "x", "--jobs-per-size", "2"],
        ["--ppn", "-1"],
    ],
)
def test_options_that_make_no_sense(words: list[str], ayatori_command) -> None:
    assert ayatori_command("compare", "torus:3x3", *words).status == 2


class Row(TablesRow):
    """A row whose figures are made up."""

    def __init__(self, name: str, mean: float, vls: int | None = 1) -> None:
        super().__init__(name, bandwidths={"jobs": [mean]})
        self._vls = vls

    @property
    def reachable(self) -> bool:
        return True

    @property
    def vls(self) -> int | None:
        return self._vls


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            [Row(OURS, 0.4), Row(PLANNED, 0.9), Row("ftree", 0.5)],
            "ftree's tables are the best without a plan (0.500), ours with one (0.900)",
        ),
        (
            [Row(OURS, 0.4), Row(PLANNED, 0.45), Row("ftree", 0.5)],
            "ftree's tables are the best (0.500); a plan on ours gets 0.450",
        ),
        (
            [Row(OURS, 0.5), Row(PLANNED, 0.5), Row("ftree", 0.5), Row("updn", 0.5)],
            "ours and the tables of ftree and updn are the best (0.500); a plan on ours gets 0.500",
        ),
        (
            [Row(OURS, 0.5), Row(PLANNED, 0.6), Row("lash", 0.7, 4)],
            "ours are the best without a plan (0.500), ours with one (0.600); "
            "lash's tables would get 0.700, but need VLs (they use 4)",
        ),
        (
            [Row(OURS, 0.5), Row("minhop", 0.7, None)],
            "ours are the best without a plan (0.500); minhop's tables would get 0.700, but can deadlock",
        ),
        ([Row("minhop", 0.7, None)], "no tables connect all hosts and are free of deadlock on one VL"),
    ],
)  # fmt: skip
def test_the_sentence_is_computed(rows: list[TablesRow], said: str) -> None:
    assert in_words(rows) == said


def test_opensm_subnet_names_adapters_and_the_manager() -> None:
    guids = "SystemGUID:00 NodeGUID:{node} PortGUID:{port}"
    end = f"{{{{ {{kind}} Ports:01 {guids} VenID:0 DevID:0 Rev:0 {{{{a {{{{ b}}}}}}}} LID:{{lid}} PN:01 }}}}"
    line = " ".join(
        end.format(kind=kind, node=node, port=port, lid=lid)
        for kind, node, port, lid in (("CA-SM", "10", "11", "001F"), ("SW", "20", "20", "0002"))
    )
    assert adapters_of(line) == {0x11: (0x10, 0x1F)}
    assert manager_of(line) == 0x1F


def ring(size: int) -> Wiring:
    """Port 1 leads to the next switch, port 2 to the one before; a host each."""
    cables = [((switch, 1), ((switch + 1) % size, 2)) for switch in range(size)]
    return Wiring(size, cables, list(range(size)))


def test_the_walker_counts_by_hand() -> None:
    """A ring of four, always clockwise: each pair at distance d takes d links, so each link carries 1 + 2 + 3 paths."""
    walker = TableWalker(ring(4), {(switch, host): 1 for switch in range(4) for host in range(4)})
    assert walker.longest == 3
    assert sorted(walker.loads()) == [0] * 4 + [6] * 4
    assert walker.balance() == 2 and walker.idle_links() == 4
    assert walker.bandwidth(range(4)) == pytest.approx(3 / (1 + 2 + 3))
    assert walker.bandwidth([0, 1]) == pytest.approx(1.0)


def test_the_walker_sees_packets_that_get_lost_or_go_round() -> None:
    with pytest.raises(WalkError, match="without a switch"):
        TableWalker(ring(3), {})
    to_and_fro = {(switch, host): 1 if switch == 0 else 2 for switch in range(4) for host in range(4)}
    with pytest.raises(WalkError, match="under way"):
        TableWalker(ring(4), to_and_fro)


def test_random_jobs_of_the_walker_are_subsets() -> None:
    jobs = random_jobs(10, 4, 3, seed=5)
    assert jobs == random_jobs(10, 4, 3, seed=5)
    assert all(len(set(job)) == 4 and job == sorted(job) for job in jobs)
