"""Each message over all LIDs of its destination: paper 1's references 3 and 4, and what it says of them."""

import pytest

import ayatori
from ayatori.base.errors import Error
from ayatori.planning.plans import BASE_LIDS, MULTIPATH, assess_jobs
from ayatori.prediction.calls import Call
from ayatori.prediction.choice import choose
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor
from ayatori.prediction.simulation import simulate

PEAK = 1.716e9


@pytest.fixture(scope="module")
def network() -> ayatori.Network:
    return ayatori.open_source("fattree:K=6,levels=2,nodes=30")


def bandwidth(network: ayatori.Network, method: str, algorithm: str, ppn: int, head_of_line: bool) -> float:
    """The mean over some random jobs, relative to a link's."""
    jobs = ayatori.random_jobs(network, 4, 16, ppn, seed=1)
    model = Model(link_bandwidth=PEAK, link_latency=0, costs=FREE, head_of_line=head_of_line)
    simulation = simulate(network, jobs, Call("alltoall", algorithm, 1 << 20), method, model)
    found = [prediction.bandwidth for prediction in simulation.predictions]
    return sum(each for each in found if each is not None) / len(found) / PEAK


def test_the_sum_of_all_paths_has_no_hot_spot_on_a_full_tree(network: ayatori.Network) -> None:
    jobs = ayatori.random_jobs(network, 20, 16, 1, seed=1)
    assessed = assess_jobs(network, ayatori.make_routes(network), jobs, MULTIPATH)
    assert all(each.contention.free for each in assessed)
    assert bandwidth(network, MULTIPATH, "shift", 1, head_of_line=True) == pytest.approx(1)


def test_head_of_line_blocking_takes_more_of_it_than_of_one_path_a_message(network: ayatori.Network) -> None:
    """Several ranks share a NIC and drift: who waits for a NIC holds up all paths, not one."""
    assert bandwidth(network, MULTIPATH, "shift", 4, head_of_line=False) == pytest.approx(1)
    over_all = bandwidth(network, MULTIPATH, "shift", 4, head_of_line=True)
    by_rule = bandwidth(network, "rule", "shift", 4, head_of_line=True)
    assert bandwidth(network, BASE_LIDS, "shift", 4, head_of_line=True) < over_all < 0.9 * by_rule


def test_on_tables_with_one_lid_it_is_base_lids(network: ayatori.Network) -> None:
    [job] = ayatori.random_jobs(network, 1, 16, 1, seed=3)
    routes = ayatori.make_routes(network, 0)
    call = Call("alltoall", "shift", 1 << 20)
    base = simulate(network, job, call, BASE_LIDS, routes=routes)
    assert simulate(network, job, call, MULTIPATH, routes=routes).seconds == base.seconds


def test_what_needs_one_path_a_message_refuses_it(network: ayatori.Network) -> None:
    [job] = ayatori.random_jobs(network, 1, 4, 1, seed=3)
    with pytest.raises(Error, match="one path"):
        choose(Predictor(network, MULTIPATH), job, [("alltoall", 1024)])
    with pytest.raises(Error, match="one path"):
        simulate(network, job, Call("alltoall", "path-aware", 1024), MULTIPATH)
