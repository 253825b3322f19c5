"""What fastest() chooses is what choose() ranks first, with less simulated."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori.model.jobs import random_jobs
from ayatori.model.network import open_source
from ayatori.prediction import fastest as module
from ayatori.prediction.calls import Call, make_schedule
from ayatori.prediction.choice import assess, choose, pieces_of
from ayatori.prediction.costs import FREE
from ayatori.prediction.fastest import busy_seconds, fastest
from ayatori.prediction.in_network import COLLECTIVES
from ayatori.prediction.predictor import Model, Predictor
from thoroughness import tries

NETWORK = open_source("fattree:K=4,levels=2")


@settings(max_examples=tries(20))
@given(
    st.sampled_from(COLLECTIVES),
    st.sampled_from([8, 24, 4096, 1 << 16, 1 << 22]),
    st.integers(1, 32),
    st.integers(1, 2),
    st.sampled_from([Model(), Model(costs=FREE), Model(steps="synchronous")]),
    st.integers(0, 10**6),
)
def test_it_is_what_choose_ranks_first(name: str, size: int, hosts: int, ppn: int, model: Model, seed: int) -> None:
    call = (name, 0 if name == "barrier" else size)
    [job] = random_jobs(NETWORK, 1, hosts, ppn, seed=seed)
    model = model.on(NETWORK)
    [ranking] = choose(Predictor(NETWORK, model=model), [job], [call]).rankings
    [(piece, best)] = fastest(NETWORK, job, [call], model)
    assert (piece.collective, piece.bytes, best) == (ranking.collective, ranking.bytes, ranking.best)


@settings(max_examples=tries(20))
@given(st.sampled_from(COLLECTIVES), st.integers(2, 32), st.integers(1, 2), st.integers(0, 10**6))
def test_no_call_is_over_before_a_processor_is_done(name: str, hosts: int, ppn: int, seed: int) -> None:
    [job] = random_jobs(NETWORK, 1, hosts, ppn, seed=seed)
    predictor = Predictor(NETWORK)
    for piece in pieces_of([(name, 0 if name == "barrier" else 4096)]):
        [outcome] = assess(predictor, [job], [piece])
        if not hasattr(outcome, "seconds"):
            continue
        call = Call(name, piece.algorithm.name, piece.bytes, chunk_bytes=outcome.chunk_bytes)
        busy = busy_seconds(make_schedule(call, predictor.placement(job)), predictor.model)
        assert busy <= outcome.seconds * (1 + 1e-9)


def test_algorithms_with_a_step_for_each_rank_are_not_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    network = open_source("fattree:K=6,levels=3")
    [job] = random_jobs(network, 1, 400, 1, seed=1)
    simulated = []

    def noting(predictor, jobs, pieces):
        simulated.extend(piece.algorithm.name for piece in pieces)
        return assess(predictor, jobs, pieces)

    monkeypatch.setattr(module, "assess", noting)
    fastest(network, job, [("allreduce", 8)], Model().on(network))
    assert "recursive-doubling" in simulated
    assert "ring" not in simulated
