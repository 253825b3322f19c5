"""The JSON keys that other tools rely on, and that the figures in them agree."""

import json
from pathlib import Path

import pytest

from ayatori.formats.calibration import Calibration, write_calibration
from ayatori.formats.choice_table import read_table
from ayatori.prediction.costs import MessageCosts, fixed

PAPER = "fattree:K=6,levels=2,nodes=30"


def json_of(outcome) -> dict:
    assert outcome.status == 0, outcome.stderr
    return json.loads(outcome.stdout)


@pytest.mark.parametrize("method", ["rule", "colour", "pair"])
def test_plan(method: str, ayatori_command) -> None:
    arguments = ("--random-jobs", "20", "--job-size", "16", "--seed", "3")
    data = json_of(ayatori_command("plan", PAPER, "--method", method, *arguments, "--json"))
    assert (data["method"], data["jobs"], len(data["per_job"])) == (method, 20, 20)
    bandwidths = [job["relative_bandwidth"] for job in data["per_job"]]
    assert data["relative_bandwidth"]["mean"] == pytest.approx(sum(bandwidths) / 20)
    assert data["relative_bandwidth"]["min"] == min(bandwidths)
    assert data["free"] == sum(job["free"] for job in data["per_job"])
    assert bool(data["hot_links"]) == (data["free"] < 20)
    assert data["before"]["method"] == "base-lids"


def test_route(tmp_path: Path, ayatori_command) -> None:
    out = tmp_path / "tables"
    data = json_of(ayatori_command("route", PAPER, "--lmc", "auto", "--out-dir", str(out), "--json"))
    assert (data["lmc"], data["lids"], data["lid_space"]) == (3, 30 * 8 + 11, 0xBFFF)
    assert data["tables_ok"] and data["deadlock_free"] and data["unreachable"] == 0
    assert sorted(file.name for file in out.iterdir()) == ["README", "guid2lid", "lfts"]
    checked = json_of(ayatori_command("check", PAPER, "--lfts", str(out / "lfts"), "--json"))
    assert checked["tables_ok"] and checked["lids"] == data["lids"]


@pytest.mark.parametrize("method", ["colour", "pair"])
def test_a_written_plan_is_what_check_measures(method: str, tmp_path: Path, ayatori_command) -> None:
    hosts, plan = tmp_path / "hosts", tmp_path / "plan.json"
    hosts.write_text("N[1-3,5,8-9] # Slurm\nN12 slots=1\nN17:1\nN20\nN25\n")
    planned = json_of(
        ayatori_command("plan", PAPER, "--job", str(hosts), "--method", method, "--out", str(plan), "--json")
    )
    measured = json_of(ayatori_command("check", PAPER, "--plan", str(plan), "--json"))
    assert measured["relative_bandwidth"] == planned["relative_bandwidth"]
    assert measured["free"] == 1
    assert measured["method"] == method


def test_a_pair_plan_takes_at_max_a_byte_a_pair(tmp_path: Path, ayatori_command) -> None:
    plan = tmp_path / "plan"
    json_of(ayatori_command("plan", "fattree:K=18,levels=2", "--contiguous", "648..648", "--out", str(plan), "--json"))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 648 * 648


FREE = ("--calibration", "none")
"""Messages take the time of their bytes and of their links' latency."""
SHIFT = ("--collective", "alltoall", "--algorithm", "shift", "--bytes", "1MiB", "--link-bandwidth", "1716MB/s")


def test_simulate(ayatori_command) -> None:
    jobs = ("--random-jobs", "5", "--job-size", "16", "--ppn", "2")
    data = json_of(ayatori_command("simulate", PAPER, *jobs, *SHIFT, "--method", "pair", "--json"))
    assert (data["method"], data["jobs"], len(data["per_job"]), data["wall_s"] > 0) == ("pair", 5, 5, True)
    bandwidths = [job["bandwidth_MBps"] for job in data["per_job"]]
    assert data["bandwidth_MBps"] == {
        "mean": pytest.approx(sum(bandwidths) / 5), "min": min(bandwidths), "max": max(bandwidths),
    }  # fmt: skip
    assert data["messages"] == 5 * 32 * 31
    assert data["network_bytes"] == 5 * (32**2 - 16 * 2**2) << 20
    assert data["time_s"] == pytest.approx(sum(job["time_s"] for job in data["per_job"]) / 5)
    assert {"link", "from", "from_port", "to", "to_port", "busy", "saturated"} <= set(data["hot_links"][0])


def test_synchronous_steps_take_what_contention_says(ayatori_command) -> None:
    """One rank a node, no latency: a step takes as long as its most loaded link."""
    jobs = ("--random-jobs", "20", "--job-size", "16", "--seed", "3")
    simulated = json_of(ayatori_command("simulate", PAPER, *jobs, *SHIFT, "--steps", "synchronous", *FREE, "--json"))
    counted = json_of(ayatori_command("check", PAPER, *jobs, "--json"))
    assert [job["bandwidth_MBps"] / 1716 for job in simulated["per_job"]] == [
        pytest.approx(job["relative_bandwidth"], rel=1e-9) for job in counted["per_job"]
    ]


def test_more_ranks_than_the_calibrated_machine_has_cores_take_turns(tmp_path: Path, ayatori_command) -> None:
    file = tmp_path / "calibration.json"
    costs = MessageCosts(latency=1e-6, eager_limit=8)
    write_calibration(Calibration("n1", "MPI", costs, cores=2, scheduling_delay=fixed(3e-6)), file)
    call = ("--collective", "broadcast", "--algorithm", "linear", "--bytes", "1", "--calibration", str(file))
    for ranks, microseconds in (("2", 1), ("8", 1 + 2 * 3)):
        job = ("simulate", "full:2", "--contiguous", "1..1", "--ppn", ranks)
        assert json_of(ayatori_command(*job, *call, "--json"))["time_s"] == pytest.approx(microseconds * 1e-6)
        assert "2 cores per host; where two ranks share one, messages wait 3 us" in ayatori_command(*job, *call).stdout
    ayatori_command(*job, *call, "--steps", "synchronous").refused(1, "not simulated with more ranks than cores")


def test_barriers_have_no_bandwidth(ayatori_command) -> None:
    call = ("--collective", "barrier", "--algorithm", "dissemination", "--link-latency", "1us", *FREE)
    data = json_of(ayatori_command("simulate", PAPER, "--contiguous", "4..4", *call, "--json"))
    assert data["bandwidth_MBps"] == {"mean": None, "min": None, "max": None}
    assert data["time_s"] == pytest.approx(4e-6), "two rounds of two links"


@pytest.mark.parametrize("method", ["dimension-order", "base-lids"])
def test_links_have_the_latency_that_the_network_tells(method: str, tmp_path: Path, ayatori_command) -> None:
    network = ayatori_command("convert", "torus:4", "--to", "json").json()
    routers = {number for number, node in enumerate(network["nodes"]) if node["kind"] == "router"}
    between = [cable for cable in network["cables"] if {cable["from"][0], cable["to"][0]} <= routers]
    file = tmp_path / "network.json"

    def simulate() -> object:
        file.write_text(json.dumps(network))
        call = ("--collective", "barrier", "--algorithm", "dissemination", "--method", method, *FREE, "--json")
        return ayatori_command("simulate", f"json:{file}", "--contiguous", "2..2", *call)

    for cable in between:
        cable["latency"] = 250
    assert json_of(simulate())["time_s"] == pytest.approx(250e-9)
    between[0]["latency"] = 300
    outcome = simulate()
    assert (outcome.status == 1 and "different latencies" in outcome.stderr) == (method == "dimension-order")


def test_the_sizes_of_an_alltoallv(tmp_path: Path, ayatori_command) -> None:
    sizes = tmp_path / "sizes"
    sizes.write_text("0 1 3000\n2 1 6000 # what takes longest\n")
    call = (
        "--collective",
        "alltoallv",
        "--algorithm",
        "shift",
        "--sizes",
        str(sizes),
        "--link-bandwidth",
        "1GB/s",
        *FREE,
    )
    data = json_of(ayatori_command("simulate", PAPER, "--contiguous", "3..3", *call, "--json"))
    assert (data["sizes"], data["messages"], data["network_bytes"]) == (str(sizes), 2, 9000)
    assert data["time_s"] == pytest.approx(9e-6), "two shifts, one after the other"
    assert data["bandwidth_MBps"]["mean"] == pytest.approx(3000 / 9e-6 / 1e6)


def test_choose(tmp_path: Path, ayatori_command) -> None:
    """Times are those of `simulate`, and the table says what leads."""
    model = ("--link-bandwidth", "1716MB/s", "--link-latency", "500ns")
    job = (PAPER, "--contiguous", "7..7", "--ppn", "2", "--method", "pair")
    out = tmp_path / "table.json"
    sizes = ("--bytes", "1KiB..4KiB,1MiB", "--collective", "alltoall,broadcast")
    data = json_of(ayatori_command("choose", *job, *sizes, *model, "--out", str(out), "--json"))
    assert [(call["collective"], call["bytes"]) for call in data["calls"]] == [
        (collective, size) for collective in ("alltoall", "broadcast") for size in (1024, 2048, 4096, 1 << 20)
    ]
    assert (data["method"], data["jobs"], data["ranks"], data["model"]["link_bandwidth"]) == ("pair", 1, [14], 1.716e9)
    planned = [entry["algorithm"] for entry in data["calls"][0]["ranking"]]
    assert "path-aware" in planned and data["calls"][0]["left_out"] == []
    assert {"mapped-binary", "trinaryx3"} <= {entry["algorithm"] for entry in data["calls"][-1]["left_out"]}
    best = data["calls"][-1]["ranking"][0]
    call = ("--collective", "broadcast", "--bytes", "1MiB", "--algorithm", best["algorithm"])
    simulated = json_of(ayatori_command("simulate", *job, *call, "--chunk", str(best["chunk"]), *model, "--json"))
    assert simulated["time_s"] == best["time_s"]
    table = read_table(out)
    assert table.machines == [(f"N{host}", 2) for host in range(7)]
    for call in data["calls"]:
        chosen = table.lookup(call["collective"], call["bytes"])
        assert chosen.algorithm == call["ranking"][0]["algorithm"]
