"""Jobs that run, the file that keeps their links, and hosts for the next one."""

import os
import threading
import time
from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.base.errors import Error
from ayatori.formats.job_files import read_jobs
from ayatori.formats.running import (
    default_state,
    jobs_of_squeue,
    listed_jobs,
    locked,
    read_running,
    still_running,
    write_running,
)
from ayatori.planning.concurrent import plan_concurrent, running_job, unplanned
from ayatori.planning.placement import Wanted, propose
from ayatori.planning.together import measure_together
from schemas import document_in
from subprocesses import program_at

TREE = "fattree:K=4,levels=2"


@pytest.fixture(scope="module")
def fabric() -> tuple[ayatori.Network, ayatori.Routes]:
    network = ayatori.open_source(TREE)
    return network, ayatori.make_routes(network)


def job_on(network: ayatori.Network, hosts: str) -> ayatori.Job:
    return _core.job_from_hostfile(network, hosts, "here", 0, True)


def test_the_file_keeps_jobs_and_fits_its_schema(fabric, tmp_path: Path) -> None:
    network, routes = fabric
    placed = plan_concurrent(network, routes, [job_on(network, "N[0-5,9]")], [])[0]
    first = running_job(network, routes, "4711", placed)
    second = unplanned(network, routes, "4712", job_on(network, "N[12-17]"))
    state = tmp_path / "running.json"
    write_running(network, state, 2, [first, second])
    document_in(state, "running")
    again = read_running(network, state)
    assert [job.made.tables for job in again] == [first.made.tables, second.made.tables]
    assert [job.name for job in again] == ["4711", "4712"]
    assert [(use.link, use.steps) for use in again[0].footprint.links] == [
        (use.link, use.steps) for use in first.footprint.links
    ]


@pytest.mark.parametrize("gone", [False, True])
def test_a_running_job_of_other_tables_or_another_fabric_is_refused(gone: bool, fabric, tmp_path: Path) -> None:
    """Unless it has ended: then nobody needs its links."""
    network, routes = fabric
    job = job_on(network, "N[0-5,9]")
    state = tmp_path / "running.json"
    placed = plan_concurrent(network, routes, [job], [])[0]
    write_running(network, state, 2, [running_job(network, routes, "a", placed), unplanned(network, routes, "b", job)])
    listed = {} if gone else {"a": job, "b": job}
    assert len(still_running(network, routes, listed, read_running(network, state))) == len(listed)
    other = ayatori.open_source("fattree:K=5,levels=2")
    elsewhere = {name: job_on(other, "N[0-5,9]") for name in listed}
    for here, tables, jobs in (
        (network, ayatori.make_routes(network, 3), listed),
        (network, ayatori.make_routes(network, 2, _core.PathNumbering.by_root), listed),
        (other, ayatori.make_routes(other, 2), elsewhere),
    ):
        known = read_running(here, state)
        if gone:
            assert still_running(here, tables, jobs, known) == []
            continue
        with pytest.raises(Error, match=rf"{state}: job 'a' was made on ") as refused:
            still_running(here, tables, jobs, known)
        assert "remove the file" in refused.value.hint


def test_links_that_are_gone_are_left_out(fabric, tmp_path: Path) -> None:
    network, routes = fabric
    state = tmp_path / "running.json"
    write_running(network, state, 2, [unplanned(network, routes, "a", job_on(network, "N[0-31]"))])
    smaller = ayatori.open_source("fattree:K=4,levels=2,nodes=8")
    kept = read_running(smaller, state)[0].footprint.links
    assert 0 < len(kept) < len(read_running(network, state)[0].footprint.links)


def test_a_job_that_is_gone_or_has_other_hosts_frees_its_links(fabric) -> None:
    network, routes = fabric
    a, b = (job_on(network, hosts) for hosts in ("N[0-7]", "N[8-15]"))
    known = [
        running_job(network, routes, name, plan_concurrent(network, routes, [job], [])[0])
        for name, job in (("a", a), ("b", b))
    ]
    assert [job.name for job in still_running(network, routes, {"b": b}, known)] == ["b"]
    now = still_running(network, routes, {"a": b, "b": b}, known)
    assert [(job.name, job.method) for job in now] == [("b", "pair"), ("a", "base-lids")]


def test_a_job_that_starts_changes_no_plan_and_a_planned_one_stands(tmp_path: Path, ayatori_command) -> None:
    running = tmp_path / "running"
    running.mkdir()
    seen = {}
    for name, hosts in (("a", "N[0,1,4,5,8,9]"), ("b", "N[2,3,6,7,10,11]")):
        (running / name).write_text(f"{hosts}\n")
        out = ("--traffic", "shift", "--out", f"{tmp_path}/{name}.json")
        ayatori_command("plan", TREE, "--job", str(running / name), "--running", str(running), *out).good()
        seen[name] = (tmp_path / f"{name}.json.pairs").read_bytes()
    assert (tmp_path / "a.json.pairs").read_bytes() == seen["a"]
    network = ayatori.open_source(TREE)
    jobs, lmc = read_jobs(network, [tmp_path / "a.json", tmp_path / "b.json"])
    measured = measure_together(network, ayatori.make_routes(network, lmc), jobs)
    assert measured.shared == []
    assert [job.together for job in measured.jobs] == [1, 1]
    (running / "a").unlink()
    place = ayatori_command("place", TREE, "--nodes", "4", "--free", "/dev/stdin", "--running", str(running), "--json")
    assert place.status != 0
    state = read_running(network, default_state(network, str(running)))
    assert [job.name for job in state] == ["a", "b"], "place changes nothing"


def test_what_fails_leaves_the_file_as_it_was(tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "running").mkdir()
    job = tmp_path / "job"
    job.write_text("N[0-7]\n")
    arguments = ["plan", TREE, "--job", str(job), "--running", str(tmp_path / "running")]
    ayatori_command(*arguments, "--out", str(tmp_path / "no" / "such" / "folder.json")).refused(1)
    assert not (tmp_path / "running" / ".ayatori-running.json").exists()
    assert ayatori_command(*arguments, "--method", "rule").status == 2


def test_two_processes_take_turns(tmp_path: Path) -> None:
    state = tmp_path / "running.json"
    order: list[str] = []

    def second() -> None:
        with locked(state):
            order.append("second")

    with locked(state):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.2)
        order.append("first")
    thread.join(timeout=30)
    assert order == ["first", "second"]


def test_squeue_lists_jobs_with_host_lists(fabric, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network, _ = fabric
    jobs = jobs_of_squeue(network, "4711 N[0-2,7]\n4712_3 N9\n4713 \n\n")
    assert {name: len(job.machines) for name, job in jobs.items()} == {"4711": 4, "4712_3": 1}
    with pytest.raises(Error, match=r"squeue's line 1 \(job 4711\)"):
        jobs_of_squeue(network, "4711 elsewhere[1-2]\n")
    squeue = program_at(tmp_path / "squeue", 'echo "17 N[3-4]"')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert list(listed_jobs(network, "slurm")) == ["17"]
    program_at(squeue, "echo 'slurm_load_jobs error: no controller' >&2\nexit 1")
    with pytest.raises(Error, match="squeue failed") as caught:
        listed_jobs(network, "slurm")
    assert "no controller" in caught.value.cause
    with pytest.raises(Error, match="no such folder"):
        listed_jobs(network, str(tmp_path / "nowhere"))


def test_tables_are_made_for_the_jobs_that_slurm_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ayatori_command
) -> None:
    hostfile = tmp_path / "job"
    hostfile.write_text("N1\nN6\nN11\n", encoding="utf-8")
    program_at(tmp_path / "squeue", 'echo "17 N[1,6,11]"')
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    by_file, by_slurm = (
        ayatori_command("route", TREE, "--lmc", "0", "--for", jobs, "--json").json()
        for jobs in (str(hostfile), "slurm")
    )
    assert by_slurm["running"] == 1
    assert by_slurm["changed_entries"] == by_file["changed_entries"] > 0


def test_a_folder_that_is_missing_is_not_made(tmp_path: Path, ayatori_command) -> None:
    hostfile = tmp_path / "job"
    hostfile.write_text("N1\nN8\n", encoding="utf-8")
    missing = tmp_path / "missing"
    ayatori_command("plan", TREE, "--job", str(hostfile), "--running", str(missing)).refused(1, "no such folder")
    assert not missing.exists()


def test_a_damaged_file_says_what_to_do_and_stays(tmp_path: Path, ayatori_command) -> None:
    hostfile = tmp_path / "job"
    hostfile.write_text("N1\nN8\n", encoding="utf-8")
    running = tmp_path / "running"
    running.mkdir()
    state = running / ".ayatori-running.json"
    state.write_text('{"format"', encoding="utf-8")
    ayatori_command("plan", TREE, "--job", str(hostfile), "--running", str(running)).refused(
        1, "not valid JSON", "remove the file"
    )
    assert state.read_text(encoding="utf-8") == '{"format"'


def test_a_job_whose_hostfile_is_not_in_the_folder_is_told(tmp_path: Path, ayatori_command) -> None:
    running = tmp_path / "running"
    running.mkdir()
    outside, inside = tmp_path / "later", running / "before"
    for file in (outside, inside):
        file.write_text("N1\nN8\n", encoding="utf-8")
    told = ayatori_command("plan", TREE, "--job", str(outside), "--running", str(running))
    assert "put the hostfile into" in told.stderr
    quiet = ayatori_command("plan", TREE, "--job", str(inside), "--running", str(running))
    assert "put the hostfile into" not in quiet.stderr


def test_proposals_are_free_hosts_the_best_first(fabric) -> None:
    network, routes = fabric
    placed = plan_concurrent(network, routes, [job_on(network, "N[0,4,8,12,16,20]")], [])[0]
    busy = [running_job(network, routes, "a", placed)]
    free = job_on(network, "N[1-3,5-7,9-11,13-15]")
    found = propose(network, routes, free, Wanted(6), busy)
    assert 1 <= len(found) <= 3
    bandwidths = [each.placed.bandwidth for each in found]
    assert bandwidths == sorted(bandwidths, reverse=True)
    assert bandwidths[0] == 1
    names = {network.machines[machine].name for machine in free.machines}
    for each in found:
        assert len(set(each.hosts)) == 6
        assert set(each.hosts) <= names
    assert propose(network, routes, free, Wanted(3), busy)[0].placed.isolated
    with pytest.raises(Error, match="13 hosts is possible: 12 are free"):
        propose(network, routes, free, Wanted(13), busy)
    with pytest.raises(Error, match="host 'N0' is not free: job 'a' runs on it"):
        propose(network, routes, job_on(network, "N[0-7]"), Wanted(4), busy)


def test_a_new_job_has_as_many_ranks_as_its_hosts_have_slots(fabric) -> None:
    network, routes = fabric
    free = job_on(network, "N0 slots=4\nN4 slots=2\nN8\n")
    assert [each.placed.job.rank_count for each in propose(network, routes, free, Wanted(3), [])] == [7]
    assert [each.placed.job.rank_count for each in propose(network, routes, free, Wanted(3, ppn=2), [])] == [6]


def two_leaves_without_uplinks(path: Path) -> ayatori.Network:
    records = []
    for leaf in (0, 1):
        hosts = (2 * leaf, 2 * leaf + 1)
        cables = "".join(
            f'\n[{port}] "H-{n}0"[1]({n}1) # "N{n} HCA-1" lid {n + 1} 4xHDR' for port, n in enumerate(hosts, 1)
        )
        records.append(
            f'switchguid=0xa{leaf}({leaf})\nSwitch 4 "S-{leaf}" # "leaf{leaf}" base port 0 lid {10 + leaf} lmc 0'
            f"{cables}"
        )
        for port, n in enumerate(hosts, 1):
            records.append(
                f'caguid=0xb{n}0\nCa 1 "H-{n}0" # "N{n} HCA-1"\n'
                f'[1](b{n}1) "S-{leaf}"[{port}] # lid {n + 1} lmc 0 "leaf{leaf}" lid {10 + leaf} 4xHDR'
            )
    path.write_text("\n\n".join(records) + "\n", encoding="utf-8")
    return ayatori.open_source(f"ib:{path}")


def test_hosts_between_which_no_cables_lead_are_not_proposed(tmp_path: Path) -> None:
    network = two_leaves_without_uplinks(tmp_path / "fabric")
    routes = ayatori.make_routes(network)
    free = job_on(network, "N[0,2,3]")
    assert [each.hosts for each in propose(network, routes, free, Wanted(2), [])] == [["N2", "N3"]]
    with pytest.raises(Error, match="no job of 3 hosts is possible: cables lead between fewer"):
        propose(network, routes, free, Wanted(3), [])


def test_hosts_that_tables_do_not_reach_are_not_proposed(fabric, tmp_path: Path) -> None:
    network, _ = fabric
    smaller = ayatori.open_source(f"{TREE},nodes=31")
    _core.write_tables(smaller, ayatori.make_routes(smaller, 0), str(tmp_path / "lfts"), True, None)
    routes = ayatori.read_routes(network, tmp_path / "lfts")
    for each in propose(network, routes, job_on(network, "N[0,4,8,31]"), Wanted(2), []):
        assert "N31" not in each.hosts
    with pytest.raises(Error, match="N31"):
        propose(network, routes, job_on(network, "N[0,31]"), Wanted(2), [])
