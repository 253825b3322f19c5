"""Paths that routers choose: predictions that follow from the definitions, whatever is drawn."""

from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori import open_source
from ayatori.base.errors import Error
from ayatori.model.jobs import random_jobs
from ayatori.planning.routes import make_routes
from ayatori.prediction.calls import Call
from ayatori.prediction.choice import choose
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor
from thoroughness import tries

CALL = Call("alltoall", "shift", 1 << 16)
TREES = ["fattree:K=3,levels=2", "xgft:h=2;m=6,4;w=1,2", "xgft:h=3;m=3,2,3;w=1,2,2", "dragonfly:g=5,a=4,p=1,h=1"]


def free(**numbers: int) -> Model:
    return Model(link_latency=0, costs=FREE, **numbers)


@settings(max_examples=tries(15))
@given(source=st.sampled_from(TREES), size=st.integers(2, 9), seed=st.integers(0, 2**32))
def test_adaptive_is_as_fast_as_the_nics_allow_and_ecmp_never_faster(source: str, size: int, seed: int) -> None:
    network = open_source(source)
    job = random_jobs(network, 1, size, seed=seed)[0]
    least = (size - 1) * CALL.bytes / network.port(job.endpoints(network)[0]).bytes_per_second
    by_load = Predictor(network, "adaptive", free()).predict([job], CALL)[0].seconds
    by_hash = Predictor(network, "ecmp", free(hash_seed=seed)).predict([job], CALL)[0].seconds
    assert by_load >= least * (1 - 1e-9) and by_hash >= least * (1 - 1e-9)
    if source == TREES[0]:
        assert by_load == pytest.approx(least, rel=1e-9)  # as many spines as hosts a leaf


def test_ecmp_is_the_mean_over_its_hashes() -> None:
    network = open_source(TREES[0])
    job = random_jobs(network, 1, 9, seed=4)[0]
    single = [
        Predictor(network, "ecmp", free(hash_seed=seed, hash_seeds=1)).predict([job], CALL)[0] for seed in range(3, 8)
    ]
    several = Predictor(network, "ecmp", free(hash_seed=3, hash_seeds=5)).predict([job], CALL)[0]
    assert several.seconds == pytest.approx(fmean(each.seconds for each in single))
    assert len({each.seconds for each in single}) > 1
    assert several.bandwidth is not None and single[0].bandwidth is not None
    assert several.bandwidth * several.seconds == pytest.approx(single[0].bandwidth * single[0].seconds)
    assert several.rank_seconds == pytest.approx(
        [fmean(ranks) for ranks in zip(*(each.rank_seconds for each in single), strict=True)]
    )


@pytest.mark.parametrize("method", ["adaptive", "ecmp"])
def test_what_routers_choose_is_not_chosen_by_tables_plans_or_steps(method: str) -> None:
    network = open_source(TREES[0])
    jobs = random_jobs(network, 1, 6, seed=4)
    with pytest.raises(Error, match="whatever tables say"):
        Predictor(network, method, routes=make_routes(network, 0))
    with pytest.raises(Error, match="one path of each message"):
        Predictor(network, method).predict(jobs, Call("alltoall", "path-aware", 1024))
    ranking = choose(Predictor(network, method), jobs, [("alltoall", 1 << 16)]).rankings[0]
    assert "path-aware" not in {each.algorithm for each in ranking.ranked}
    assert any(each.algorithm == "path-aware" and method in each.reason for each in ranking.left_out)


def test_adaptive_refuses_what_its_model_has_not() -> None:
    network = open_source(TREES[0])
    jobs = random_jobs(network, 1, 6, seed=4)
    for model in (Model(steps="synchronous"), Model(head_of_line=True)):
        with pytest.raises(Error, match="packets spread by load"):
            Predictor(network, "adaptive", model).predict(jobs, CALL)
    with pytest.raises(Error, match="not cut into rails"):
        Predictor(open_source("xgft:h=2;m=6,4;w=2,3"), "adaptive", Model(rails="striped"))
    with pytest.raises(Error, match="hash seeds"):
        Predictor(network, "ecmp", Model(hash_seeds=0))
