"""How long a message waits where ranks share a core, by its size."""

from __future__ import annotations

from collections.abc import Iterable

from ayatori.calibration.lines import lines_through
from ayatori.calibration.measuring import Turns
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import Costs, Line, MessageCosts, SizeCost
from ayatori.prediction.predictor import Model, Predictor

CORRECTIONS = 8
"""While one rank waits the others of its core work, so that a step grows by less than a message waits."""


def fit_turn(turns: Turns, messages: MessageCosts, cores: int) -> SizeCost:
    """Waits with which the model's steps take what was measured, of ranks whose processors take turns on the cores and
    whose `messages` cost what they do where each has a core of its own. No wait where steps took no longer than that
    without."""
    if turns.ranks <= cores:
        return ()
    more_ranks = turns.ranks / cores - 1
    waits = dict.fromkeys(sorted(turns.steps), 0.0)
    for _ in range(CORRECTIONS):
        turn = tuple(Line(size, wait) for size, wait in waits.items())
        predicted = ring_steps(Costs(inside=messages, cores=cores, turn=turn), turns.ranks, waits)
        waits = {
            size: max(0.0, wait + (turns.steps[size] - predicted[size]) / more_ranks) for size, wait in waits.items()
        }
    return lines_through(list(waits.items()), whole=turns.steps)


def ring_steps(costs: Costs, ranks: int, sizes: Iterable[int]) -> dict[int, float]:
    """Seconds of the model by size of steps in which each rank of a machine sends to the next one and waits for the one
    before. An allgather has one step less than ranks."""
    sizes = list(sizes)
    network = open_source("fattree:K=2,levels=1")
    [job] = contiguous_jobs(network, [1], ranks)
    runs = [(job, Call("allgather", "ring", size)) for size in sizes]
    found = Predictor(network, model=Model(costs=costs)).predict_each(runs)
    return {size: one.seconds / (ranks - 1) for size, one in zip(sizes, found, strict=True)}
