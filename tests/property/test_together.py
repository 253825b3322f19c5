"""Jobs that run at the same time, read from files and measured."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from math import prod
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ayatori
from ayatori import _core
from ayatori.base.errors import Error
from ayatori.formats.job_files import read_jobs
from ayatori.formats.plan_file import write_plan
from ayatori.planning.plans import plan as make_plan
from ayatori.planning.together import (
    BACKGROUND,
    JobOnFabric,
    background,
    by_link,
    measure_together,
    together_as_data,
)
from thoroughness import tries

TREE = "fattree:K=3,levels=2,nodes=18"


@dataclass
class Conflict:
    """A link that two jobs use."""

    link: int
    first: int
    second: int
    conflict_probability: float


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
    assert [each.method for each in jobs] == ["pair", "base-lids", "base-lids"]
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


@settings(max_examples=tries(40))
@given(st.lists(st.fractions(min_value=0, max_value=1, max_denominator=9), min_size=2, max_size=6))
def test_the_conflict_probability_of_a_link_is_how_often_two_of_its_jobs_are_there(shares: list[Fraction]) -> None:
    """Beside all combinations of jobs that are there and jobs that are not."""
    pairs = [
        Conflict(7, first, second, float(shares[first] * shares[second]))
        for first, second in combinations(range(len(shares)), 2)
    ]
    expected = Fraction(0)
    for there in product((False, True), repeat=len(shares)):
        likely = prod(share if here else 1 - share for share, here in zip(shares, there, strict=True))
        expected += likely if sum(there) >= 2 else 0
    [link] = by_link(pairs)
    assert link.jobs == list(range(len(shares)))
    assert link.conflict_probability == pytest.approx(float(expected), abs=1e-9)


def test_links_are_ordered_by_how_often_jobs_meet_there() -> None:
    shared = [Conflict(3, 0, 1, 0.2), Conflict(5, 0, 2, 0.4), Conflict(4, 1, 2, 0.2)]
    assert [(each.link, each.jobs) for each in by_link(shared)] == [(5, [0, 2]), (3, [0, 1]), (4, [1, 2])]
