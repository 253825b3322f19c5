"""What connections took, beside the plan: `run --applied-out`, `check --applied` and `simulate --applied`."""

import json
import re
from pathlib import Path

import plans
import pytest
import verbs

from schemas import document_in

HOSTS = [f"N{i}" for i in (1, 4, 7, 8, 13, 14, 15, 22)]


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> plans.PlanOfTest:
    return plans.made(tmp_path_factory.mktemp("plan"), "pair", HOSTS)


@pytest.fixture
def records(programs: verbs.Programs, plan: plans.PlanOfTest, tmp_path: Path) -> Path:
    """Of a job in which each rank connects to each other."""
    folder = tmp_path / "applied"
    folder.mkdir()
    for source, port in enumerate(plan.ports):
        lines = [f"qp {i} {peer.lid} 0 0" for i, peer in enumerate(plan.ports) if i != source]
        programs.run("linked", port, lines, {"AYATORI_PLAN": str(plan.path), "AYATORI_PATHS_LOG": str(folder)})
    return folder


def test_applied_as_planned(records: Path, plan: plans.PlanOfTest, ayatori_command) -> None:
    done = ayatori_command("check", plans.FABRIC, "--plan", str(plan.path), "--applied", str(records)).good()
    assert "56 of 56 connections as planned, between 56 of 56 pairs of ports" in done.stdout
    assert "pair as applied" in done.stdout
    alone = ayatori_command("check", plans.FABRIC, "--plan", str(plan.path))
    bandwidth = re.compile(r"bandwidth .*")
    assert bandwidth.findall(done.stdout) == bandwidth.findall(alone.stdout)


def test_a_connection_that_went_elsewhere_is_found(records: Path, plan: plans.PlanOfTest, ayatori_command) -> None:
    record = next(records.iterdir())
    document = json.loads(record.read_text(encoding="utf-8"))
    changed = document["connections"][0]
    of_peer = max(port.lid for port in plan.ports if port.lid <= changed["dlid"])
    changed["dlid"] = of_peer + (changed["dlid"] - of_peer + 1) % 6
    record.write_text(json.dumps(document), encoding="utf-8")
    options = ["--plan", str(plan.path), "--applied", str(records)]
    done = ayatori_command("check", plans.FABRIC, *options, "--json")
    assert done.status == 3, done.stderr
    applied = json.loads(done.stdout)["applied"]
    assert (applied["connections"], applied["as_planned"]) == (56, 55)
    (other,) = applied["not_as_planned"]
    assert (other["slid"], other["dlid"], other["count"]) == (changed["slid"], changed["dlid"], 1)
    assert plan.ports[other["to_rank"]].lid == of_peer
    assert f"{other['from_rank']} -> {other['to_rank']}" in ayatori_command("check", plans.FABRIC, *options).stdout


def test_simulate_times_what_was_applied(records: Path, plan: plans.PlanOfTest, ayatori_command) -> None:
    what = ["--collective", "alltoall", "--algorithm", "shift", "--bytes", "1MiB", "--json"]
    jobs = ["simulate", plans.FABRIC, "--jobs", str(plan.path), *what]
    planned, applied = ayatori_command(*jobs), ayatori_command(*jobs, "--applied", str(records))
    assert applied.status == 0, applied.stderr
    assert json.loads(applied.stdout)["times_s"] == json.loads(planned.stdout)["times_s"]


def test_records_that_are_missing_or_broken_are_told(plan: plans.PlanOfTest, tmp_path: Path, ayatori_command) -> None:
    ayatori_command("check", plans.FABRIC, "--plan", str(plan.path), "--applied", str(tmp_path)).refused(
        1, "has no records of paths"
    )
    assert ayatori_command("check", plans.FABRIC, "--applied", str(tmp_path)).status == 2
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    ayatori_command("check", plans.FABRIC, "--plan", str(plan.path), "--applied", str(tmp_path)).refused(
        1, "broken.json"
    )


def test_run_preloads_the_library_and_says_so(plan: plans.PlanOfTest, tmp_path: Path, ayatori_command) -> None:
    if verbs.is_missing:
        pytest.skip("libibverbs-dev is not installed")
    folder = tmp_path / "applied"
    done = ayatori_command("run", "--plan", str(plan.path), "--applied-out", str(folder), "--", "env").good()
    said = done.stderr.splitlines()[0]
    assert said.startswith("ayatori: no MPI found, LD_PRELOAD=")
    for variable in (
        f"AYATORI_PLAN={plan.path}",
        f"AYATORI_PATHS_LOG={folder}",
        "UCX_IB_MLX5_DEVX=n",
        "UCX_WARN_UNUSED_ENV_VARS=n",
        "NCCL_IB_ADAPTIVE_ROUTING=0",
    ):
        assert variable in said.split(", ")
        assert variable in done.stdout.splitlines()
    preload = next(line for line in done.stdout.splitlines() if line.startswith("LD_PRELOAD="))
    assert preload.endswith("/libayatori_paths.so") and Path(preload.removeprefix("LD_PRELOAD=")).exists()
    own = ayatori_command("run", "--plan", str(plan.path), "--", "env", env={"UCX_IB_MLX5_DEVX": "try"})
    assert "UCX_IB_MLX5_DEVX=try" in own.stdout.splitlines()


def test_records_follow_their_schema(records: Path) -> None:
    for record in records.iterdir():
        document_in(record, "applied")
