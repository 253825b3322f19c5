"""Rank orders: never slower than the given one, on small jobs about as fast as the fastest of all, and written so that
each format says the same."""

import math
import re
from functools import cache
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ayatori
from ayatori import _core
from ayatori.model.jobs import hosts_of
from ayatori.ordering.embedding import embed, hops_between
from ayatori.ordering.files import write_coordinates, write_start_file
from ayatori.ordering.search import MAX_PAIRS, Pattern, Traffic, order_ranks
from ayatori.planning.traffics import steps_of
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor
from thoroughness import tries

SOURCES = ["fattree:K=6,levels=2,nodes=30", "torus:4x3", "torus:3x3x3", "dragonfly:p=2,a=4,h=2"]
CALLS = [
    Call("allreduce", "ring", 1 << 18),
    Call("allreduce", "recursive-doubling", 1 << 16),
    Call("alltoall", "bruck", 1 << 12),
    Call("broadcast", "binomial", 1 << 20),
    Call("halo", "halo", 1 << 16),
]


@cache
def network_of(source: str):
    return ayatori.open_source(source)


@cache
def predictor_of(source: str) -> Predictor:
    return Predictor(network_of(source), model=Model(link_latency=1e-6, costs=FREE))


@st.composite
def jobs(draw, source: str, hosts: int):
    """Hosts in any order; some have more ranks than others."""
    network = network_of(source)
    names = [network.machines[machine].name for machine in network.machines_in_order]
    chosen = draw(st.permutations(names))[: draw(st.integers(1, hosts))]
    slots = draw(st.sampled_from([[1], [2], [1, 2]]))
    return _core.job_of_hosts(network, [(name, slots[i % len(slots)]) for i, name in enumerate(chosen)], "drawn")


@st.composite
def traffics(draw, ranks: int) -> Traffic:
    if draw(st.booleans()):
        return draw(st.sampled_from(CALLS))
    return Pattern(steps_of(draw(st.sampled_from(["ring", "random", "shift"])), ranks, 3), 1 << 16)


def exhaustive(predictor: Predictor, job: _core.Job, traffic: Traffic) -> float:
    """The time of the fastest of all orders that keep each host's ranks in its class of places."""
    ranks = [count for _, count in job.runs]
    best = float("inf")
    for order in permutations(range(len(ranks))):
        if any(ranks[place] != ranks[host] for place, host in enumerate(order)):
            continue
        other = job.in_order(order)
        best = min(best, order_ranks(predictor, other, traffic, trials=1).given_seconds)
    return best


@settings(max_examples=tries(12))
@given(st.data())
def test_on_small_jobs_the_order_is_nearly_the_fastest_of_all(data) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    predictor = predictor_of(source)
    job = data.draw(jobs(source, 5))
    traffic = data.draw(traffics(job.rank_count))
    found = order_ranks(predictor, job, traffic)
    fastest = exhaustive(predictor, job, traffic)
    assert fastest <= found.seconds * (1 + 1e-8)
    assert found.seconds <= 1.02 * fastest


@settings(max_examples=tries(15))
@given(st.data())
def test_an_order_is_the_same_hosts_and_never_slower_than_the_given_one(data) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    predictor = predictor_of(source)
    job = data.draw(jobs(source, 12))
    traffic = data.draw(traffics(job.rank_count))
    trials = data.draw(st.integers(1, 60))
    found = order_ranks(predictor, job, traffic, trials, seed=data.draw(st.integers(0, 99)))
    assert found.trials <= trials
    assert found.seconds <= found.given_seconds
    assert found.gain >= 1
    assert [ranks for _, ranks in found.job.runs] == [ranks for _, ranks in job.runs]
    assert sorted(found.job.runs) == sorted(job.runs)
    # What is promised is what the simulator says of that order.
    alone = order_ranks(predictor, found.job, traffic, trials=1)
    assert alone.given_seconds == pytest.approx(found.seconds, rel=1e-8)
    if found.settled:
        for a, b in combinations(range(len(job.machines)), 2):
            placement = list(range(len(job.machines)))
            placement[a], placement[b] = b, a
            if job.runs[a][1] == job.runs[b][1]:
                other = order_ranks(predictor, found.job.in_order(placement), traffic, trials=1)
                assert other.given_seconds >= found.seconds * (1 - 1e-8)


@cache
def hops_by_floyd(source: str) -> np.ndarray:
    """Between all machines, by the matrix of all devices."""
    network = network_of(source)
    hops = np.full((network.device_count, network.device_count), np.inf)
    np.fill_diagonal(hops, 0)
    for a, b in network.cables():
        ends = network.port(a).device, network.port(b).device
        hops[ends] = hops[ends[::-1]] = 1
    for middle in range(network.device_count):
        hops = np.minimum(hops, hops[:, [middle]] + hops[[middle], :])
    devices = [network.port(machine.endpoints[0]).device for machine in network.machines]
    return hops[np.ix_(devices, devices)]


@pytest.mark.parametrize("source", SOURCES)
def test_hops_between_machines_are_the_shortest(source: str) -> None:
    chosen = list(range(len(network_of(source).machines)))[::-1]
    assert (hops_between(network_of(source), chosen) == hops_by_floyd(source)[np.ix_(chosen, chosen)]).all()


@settings(max_examples=tries(25))
@given(st.data())
def test_an_embedded_order_keeps_classes_and_puts_those_that_talk_near(data) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    count = data.draw(st.integers(2, 12))
    hosts = data.draw(st.permutations(range(len(network_of(source).machines))))[:count]
    kinds = [data.draw(st.integers(0, 1)) for _ in hosts]
    classes = [[place for place, kind in enumerate(kinds) if kind == number] for number in (0, 1)]
    hops = hops_between(network_of(source), hosts)
    # Each place talks to one other.
    traffic = np.zeros((count, count))
    for place in range(count - count % 2):
        traffic[place, place ^ 1] = 1
    order = embed(traffic, hops, [own for own in classes if len(own) > 1], range(count))
    assert sorted(order) == list(range(count))
    assert all(kinds[place] == kinds[host] for place, host in enumerate(order))
    if sum(kinds) in (0, count):
        far = sum(hops[order[place], order[place ^ 1]] for place in range(0, count - count % 2, 2))
        nearest = sum(min(hops[a, b] for a in range(count) for b in range(count) if a != b) for _ in range(count // 2))
        assert far >= nearest
        assert hops[order[0], order[1]] == min(hops[order[0], host] for host in range(count) if host != order[0])


def test_partners_that_are_far_in_every_given_order_are_near_at_once() -> None:
    """Rank r talks to r + 15 only: the network's order has all partners on other leaves, three predictions suffice."""
    predictor = predictor_of("fattree:K=6,levels=2,nodes=30")
    [job] = ayatori.contiguous_jobs(predictor.network, [30])
    pairs = [(rank, (rank + 15) % 30) for rank in range(30)]
    pattern = _core.parse_pattern("".join(f"{a} {b}\n" for a, b in pairs), "pairs", 30)
    found = order_ranks(predictor, job, Pattern(pattern, 1 << 20), trials=3)
    leaf = {machine: machine // 6 for machine in range(30)}
    assert all(leaf[found.job.machines[a]] == leaf[found.job.machines[b]] for a, b in pairs)
    assert found.gain > 1


def test_messages_of_a_pattern_take_the_time_of_their_sizes() -> None:
    """What is written as sizes takes as long as the same sizes by message_bytes; a line without one has the latter."""
    predictor = predictor_of("fattree:K=3,levels=2,nodes=7")
    [job] = ayatori.contiguous_jobs(predictor.network, [2])

    def seconds(line: str, size: int) -> float:
        pattern = _core.parse_pattern(line, "pattern", 2)
        return order_ranks(predictor, job, Pattern(pattern, size), trials=1).seconds

    for size in (1, 100, 1 << 20):
        assert seconds(f"0 1 {size}", 1 << 10) == seconds("0 1", size)
    assert seconds("0 1 1048576", 1 << 10) > 2 * seconds("0 1", 1 << 10)


def test_a_scattered_ring_becomes_a_ring_of_neighbours() -> None:
    """Of 12 hosts of a 4x3 torus in the worst order, neighbours in the ring become neighbours in the torus."""
    predictor = predictor_of("torus:4x3")
    names = [predictor.network.machines[machine].name for machine in predictor.network.machines_in_order]
    scattered = [names[5 * i % 12] for i in range(12)]
    job = _core.job_of_hosts(predictor.network, [(name, 1) for name in scattered], "job")
    ring = Call("allreduce", "ring", 12 << 20)
    found = order_ranks(predictor, job, ring)
    # 22 steps of 1 MiB between neighbours, which nothing shares.
    neighbours = _core.job_of_hosts(predictor.network, [(names[0], 1), (names[1], 1)], "job")
    (step,) = predictor.predict([neighbours], Call("broadcast", "binomial", 1 << 20))
    assert found.seconds == pytest.approx(22 * step.seconds, rel=0.01)
    assert found.gain > 1.5


@settings(max_examples=tries(20))
@given(st.data())
def test_the_files_say_the_order(tmp_path_factory, data) -> None:
    source = data.draw(st.sampled_from(SOURCES))
    network = network_of(source)
    job = data.draw(jobs(source, 8))
    folder: Path = tmp_path_factory.mktemp("order")
    ranks = [host for host, count in hosts_of(network, job) for _ in range(count)]
    started = write_start_file(network, job, folder / "hosts")
    assert all(str(folder / "hosts") in line for launcher, line in started.items() if launcher != "torchrun")
    assert (folder / "hosts").read_text().splitlines() == ranks
    read = _core.job_from_hostfile(network, (folder / "hosts").read_text(), "hosts", 0, False)
    assert read.machine_of_rank == job.machine_of_rank
    assert str(folder / "coordinates") in write_coordinates(network, job, folder / "coordinates")["MPICH"]
    head, *rows = (folder / "coordinates").read_text().splitlines()
    assert ":" in head
    found = [tuple(map(int, re.fullmatch(r"(\d+): (\d+) (\d+) (\d+)", row).groups())) for row in rows]  # type: ignore[union-attr]
    assert [row[0] for row in found] == list(range(len(ranks)))
    placement = _core.placement_of_job(network, job)
    for rank, group, switch, port in found:
        assert group == placement.group[placement.machine[rank]]
        same_machine = [other for other in found if other[2:] == (switch, port)]
        assert {ranks[other[0]] for other in same_machine} == {ranks[rank]}


def test_what_cannot_be_ordered_is_refused(tmp_path: Path, ayatori_command) -> None:
    (tmp_path / "hosts").write_text("N0\nN7\nN13\nN20\n")
    job = ["order", SOURCES[0], "--job", str(tmp_path / "hosts")]
    done = ayatori_command(*job, "--pattern", "ring", "--out", str(tmp_path / "ordered")).good()
    assert "SLURM_HOSTFILE=" in done.stdout
    assert sorted((tmp_path / "ordered").read_text().split()) == ["N0", "N13", "N20", "N7"]


def test_ranks_of_a_cyclic_job_change_places() -> None:
    """Twelve ranks on six hosts of a torus, each host twice: rings of neighbours are found from the worst order."""
    predictor = predictor_of("torus:3x3x3")
    names = [predictor.network.machines[machine].name for machine in predictor.network.machines_in_order]
    job = _core.job_of_hosts(predictor.network, [(names[5 * i % 6], 1) for i in range(6)] * 2, "job")
    assert len(job.runs) == 12
    found = order_ranks(predictor, job, Call("allreduce", "ring", 12 << 20))
    assert sorted(found.job.machine_of_rank) == sorted(job.machine_of_rank)
    assert found.gain > 1


def test_an_order_names_each_place_once() -> None:
    job = _core.contiguous_job(network_of(SOURCES[0]), 3, 1, False)
    assert job.in_order([2, 0, 1]).machines == [job.machines[2], job.machines[0], job.machines[1]]
    for wrong in ([0, 1], [0, 1, 1], [0, 1, 3]):
        with pytest.raises(ValueError, match="each place"):
            job.in_order(wrong)


def test_large_jobs_try_random_pairs_and_do_not_claim_to_be_settled() -> None:
    network = ayatori.open_source("fattree:K=18,levels=2")
    predictor = Predictor(network, model=Model(steps="synchronous", link_latency=1e-6))
    names = [network.machines[machine].name for machine in network.machines_in_order]
    count = len(names)
    assert math.comb(count, 2) > MAX_PAIRS
    job = _core.job_of_hosts(network, [(names[7 * i % count], 1) for i in range(count)], "job")
    found = order_ranks(predictor, job, Call("allreduce", "recursive-doubling", 1 << 20), trials=10)
    assert found.trials == 10
    assert not found.settled
