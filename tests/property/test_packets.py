"""Packets that queue in switches: what paper 1 measured, what it says of several paths, and what flows have in common
with them."""

from dataclasses import replace

import pytest

import ayatori
from ayatori.base.errors import Error
from ayatori.model.jobs import whole_network_job
from ayatori.planning.plans import BASE_LIDS, MULTIPATH
from ayatori.planning.together import JobOnFabric
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import ADAPTIVE, DIMENSION_ORDER, ECMP, Model, Packets, Predictor
from ayatori.prediction.simulation import simulate
from ayatori.prediction.together import ConcurrentSimulation
from bench.validation.packets_on_the_ring import BUFFERS, faults, means

PAPER = "fattree:K=6,levels=2,nodes=30"
FLOWS = Model(link_latency=0, costs=FREE)
PACKETS = replace(FLOWS, packets=Packets())
SHIFT = Call("alltoall", "shift", 1 << 16)


@pytest.fixture(scope="module")
def network() -> ayatori.Network:
    return ayatori.open_source(PAPER)


@pytest.mark.parametrize("buffer", BUFFERS)
def test_the_2_level_ring_is_as_paper_1_measured_it(network: ayatori.Network, buffer: int) -> None:
    """The mean of twenty jobs with small messages. The sweep below has a hundred."""
    jobs = ayatori.random_jobs(network, 20, 16, 8, seed=1)
    assert faults(means(network, jobs, Packets(buffer, seed=1), 1 << 13)) == []


@pytest.mark.sweep
@pytest.mark.parametrize("buffer", BUFFERS)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_hundred_jobs_are_as_paper_1_measured_them(network: ayatori.Network, buffer: int, seed: int) -> None:
    jobs = ayatori.random_jobs(network, 100, 16, 8, seed)
    assert faults(means(network, jobs, Packets(buffer, seed), 1 << 16)) == []


@pytest.mark.parametrize("method", [BASE_LIDS, "rule", "colour", "pair", MULTIPATH, ADAPTIVE, ECMP])
def test_every_method_sends_the_same_messages_as_flows(network: ayatori.Network, method: str) -> None:
    """And no packet arrives before the least time: that of the busiest NIC."""
    [job] = ayatori.random_jobs(network, 1, 16, 1, seed=5)
    [flows, packets] = [simulate(network, job, SHIFT, method, model).predictions[0] for model in (FLOWS, PACKETS)]
    assert (packets.messages, packets.network_bytes) == (flows.messages, flows.network_bytes)
    assert packets.bandwidth is not None and flows.bandwidth is not None
    peak = max(network.port(endpoint).bytes_per_second for endpoint in job.endpoints(network))
    assert packets.bandwidth <= peak * (1 + 1e-9)
    assert packets.bandwidth > 0.6 * flows.bandwidth
    [again] = simulate(network, job, SHIFT, method, PACKETS).predictions
    assert again == packets


@pytest.mark.parametrize("bytes_", [1, 2047, 2048, 2049, 100_000])
def test_a_message_alone_takes_as_long_as_a_flow(network: ayatori.Network, bytes_: int) -> None:
    """With all costs of messages."""
    [job] = ayatori.random_jobs(network, 1, 2, 1, seed=2)
    call = Call("broadcast", "binomial", bytes_)
    flows, packets = [simulate(network, job, call, BASE_LIDS, model) for model in (Model(), Model(packets=Packets()))]
    assert packets.seconds == pytest.approx(flows.seconds)


def test_a_plan_without_hot_spots_has_nearly_all_of_the_bandwidth(network: ayatori.Network) -> None:
    """One message over each link: nobody waits for anybody."""
    [job] = ayatori.random_jobs(network, 1, 16, 1, seed=5)
    for method in ("colour", "pair"):
        flows = simulate(network, job, SHIFT, method, FLOWS).seconds
        assert simulate(network, job, SHIFT, method, PACKETS).seconds == pytest.approx(flows, rel=0.02)


def test_jobs_at_the_same_time_queue_as_well(network: ayatori.Network) -> None:
    jobs = [JobOnFabric(str(number), job) for number, job in enumerate(ayatori.random_jobs(network, 2, 8, 1, seed=4))]
    times = {}
    for name, model in {"flows": FLOWS, "packets": PACKETS}.items():
        found = ConcurrentSimulation(network, jobs, SHIFT, BASE_LIDS, model, None, 2, 1).run()
        times[name] = [job.seconds for job in found.jobs]
    for flows, packets in zip(times["flows"], times["packets"], strict=True):
        assert packets == pytest.approx(flows, rel=0.5)


def test_packets_that_wait_in_a_cycle_are_named() -> None:
    """Dimension order in a ring needs virtual lanes, which are not modelled."""
    ring = ayatori.open_source("torus:8")
    job = whole_network_job(ring)
    call = Call("alltoall", "spread", 1 << 20)
    with pytest.raises(Error, match="packets wait for each other") as raised:
        simulate(ring, job, call, DIMENSION_ORDER, replace(PACKETS, packets=Packets(1)))
    assert "full in a cycle" in (raised.value.cause or "")


def test_numbers_that_make_no_sense_are_refused(network: ayatori.Network) -> None:
    [job] = ayatori.random_jobs(network, 1, 4, 1, seed=5)
    for packets in (Packets(buffer=0), Packets(buffer=65)):
        with pytest.raises(Error, match="1 to 64 packets"):
            Predictor(network, BASE_LIDS, replace(FLOWS, packets=packets)).predict([job], SHIFT)
