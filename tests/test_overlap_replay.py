"""Traces of MPI programs: read, executed again with progress, and explained."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.overlap.explanation import explain
from ayatori.overlap.perfetto import perfetto_of
from ayatori.overlap.replay import Job
from ayatori.overlap.timeline import timeline_of
from ayatori.overlap.tracing import Measured, noise_of
from ayatori.traces.files import RankTrace, Traffic, read_traces, trace_of


def rank_data(rank: int, calls: list[Any], operations: list[Any], **more: Any) -> dict[str, Any]:
    """`calls`: name, begin, end, operations begun and ended. All of their time is in MPI."""
    head = {"format": "ayatori-trace", "version": 1, "rank": rank, "ranks": 2, "host": f"h{rank}", "cores": [rank]}
    head |= {"thread_level": [0, 0], "clock_offset": 0.0, "eager_limits": [[1, 1024, 4096]], "threads": [["main", 1.0]]}
    head |= {"left_out": 0, "unseen": [["", 0]], "calling_threads": 1, "members": [[0, 1]], "traffic": []}
    whole = [[name, begin, end, end - begin, begun, ended, -1] for name, begin, end, begun, ended in calls]
    times = {"from": calls[0][1] if calls else 0.0, "until": calls[-1][2] if calls else 0.0}
    return head | times | {"operations": operations, "calls": whole} | more


def two_ranks(computing: list[tuple[float, float]], transfer: list[float]) -> list[RankTrace]:
    """Cycles of begin, compute, wait, as an MPI without progress has them: a transfer begins when both ranks wait."""
    calls: list[list[Any]] = [[], []]
    clock = [0.0, 0.0]
    for number, (own, takes) in enumerate(zip(computing, transfer, strict=True)):
        arrived = []
        for rank in range(2):
            calls[rank].append(["MPI_Iallreduce", clock[rank], clock[rank], [number, number + 1], []])
            arrived.append(clock[rank] + own[rank])
        end = max(arrived) + takes
        for rank in range(2):
            calls[rank].append(["MPI_Wait", arrived[rank], end, [number + 1, number + 1], [number]])
            clock[rank] = end
    operations = [["allreduce", -1, 0, 0, 1 << 20] for _ in transfer]
    return [trace_of(rank_data(rank, calls[rank], operations)) for rank in range(2)]


Cycle = tuple[tuple[float, float], float]
"""What each rank computes, and what the transfer takes."""
TIMES = st.floats(0.001, 1.0)
CYCLES = st.lists(st.tuples(st.tuples(TIMES, TIMES), TIMES), min_size=1, max_size=6)


@given(CYCLES)
def test_a_replay_without_progress_takes_as_long_as_the_program(cases: list[Cycle]) -> None:
    job = Job(two_ranks([own for own, _ in cases], [takes for _, takes in cases]))
    executed = job.replay(with_progress=False)
    assert executed.is_whole
    assert executed.seconds == pytest.approx(job.seconds, rel=1e-9)


@given(CYCLES)
def test_with_progress_a_cycle_takes_as_long_as_its_longest_part(
    cases: list[tuple[tuple[float, float], float]],
) -> None:
    """Cycle by cycle: both ranks begin, the transfer goes on from the later begin, each waits for what is left."""
    job = Job(two_ranks([own for own, _ in cases], [takes for _, takes in cases]))
    clock = [0.0, 0.0]
    for own, takes in cases:
        over = max(clock) + takes
        clock = [max(clock[rank] + own[rank], over) for rank in range(2)]
    executed = job.replay(with_progress=True)
    assert executed.is_whole
    assert executed.seconds == pytest.approx(max(clock), rel=1e-9)
    assert executed.seconds <= job.seconds * (1 + 1e-9)


def sent(rank: int) -> dict[str, Any]:
    """A message of 1 MiB from rank 0 to rank 1, beside a second of computation; it takes half a second in the waits."""
    name, peer = (("send", 1), ("receive", 0))[rank]
    calls = [["MPI_Isend", 0.0, 0.0, [0, 1], []], ["MPI_Wait", 1.0, 1.5, [1, 1], [0]]]
    traffic = [[0.0, 0, 0, 0], [1.0, 0, 0, 0], [1.5, 1 << 20, 0, 0]] if rank == 0 else []
    return rank_data(rank, calls, [[name, peer, 7, 0, 1 << 20]], traffic=traffic)


def test_a_message_that_moves_in_waits_is_explained() -> None:
    found = explain([trace_of(sent(rank)) for rank in range(2)], has_plugin=True)
    assert found.seconds == pytest.approx(1.5)
    # all of its one cycle is on trial, with the thread for half of the time; looks make the computation a little longer
    assert found.hidden == pytest.approx((0.5 - 1 / 41) / 2)
    [kind, other] = sorted(found.kinds, key=lambda kind: kind.name, reverse=True)
    assert (kind.name, kind.protocol, kind.computing, kind.waiting) == ("send", "rendezvous", 1.0, 0.5)
    assert (kind.moved_early, other.moved_early) == (0.0, None)
    assert "0% crossed while the ranks computed, 0% in other calls of MPI, 100% in the calls that end" in found.moved_by
    assert "--progress thread" in found.advice[0]
    assert "ranks 0 and 1) of up to 1 KiB are eager; of 4 KiB are not" in " ".join(found.given)


def test_a_message_that_was_hidden_needs_nothing() -> None:
    data = [sent(0), sent(1)]
    for one in data:
        one["calls"][1][2:4] = 1.000001, 0.000001
        one["until"] = 1.000001
        one["threads"] = [["main", 1.0], ["async", 0.2]]
    data[0]["traffic"] = [[0.0, 0, 0, 0], [0.5, 1 << 20, 0, 0]]
    found = explain([trace_of(one) for one in data], has_plugin=True)
    assert found.hidden < 1e-5
    assert found.advice[0].startswith(
        "nothing: the calls that end nonblocking operations take 2e-06 s, 0.0% of the ranks' time"
    )
    assert "async (0.20 s)" in found.moved_by


def test_a_receive_from_anybody_gets_the_first_message_that_fits() -> None:
    data = [sent(0), sent(1)]
    data[1]["operations"][0][1:3] = [-1, -1]
    job = Job([trace_of(one) for one in data])
    assert job.exchanges[0, 0] is job.exchanges[1, 0]
    data[1]["operations"][0][2] = 8
    job = Job([trace_of(one) for one in data])
    assert job.exchanges[0, 0] is not job.exchanges[1, 0]
    assert job.replay(True).is_whole


def test_a_program_that_computes_only_and_one_without_calls() -> None:
    calls = [["MPI_Barrier", 0.0, 0.1, [0, 1], [0]]]
    found = explain([trace_of(rank_data(r, calls, [["barrier", -1, 0, 0, 0]])) for r in range(2)], True)
    assert found.advice == [
        "the program has no nonblocking operation that ends in a later call: nothing could be hidden"
    ]
    found = explain([trace_of(rank_data(r, [], [])) for r in range(2)], True)
    assert found.hidden == 0


def test_traffic_between_samples_is_spread_evenly() -> None:
    traffic = Traffic([0.0, 1.0, 2.0], [10, 10, 30])
    assert (traffic.between(0, 1), traffic.between(1.25, 1.75), traffic.between(-5, 9)) == (0, 10, 20)
    assert Traffic([], []).between(0, 1) == 0


def test_clocks_of_other_ranks_are_put_right() -> None:
    data = sent(1) | {"clock_offset": 2.0}
    trace = trace_of(data)
    assert (trace.begin, trace.end) == (2.0, 3.5)


def test_pictures_have_all_calls_of_their_part() -> None:
    traces = [trace_of(sent(rank)) for rank in range(2)]
    timeline = timeline_of(traces)
    assert [rank["calls"] for rank in timeline["ranks"]] == [[[0.0, 0.0], [1.0, 1.5]]] * 2
    assert timeline["ranks"][0]["under_way"] == [[0.0, 1.5]]
    assert timeline["traffic"] == [{"host": "h0", "times": [0.0, 1.0, 1.5], "bytes": [0, 0, 1 << 20]}]
    events = perfetto_of(traces)["traceEvents"]
    assert sorted({event["ph"] for event in events}) == ["C", "M", "X", "b", "e"]
    assert sum(event.get("dur", 0) for event in events) == pytest.approx(1e6)


def test_a_missing_rank_is_named(tmp_path: Path) -> None:
    with pytest.raises(Error, match="the program has written no trace"):
        read_traces(tmp_path)
    (tmp_path / "rank-0.json").write_text(json.dumps(sent(0)))
    with pytest.raises(Error, match="rank 1 has written no trace"):
        read_traces(tmp_path)
    (tmp_path / "rank-1.json").write_text(json.dumps(sent(1)))
    assert [trace.rank for trace in read_traces(tmp_path)] == [0, 1]


JUNK = st.one_of(st.none(), st.integers(-3, 9), st.text(max_size=3), st.lists(st.integers(-2, 3), max_size=3))


@given(st.data())
def test_broken_traces_are_refused_or_read(data: st.DataObject) -> None:
    """Any value of a trace replaced by junk: an Error or a trace, never another exception."""
    broken = copy.deepcopy(sent(0))
    key = data.draw(st.sampled_from(sorted(broken)))
    value = broken[key]
    if isinstance(value, list) and value and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(value) - 1))
        inner = value[place]
        if isinstance(inner, list) and inner and data.draw(st.booleans()):
            inner[data.draw(st.integers(0, len(inner) - 1))] = data.draw(JUNK)
        else:
            value[place] = data.draw(JUNK)
    else:
        broken[key] = data.draw(JUNK)
    try:
        trace_of(broken)
    except (ValueError, KeyError, TypeError, IndexError):
        pass  # what read_traces makes an Error of


def test_what_differs_from_run_to_run_as_much_as_is_claimed_is_too_noisy() -> None:
    """As a busy machine once had it: 72 % off, in a second run of the same program."""
    quiet = Measured(before=10.0, after=8.2, noise=0.1)
    assert "10% off, within 15%" in quiet.verdict(predicted=1.98) and not quiet.is_too_noisy(1.98)
    assert "more than 15%" in Measured(10.0, 8.9, 0.1).verdict(predicted=1.9)
    noisy = Measured(before=10.0, after=8.9, noise=1.2)
    assert noisy.verdict(1.9).startswith("too noisy: runs that are alike differ by 1.2 s")
    assert Measured(10.0, 10.1, 0.0).verdict(1.0).endswith("none were")
    off = Measured(before=10.0, after=8.2, noise=0.1, off=0.5)
    assert off.verdict(1.9).endswith("within 15%; the thread's own trial turned it off in 50% of the runs")
    beside_others = Measured(before=10.0, after=8.2, noise=0.1, others=0.3, stolen=0.07)
    told = beside_others.verdict(predicted=2.0)
    assert beside_others.is_too_noisy(2.0) and "others had 30%" not in told
    assert "other processes had 30% of the cores; 7% of the cores was stolen" in told and "within" not in told
    assert noise_of([3.0]) == 0 and noise_of([3.0, 4.0]) == 1 and noise_of([3.0, 3.0, 9.0, 3.5, 3.5]) == 0.5
