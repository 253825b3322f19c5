"""The model of a communication during a computation, against the plainest simulation of it; CG compared with PIPECG."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.krylov_model import (
    CG_BYTES,
    PIPECG_BYTES,
    cg_seconds,
    crossing,
    pipecg_seconds,
    work_of,
)
from ayatori.prediction.overlap_model import Communication, Mover, Progress, communication_of, overlapped
from ayatori.prediction.predictor import Predictor

SECONDS = st.floats(1e-6, 1.0)
NETWORK = "fattree:K=6,levels=2,nodes=30"


def looked_at(travelling: float, steps: int, computation: float, interval: float, phase: float) -> float:
    """The share of a communication that is over when the computation ends: its steps begin at polls alone, at phase,
    phase + interval, …; the first one begins at once."""
    begins, over = 0.0, 0.0
    each = travelling / steps
    while over < steps:
        if begins + each >= computation:
            return (over + max(0.0, computation - begins) / each) / steps
        over += 1
        poll = phase
        while poll < begins + each:
            poll += interval
        if poll >= computation:
            return over / steps
        begins = poll
    return 1.0


@given(st.integers(1, 12), st.floats(0.05, 20), st.floats(0.01, 0.5), st.integers(0, 10**6))
def test_polls_begin_steps_as_a_simulation_of_them_does(
    steps: int, travelling: float, interval: float, seed: int
) -> None:
    """On average over phases, to half a step and an interval: where a step ends in an interval is not at random."""
    computation = 10.0
    draw = random.Random(seed)
    shares = [looked_at(travelling, steps, computation, interval, draw.uniform(0, interval)) for _ in range(60)]
    both = overlapped(Communication(travelling, 0, steps), computation, Progress(Mover.polls, interval))
    expected = computation + travelling * (1 - sum(shares) / len(shares))
    assert both == pytest.approx(expected, abs=travelling / steps * 0.5 + interval * steps / 2 + 1e-9)


@given(SECONDS, st.floats(0, 1), st.integers(1, 20), SECONDS, st.sampled_from(list(Mover)))
def test_both_take_no_less_than_either(alone: float, busy: float, steps: int, computation: float, mover: Mover) -> None:
    communication = Communication(alone, alone * busy, steps)
    both = overlapped(communication, computation, Progress(mover, 1e-4, 1e-7))
    assert both >= max(computation, alone) * (1 - 1e-9)
    if mover not in (Mover.spinning, Mover.polls):
        assert both <= (computation + alone) * (1 + 1e-9)


@given(SECONDS, st.floats(0, 1), st.integers(1, 20), SECONDS)
def test_an_adapter_hides_most_and_more_polls_hide_more(
    alone: float, busy: float, steps: int, computation: float
) -> None:
    communication = Communication(alone, alone * busy, steps)
    by_adapter = overlapped(communication, computation, Progress(Mover.adapter))
    rare, often = (overlapped(communication, computation, Progress(Mover.polls, every)) for every in (1e-3, 1e-5))
    assert by_adapter <= often * (1 + 1e-9) <= rare * (1 + 1e-9) * (1 + 1e-9)
    assert by_adapter <= overlapped(communication, computation, Progress(Mover.nobody)) * (1 + 1e-9)


def test_a_rendezvous_hides_nothing_without_polls_and_an_eager_message_all_that_travels() -> None:
    eager, rendezvous = Communication(1.0, 0.25), Communication(1.0, 0.25, 2, begins_at_once=False)
    assert overlapped(eager, 2.0, Progress(Mover.nobody)) == pytest.approx(2.0 + 1.0 - 0.75)
    assert overlapped(rendezvous, 2.0, Progress(Mover.nobody)) == 2.0 + 1.0
    with pytest.raises(Error, match="interval"):
        overlapped(eager, 1.0, Progress(Mover.core))


def test_what_is_known_of_a_communication_comes_from_the_simulator() -> None:
    predictor = Predictor(open_source(NETWORK))
    [job] = contiguous_jobs(predictor.network, [8], 1)
    costs = predictor.model.costs.between
    short, long = (
        communication_of(predictor, job, Call("allreduce", "recursive-doubling", size)) for size in (8, 1 << 20)
    )
    assert (short.steps, short.begins_at_once, long.steps, long.begins_at_once) == (3, True, 6, False)
    overheads = costs.send[0].seconds + costs.receive[0].seconds
    assert short.processor == pytest.approx(3 * overheads, rel=0.1)
    face = communication_of(predictor, job, Call("halo", "halo", 4096, stencil=(8,)))
    assert (face.steps, face.begins_at_once) == (1, True)


@given(st.floats(1e3, 1e7), st.floats(1e9, 1e11))
def test_pipecg_is_faster_from_where_three_reductions_take_as_long_as_its_vectors(rows: float, rate: float) -> None:
    """If its only reduction is hidden, which the product is long enough for."""
    work = work_of(rows, rate)
    expected = rows * (PIPECG_BYTES - CG_BYTES) / rate / 3

    def difference(seconds: float) -> float:
        reduction = Communication(seconds)
        return cg_seconds(work, reduction) - pipecg_seconds(work, reduction, Progress(Mover.adapter))

    assert expected < work.product
    assert crossing(difference, expected / 100, work.product) == pytest.approx(expected, rel=2e-3)
    with pytest.raises(Error, match="no crossing"):
        crossing(difference, expected / 100, expected / 2)
    longer = replace(work, product=work.product * 2)
    assert cg_seconds(work, Communication(1.0), longer.product) - cg_seconds(work, Communication(1.0)) == pytest.approx(
        work.product
    )
