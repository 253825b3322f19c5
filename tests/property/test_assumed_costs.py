"""Costs that are assumed by the links' rate where nobody measured them."""

import pytest

from ayatori import _core
from ayatori.calibration.fitting import one_way
from ayatori.formats.calibration import Calibration, costs_of
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.assumed import assumed_costs
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE, MessageCosts, from_core, seconds_of
from ayatori.prediction.predictor import Model, Predictor

LANES = ("SDR", "DDR", "QDR", "FDR10", "FDR", "EDR", "HDR", "NDR", "XDR")
"""InfiniBand by the speed of a lane."""


def test_what_was_not_measured_is_assumed_and_said_so() -> None:
    assumed = assumed_costs(open_source("fattree:K=2,levels=2"))
    inside, between = MessageCosts(latency=3e-6), MessageCosts(latency=5e-6)
    costs = costs_of(Calibration("n1", "MPI", inside), assumed, 1e-7)
    assert (costs.inside, costs.between, costs.copy) == (inside, assumed.between, assumed.copy)
    assert costs.origin == "measured on n1 with MPI, between machines assumed for 4xHDR"
    costs = costs_of(Calibration("n1", "MPI", None, between, 2), assumed, 1e-7)
    assert costs.between.latency == pytest.approx(4.8e-6), "two links are counted by themselves"


@pytest.mark.parametrize("rate", ["1xSDR", "4xFDR10", *(f"4x{lane}" for lane in LANES), "?", "1Gbit/s", "2500Mbit/s"])
def test_nothing_is_assumed_to_be_free(rate: str) -> None:
    for direct in (False, True):
        costs = from_core(_core.assumed_costs(rate, direct).costs.between)
        assert min(costs.latency, costs.gap, costs.rendezvous, seconds_of(costs.send, 1)) > 0
        assert one_way(costs, 1) < one_way(costs, costs.eager_limit + 1)


def test_faster_ethernet_is_not_assumed_to_be_slower() -> None:
    rates = [f"{gigabits}Gbit/s" for gigabits in (1, 10, 25, 40, 100, 200, 400)]
    times = [one_way(from_core(_core.assumed_costs(rate, False).costs.between), 1) for rate in rates]
    assert times == sorted(times, reverse=True)


def test_models_say_zero_only_if_they_are_told_to() -> None:
    network = open_source("fattree:K=2,levels=2")
    [job] = contiguous_jobs(network, [4], 1)
    call = Call("allreduce", "recursive-doubling", 8)
    [assumed] = Predictor(network).predict([job], call)
    assert 2e-6 < assumed.seconds < 2e-5
    [free] = Predictor(network, model=Model(link_latency=0, costs=FREE)).predict([job], call)
    assert free.seconds < 1e-8
