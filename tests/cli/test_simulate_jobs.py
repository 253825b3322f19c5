"""`ayatori simulate --jobs`: jobs that run at the same time."""

import json
import re
from pathlib import Path

import pytest

SOURCE = "fattree:K=6,levels=2,nodes=30"
SHIFT = ["--collective", "alltoall", "--algorithm", "shift", "--bytes", "64KiB", "--rounds", "4"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three jobs on every fourth host."""
    for name, hosts in {"left": range(0, 30, 4), "middle": range(1, 30, 4), "right": range(2, 30, 4)}.items():
        (tmp_path / name).write_text("".join(f"N{host}\n" for host in hosts))
    return tmp_path


def test_each_job_is_timed_alone_and_together(folder: Path, ayatori_command) -> None:
    picture = folder.parent / "jobs.svg"
    outcome = ayatori_command(
        "simulate", SOURCE, "--jobs", str(folder), *SHIFT, "--seed", "7", "--svg", str(picture)
    ).good()
    assert "3 jobs, 4 rounds at random phases (seed 7)" in outcome.stdout
    assert "worst neighbour" in outcome.stdout
    assert "left and right" in outcome.stdout
    drawn = picture.read_text()
    assert "<title>N4, left</title>" in drawn
    assert re.search(r" and right, [0-9.]+% of the time</text>", drawn)


def test_plans_and_given_tables_are_used(folder: Path, ayatori_command) -> None:
    tables = folder.parent / "tables"
    ayatori_command("route", SOURCE, "--lmc", "auto", "--out-dir", str(tables)).good()
    plan = ["plan", SOURCE, "--jobs", str(folder / "left"), "--out", str(folder / "left.json"), "--traffic", "shift"]
    ayatori_command(*plan).good()
    (folder / "left").unlink()
    lfts = next(tables.glob("*lfts*"))
    data = ayatori_command("simulate", SOURCE, "--jobs", str(folder), *SHIFT, "--lfts", str(lfts), "--json").json()
    assert data["method"] == "tables"
    assert {job["name"]: job["method"] for job in data["together"]["jobs"]} == {
        "left": "pair",
        "middle": "base-lids",
        "right": "base-lids",
    }
    assert data["jobs"] == 3
    ours = ayatori_command("simulate", SOURCE, "--jobs", str(folder), *SHIFT, "--json")
    assert json.loads(ours.stdout)["together"] == data["together"]
