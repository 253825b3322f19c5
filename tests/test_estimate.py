"""Estimates: the paper's arithmetic, and the model of HPL against cases that are solved by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.estimate.hpl_model import PartTimes, model_hpl
from ayatori.estimate.paper3 import paper_estimate
from ayatori.linpack.kernels import Kernels
from ayatori.linpack.settings import Point


def test_the_papers_numbers_are_told_apart_from_what_they_multiply_out_to() -> None:
    found = paper_estimate()
    assert [step.tflops for step in found.steps] == pytest.approx([0.342, 4.104, 3.03696, 2.429568, 36.44352])
    assert [step.printed for step in found.steps] == [0.342, 4.104, 3.037, 2.458, 36.88]
    assert [round(one.tflops, 1) for one in found.discrepancies] == [36.4, 31.6, 37.8]
    assert 31.58 < found.discrepancies[1].tflops < 31.59


def parts(panel: float, update: float, message: float) -> PartTimes:
    """Seconds of a panel's row, of an element of the update, and of a message's row; nothing else takes time."""
    return PartTimes([Kernels(m, 1, panel * m, update * m, message * m, 0) for m in (1, 1000)])


@given(st.integers(1, 60), st.integers(1, 20), st.integers(1, 5), st.integers(0, 1))
def test_updates_alone_are_shared_by_the_processes(order: int, block: int, columns: int, depth: int) -> None:
    """Their sum does not depend on the grid: every column right of a panel is updated by it, once."""
    point = Point(order, min(block, order), 1, columns)
    elements = 0
    for first in range(0, order, point.block):
        elements += (order - first) * (order + 1 - min(first + point.block, order))
    found = model_hpl(point, parts(0, 1, 0), depth)
    assert found.updates == pytest.approx(elements)
    assert elements / columns <= found.seconds * (1 + 1e-9) and found.seconds <= elements * (1 + 1e-9)
    if columns == 1:
        assert found.seconds == pytest.approx(elements)


def test_one_process_does_one_thing_after_another() -> None:
    point = Point(100, 10, 1, 1)
    found = model_hpl(point, parts(3, 2, 99))
    assert found.messages == 0
    assert found.seconds == pytest.approx(found.panels + found.updates)
    assert found.panels == pytest.approx(3 * sum(range(10, 101, 10)))


def test_panels_and_messages_follow_each_other_where_nothing_is_updated() -> None:
    """Two blocks on two processes: panel 0, its message, panel 1 on the other process, its message back."""
    found = model_hpl(Point(20, 10, 1, 2), parts(5, 0, 1))
    assert found.seconds == pytest.approx(5 * 20 + 20 + 5 * 10 + 10)


@given(st.integers(30, 200), st.integers(2, 4), st.floats(0.1, 10), st.floats(0, 10), st.floats(0, 10))
def test_looking_ahead_is_never_slower(order: int, columns: int, panel: float, update: float, message: float) -> None:
    times = parts(panel, update, message)
    point = Point(order, 10, 1, columns)
    assert model_hpl(point, times, 1).seconds <= model_hpl(point, times, 0).seconds * (1 + 1e-9) + 1e-9


@pytest.mark.parametrize(("point", "depth"), [(Point(100, 10, 2, 2), 1), (Point(100, 10, 1, 2), 2)])
def test_what_the_model_does_not_have_is_said(point: Point, depth: int) -> None:
    with pytest.raises(Error, match="the model has"):
        model_hpl(point, parts(1, 1, 1), depth)
