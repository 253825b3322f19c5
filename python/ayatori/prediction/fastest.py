"""The algorithm to choose for a call on one job, without the time of those that can't be it.

On thousands of ranks some algorithms have a step for each rank: simulating them takes minutes, and they take a hundred
times as long as the fastest. The call takes no less than what one rank's processor is busy with, and that is known at
once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from ayatori._core import Job, Network, Schedule
from ayatori.prediction.calls import make_schedule
from ayatori.prediction.choice import AS_FAST, Candidate, LeftOut, Piece, assess, pieces_of, rank, variants_of
from ayatori.prediction.costs import FREE, seconds_of
from ayatori.prediction.predictor import Model, Predictor

AT_ONCE = os.cpu_count() or 1


def fastest(
    network: Network, job: Job, calls: Iterable[tuple[str, int]], model: Model
) -> list[tuple[Piece, Candidate]]:
    """What choose() ranks first, of each of `calls`."""
    predictor = Predictor(network, model=model)
    return [_fastest(predictor, job, pieces_of([call])) for call in dict.fromkeys(calls)]


def _fastest(predictor: Predictor, job: Job, pieces: list[Piece]) -> tuple[Piece, Candidate]:
    least = [least_seconds(predictor, job, piece) for piece in pieces]
    waiting = sorted(range(len(pieces)), key=lambda number: (least[number], number))
    outcomes: dict[int, Candidate | LeftOut] = {}
    while waiting:
        now, waiting = waiting[:AT_ONCE], waiting[AT_ONCE:]
        assessed = assess(predictor, [job], [pieces[number] for number in now])
        outcomes |= zip(now, assessed, strict=True)
        found = [outcome.seconds for outcome in outcomes.values() if isinstance(outcome, Candidate)]
        if found:
            waiting = [number for number in waiting if least[number] <= AS_FAST * min(found)]
    timed = sorted(outcomes)
    [ranking] = rank([pieces[number] for number in timed], [outcomes[number] for number in timed])
    chosen = next(piece for piece in pieces if piece.algorithm.name == ranking.best.algorithm)
    return chosen, ranking.best


def least_seconds(predictor: Predictor, job: Job, piece: Piece) -> float:
    """No chunk size lets the algorithm take less; 0 where nothing is known."""
    variants = variants_of(predictor, piece, [predictor.placement(job)])
    if isinstance(variants, LeftOut) or predictor.model.steps != "drift":
        return 0.0
    schedules = [make_schedule(call, predictor.placement(job)) for call in variants]
    return min(busy_seconds(schedule, predictor.model) for schedule in schedules)


def busy_seconds(schedule: Schedule, model: Model) -> float:
    """What rank 0's processor is busy with at least: its messages, as if each were of the cheapest kind."""
    costs = model.costs or FREE
    kinds = [costs.inside, costs.between, *(each for each in model.on_planes or () if each is not None)]
    seconds: dict[tuple[bool, int], float] = {}
    busy = 0.0
    for stream in range(schedule.stream_count):
        for step in range(schedule.step_count(stream)):
            actions = schedule.actions(0, stream, step)
            for sends, messages in ((True, actions.sends), (False, actions.receives)):
                for message in messages:
                    key = (sends, message.bytes)
                    if key not in seconds:
                        seconds[key] = min(seconds_of(kind.send if sends else kind.receive, key[1]) for kind in kinds)
                    busy += seconds[key]
    return busy
