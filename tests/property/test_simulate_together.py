"""Jobs that run at the same time, simulated: each alone, together, and beside its worst neighbour."""

from dataclasses import replace

import pytest

import ayatori
from ayatori import _core
from ayatori.base.errors import Error
from ayatori.planning.plans import plan as make_plan
from ayatori.planning.together import BACKGROUND, JobOnFabric, background
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE, Costs, MessageCosts
from ayatori.prediction.predictor import Model
from ayatori.prediction.simulation import simulate
from ayatori.prediction.together import ConcurrentSimulation, concurrent_as_data, message_bytes

TREE = "fattree:K=3,levels=2,nodes=18"
CALL = Call("alltoall", "shift", 1 << 20)
BARE = Model(link_latency=0, costs=FREE)
"""Messages take the time of their bytes."""


@pytest.fixture(scope="module")
def network() -> ayatori.Network:
    return ayatori.open_source(TREE)


def job_on(network: ayatori.Network, hosts: range | list[int], name: str = "mine") -> JobOnFabric:
    return JobOnFabric(name, _core.job_of_hosts(network, [(f"N{host}", 1) for host in hosts], name))


def test_isolated_jobs_take_as_long_as_alone(network: ayatori.Network) -> None:
    jobs = [job_on(network, range(first, first + 3), f"leaf{first}") for first in (0, 3, 6)]
    concurrent = ConcurrentSimulation(network, jobs, CALL, model=BARE, rounds=5).run()
    assert concurrent.shared == []
    for job in concurrent.jobs:
        assert job.seconds == pytest.approx(job.alone.seconds, rel=1e-9)
        assert (job.delayed, job.worst_neighbour) == (0, None)
        assert job.seconds_with_worst_neighbour == job.alone.seconds


def test_alone_is_what_simulate_says(network: ayatori.Network) -> None:
    jobs = [job_on(network, range(0, 18, 2), "even"), job_on(network, range(1, 18, 2), "odd")]
    model = Model(link_latency=1e-6, costs=Costs(between=MessageCosts(latency=2e-6)))
    concurrent = ConcurrentSimulation(network, jobs, CALL, "rule", model, rounds=2).run()
    expected = simulate(network, [each.job for each in jobs], CALL, "rule", model)
    assert [job.alone.seconds for job in concurrent.jobs] == [each.seconds for each in expected.predictions]
    assert [each.seconds for each in concurrent.alone().predictions] == [each.seconds for each in expected.predictions]


def test_jobs_that_share_links_delay_each_other_and_name_the_worst(network: ayatori.Network) -> None:
    """ "far" sends over the uplinks that "near" needs all the time; "apart" stays in its leaf."""
    jobs = [
        job_on(network, [0, 3], "near"),
        job_on(network, [1, 6], "far"),
        job_on(network, [9, 10, 11], "apart"),
    ]
    concurrent = ConcurrentSimulation(network, jobs, CALL, model=BARE, rounds=4).run()
    near, far, apart = concurrent.jobs
    # Both send to a host whose number is 0 modulo 3: over one uplink, at half of its rate.
    assert near.seconds == pytest.approx(2 * near.alone.seconds, rel=1e-6)
    assert (near.worst_neighbour, far.worst_neighbour, apart.worst_neighbour) == ("far", "near", None)
    assert near.seconds_with_worst_neighbour == pytest.approx(near.seconds)
    assert {(concurrent.names[link.first], concurrent.names[link.second]) for link in concurrent.shared} == {
        ("near", "far")
    }
    assert near.delayed == 1 and apart.delayed == 0


def test_the_same_seed_gives_the_same_times_and_another_one_others(network: ayatori.Network) -> None:
    jobs = [job_on(network, range(0, 18, 2), "even"), job_on(network, range(1, 18, 2), "odd")]
    model = Model(link_latency=1e-6, costs=FREE)

    def times(seed: int) -> list[float]:
        return [
            job.seconds
            for job in ConcurrentSimulation(network, jobs, CALL, model=model, rounds=3, seed=seed).run().jobs
        ]

    assert times(1) == times(1)
    assert times(1) != times(2)


def test_a_plan_is_kept_and_others_are_planned_by_the_method(network: ayatori.Network) -> None:
    routes = ayatori.make_routes(network)
    mine = job_on(network, [0, 1, 4, 7, 9, 12, 16], "mine")
    mine.plan = make_plan(network, routes, mine.job, "pair").plan
    other = job_on(network, [2, 3, 5, 6, 8, 10], "other")
    concurrent = ConcurrentSimulation(network, [mine, other], CALL, "rule", BARE, routes, rounds=2).run()
    assert [job.method for job in concurrent.jobs] == ["pair", "rule"]
    alone = simulate(network, mine.job, CALL, "pair", BARE, routes=routes)
    assert concurrent.jobs[0].alone.seconds == alone.seconds
    planned = ConcurrentSimulation(network, [mine], replace(CALL, algorithm="path-aware"), None, BARE, routes, 1).run()
    assert planned.jobs[0].alone.seconds <= alone.seconds * (1 + 1e-9)


def test_the_background_delays_and_is_not_timed(network: ayatori.Network) -> None:
    jobs = [job_on(network, [0, 1, 3, 4, 6, 9])]
    everybody = [*jobs, *background(network, jobs, 1)]
    concurrent = ConcurrentSimulation(network, everybody, CALL, model=BARE, rounds=5).run()
    assert [job.name for job in concurrent.jobs] == ["mine"]
    assert concurrent.jobs[0].worst_neighbour == BACKGROUND
    assert concurrent.jobs[0].seconds > concurrent.jobs[0].alone.seconds * 1.05
    with pytest.raises(Error, match="messages of no size"):
        ConcurrentSimulation(network, everybody, Call("barrier", "dissemination", 0))


def test_messages_of_the_background_are_as_large_as_the_calls() -> None:
    assert message_bytes(CALL) == 1 << 20
    assert message_bytes(Call("alltoallv", "spread", 0, sizes=[[0, 100], [300, 0]])) == 200
    assert message_bytes(Call("alltoallv", "spread", 0, sizes=[[0, 0], [0, 0]])) == 0


def test_jobs_on_machines_with_built_in_routers_share_links_by_name() -> None:
    torus = ayatori.open_source("torus:4x4")
    everyone = ayatori.contiguous_jobs(torus, [16])[0]
    jobs = [JobOnFabric("one", everyone), JobOnFabric("two", everyone)]
    concurrent = ConcurrentSimulation(torus, jobs, CALL, model=BARE, rounds=2).run()
    data = concurrent_as_data(concurrent)
    assert data["shared_links"][0]["link"].startswith("(")
    assert data["time_s"]["mean"] > 1.5 * data["alone_s"]["mean"]


def test_a_job_of_one_rank_takes_no_time(network: ayatori.Network) -> None:
    concurrent = ConcurrentSimulation(
        network, [job_on(network, [0]), job_on(network, [1, 5], "two")], CALL, model=BARE, rounds=2
    ).run()
    assert concurrent.jobs[0].seconds == 0
    assert concurrent.jobs[0].bandwidth is None
    assert concurrent.jobs[1].seconds > 0


def test_what_cannot_be_simulated_is_refused(network: ayatori.Network) -> None:
    jobs = [job_on(network, [0, 5])]
    with pytest.raises(Error, match="rounds"):
        ConcurrentSimulation(network, jobs, CALL, model=BARE, rounds=0)
    with pytest.raises(Error, match="drift"):
        ConcurrentSimulation(network, jobs, CALL, model=Model(steps="synchronous"))
    with pytest.raises(Error, match="no job"):
        ConcurrentSimulation(network, [], CALL)
    torus = ayatori.open_source("torus:4x4")
    planned = JobOnFabric("one", ayatori.contiguous_jobs(torus, [4])[0], _core.Plan.base_lids(4))
    with pytest.raises(Error, match="by tables"):
        ConcurrentSimulation(torus, [planned], CALL)
