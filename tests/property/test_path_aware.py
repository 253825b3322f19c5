"""`ayatori plan --path-aware` takes no steps that `ayatori simulate` says are slower than the shift."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

import ayatori
from ayatori._core import Plan
from ayatori.planning.improvement import (
    NO_PLAN,
    PLAN,
    Candidate,
    Effort,
    Improvement,
    TablesInUse,
    improve_jobs,
)
from ayatori.planning.routes import make_routes
from ayatori.prediction.calls import Call
from ayatori.prediction.path_aware import SIZES, simulate_path_aware
from ayatori.prediction.predictor import Predictor
from bench.validation.never_worse import damaged
from thoroughness import tries

TAPERED = ("xgft:h=2;m=8,6;w=1,4;p=1,1", "xgft:h=2;m=9,4;w=1,3;p=1,1", "xgft:h=3;m=4,3,3;w=1,2,2;p=1,1,1")
REGULAR = ("fattree:K=6,levels=2,nodes=42", "fattree:K=3,levels=3")


def improved(source: str, ranks: int, seed: int, lmc: int | str) -> tuple[Improvement, dict[Candidate, float]]:
    """A random job with a path-aware schedule, and what `simulate` says of both for one large message."""
    network = ayatori.open_source(source)
    [job] = ayatori.random_jobs(network, 1, min(ranks, len(network.machines)), seed=seed)
    in_use, routes = TablesInUse(make_routes(network, 0)), make_routes(network, lmc)
    [improvement] = improve_jobs(network, in_use, routes, [job], Effort(make_steps=True))
    simulate_path_aware(network, in_use, routes, improvement)
    times = {}
    base_lids = Plan.base_lids(job.rank_count)
    for candidate, tables, plan in (
        (NO_PLAN, in_use.routes, base_lids),
        (PLAN, routes, improvement.planned.planned.plan),
    ):
        predictor = Predictor(network, routes=tables)
        runs = [
            predictor.prepare(job, Call("alltoall", algorithm, SIZES[-1]), plan)
            for algorithm in ("shift", "path-aware")
        ]
        shift, path_aware = predictor.predict_prepared(runs)
        times |= {candidate: shift.seconds, replace(candidate, path_aware=True): path_aware.seconds}
    return improvement, times


@pytest.mark.parametrize("kind", ["tapered", "regular", "damaged"])
def test_path_aware_are_taken_only_where_they_are_no_slower_than_the_shift(kind: str, tmp_path: Path) -> None:
    taken, refused = 0, 0
    for seed in range(1, 1 + tries(6, 12)):
        print(f"seed {seed}")
        dice = random.Random(seed)
        source = dice.choice({"tapered": TAPERED, "regular": REGULAR, "damaged": TAPERED + REGULAR}[kind])
        if kind == "damaged":
            source = damaged(source, dice, tmp_path)
        improvement, times = improved(source, dice.randint(8, 40), seed, dice.choice([0, "auto"]))
        assert times == pytest.approx({each: by_size[SIZES[-1]] for each, by_size in improvement.simulated.items()})
        if improvement.take.path_aware:
            taken += 1
            assert times[improvement.take] <= min(times[PLAN], times[NO_PLAN]) * (1 + 1e-9)
        refused += len(improvement.slower_path_aware)
    assert kind != "tapered" or refused > 0
    assert kind != "regular" or taken > 0


@pytest.mark.parametrize("ranks", [16, pytest.param(24, marks=pytest.mark.sweep)])
def test_of_too_many_ranks_path_aware_are_taken_only_if_few_are_silent(
    ranks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not simulated then is no slower than the shift on the same tables, as simulating it says."""
    taken, refused = 0, 0
    for seed in range(1, 1 + tries(6, 12)):
        print(f"seed {seed}")
        source = random.Random(seed).choice(TAPERED + REGULAR)
        monkeypatch.undo()
        improvement, times = improved(source, ranks, seed, 0)
        monkeypatch.setattr("ayatori.prediction.path_aware.MOST_RANKS", 1)
        unsimulated, _ = improved(source, ranks, seed, 0)
        assert not unsimulated.simulated
        refused += len(unsimulated.not_simulated)
        if unsimulated.take.path_aware:
            taken += 1
            by_shift = replace(unsimulated.take, path_aware=False)
            assert times[unsimulated.take] <= times[by_shift] * (1 + 1e-9)
    assert taken > 0 and refused > 0


def test_a_tapered_tree_keeps_the_shift_and_says_what_was_compared(ayatori_command, tmp_path: Path) -> None:
    """Own steps have the higher bandwidth of steps that all begin together, but take 1.6 times as long."""
    arguments = ("plan", "xgft:h=2;m=8,8;w=1,4;p=1,1", "--steps-out", str(tmp_path / "steps"))
    planned = ayatori_command(*arguments, "--json")
    [choice] = json.loads(planned.stdout)["choices"]
    assert choice["with_plan_path_aware"] > choice["with_plan"]
    assert (choice["take"], choice["equal"]) == ("no plan", True)
    assert choice["slower_path_aware"] == ["no plan, path-aware schedule", "plan, path-aware schedule"]
    [_, large] = choice["simulated"]
    assert (large["bytes"], large["without_path_aware_s"] > 1.5 * large["without_s"]) == (1 << 20, True)
    assert not (tmp_path / "steps").exists()
    assert "no steps of its own are better than the shift" in planned.stderr
    said = ayatori_command(*arguments).stdout
    assert "slower there than the shift" in said.replace("\n      ", " ")
