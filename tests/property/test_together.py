"""Jobs that run at the same time, read from files and measured."""

from __future__ import annotations

from pathlib import Path

import pytest

import ayatori
from ayatori import _core
from ayatori.base.errors import Error
from ayatori.formats.job_files import read_jobs
from ayatori.formats.plan_file import write_plan
from ayatori.planning.plans import contention
from ayatori.planning.plans import plan as make_plan
from ayatori.planning.together import BACKGROUND, JobOnFabric, background, measure_together, together_as_data

TREE = "fattree:K=3,levels=2,nodes=18"


@pytest.fixture(scope="module")
def network() -> ayatori.Network:
    return ayatori.open_source(TREE)


def write_jobs(folder: Path, **hosts: str) -> None:
    for name, text in hosts.items():
        (folder / name).write_text(text + "\n", encoding="utf-8")


def test_a_folder_is_its_hostfiles_and_plans_by_name(network: ayatori.Network, tmp_path: Path) -> None:
    write_jobs(tmp_path, b="N[0-3]", c="N[4-6]")
    routes = ayatori.make_routes(network)
    job = _core.job_of_hosts(network, [("N10", 1), ("N11", 1), ("N14", 1)], "here")
    planned = make_plan(network, routes, job, "pair")
    write_plan(network, routes, job, planned, tmp_path / "a.json")
    jobs, lmc = read_jobs(network, [tmp_path])
    assert [each.name for each in jobs] == ["a", "b", "c"]
    assert [each.method for each in jobs] == ["pair", "destination-mod-K", "destination-mod-K"]
    assert lmc == routes.lmc(job.endpoints(network)[0])
    assert jobs[0].job.machines == job.machines


def test_jobs_of_one_name_and_plans_for_two_lmcs_are_refused(network: ayatori.Network, tmp_path: Path) -> None:
    write_jobs(tmp_path, a="N[0-3]")
    with pytest.raises(Error, match="there is a job called 'a' already"):
        read_jobs(network, [tmp_path, tmp_path / "a"])
    job = _core.job_of_hosts(network, [("N1", 1), ("N8", 1)], "here")
    for lmc in (1, 2):
        routes = ayatori.make_routes(network, lmc)
        write_plan(network, routes, job, make_plan(network, routes, job, "rule"), tmp_path / f"lmc{lmc}.json")
    with pytest.raises(Error, match="made for LMC 2, other plans for LMC 1"):
        read_jobs(network, [tmp_path])


def test_the_background_is_a_neighbour_on_hosts_of_nobody_else(network: ayatori.Network) -> None:
    job = _core.job_of_hosts(network, [(f"N{host}", 1) for host in (0, 1, 3, 4, 6, 9)], "here")
    jobs = [JobOnFabric("mine", job)]
    everybody = [*jobs, *background(network, jobs, 1)]
    assert everybody[1].name == BACKGROUND
    assert set(everybody[1].job.machines).isdisjoint(job.machines)
    assert len(everybody[1].job.machines) == 12
    measured = measure_together(network, ayatori.make_routes(network, 0), everybody, rounds=200)
    data = together_as_data(network, everybody, measured)
    assert [each["name"] for each in data["jobs"]] == ["mine"]
    assert data["jobs"][0]["worst_neighbour"] == BACKGROUND
    assert data["jobs"][0]["together"] < data["jobs"][0]["alone"]
    assert background(network, jobs, 0) == []
    with pytest.raises(Error, match="background traffic"):
        background(network, jobs, 1.5)


def test_a_job_alone_gets_what_contention_says(network: ayatori.Network) -> None:
    job = _core.job_of_hosts(network, [(f"N{host}", 1) for host in range(0, 18, 2)], "here")
    routes = ayatori.make_routes(network, 0)
    measured = measure_together(network, routes, [JobOnFabric("mine", job)], rounds=8 * 5)
    expected = contention(network, routes, job, _core.Plan.destination_mod_k(9)).relative_bandwidth
    assert measured.jobs[0].together == pytest.approx(expected, abs=1e-12)
    assert measured.shared == []
