"""What bench/validation says of measured times: its intervals, and what it takes as one."""

import random
from math import log, log1p, sqrt
from statistics import NormalDist, median

import pytest

from bench.validation.rounds import (
    CONFIDENCE,
    Judged,
    Timed,
    interval_of_median,
    judged,
    judged_between,
    merged,
    share_of,
    share_with_errors,
)


@pytest.mark.parametrize("count", [6, 9, 18])
def test_intervals_have_the_median_as_often_as_they_say(count: int) -> None:
    seed = 20261123
    draw = random.Random(seed)
    inside = 0
    for _ in range(4000):
        low, high = interval_of_median([draw.expovariate(1) for _ in range(count)])
        inside += low <= 0.6931471805599453 <= high
    assert inside >= (CONFIDENCE - 0.01) * 4000, f"seed {seed}"


def test_the_interval_of_few_values_is_their_range() -> None:
    assert interval_of_median([3.0, 1.0, 2.0]) == (1.0, 3.0)
    assert interval_of_median([5.0, 1.0, 2.0, 3.0, 4.0, 6.0, 7.0, 8.0, 9.0]) == (2.0, 8.0)


def test_slowness_is_compared_round_by_round() -> None:
    cell = judged(
        [
            Timed("chosen", 1, [11, 22, 33], is_chosen=True),
            Timed("best", 2, [10, 20, 30]),
            Timed("worse", 3, [20, 40, 60]),
        ]
    )
    assert (cell.chosen.name, cell.best.name) == ("chosen", "best")
    assert cell.slower == pytest.approx(0.1)
    assert cell.interval == pytest.approx((0.1, 0.1))


def test_a_cell_in_which_the_best_was_chosen_has_no_doubt() -> None:
    cell = judged([Timed("a", 1, [1, 5, 1], is_chosen=True), Timed("b", 2, [9, 9, 9])])
    assert (cell.slower, cell.interval) == (0, (0, 0))


def test_every_other_round_chooses_for_those_between() -> None:
    rows = [Timed("model's", 1, [10, 13, 10, 13], is_chosen=True), Timed("other", 2, [9, 20, 9, 20])]
    by_model, by_rounds = judged_between(rows)
    assert (by_model.chosen.name, by_model.slower) == ("model's", 0)
    assert (by_rounds.chosen.name, by_rounds.best.name) == ("other", "model's")
    assert by_rounds.slower == pytest.approx(20 / 13 - 1)
    once, _ = judged_between([Timed("a", 1, [2.0], is_chosen=True), Timed("b", 2, [1.0])])
    assert once.slower == 1, "of one round there is none between"


def test_random_errors_choose_as_well_as_two_normal_distributions_say() -> None:
    """The second is 10% slower: it is chosen if the errors' difference, of spread sqrt(2) * s, is beyond log(1.1)."""
    cell = [Timed("best", 1, [10.0]), Timed("other", 1, [11.0])]
    spread = log1p(0.15) / 0.6744898
    expected = NormalDist().cdf(log(1.1) / (sqrt(2) * spread))
    assert share_with_errors([cell] * 50, 0.15, 0.05) == pytest.approx(expected, abs=0.02)
    assert share_with_errors([cell], 1e-6, 0.05) == 1
    assert share_with_errors([cell], 0.15, 0.1 + 1e-9) == 1, "either is good enough"


def test_algorithms_that_send_the_same_are_one_with_the_median_of_each_round() -> None:
    rows = [Timed("a", 1, [10, 12]), Timed("b", 2, [5, 5]), Timed("c", 1, [20, 10]), Timed("d", 1, [30, 14])]
    found = merged(rows, lambda one, other: "b" not in (one.name, other.name))
    assert [(row.name, list(row.rounds), row.predicted) for row in found] == [("a", [20, 12], 1), ("b", [5, 5], 2)]
    assert median(found[0].rounds) == found[0].measured


def test_shares_say_what_noise_leaves_open() -> None:
    best = Timed("best", 2, [10] * 9)
    cells = [
        Judged(Timed("well", 1, [10.1] * 9), best),
        Judged(Timed("badly", 1, [12] * 9), best),
        Judged(Timed("perhaps", 1, [10, 10, 10, 10, 10.2, 12, 12, 12, 12]), best),
    ]
    share = share_of(cells, 0.05)
    assert (share.good, share.certainly_good, share.certainly_bad, share.cells) == (2, 1, 1, 3)
    assert "67% of 3 cells (1 certainly, 1 certainly not, 1 within the noise" in str(share)
