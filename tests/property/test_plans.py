"""Plans and contention against brute force in Python."""

import itertools
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ayatori
from ayatori.base.errors import Error
from ayatori.formats.plan_file import read_plan, write_plan
from ayatori.model.jobs import contiguous_jobs
from ayatori.planning.plans import Messages, assess_jobs, method_named
from bench.validation.never_worse import PacketWalk, shift_loads
from schemas import document_in
from thoroughness import tries

MAX_EXAMPLES = tries(15)
TREE = "fattree:K=3,levels=2,nodes=15"
METHODS = ["base-lids", "rule", "colour", "pair"]


@pytest.fixture(scope="module")
def walk() -> PacketWalk:
    network = ayatori.open_source(TREE)
    return PacketWalk(network, ayatori.make_routes(network))


def step_maxima(walk: PacketWalk, job: ayatori.Job, path_bits: Callable[[int, int], int]) -> list[int]:
    """The most loaded link of each step of the shift all-to-all."""
    return [max(loads.values()) for loads in shift_loads(walk, job, SimpleNamespace(path_bits=path_bits))]


@settings(max_examples=MAX_EXAMPLES)
@given(size=st.integers(2, 15), seed=st.integers(0, 2**32), method=st.sampled_from(METHODS))
def test_contention_equals_a_count_by_hand(walk: PacketWalk, size: int, seed: int, method: str) -> None:
    network, routes = walk.network, walk.routes
    job = ayatori.random_jobs(network, 1, size, seed=seed)[0]
    planned = ayatori.plan(network, routes, job, method)
    measured = ayatori.contention(network, routes, job, planned.plan)
    maxima = step_maxima(walk, job, planned.plan.path_bits)
    assert measured.relative_bandwidth == pytest.approx(len(maxima) / sum(maxima), rel=1e-12)
    assert measured.free == (max(maxima) == 1)
    if method == "pair":
        assert measured.free, "Koenig: one path a pair is always free on a tree with full bisection"


@settings(max_examples=MAX_EXAMPLES)
@given(size=st.integers(2, 7), seed=st.integers(0, 2**32))
def test_colour_is_free_exactly_when_some_choice_of_lids_is(walk: PacketWalk, size: int, seed: int) -> None:
    network, routes = walk.network, walk.routes
    job = ayatori.random_jobs(network, 1, size, seed=seed)[0]

    def is_free(choice: tuple[int, ...]) -> bool:
        return max(step_maxima(walk, job, lambda _, b: choice[b])) == 1

    some_choice_is_free = any(is_free(choice) for choice in itertools.product(range(3), repeat=size))
    planned = ayatori.plan(network, routes, job, "colour")
    assert ayatori.contention(network, routes, job, planned.plan).free == some_choice_is_free
    assert planned.optimal


@settings(max_examples=MAX_EXAMPLES)
@given(size=st.integers(2, 24), seed=st.integers(0, 2**32), method=st.sampled_from(METHODS))
def test_no_plan_exceeds_what_the_leaves_allow(size: int, seed: int, method: str) -> None:
    hosts, uplinks = 6, 4
    network = ayatori.open_source(f"xgft:h=2;m={hosts},4;w=1,{uplinks}")
    job = ayatori.random_jobs(network, 1, size, seed=seed)[0]
    planned = ayatori.plan(network, ayatori.make_routes(network), job, method)
    leaf_of = [machine // hosts for machine in job.machines]
    times = []
    for shift in range(1, size):
        pairs = [(leaf_of[rank], leaf_of[(rank + shift) % size]) for rank in range(size)]
        away = [pair for pair in pairs if pair[0] != pair[1]]
        cuts = [*Counter(a for a, _ in away).values(), *Counter(b for _, b in away).values()]
        times.append(max(1, *(math.ceil(messages / uplinks) for messages in cuts), 1))
    assert planned.max_relative_bandwidth == pytest.approx(len(times) / sum(times))
    measured = ayatori.contention(network, ayatori.make_routes(network), job, planned.plan)
    assert measured.relative_bandwidth <= planned.max_relative_bandwidth * (1 + 1e-9)


@settings(max_examples=MAX_EXAMPLES)
@given(st.permutations(range(15)))
def test_a_permutation_has_a_plan_of_its_own_without_hot_spots(order: list[int]) -> None:
    """On a full tree each is an edge colouring (König); a plan for the shift would leave it as it is."""
    network = ayatori.open_source(TREE)
    routes = ayatori.make_routes(network)
    with TemporaryDirectory() as name:
        file = Path(name) / "permutation"
        file.write_text("".join(f"{source} {target}\n" for source, target in enumerate(order)))
        (assessed,) = assess_jobs(network, routes, contiguous_jobs(network, [15]), "pair", Messages(str(file)))
    assert assessed.contention.free
    assert assessed.planned is not None and assessed.planned.contention.free


def test_a_method_has_one_name() -> None:
    assert method_named("base-lids") == "base-lids"
    for name in ("mod", "modk", "base"):
        with pytest.raises(Error, match=f"no method '{name}'"):
            method_named(name)


@settings(max_examples=MAX_EXAMPLES)
@given(size=st.integers(1, 15), ppn=st.integers(1, 3), seed=st.integers(0, 2**32), method=st.sampled_from(METHODS))
def test_plans_come_back_as_they_were_written(walk: PacketWalk, size: int, ppn: int, seed: int, method: str) -> None:
    network, routes = walk.network, walk.routes
    job = ayatori.random_jobs(network, 1, size, ppn, seed)[0]
    planned = ayatori.plan(network, routes, job, method)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        write_plan(network, routes, job, planned, path)
        document_in(path, "plan")
        saved = read_plan(network, path)
    assert saved.job.machine_of_rank == job.machine_of_rank
    assert saved.plan.method == planned.plan.method
    assert saved.lmc == routes.lmc(job.endpoints(network)[0])
    ranks = range(job.rank_count)
    assert all(saved.plan.path_bits(a, b) == planned.plan.path_bits(a, b) for a in ranks for b in ranks)
