"""What steps of a job's own take where each rank goes on when it can, compared with the shift.

Own steps are made for ranks that begin each step together. Where links are fewer than the hosts below them, ranks are
silent in many of these steps; they wait for nobody then, go on early, and their messages meet those of others.
"""

from __future__ import annotations

from dataclasses import replace

from ayatori._core import Network, Plan, Routes, SearchControl
from ayatori.planning.improvement import NO_PLAN, PLAN, Candidate, Improvement, TablesInUse
from ayatori.planning.plans import Assessment
from ayatori.prediction.calls import Call, make_schedule
from ayatori.prediction.predictor import PATH_AWARE, Model, Predictor, PreparedRun

SIZES = (64 << 10, 1 << 20)
"""Bytes between each two ranks: where messages take as long as what they cost, and where they take much longer."""
MOST_RANKS = 1024
"""Messages of more are too many: of 4,000 they take minutes."""
MOST_SILENT = 0.05
"""With a smaller share of steps without a message, ranks seldom continue early. 42 path-aware schedules were made for
random jobs of up to 120 ranks on regular, tapered and damaged trees. The 20 below this share were no slower than the
shift on the same tables; the others, from 0.13 on, took 1.08 to 2.2 times as long."""


def simulate_path_aware(
    network: Network,
    in_use: TablesInUse,
    routes: Routes,
    improvement: Improvement,
    control: SearchControl | None = None,
) -> None:
    """Adds to `improvement`, whose path-aware schedules are made, what each candidate takes with drifting steps. Above
    MOST_RANKS, and where `control` has stopped the search, it only rules out path-aware schedules in which ranks are
    often silent."""
    if improvement.without.job.rank_count > MOST_RANKS or (control is not None and control.stopped):
        improvement.not_simulated = [
            candidate
            for candidate, assessment in improvement.path_aware.items()
            if silent_share(assessment) > MOST_SILENT
        ]
        return
    base_lids = Plan.base_lids(improvement.without.job.rank_count)
    planned = improvement.planned.planned
    assert planned is not None
    for candidate, tables, plan in ((NO_PLAN, in_use.routes, base_lids), (PLAN, routes, planned.plan)):
        predictor = Predictor(network, model=Model(rails="own"), routes=tables)
        path_aware = replace(candidate, path_aware=True)
        by_shift = [_by_shift(predictor, improvement, plan, size) for size in SIZES]
        by_path_aware = [
            _by_path_aware(run, improvement, path_aware, size) for run, size in zip(by_shift, SIZES, strict=True)
        ]
        seconds = [prediction.seconds for prediction in predictor.predict_prepared(by_shift + by_path_aware)]
        improvement.simulated[candidate] = dict(zip(SIZES, seconds[: len(SIZES)], strict=True))
        improvement.simulated[path_aware] = dict(zip(SIZES, seconds[len(SIZES) :], strict=True))


def silent_share(assessment: Assessment) -> float:
    """Of the steps of an all-to-all that were made for a job, the share in which a rank sends nothing."""
    assert assessment.made is not None
    return 1 - (assessment.job.rank_count - 1) / max(1, assessment.made.steps.step_count)


def _by_shift(predictor: Predictor, improvement: Improvement, plan: Plan, size: int) -> PreparedRun:
    return predictor.prepare(improvement.without.job, Call("alltoall", "shift", size), plan)


def _by_path_aware(shift: PreparedRun, improvement: Improvement, candidate: Candidate, size: int) -> PreparedRun:
    made = improvement.path_aware[candidate].made
    assert made is not None
    return replace(shift, schedule=make_schedule(Call("alltoall", PATH_AWARE, size), shift.placement, made.steps))
