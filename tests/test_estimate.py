"""Estimates: the paper's arithmetic, and the model of HPL against cases that are solved by hand."""

from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.estimate.hpl_model import PartTimes, model_hpl
from ayatori.estimate.paper3 import paper_estimate
from ayatori.estimate.shared_cores import SharedCores
from ayatori.linpack.kernels import Kernels, Placement
from ayatori.linpack.running import local_size
from ayatori.linpack.settings import Point
from thoroughness import tries


def test_the_papers_numbers_are_told_apart_from_what_they_multiply_out_to() -> None:
    found = paper_estimate()
    assert [step.tflops for step in found.steps] == pytest.approx([0.342, 4.104, 3.03696, 2.429568, 36.44352])
    assert [step.printed for step in found.steps] == [0.342, 4.104, 3.037, 2.458, 36.88]
    assert [round(one.tflops, 1) for one in found.discrepancies] == [36.4, 31.6, 37.8]
    assert 31.58 < found.discrepancies[1].tflops < 31.59


BLOCK = 10


def parts(panel: float, update: float, message: float) -> PartTimes:
    """Seconds of a panel's row, of an element of the update, and of a message's row; nothing else takes time."""
    return PartTimes([Kernels(m, 1, panel * m, update * m, BLOCK * update * m, message * m, 0) for m in (1, 1000)])


def spread(processes: int) -> Placement:
    """Each on a machine of its own."""
    numbers = tuple(range(processes))
    return Placement(numbers, numbers, (1,) * processes)


def crowded(processes: int, cores: int) -> Placement:
    return Placement((0,) * processes, (0,) * processes, (cores,))


@given(st.integers(BLOCK, 60), st.integers(1, 5), st.integers(0, 1))
def test_updates_alone_are_shared_by_the_processes(order: int, columns: int, depth: int) -> None:
    """Their sum does not depend on the grid: every column right of a panel is updated by it, once."""
    point = Point(order, BLOCK, 1, columns)
    elements = 0
    for first in range(0, order, BLOCK):
        elements += (order - first) * (order + 1 - min(first + BLOCK, order))
    found = model_hpl(point, parts(0, 1, 0), depth, spread(columns))
    assert found.updates == pytest.approx(elements)
    assert elements / columns <= found.seconds * (1 + 1e-9) and found.seconds <= elements * (1 + 1e-9)
    if columns == 1:
        assert found.seconds == pytest.approx(elements)


def test_one_process_does_one_thing_after_another() -> None:
    point = Point(100, BLOCK, 1, 1)
    found = model_hpl(point, parts(3, 2, 99), 1, spread(1))
    assert found.messages == 0
    assert found.seconds == pytest.approx(found.panels + found.updates)
    assert found.panels == pytest.approx(3 * sum(range(10, 101, 10)))


def test_panels_and_messages_follow_each_other_where_nothing_is_updated() -> None:
    """Two blocks on two processes: panel 0, its message, panel 1 on the other process, its message back."""
    found = model_hpl(Point(20, 10, 1, 2), parts(5, 0, 1), 1, spread(2))
    assert found.seconds == pytest.approx(5 * 20 + 20 + 5 * 10 + 10)


def test_a_panel_waits_for_a_process_that_updates() -> None:
    """Two processes, four blocks of 10, a second for each row of a panel and for each element of an update."""
    panel_0 = 40
    sent = panel_0 + 40 * 10 + 30  # process 1 has updated block 1 and factored it
    taken = panel_0 + 40 * 10 + 40 * 1  # process 0 has updated block 2, and the right-hand side before it looks again
    assert taken == sent + 10
    begins_with_panel_1 = taken + 40 * 10  # process 1, which has block 3 left
    panel_3 = begins_with_panel_1 + 30 * 10 + 20 * 10 + 10
    found = model_hpl(Point(40, BLOCK, 1, 2), parts(1, 1, 0), 1, spread(2))
    assert found.seconds == pytest.approx(panel_3 + 10 * 1)


def seconds_panel_by_panel(point: Point, times: PartTimes, depth: int) -> float:
    """The equations of docs/hpl-model.md, for processes with a core each."""
    count, clocks = -(-point.order // point.block), [0.0] * point.columns
    for k in range(-1, count):
        rows = point.order - k * point.block
        rest = [columns_right_of(point, k, process) if k >= 0 else 0 for process in range(point.columns)]
        if k + 1 < count:
            owner = (k + 1) % point.columns
            some = min(point.block, rest[owner]) if depth else 0
            if depth == 0:
                clocks = [clock + times.update(rows, columns) for clock, columns in zip(clocks, rest, strict=True)]
                rest = [0] * point.columns
            clocks[owner] += some * times.update(rows, 1) + times.panel(rows - point.block)
            rest[owner] -= some
            for process in [(owner + distance) % point.columns for distance in range(1, point.columns)]:
                before = process - 1
                while rest[process] > 0 and clocks[process] < clocks[before]:
                    some = min(point.block, rest[process])
                    clocks[process] += some * times.update(rows, 1)
                    rest[process] -= some
                clocks[before] = clocks[process] = max(clocks[before], clocks[process]) + times.message(
                    rows - point.block
                )
        clocks = [clock + times.update(rows, columns) for clock, columns in zip(clocks, rest, strict=True)]
    return max(clocks)


def columns_right_of(point: Point, k: int, process: int) -> int:
    done = min((k + 1) * point.block, point.order)
    total = local_size(point.order + 1, point.block, process, point.columns)
    return total - local_size(done, point.block, process, point.columns)


@given(st.integers(10, 150), st.integers(1, 6), st.integers(0, 1), st.integers(0, 2**32))
def test_with_a_core_for_each_process_times_are_those_of_the_equations(
    order: int, columns: int, depth: int, seed: int
) -> None:
    """Times from a seed: where two things happen at the same time, the equations do not give their order. Hypothesis
    would look for such times, which are round numbers."""
    random = Random(seed)
    times = parts(*[random.uniform(0.01, 1) * random.choice([0.1, 1, 10]) for _ in range(3)])
    point = Point(order, BLOCK, 1, columns)
    found = model_hpl(point, times, depth, spread(columns)).seconds
    assert found == pytest.approx(seconds_panel_by_panel(point, times, depth))


@given(st.integers(20, 90), st.integers(2, 6), st.integers(1, 6), st.floats(0.01, 5), st.floats(0.1, 5))
def test_shared_cores_do_not_do_more_than_they_can(
    order: int, columns: int, cores: int, panel: float, message: float
) -> None:
    point, times = Point(order, BLOCK, 1, columns), parts(panel, 1, message)
    alone = model_hpl(point, times, 1, spread(columns)).seconds
    found = model_hpl(point, times, 1, crowded(columns, cores))
    assert found.seconds >= (found.panels + found.updates + found.messages) / cores * (1 - 1e-9)
    assert alone * (1 - 1e-9) <= found.seconds
    if cores >= columns:
        assert found.seconds == pytest.approx(alone)


SLICE = 1 / 64


def ends_by_slices(works: list[tuple[int, int, int]], cores: tuple[int, int]) -> dict[int, float]:
    left = {process: float(seconds) for process, (_, seconds, _) in enumerate(works)}
    ends = {process: float(start) for process, (start, seconds, _) in enumerate(works) if seconds == 0}
    now = 0.0
    while len(ends) < len(works):
        for machine, count in enumerate(cores):
            busy = [p for p in left if works[p][2] == machine and works[p][0] <= now and left[p] > 0]
            for process in busy:
                left[process] -= SLICE * min(1.0, count / len(busy))
        now += SLICE
        for process in left:
            if left[process] <= 0:
                ends.setdefault(process, now)
    return ends


@settings(max_examples=tries(40))
@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30), st.integers(0, 1)), min_size=1, max_size=8),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
)
def test_sharing_cores_agrees_with_slices_of_time(works: list[tuple[int, int, int]], cores: tuple[int, int]) -> None:
    """(when it begins, seconds of work, machine), one a process."""
    shared = SharedCores([machine for _, _, machine in works], cores)
    ends: dict[int, float] = {}

    def begin(process: int) -> None:
        shared.compute(process, float(works[process][1]), lambda: shared.wait(0, lambda: note_end(process)))

    def note_end(process: int) -> None:
        ends[process] = shared.now

    for process, (start, _, _) in enumerate(works):
        shared.wait(float(start), partial(begin, process))
    shared.run()

    for process, end in ends_by_slices(works, cores).items():
        assert ends[process] == pytest.approx(end, abs=len(works) * SLICE)


@pytest.mark.parametrize(("point", "depth"), [(Point(100, 10, 2, 2), 1), (Point(100, 10, 1, 2), 2)])
def test_what_the_model_does_not_have_is_said(point: Point, depth: int) -> None:
    with pytest.raises(Error, match="the model has"):
        model_hpl(point, parts(1, 1, 1), depth, spread(point.processes))
