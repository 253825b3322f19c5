"""Reductions in switches: the height of their tree, and what the model says, against the plainest way to say it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.model.jobs import contiguous_jobs, random_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import seconds_of
from ayatori.prediction.in_network import COLLECTIVES, SEGMENT_BYTES, links_up, predict_in_network, predict_uneven
from ayatori.prediction.predictor import Model, Predictor
from thoroughness import tries

THREE_LEVELS = "fattree:K=2,levels=3"
PAPER = "fattree:K=6,levels=2,nodes=30"


def switches_between(network, job) -> int:
    """The longest of all shortest ways between two leaves of the job, by going from switch to switch."""
    near: dict[int, set[int]] = {router: set() for router in range(network.router_count)}
    for link, _ in network.cables():
        ends = [network.port(link).device, network.port(network.port(link).peer).device]
        if all(end < network.router_count for end in ends):
            near[ends[0]].add(ends[1])
            near[ends[1]].add(ends[0])
    leaves = {network.router_of(network.machines[machine].endpoints[0]) for machine in job.machines}
    longest = 0
    for leaf in leaves:
        distance, reached = {leaf: 0}, [leaf]
        for router in reached:
            for other in near[router] - set(distance):
                distance[other] = distance[router] + 1
                reached.append(other)
        longest = max(longest, *(distance[other] for other in leaves))
    return longest


@settings(max_examples=tries(25))
@given(st.sampled_from([THREE_LEVELS, PAPER]), st.integers(1, 8), st.integers(0, 10**6))
def test_the_tree_is_as_high_as_the_longest_way_between_leaves_needs(source: str, size: int, seed: int) -> None:
    """In a fat tree: half of that way goes up."""
    network = open_source(source)
    [job] = random_jobs(network, 1, size, 1, seed=seed)
    assert links_up(network, job) == 1 + switches_between(network, job) // 2


@settings(max_examples=tries(10))
@given(
    st.sampled_from(["allreduce", "reduce", "broadcast"]), st.integers(1, 2048).map(lambda n: 8 * n), st.integers(2, 16)
)
def test_time_is_what_the_equation_says(collective: str, size: int, machines: int) -> None:
    network = open_source(PAPER)
    [job] = contiguous_jobs(network, [machines], 1)
    [found] = predict_in_network(network, job, [(collective, size)])
    model = Model().on(network)
    costs, rate = model.costs.between, network.port(network.endpoints[0]).bytes_per_second
    expected = seconds_of(costs.send, size) + costs.latency + seconds_of(costs.receive, size)
    for _hop in range(2 * found.links_up):
        expected += model.link_latency + min(size, SEGMENT_BYTES) / rate
    if size > SEGMENT_BYTES:
        expected += (size - SEGMENT_BYTES) / rate
    assert found.seconds == pytest.approx(expected, rel=1e-9)
    assert found.inside == 0 and found.processor <= found.seconds


def test_ranks_of_a_machine_combine_first() -> None:
    network = open_source(PAPER)
    jobs = [contiguous_jobs(network, [4], ppn)[0] for ppn in (1, 4)]
    alone, together = (predict_in_network(network, job, [("allreduce", 1024)])[0] for job in jobs)
    assert together.inside > 0
    assert together.seconds == pytest.approx(alone.seconds + together.inside)


def test_more_machines_under_the_same_switch_take_no_longer() -> None:
    network = open_source(PAPER)
    jobs = contiguous_jobs(network, [8, 16, 30], 1)
    times = [predict_in_network(network, job, [("barrier", 0)])[0] for job in jobs]
    assert len({one.seconds for one in times}) == 1
    assert times[0].host_seconds < times[-1].host_seconds


def test_where_processes_come_unevenly_switches_have_no_more_left_than_at_once() -> None:
    """Whoever comes early does its part meanwhile; after the last, its own way up and the way down are left."""
    network = open_source(PAPER)
    [job] = contiguous_jobs(network, [16], 1)
    [found] = predict_in_network(network, job, [("allreduce", 16)])
    alone = {
        algorithm: Predictor(network).predict([job], Call("allreduce", algorithm, 16))[0].seconds
        for algorithm in ("in-network", found.algorithm)
    }
    at_once, uneven = (predict_uneven(network, job, found, late) for late in (1e-9, 100e-6))
    assert at_once.switches == pytest.approx(alone["in-network"], rel=0.01)
    assert at_once.hosts == pytest.approx(alone[found.algorithm], rel=0.01)
    assert 0 < uneven.switches <= at_once.switches * (1 + 1e-9) and uneven.switches < uneven.hosts
    [reduce] = predict_in_network(network, job, [("reduce", 16)])
    assert predict_uneven(network, job, reduce, 1e-6) is None


def test_what_switches_cannot_take_is_refused() -> None:
    tree = open_source(PAPER)
    [job] = contiguous_jobs(tree, [4], 1)
    with pytest.raises(Error, match="no collective in switches 'alltoall'"):
        predict_in_network(tree, job, [("alltoall", 8)])
    torus = open_source("torus:3x3")
    [job] = contiguous_jobs(torus, [4], 1)
    with pytest.raises(Error, match="the network is no tree"):
        predict_in_network(torus, job, [("allreduce", 8)])
    assert "alltoall" not in COLLECTIVES
