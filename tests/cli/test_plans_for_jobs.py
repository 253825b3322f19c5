"""A plan is for one placement of ranks, and for the tables that it was made on: other ones are errors."""

import json
import os
from pathlib import Path

import pytest

FABRIC = "fattree:K=6,levels=2,nodes=30"
HOSTS = ["N0", "N11", "N15", "N17", "N2", "N20"]


@pytest.fixture
def plan(tmp_path: Path, ayatori_command) -> Path:
    (tmp_path / "hosts").write_text("".join(f"{host}\n" for host in HOSTS))
    ayatori_command("plan", FABRIC, "--job", "hosts", "--method", "pair", "--out", "p.json", cwd=tmp_path).good()
    return tmp_path / "p.json"


@pytest.mark.parametrize(
    ("hostfile", "said"),
    [
        ("N1\nN3\nN5\n", "p.json is for 6 ranks, and the job has 3"),
        ("N1\nN3\nN5\nN7\nN9\nN13\n", "p.json is not for this job: rank 0 is on N1, and in the plan on N0"),
        ("N0\nN11\nN17\nN15\nN2\nN20\n", "p.json is not for this job: rank 2 is on N17, and in the plan on N15"),
        ("".join(f"{host} slots=2\n" for host in HOSTS), "p.json is for 6 ranks, and the job has 12"),
    ],
)
def test_a_plan_for_another_job_is_an_error(hostfile: str, said: str, plan: Path, ayatori_command) -> None:
    (plan.parent / "other").write_text(hostfile)
    done = ayatori_command("check", FABRIC, "--job", "other", "--plan", "p.json", cwd=plan.parent)
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {said}\n")


def test_a_plan_for_this_job_is_measured(plan: Path, ayatori_command) -> None:
    assert (
        ayatori_command("check", FABRIC, "--job", "hosts", "--plan", "p.json", "--json", cwd=plan.parent).json()[
            "relative_bandwidth"
        ]["mean"]
        == 1
    )


@pytest.mark.parametrize("how", [["--plan", "p.json"], ["--jobs", "p.json"]])
def test_a_plan_on_other_tables_is_an_error(how: list[str], plan: Path, ayatori_command) -> None:
    ayatori_command("check", FABRIC, *how, "--lmc", "2", cwd=plan.parent).refused(
        1, "was made on other tables", "hint: --lfts FILE"
    )


def test_tables_that_were_written_and_read_are_the_same(plan: Path, ayatori_command) -> None:
    ayatori_command("route", FABRIC, "--out-dir", "tables", cwd=plan.parent).good()
    ayatori_command("check", FABRIC, "--plan", "p.json", "--lfts", "tables/lfts", cwd=plan.parent).good()


def test_the_file_that_starts_a_plan_is_no_job_of_its_folder(plan: Path, ayatori_command) -> None:
    (plan.parent / "hosts").rename(plan.parent / "second.hosts")  # a hostfile may be called so
    (plan.parent / "second.hosts").write_text("N1\nN3\n")
    assert [
        job["name"]
        for job in ayatori_command("check", FABRIC, "--jobs", ".", "--json", cwd=plan.parent).json()["together"]["jobs"]
    ] == ["p", "second.hosts"]


def test_the_networks_order_is_for_whoever_asks(tmp_path: Path, ayatori_command) -> None:
    """On a tapered tree the shift of ranks in turns on two leaves has more messages on the cables than in order."""
    source = "xgft:h=2;m=4,4;w=1,2"
    hosts = [f"N{leaf * 4 + host}" for host in range(4) for leaf in range(4)]
    (tmp_path / "hosts").write_text("".join(f"{host}\n" for host in hosts))
    given = ayatori_command("plan", source, "--job", "hosts", "--json", cwd=tmp_path)
    assert given.status == 0 and given.stderr == ""
    data = json.loads(given.stdout)
    asked = ayatori_command("plan", source, "--job", "hosts", "--order", "network", "--json", cwd=tmp_path)
    assert asked.stderr == "ranks are in the network's order, not in that of hosts\n"
    in_order = json.loads(asked.stdout)["choices"][0]["judged_with_plan"]
    assert data["in_network_order"] == pytest.approx(in_order)
    assert in_order > data["choices"][0]["judged_with_plan"]
    said = ayatori_command("plan", source, "--job", "hosts", cwd=tmp_path).stdout
    assert f"  try           --order network: {in_order:.4f} with the ranks in the network's order\n" in said


def test_concurrent_plans_come_with_what_starts_them(tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/a").write_text("N3\nN0\nN7\n")
    (tmp_path / "jobs/b").write_text("N12 slots=2\nN20\n")
    started = {
        job["name"]: job["start"]["MPICH"]
        for job in ayatori_command("plan", FABRIC, "--jobs", "jobs", "--out", "plans", "--json", cwd=tmp_path).json()[
            "jobs"
        ]
    }
    assert started["b"] == f"ayatori run --plan {tmp_path}/plans/b.json mpiexec -n 3 -f {tmp_path}/plans/b.json.hosts"
    assert (tmp_path / "plans/a.json.hosts").read_text() == "N3\nN0\nN7\n"
    job = ("--job", "jobs/a", "--running", "jobs", "--out", "a.json")
    said = ayatori_command("plan", FABRIC, *job, cwd=tmp_path).stdout
    assert f"  MPICH         ayatori run --plan {tmp_path}/a.json mpiexec -n 3 -f {tmp_path}/a.json.hosts\n" in said


def test_a_plan_among_the_hostfiles_of_running_jobs_is_named(plan: Path, ayatori_command) -> None:
    done = ayatori_command("plan", FABRIC, "--job", "hosts", "--running", ".", cwd=plan.parent)
    assert (done.status, done.stdout) == (1, "")
    assert done.stderr.startswith("error: p.json is a plan: --running takes the hostfiles of jobs\n")


@pytest.mark.parametrize("for_jobs", [False, True])
def test_the_readme_of_tables_says_what_base_lids_do(for_jobs: bool, plan: Path, ayatori_command) -> None:
    words = ["route", FABRIC, "--out-dir", "tables", *(["--for", "hosts"] if for_jobs else [])]
    ayatori_command(*words, cwd=plan.parent).good()
    text = (plan.parent / "tables/README").read_text()
    assert ("whoever has no plan loses nothing" in text) == (not for_jobs)
    assert ("jobs may get less than with LMC 0" in text) == for_jobs


def test_a_plan_that_gains_nothing_says_so_and_can_be_started(tmp_path: Path, ayatori_command) -> None:
    """Two ranks a host: torchrun counts hosts, not the lines of the file."""
    (tmp_path / "hosts").write_text("N2 slots=2\nN0 slots=2\n")
    job = ("--job", "hosts", "--out", "p.json")
    said = ayatori_command("plan", "fattree:K=2,levels=2,nodes=4", *job, cwd=tmp_path).stdout
    assert "  take          no plan helps: 1.0000 with and without\n" in said
    assert "the plan gains nothing for ranks in this order: it may be left out\n" in said
    assert f"  MPICH         ayatori run --plan {tmp_path}/p.json mpiexec -n 4 -f {tmp_path}/p.json.hosts\n" in said
    assert " --nnodes 2 --nproc-per-node 2 --node-rank I\n" in said
    assert "on each host; I counts the hosts in the order of the file, from 0\n" in said


def test_plans_that_hostfiles_do_not_name_are_not_passed_over(tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/a").write_text("".join(f"{host}\n" for host in HOSTS))
    (tmp_path / "jobs/b").write_text("N12\nN21\n")
    for verb in ("check", "simulate"):
        call = [verb, FABRIC, "--jobs", "jobs", "--rounds", "2"]
        call += "--collective alltoall --algorithm shift --bytes 1KiB".split() if verb == "simulate" else []
        assert ayatori_command(*call, cwd=tmp_path).stderr == ""
    ayatori_command("plan", FABRIC, "--job", "jobs/a", "--running", "jobs", "--out", "a.json", cwd=tmp_path).good()
    for verb in ("check", "simulate"):
        call = [verb, FABRIC, "--rounds", "2"]
        call += "--collective alltoall --algorithm shift --bytes 1KiB".split() if verb == "simulate" else []
        said = ayatori_command(*call, "--jobs", "jobs", cwd=tmp_path)
        assert said.status == 0 and said.stderr == (
            "warning: jobs/.ayatori-running.json: jobs that run with a plan are counted without, as hostfiles name "
            "none: a (--jobs also takes what `plan --out` wrote)\n"
        )
        said = ayatori_command(*call, "--jobs", "a.json", "--jobs", "jobs/b", cwd=tmp_path)
        assert (said.status, said.stderr) == (0, "")


@pytest.mark.parametrize("verb", ["order", "choose"])
def test_times_with_a_plan_come_with_the_line_that_makes_it(verb: str, tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "hosts").write_text("".join(f"{host}\n" for host in HOSTS))
    call = [verb, FABRIC, "--job", "hosts", "--collective", "alltoall", "--out", "made", "--bytes", "64KiB"]
    call += ["--algorithm", "shift", "--trials", "5"] if verb == "order" else []
    without = ayatori_command(*call, "--json", cwd=tmp_path)
    data = json.loads(without.stdout)
    assert without.status == 0 and data["start"]["MPICH"] and data["plan_line"] == ""
    data = ayatori_command(*call, "--method", "pair", "--json", cwd=tmp_path).json()
    file = "made" if verb == "order" else "made.hosts"
    line = f"ayatori plan {FABRIC} --job {file} --method pair --out {file}.plan"
    assert (data["start"], data["plan_line"]) == ({}, line)
    said = ayatori_command(*call, "--method", "pair", cwd=tmp_path).stdout
    assert f"  {line}\n" in said and "mpirun" not in said
    planned = ayatori_command(*line.split()[1:], cwd=tmp_path)
    assert planned.status == 0 and f"ayatori run --plan {tmp_path}/{file}.plan mpiexec -n 6 " in planned.stdout


def test_a_hostfile_can_be_a_pipe_which_is_read_once(tmp_path: Path, ayatori_command) -> None:
    """`--job <(squeue …)`: the shuffled ranks are planned in the network's order, too."""
    hosts = "N7\nN3\nN12\nN1\nN0\n"
    (tmp_path / "hosts").write_text(hosts)
    command = ("plan", "xgft:h=2;m=4,4;w=1,2", "--seconds", "60", "--json", "--job")
    reader, writer = os.pipe()
    os.write(writer, hosts.encode())
    os.close(writer)
    piped = ayatori_command(*command, f"/dev/fd/{reader}", cwd=tmp_path).json()
    os.close(reader)
    assert piped == ayatori_command(*command, "hosts", cwd=tmp_path).json()
