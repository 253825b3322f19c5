"""The JSON keys that other tools rely on, and that the figures in them agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

PAPER = "fattree:K=6,levels=2,nodes=30"


def json_of(outcome) -> dict:
    assert outcome.status == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_show(ayatori_command) -> None:
    data = json_of(ayatori_command("show", PAPER, "--json"))
    assert (data["machines"], data["hcas"], data["routers"], data["links"]) == (30, 30, 11, 60)
    assert [plane["name"] for plane in data["planes"]] == ["infiniband"]
    assert (data["shape"]["kind"], data["shape"]["levels"]) == ("fat_tree", 2)
    assert data["degraded_links"] == []


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
    assert data["before"]["method"] == "modk"


def test_check_with_jobs(ayatori_command) -> None:
    data = json_of(ayatori_command("check", PAPER, "--contiguous", "3..30", "--json"))
    assert (data["jobs"], data["method"]) == (28, "modk")
    assert {"from", "from_port", "to", "to_port", "hot_steps", "worst_load"} <= set(data["hot_links"][0])
    assert data["tables_ok"] and data["deadlock_free"] and data["unreachable"] == 0


def test_route(tmp_path: Path, ayatori_command) -> None:
    out = tmp_path / "tables"
    data = json_of(ayatori_command("route", PAPER, "--lmc", "auto", "--out", str(out), "--json"))
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


def test_a_pair_plan_takes_at_most_a_byte_a_pair(tmp_path: Path, ayatori_command) -> None:
    plan = tmp_path / "plan"
    json_of(ayatori_command("plan", "fattree:K=18,levels=2", "--contiguous", "648..648", "--out", str(plan), "--json"))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 648 * 648
