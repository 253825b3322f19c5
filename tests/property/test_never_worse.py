"""No choice of `ayatori plan` is worse than no plan: `bench.validation.never_worse` draws the cases, and measures."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import ayatori
from ayatori.formats.plan_file import read_plan
from bench.validation.never_worse import check_cases
from thoroughness import tries

CASES = int(os.environ.get("NEVER_WORSE_CASES", tries(60, 1000)))
SEED = int(os.environ.get("NEVER_WORSE_SEED", "1"))
PAPER = "fattree:K=6,levels=2,nodes=30"


def test_no_random_case_is_worse_than_no_plan() -> None:
    print(f"seed {SEED}")
    worse, outcomes = check_cases(CASES, SEED)
    assert worse == []
    assert all(outcomes[method]["better"] > 0 for method in ("rule", "colour", "pair"))


def test_a_job_whose_plan_is_worse_keeps_the_tables_in_use(tmp_path: Path, ayatori_command) -> None:
    """Random job 1 of 14 nodes: paper 1's rule reaches 0.65 of the bandwidth, destination-mod-K 0.81."""
    network = ayatori.open_source(PAPER)
    job = ayatori.random_jobs(network, 1, 14, seed=1)[0]
    hosts, out = tmp_path / "hosts", tmp_path / "plan.json"
    hosts.write_text("\n".join(network.machines[machine].name for machine in job.machines))
    outcome = ayatori_command("plan", PAPER, "--job", str(hosts), "--method", "rule", "--out", str(out))
    assert outcome.status == 0
    assert "take          no plan: 0.6500 with it, 0.8125 without" in outcome.stdout
    saved = read_plan(network, out)
    assert (saved.plan.method.word, saved.lmc) == ("destination-mod-K", 0)


def test_a_plan_is_compared_with_the_tables_that_are_given(tmp_path: Path, ayatori_command) -> None:
    tables = tmp_path / "tables"
    assert ayatori_command("route", PAPER, "--lmc", "3", "--out", str(tables)).status == 0
    arguments = ("plan", PAPER, "--contiguous", "16..16", "--lfts", str(tables / "lfts"))
    given = ayatori_command(*arguments).stdout
    # All base LIDs of these tables take the same path: up to six messages at a time on it.
    assert f"baseline      {tables / 'lfts'}" in given.replace("\n    ", " ")
    assert "the plan: 1.0000 with it, 0.2500 without" in given
    ours = ayatori_command(*arguments, "--lmc", "0").stdout
    assert "the plan: 0.7500 with it, 0.2500 without" in ours


def test_own_steps_are_written_and_beat_the_shift_without_a_plan(tmp_path: Path, ayatori_command) -> None:
    steps = tmp_path / "steps"
    arguments = (PAPER, "--contiguous", "16..16", "--lmc", "0")
    planned = ayatori_command("plan", *arguments, "--steps-out", str(steps), "--json")
    data = json.loads(planned.stdout)
    assert data["choices"][0]["take"] == "no plan, own steps"
    assert data["choices"][0]["without"] == 0.75
    assert data["relative_bandwidth"]["mean"] == data["choices"][0]["without_own_steps"] >= 15 / 16
    assert data["per_job"][0]["steps"]["bound"] == 15
    checked = json.loads(ayatori_command("check", *arguments, "--pattern", str(steps), "--json").stdout)
    assert checked["free"] == 1
    with_pattern = ayatori_command("plan", *arguments, "--own-steps", "--pattern", "ring")
    assert (with_pattern.status, "not for ring" in with_pattern.stderr) == (1, True)


def test_own_steps_are_named_only_where_they_could_be_much_better(ayatori_command) -> None:
    arguments = ("plan", PAPER, "--contiguous", "16..16")
    named = json.loads(ayatori_command(*arguments, "--lmc", "0", "--json").stdout)["choices"][0]
    made = json.loads(ayatori_command(*arguments, "--lmc", "0", "--own-steps", "--json").stdout)["choices"][0]
    assert named["without"] + 0.05 <= made["without_own_steps"] <= named["own_steps_at_most"]
    assert "own_steps_at_most" not in made
    assert "--own-steps: up to" in ayatori_command(*arguments, "--lmc", "0").stdout
    for good_enough in (("--lmc", "auto"), ("--lmc", "0", "--pattern", "ring")):
        assert "--own-steps" not in ayatori_command(*arguments, *good_enough).stdout


def test_steps_are_made_for_the_tables_that_a_fabric_has(tmp_path: Path, ayatori_command) -> None:
    """Base LIDs of tables with several LIDs a port all take the first path: the bound by load is what steps reach."""
    tables = tmp_path / "tables"
    assert ayatori_command("route", PAPER, "--lmc", "3", "--out-dir", str(tables)).status == 0
    arguments = (PAPER, "--contiguous", "16..16", "--lfts", str(tables / "lfts"), "--json")
    call = (
        "--collective",
        "alltoall",
        "--bytes",
        "1MiB",
        "--link-bandwidth",
        "1000MB/s",
        "--steps",
        "synchronous",
        "--calibration",
        "none",
    )
    simulated = json.loads(ayatori_command("simulate", *arguments, *call, "--algorithm", "planned").stdout)
    planned = json.loads(ayatori_command("plan", *arguments, "--own-steps").stdout)
    assert simulated["method"] == "tables"
    bandwidth = simulated["bandwidth_MBps"]["mean"] / 1000
    assert bandwidth == pytest.approx(0.25)
    assert planned["choices"][0]["without_own_steps"] == pytest.approx(0.25)
    chosen = json.loads(ayatori_command("choose", *arguments, *call).stdout)
    times = {entry["algorithm"]: entry["time_s"] for entry in chosen["calls"][0]["ranking"]}
    assert (chosen["method"], times["planned"]) == ("tables", simulated["time_s"])
