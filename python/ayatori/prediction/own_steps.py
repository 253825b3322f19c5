"""What steps of a job's own take where each rank goes on when it can, beside the shift.

Own steps are made for ranks that begin each step together. Where links are fewer than the hosts below them, ranks are
silent in many of these steps; they wait for nobody then, go on early, and their messages meet those of others.
"""

from __future__ import annotations

from dataclasses import replace

from ayatori._core import Network, Plan, Routes
from ayatori.planning.improvement import NO_PLAN, OWN_STEPS, PLAN, Improvement, TablesInUse
from ayatori.prediction.calls import Call, make_schedule
from ayatori.prediction.predictor import PLANNED, Model, Predictor, PreparedRun

SIZES = (64 << 10, 1 << 20)
"""Bytes between each two ranks: where messages take as long as what they cost, and where they take much longer."""


def simulate_own_steps(network: Network, in_use: TablesInUse, routes: Routes, improvement: Improvement) -> None:
    """Adds to `improvement`, whose own steps are made, what each candidate takes with drifting steps."""
    base_lids = Plan.destination_mod_k(improvement.without.job.rank_count)
    planned = improvement.planned.planned
    assert planned is not None
    for name, tables, plan in ((NO_PLAN, in_use.routes, base_lids), (PLAN, routes, planned.plan)):
        predictor = Predictor(network, model=Model(rails="own"), routes=tables)
        by_shift = [_by_shift(predictor, improvement, plan, size) for size in SIZES]
        by_own_steps = [_by_own_steps(run, improvement, name, size) for run, size in zip(by_shift, SIZES, strict=True)]
        seconds = [prediction.seconds for prediction in predictor.predict_prepared(by_shift + by_own_steps)]
        improvement.simulated[name] = dict(zip(SIZES, seconds[: len(SIZES)], strict=True))
        improvement.simulated[f"{name}, {OWN_STEPS}"] = dict(zip(SIZES, seconds[len(SIZES) :], strict=True))


def _by_shift(predictor: Predictor, improvement: Improvement, plan: Plan, size: int) -> PreparedRun:
    return predictor.prepare(improvement.without.job, Call("alltoall", "shift", size), plan)


def _by_own_steps(shift: PreparedRun, improvement: Improvement, name: str, size: int) -> PreparedRun:
    made = improvement.own_steps[name].made
    assert made is not None
    return replace(shift, schedule=make_schedule(Call("alltoall", PLANNED, size), shift.places, made.steps))
