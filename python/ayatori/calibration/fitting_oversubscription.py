"""What messages cost more where ranks share a core."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ayatori.calibration.fitting import one_way
from ayatori.calibration.lines import lines_through
from ayatori.calibration.measuring import OversubscribedTimes
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import Costs, Line, MessageCosts, SizeCost, fixed
from ayatori.prediction.predictor import Model, Predictor

CORRECTIONS = 8
"""While one rank receives the others of its core work, so that a step grows by less than all of them need."""


@dataclass(frozen=True)
class Sharing:
    """As in Costs."""

    scheduling_delay: SizeCost = ()
    start_skew: float = 0
    oversubscription: SizeCost = ()


def fit_sharing(oversubscribed: OversubscribedTimes, messages: MessageCosts, cores: int) -> Sharing:
    """Waits with which a message goes around as it was measured while all others only wait, and times of the receivers'
    processors with which steps take what was measured of ranks that all have messages. Of `messages` that cost what
    they do where each rank has a core of its own. Nothing where that takes no longer than without, and nothing on
    one core, which the two ranks shared whose messages are known."""
    if oversubscribed.ranks <= cores or cores < 2:
        return Sharing()
    pairs = oversubscribed.ranks / cores / 2
    delay = fixed(max(0.0, oversubscribed.hop - one_way(messages, min(oversubscribed.steps))) / pairs)
    in_a_step = 2 * pairs * pairs  # so many times `oversubscription`: of all ranks of a core
    more = dict.fromkeys(sorted(oversubscribed.steps), 0.0)
    for _ in range(CORRECTIONS):
        oversubscription = tuple(Line(size, seconds) for size, seconds in more.items())
        predicted = ring_steps(
            Costs(inside=messages, cores=cores, scheduling_delay=delay, oversubscription=oversubscription),
            oversubscribed.ranks,
            more,
        )
        more = {
            size: max(0.0, seconds + (oversubscribed.steps[size] - predicted[size]) / in_a_step)
            for size, seconds in more.items()
        }
    whole = {size: seconds / in_a_step for size, seconds in oversubscribed.steps.items()}
    return Sharing(delay, oversubscribed.first / (2 * pairs - 1), lines_through(list(more.items()), whole=whole))


def ring_steps(costs: Costs, ranks: int, sizes: Iterable[int]) -> Mapping[int, float]:
    """Seconds of the model by size of steps in which each rank of a machine sends to another one and waits for a third
    one; it makes no difference to the model which. An allgather has one step less than ranks."""
    sizes = list(sizes)
    network = open_source("fattree:K=2,levels=1")
    [job] = contiguous_jobs(network, [1], ranks)
    runs = [(job, Call("allgather", "ring", size)) for size in sizes]
    found = Predictor(network, model=Model(costs=costs)).predict_each(runs)
    return {size: one.seconds / (ranks - 1) for size, one in zip(sizes, found, strict=True)}
