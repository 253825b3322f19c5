"""No choice of `ayatori plan` is worse than no plan: `bench.validation.never_worse` draws the cases, and measures."""

import json
import os
import re
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori._core import PathNumbering, Plan
from ayatori.formats.plan_file import read_plan
from ayatori.planning.concurrent import plan_concurrent, unplanned
from ayatori.planning.routes import make_routes
from bench.validation.never_worse import PacketWalk, check_cases, drawn_case, time_with_others
from thoroughness import tries

CASES = int(os.environ.get("NEVER_WORSE_CASES", tries(60, 1000)))
SEED = int(os.environ.get("NEVER_WORSE_SEED", "1"))
PAPER = "fattree:K=6,levels=2,nodes=30"


def test_no_random_case_is_worse_than_no_plan() -> None:
    print(f"seed {SEED}")
    worse, outcomes = check_cases(CASES, SEED)
    assert worse == []
    assert all(outcomes[method]["better"] > 0 for method in ("rule", "colour", "pair"))


def test_what_a_job_gets_beside_few_others_is_the_mean_over_all_of_their_steps(tmp_path: Path) -> None:
    cases = [case for seed in range(40) if (case := drawn_case(seed, tmp_path)) is not None and case.others]
    assert len(cases) > 5
    for case in cases:
        running = [unplanned(case.network, case.routes, f"job {i}", other) for i, other in enumerate(case.others)]
        [placed] = plan_concurrent(case.network, case.routes, [case.job], running)
        walk, base_lids = PacketWalk(case.network, case.routes), Plan.base_lids(case.job.rank_count)
        without = time_with_others(walk, case.job, base_lids, case.others)
        if without == 0:  # all ranks on one host
            continue
        gain = without / time_with_others(walk, case.job, placed.plan, case.others)
        assert placed.bandwidth / placed.without_plan == pytest.approx(float(gain), rel=1e-9), case.words


def random_hosts(folder: Path, size: int, seed: int) -> str:
    network = ayatori.open_source(PAPER)
    [job] = ayatori.random_jobs(network, 1, size, seed=seed)
    hosts = folder / "hosts"
    hosts.write_text("\n".join(network.machines[machine].name for machine in job.machines))
    return str(hosts)


def test_a_plan_that_gains_nothing_is_said_not_to_help(tmp_path: Path, ayatori_command) -> None:
    """Paper 1's rule reaches 0.65 of the bandwidth of this job, base-lids 0.81."""
    out = tmp_path / "plan.json"
    arguments = ("plan", PAPER, "--job", random_hosts(tmp_path, 14, seed=1), "--method", "rule")
    outcome = ayatori_command(*arguments, "--out", str(out)).good()
    assert re.search(r"take          no plan helps: 0\.\d{4} with and without", outcome.stdout)
    assert "new tables    LMC 3, to be loaded first (ayatori route): nothing changes without a plan" in outcome.stdout
    saved = read_plan(ayatori.open_source(PAPER), out)
    assert (saved.plan.method.word, saved.lmc) == ("base-lids", 3)
    data = ayatori_command(*arguments, "--json").json()
    [choice] = data["choices"]
    assert (data["kept"], data["equal"], choice["take"], choice["equal"]) == (1, 1, "no plan", True)
    assert choice["with_plan"] == choice["without"] == choice["without_on_new_tables"] == 0.8125
    assert data["new_tables"] == {"lmc": 3, "same_base_lids": True, "relative_bandwidth": 0.8125}
    many = ayatori_command("plan", PAPER, "--random-jobs", "20", "--job-size", "14", "--method", "rule").stdout
    assert "take          the plan in 12 of 20 jobs, equal in 5, no plan in 3" in many


def test_a_job_whose_plan_is_worse_keeps_the_tables_in_use(tmp_path: Path, ayatori_command) -> None:
    """The tables in use were made for the job, and the new ones have no paths to choose from."""
    hosts, tables, out = random_hosts(tmp_path, 16, seed=3), tmp_path / "tables", tmp_path / "plan.json"
    route = ("route", PAPER, "--lmc", "0", "--for", hosts, "--out-dir", str(tables))
    ayatori_command(*route).good()
    lfts = ("--lfts", str(tables / "lfts"), "--lmc", "0")
    arguments = ("plan", PAPER, "--job", hosts, *lfts, "--traffic", "shift")
    outcome = ayatori_command(*arguments, "--out", str(out))
    assert "new tables    LMC 0, to be loaded first (ayatori route): mean 0.6000 without a plan" in outcome.stdout
    assert "take          no plan: 0.6000 with it, 1.0000 without" in outcome.stdout
    saved = read_plan(ayatori.open_source(PAPER), out)
    assert (saved.plan.method.word, saved.lmc) == ("base-lids", 0)


def tables_by_root(folder: Path) -> Path:
    """Tables of others, on which base LIDs all take the first path."""
    network = ayatori.open_source(PAPER)
    file = folder / "lfts"
    _core.write_tables(network, make_routes(network, 3, PathNumbering.by_root), str(file))
    return file


def test_a_plan_is_compared_with_the_tables_that_are_given(tmp_path: Path, ayatori_command) -> None:
    tables = tables_by_root(tmp_path)
    arguments = ("plan", PAPER, "--contiguous", "16..16", "--lfts", str(tables), "--traffic", "shift")
    given = ayatori_command(*arguments).stdout
    assert f"baseline      {tables}" in given.replace("\n    ", " ")
    assert "the plan: 1.0000 with it, 0.2500 without" in given
    assert "new tables" not in given
    ours = ayatori_command(*arguments, "--lmc", "0").stdout
    assert "new tables    LMC 0, to be loaded first (ayatori route): mean 0.7500 without a plan" in ours
    assert "the plan: 0.7500 with it, 0.2500 without" in ours


def test_path_aware_are_written_and_beat_the_shift_without_a_plan(tmp_path: Path, ayatori_command) -> None:
    steps = tmp_path / "steps"
    arguments = (PAPER, "--contiguous", "16..16", "--lmc", "0")
    planned = ayatori_command("plan", *arguments, "--steps-out", str(steps), "--json")
    data = json.loads(planned.stdout)
    assert data["choices"][0]["take"] == "no plan, path-aware schedule"
    assert data["choices"][0]["without"] == 0.75
    assert data["relative_bandwidth"]["mean"] == data["choices"][0]["without_path_aware"] >= 15 / 16
    assert data["per_job"][0]["steps"]["bound"] == 15
    checked = ayatori_command("check", *arguments, "--pattern", str(steps), "--json").json()
    assert checked["free"] == 1
    with_pattern = ayatori_command("plan", *arguments, "--path-aware", "--pattern", "ring")
    assert (with_pattern.status, "not for ring" in with_pattern.stderr) == (1, True)


def test_path_aware_are_named_only_where_they_could_be_much_better(ayatori_command) -> None:
    arguments = ("plan", PAPER, "--contiguous", "16..16")
    named = ayatori_command(*arguments, "--lmc", "0", "--json").json()["choices"][0]
    made = ayatori_command(*arguments, "--lmc", "0", "--path-aware", "--json").json()["choices"][0]
    assert named["without"] + 0.05 <= made["without_path_aware"] <= named["path_aware_at_most"]
    assert "path_aware_at_most" not in made
    assert "--path-aware: up to" in ayatori_command(*arguments, "--lmc", "0").stdout
    for good_enough in (("--lmc", "auto"), ("--lmc", "0", "--pattern", "ring")):
        assert "--path-aware" not in ayatori_command(*arguments, *good_enough).stdout


def test_steps_are_made_for_the_tables_that_a_fabric_has(tmp_path: Path, ayatori_command) -> None:
    """Base LIDs of these tables all take the first path: the bound by load is what steps reach."""
    arguments = (PAPER, "--contiguous", "16..16", "--lfts", str(tables_by_root(tmp_path)), "--json")
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
    simulated = ayatori_command("simulate", *arguments, *call, "--algorithm", "path-aware").json()
    planned = ayatori_command("plan", *arguments, "--path-aware").json()
    assert simulated["method"] == "tables"
    bandwidth = simulated["bandwidth_MBps"]["mean"] / 1000
    assert bandwidth == pytest.approx(0.25)
    assert planned["choices"][0]["without_path_aware"] == pytest.approx(0.25)
    chosen = ayatori_command("choose", *arguments, *call).json()
    times = {entry["algorithm"]: entry["time_s"] for entry in chosen["calls"][0]["ranking"]}
    assert (chosen["method"], times["path-aware"]) == ("tables", simulated["time_s"])
