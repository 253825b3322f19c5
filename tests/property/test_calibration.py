"""Costs of messages: fitted to measurements, saved, and the same formulas as the simulator's."""

import json
import os
from dataclasses import replace
from math import isfinite
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ayatori.base.errors import Error
from ayatori.calibration.calibrating import TOO_NOISY, calibration_of
from ayatori.calibration.fitting import BURST, CHAIN, SEVERAL, fit, one_of_chain, one_of_several, one_way
from ayatori.calibration.fitting_oversubscription import Sharing, fit_sharing, ring_steps
from ayatori.calibration.lines import TOLERANCE, lines_through
from ayatori.calibration.measuring import (
    CHECKED_SIZES,
    FITTED_SIZES,
    Measurement,
    Mpi,
    OversubscribedTimes,
    Samples,
    find_mpi,
    hosts_in,
    measure,
    oversubscribed_times_of,
    parse_measurement,
    placement,
)
from ayatori.formats.calibration import Calibration, FitError, costs_of, read_calibration, write_calibration
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE, Costs, Line, MessageCosts, SizeCost, fixed, seconds_of
from ayatori.prediction.predictor import Model, Predictor
from schemas import document_in
from subprocesses import program_at
from thoroughness import tries

SECONDS = st.floats(1e-9, 1e-3)
PER_BYTE = st.floats(1e-12, 1e-8)
SIZES = (*FITTED_SIZES, *CHECKED_SIZES)


@st.composite
def message_costs(draw, inside: bool = True) -> MessageCosts:
    """Overheads that a fit can tell apart: one line each below and above the eager limit."""
    limit = draw(st.integers(100, 100000))
    # Between machines the slope of all sizes is the link's: a receiver that is slower than it only above the eager
    # limit, or a limit at which times jump by more than networks and MPIs take, is not told apart.
    seconds = SECONDS if inside else st.floats(1e-9, 1e-5)
    per_byte = PER_BYTE if inside else st.floats(1e-12, 5e-11)
    below = draw(seconds)
    # What a message above the limit saves is not told from what a token bucket saves.
    above = Line(limit + 1, draw(seconds) + (0 if inside else below), draw(per_byte))
    # No more than half of a message's time: more is taken for an interruption.
    busy = draw(st.floats(1e-8, 1e-6))
    return MessageCosts(
        latency=draw(st.floats(busy, 1e-5)),
        send=(Line(0, busy), Line(limit + 1, busy)),
        receive=(Line(0, below, draw(per_byte)), above),
        eager_limit=limit,
        rendezvous=draw(seconds),
        bandwidth=draw(st.sampled_from([0.0, 1e9])) if inside else 1e9,
    )


START = 3e-9
"""That an ideal machine takes before a pattern begins."""
LARGEST_OF_SEVERAL = 1 << 18
AGAIN = (Line(0, 0.0, 2e-10),)
"""That it takes longer to add to what was sent."""


def one_of_burst(costs: MessageCosts, size: int) -> float:
    """Of BURST messages one after the other."""
    flowing = max(0, size + costs.header - costs.burst / BURST) / costs.bandwidth if costs.bandwidth else 0
    return max(seconds_of(costs.send, size), seconds_of(costs.receive, size), flowing)


def measurement_of(costs: MessageCosts, copy: SizeCost, reduce: SizeCost, inside: bool = True) -> Measurement:
    """What an ideal machine with these costs would measure."""
    sizes = sorted({*SIZES, costs.eager_limit, costs.eager_limit + 1})
    both = 2 if inside else 1
    eager = [size for size in sizes if size <= costs.eager_limit]
    exchange = {size: START + one_way(costs, size, both) for size in sizes}
    add = {size: seconds + seconds_of(reduce, size) for size, seconds in exchange.items()}
    times = {
        "one_way": {size: START + one_way(costs, size) for size in sizes},
        "exchange": exchange,
        "chain": {size: START / CHAIN + one_of_chain(costs, size, both) for size in sizes},
        "several": {
            size: START / SEVERAL + one_of_several(costs, size, both) for size in sizes if size <= LARGEST_OF_SEVERAL
        },
        "add": add,
        "combine": {size: seconds + seconds_of(AGAIN, size) for size, seconds in add.items()},
        "send": {size: seconds_of(costs.send, size) for size in eager},
        "receive": {size: seconds_of(costs.receive, size) for size in eager},
        "burst": {size: one_of_burst(costs, size) for size in eager},
        "copy": {size: seconds_of(copy, size) for size in sizes},
        "reduce": {size: seconds_of(reduce, size) for size in sizes},
    }
    samples = {name: Samples(dict(medians), dict(medians), dict(medians)) for name, medians in times.items()}
    return Measurement("an MPI", ("a", "a"), inside, 10, costs.eager_limit, samples)


@settings(max_examples=tries(40))
@given(message_costs(), SECONDS, PER_BYTE)
def test_fit_finds_costs_that_say_what_was_measured(costs: MessageCosts, fixed: float, per_byte: float) -> None:
    local = (Line(0, fixed, per_byte),)
    found = fit(measurement_of(costs, local, local), "inside")
    assert found.messages.eager_limit == costs.eager_limit
    assert {error.fitted for error in found.errors} == {True, False}
    for error in found.errors:
        assert error.median <= 0.06, error


DEAR_ABOVE_THE_LIMIT = MessageCosts(
    latency=6e-8,
    send=(Line(0, 6e-8), Line(128, 6e-8)),
    receive=(Line(0, 6e-8, 4.8e-11), Line(128, 8.5e-6, 4.8e-11)),
    eager_limit=127,
    rendezvous=3e-6,
    bandwidth=1e9,
)
"""A receiver that takes a hundred times as long above the eager limit: several messages at a time are 6.4 % off."""


@settings(max_examples=tries(25))
@given(message_costs(inside=False))
@example(DEAR_ABOVE_THE_LIMIT)
def test_fit_between_machines_finds_the_bandwidth(costs: MessageCosts) -> None:
    """The slope of large messages, of which the receiver's overhead is a part."""
    local = (Line(0, 1e-8, 1e-10),)
    found = fit(measurement_of(costs, local, local, inside=False), "between")
    slope = 1 / costs.bandwidth + costs.receive[-1].seconds_per_byte
    assert found.messages.bandwidth == pytest.approx(1 / slope, rel=0.15)
    assert found.messages.burst == 0
    several = max(error.median for error in found.errors if error.what == "several between")
    assert several <= 0.1
    assert all(error.median <= 0.06 for error in found.errors if error.what != "several between"), found.errors


@settings(max_examples=tries(25))
@given(st.integers(0, 200), st.floats(1e7, 1e8))
def test_fit_between_machines_finds_the_header_where_messages_wait_for_the_wire(header: int, bandwidth: float) -> None:
    ends = (Line(0, 1e-6), Line(65481, 1e-6))
    costs = MessageCosts(5e-6, ends, ends, 0, 65480, 3e-5, bandwidth, header=header)
    local = (Line(0, 1e-8, 1e-10),)
    found = fit(measurement_of(costs, local, local, inside=False), "between")
    assert found.messages.header == pytest.approx(header, abs=20)
    assert all(error.median <= 0.06 for error in found.errors), found.errors
    fast = replace(costs, bandwidth=1e10)
    assert fit(measurement_of(fast, local, local, inside=False), "between").messages.header == 0


def test_a_sender_that_waits_for_the_wire_is_not_busy() -> None:
    """Its buffer is full: what it waits would else count twice."""
    ends = (Line(0, 2e-6), Line(65481, 2e-6))
    costs = MessageCosts(5e-6, ends, ends, 0, 65480, 3e-5, 25e6)
    local = (Line(0, 1e-8, 1e-10),)
    measured = measurement_of(costs, local, local, inside=False)
    sends = measured.medians("send")
    sends |= {size: seconds + size / costs.bandwidth for size, seconds in sends.items() if size > 4096}
    assert all(error.median <= 0.06 for error in fit(measured, "between").errors)


@given(st.lists(st.tuples(st.integers(1, 1 << 22), SECONDS), min_size=2, max_size=20, unique_by=lambda point: point[0]))
def test_lines_rise_in_size_and_are_nowhere_below_zero(points: list[tuple[int, float]]) -> None:
    lines = lines_through(points)
    assert lines[0].first == 0
    assert [line.first for line in lines] == sorted({line.first for line in lines})
    assert all(line.seconds >= 0 and line.seconds_per_byte >= 0 for line in lines)


@given(SECONDS, PER_BYTE)
def test_points_on_a_line_make_one_line(fixed: float, per_byte: float) -> None:
    lines = lines_through([(size, fixed + per_byte * size) for size in FITTED_SIZES])
    assert len(lines) == 1
    for size in SIZES:
        assert seconds_of(lines, size) == pytest.approx(fixed + per_byte * size, rel=2 * TOLERANCE)


@pytest.mark.parametrize(("ppn", "packet"), [(1, 0), (1, 1448), (2, 0)])
def test_the_formulas_of_the_fit_are_those_of_the_simulator(ppn: int, packet: int) -> None:
    network = open_source("full:2,hosts=1")
    [job] = contiguous_jobs(network, [3 - ppn], ppn)
    messages = MessageCosts(1e-6, (Line(0, 3e-7, 1e-10),), (Line(0, 4e-7, 2e-10),), 0, 4096, 7e-6, 2e9)
    reduce = (Line(0, 1e-7, 3e-10),)
    again = (Line(0, 0.0, 7e-10),)
    costs = Costs("given", inside=messages, between=messages, reduce=reduce, cache_refill=again)
    predictor = Predictor(network, model=Model(link_bandwidth=1e12, link_latency=0, costs=costs))
    both = 2 if ppn == 2 else 1
    if ppn == 1:
        messages = replace(messages, burst=3000, packet=packet)
        costs = replace(costs, between=messages)
        predictor = Predictor(network, model=Model(link_bandwidth=1e12, link_latency=0, costs=costs))
    for size in (8, 4096, 5000, 1 << 20):
        [sent] = predictor.predict([job], Call("broadcast", "binomial", size))
        assert sent.seconds == pytest.approx(one_way(messages, size), rel=1e-9)
        [combined] = predictor.predict([job], Call("allreduce", "recursive-doubling", size))
        expected = one_way(messages, size, both) + seconds_of(reduce, size) + seconds_of(again, size)
        assert combined.seconds == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ppn", [1, 2])
def test_the_formula_of_several_messages_is_the_simulators(ppn: int, tmp_path: Path) -> None:
    """By an allreduce that exchanges all blocks at once, and whose reductions take no time."""
    blocks = range(SEVERAL)

    def exchange(peer: int) -> dict[str, object]:
        send = [{"to": peer, "slots": [[block, 1]]} for block in blocks]
        receive = [{"from": peer, "slots": [[SEVERAL + block, 1]]} for block in blocks]
        return {"send": send, "receive": receive, "then": [{"do": "reduce", "slots": [SEVERAL, SEVERAL], "into": 0}]}

    schedule = {"collective": "allreduce", "ranks": 2, "blocks": SEVERAL, "scratch": [*blocks]}
    schedule["participants"] = [[[exchange(1)]], [[exchange(0)]]]
    file = tmp_path / "exchange.json"
    file.write_text(json.dumps({"format": "ayatori-schedule", "version": 1, "name": "x", "schedules": [schedule]}))
    network = open_source("full:2,hosts=1")
    [job] = contiguous_jobs(network, [3 - ppn], ppn)
    limits = [(4e-7, 0.0, 0, 0), (4e-7, 2e9, 0, 0), (9e-6, 2e9, 0, 0)]
    limits += [(4e-7, 2e9, 3000, 0), (4e-7, 2e9, 3000, 1448)] if ppn == 1 else []
    for receive, *of_nic in limits:
        messages = MessageCosts(1e-6, (Line(0, 3e-7, 1e-10),), (Line(0, receive, 2e-10),), 0, 4096, 7e-6, *of_nic)
        model = Model(link_bandwidth=1e15, link_latency=0, costs=Costs("given", inside=messages, between=messages))
        for size in (8, 4096, 5000, 1 << 20):
            call = Call("allreduce", f"file:{file}", SEVERAL * size)
            [found] = Predictor(network, model=model).predict([job], call)
            assert found.seconds == pytest.approx(SEVERAL * one_of_several(messages, size, ppn), rel=1e-6)


@settings(max_examples=tries(30))
@given(st.floats(0, 1), st.floats(1e-7, 1e-5))
def test_what_each_of_several_waits_for_is_time_of_the_receivers_processor(share: float, rendezvous: float) -> None:
    above = Line(4097, 2e-7 + share * rendezvous, 1e-10)
    receive = (Line(0, 2e-7, 1e-10), above)
    costs = MessageCosts(1e-6, (Line(0, 1e-7),), receive, 0, 4096, (1 - share) * rendezvous)
    local = (Line(0, 1e-8, 1e-10),)
    found = fit(measurement_of(costs, local, local), "inside").messages
    assert found.rendezvous == pytest.approx((1 - share) * rendezvous, abs=0.03 * rendezvous + 1e-8)


def test_noise_is_said() -> None:
    measured = measurement_of(MessageCosts(1e-6, (Line(0, 1e-7),), (Line(0, 1e-7, 1e-10),), 0, 4096), (), ())
    assert measured.noisy_share() == 0
    assert calibration_of(measured, None, 0, OversubscribedTimes(1, {1: 0.0}, 0, 0)).remarks == ()
    for samples in measured.patterns.values():
        samples.three_quarters = {size: 2 * seconds for size, seconds in samples.median.items()}
    assert measured.noisy_share() == 1 > TOO_NOISY
    assert any(
        "too noisy" in remark
        for remark in calibration_of(measured, None, 0, OversubscribedTimes(1, {1: 0.0}, 0, 0)).remarks
    )


def test_the_start_and_what_it_takes_to_replace_what_was_sent_are_found() -> None:
    costs = MessageCosts(1e-6, (Line(0, 1e-7),), (Line(0, 1e-7, 1e-10),), 0, 4096)
    local = (Line(0, 1e-8, 1e-10),)
    found = fit(measurement_of(costs, local, local), "inside")
    assert found.start == pytest.approx(START, rel=1e-6)
    for size in (4096, 1 << 20):
        assert seconds_of(found.cache_refill, size) == pytest.approx(seconds_of(AGAIN, size), rel=0.05)
        assert seconds_of(found.reduce, size) == pytest.approx(seconds_of(local, size), rel=0.05)


@settings(max_examples=tries(30))
@given(message_costs(), st.booleans(), st.randoms(use_true_random=False))
def test_any_noise_makes_costs_that_can_be_simulated_with(costs: MessageCosts, inside: bool, random: Random) -> None:
    local = (Line(0, 1e-8, 1e-10),)
    measured = measurement_of(costs, local, local, inside)
    for samples in measured.patterns.values():
        samples.median = {size: seconds * 10 ** random.uniform(-2, 2) for size, seconds in samples.median.items()}
    found = fit(measured, "inside" if inside else "between")
    messages = found.messages
    numbers = [found.start, messages.latency, messages.gap, messages.rendezvous, messages.bandwidth]
    for cost in (messages.send, messages.receive, found.copy, found.reduce, found.cache_refill):
        numbers += [number for line in cost for number in (line.seconds, line.seconds_per_byte)]
    assert all(isfinite(number) and number >= 0 for number in numbers), numbers


def test_times_of_another_pace_are_said() -> None:
    measured = measurement_of(MessageCosts(1e-6, (Line(0, 1e-7),), (Line(0, 1e-7, 1e-10),), 0, 4096), (), ())
    measured.other_pace = 0.25
    [remark] = calibration_of(measured, None, 0, OversubscribedTimes(1, {1: 0.0}, 0, 0)).remarks
    assert "while 25% of the times were measured, messages had another pace" in remark
    measured.other_pace = 0
    [remark] = calibration_of(measured, None, 0, OversubscribedTimes(1, {1: 0.0}, 0, 0, at_another_pace=True)).remarks
    assert "was measured at another pace of the cores than the rest" in remark


@given(message_costs(), st.integers(0, 1 << 22))
def test_schedules_that_our_engine_executes_cost_its_time_at_both_ends(costs: MessageCosts, size: int) -> None:
    executed = costs_of(Calibration("n1", "MPI", costs, costs, engine=5e-8), FREE, 0)
    for found in (executed.inside, executed.between):
        assert one_way(found, size) == pytest.approx(one_way(costs, size) + 1e-7)


@settings(max_examples=tries(30))
@given(message_costs(), st.none() | message_costs(), st.integers(0, 9))
def test_calibrations_come_back_as_they_were_written(
    inside: MessageCosts, between: MessageCosts | None, links: int
) -> None:
    errors = (FitError("one way inside", True, 12, 0.03, 0.5),)
    written = Calibration(
        "n1",
        "MPI",
        inside,
        between,
        links,
        (Line(0, 0.0, 1e-10),),
        (),
        AGAIN,
        START,
        4e-8,
        2,
        (Line(0, 9e-7, 0.0), Line(4096, 0.0, 1e-10)),
        1.4e-5,
        (Line(0, 1e-7, 0.0), Line(257, 2e-6, 1e-11)),
        ("busy",),
        errors,
    )
    with TemporaryDirectory() as folder:
        path = Path(folder) / "calibration.json"
        write_calibration(written, path)
        assert read_calibration(path) == written
        document_in(path, "calibration")


@settings(max_examples=tries(12))
@given(message_costs(), SECONDS, SECONDS, PER_BYTE, st.integers(2, 3), st.sampled_from([2, 4]))
def test_what_sharing_costs_gives_back_what_the_model_takes(
    costs: MessageCosts, wait: float, more: float, per_byte: float, cores: int, ranks_a_core: int
) -> None:
    """Of steps that the model itself has timed, whose costs jump at 4 KiB: straight lines blur the jump."""
    ranks = ranks_a_core * cores
    oversubscription = (Line(0, more), Line(4096, 2 * more, per_byte))
    known = Costs(inside=costs, cores=cores, scheduling_delay=fixed(wait), oversubscription=oversubscription)
    steps = ring_steps(known, ranks, FITTED_SIZES)
    hop = one_way(costs, min(FITTED_SIZES)) + ranks_a_core / 2 * wait
    found = fit_sharing(OversubscribedTimes(ranks, steps, 1e-5, hop), costs, cores)
    assert seconds_of(found.scheduling_delay, 1) == pytest.approx(wait, abs=1e-12)
    assert found.start_skew == pytest.approx(1e-5 / (ranks_a_core - 1))
    again = ring_steps(replace(known, oversubscription=found.oversubscription), ranks, FITTED_SIZES)
    for size in FITTED_SIZES:
        assert again[size] == pytest.approx(steps[size], rel=0.5 if size in (1024, 4096) else 0.06), size


def test_ranks_with_a_core_each_do_not_wait() -> None:
    costs = MessageCosts(latency=1e-6)
    assert fit_sharing(OversubscribedTimes(2, {1: 1.0}, 1.0, 1.0), costs, cores=2) == Sharing()
    assert fit_sharing(OversubscribedTimes(2, {1: 1.0}, 1.0, 1.0), costs, cores=1) == Sharing(), (
        "as is known of two ranks there"
    )
    quick = fit_sharing(OversubscribedTimes(4, dict.fromkeys(FITTED_SIZES, 1e-9), 0, 1e-9), costs, cores=2)
    assert seconds_of(quick.scheduling_delay, 1) == 0
    assert all(seconds_of(quick.oversubscription, size) == 0 for size in FITTED_SIZES)


def test_times_where_ranks_take_turns_are_steps_and_hops() -> None:
    """One step takes 3 s + 7 s, a lap 20 s + 4 hops of 5 s."""
    head = {"ranks": 4, "steps": 3, "one_step": 10.0, "one_lap": 40.0, "two_laps": 60.0, "at_another_pace": True}
    oversubscribed = oversubscribed_times_of([head, {"bytes": 1, "seconds": 16.0}, {"bytes": 64, "seconds": 19.0}])
    assert oversubscribed == OversubscribedTimes(4, {1: 3.0, 64: 4.0}, 7.0, 5.0, at_another_pace=True)


def test_a_busy_machine_lets_no_step_and_no_hop_be_free() -> None:
    """Another program had a core while one step and one lap were measured: both took longer than several."""
    head = {"ranks": 4, "steps": 3, "one_step": 10.0, "one_lap": 40.0, "two_laps": 32.0, "at_another_pace": False}
    assert oversubscribed_times_of(
        [head, {"bytes": 1, "seconds": 9.0}, {"bytes": 64, "seconds": 12.0}]
    ) == OversubscribedTimes(4, {1: 3.0, 64: 4.0}, 0.0, 4.0)


def test_cores_and_turns_are_those_of_the_machine_that_was_measured() -> None:
    sharing = {"scheduling_delay": fixed(1e-6), "start_skew": 2e-6, "oversubscription": fixed(5e-7)}
    measured = Calibration("n1", "MPI", MessageCosts(latency=3e-6, eager_limit=8), cores=2, **sharing)
    costs = costs_of(measured, FREE, 0)
    assert (costs.cores, costs.scheduling_delay, costs.start_skew, costs.oversubscription) == (2, *sharing.values())
    elsewhere = costs_of(replace(measured, inside=None), FREE, 0)
    assert (elsewhere.cores, elsewhere.scheduling_delay, elsewhere.start_skew, elsewhere.oversubscription) == (
        0,
        (),
        0,
        (),
    )
    network = open_source("fattree:K=2,levels=1")
    seconds = []
    for ranks in (2, 4, 8):
        [job] = contiguous_jobs(network, [1], ranks)
        [predicted] = Predictor(network, model=Model(costs=costs)).predict([job], Call("broadcast", "linear", 8))
        seconds.append(predicted.seconds)
    # Of 7 messages that come at once two are received at a time, the last one alone.
    four, eight = 3e-6 + 1e-6 + 2e-6 + 2 * 0.5e-6, 3e-6 + 2 * 1e-6 + 3 * 2e-6 + 4 * 2 * 0.5e-6
    assert seconds == pytest.approx([3e-6, four, eight]), "one and three more ranks share the core of each receiver"


def test_ranks_are_bound_to_cores_on_one_machine_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts that are namespaces of one machine would all have its first core."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _process: {0, 1})
    for is_open_mpi, option in ((True, "--bind-to"), (False, "-bind-to")):
        mpi = Mpi("mpirun", "mpicc", is_open_mpi)
        for hostfile, ranks, bound in ((None, 2, "core"), (None, 4, "none"), (Path("hosts"), 2, "none")):
            words = placement(mpi, hostfile, ranks)
            assert words[words.index(option) + 1] == bound
            assert words[-2:] == ["-np", str(ranks)]
            assert ("hosts" in words) == (hostfile is not None)


def test_what_the_program_prints_is_read() -> None:
    text = """[n1] some warning
{"mpi": "Open MPI v4.1.4", "hosts": ["n1", "n2"], "same_node": false, "rounds": 9, "eager_limit": 4040}
{"pattern": "one_way", "bytes": 8, "median": 1e-06, "tenth": 9e-07, "three_quarters": 2e-06}
"""
    measured = parse_measurement(text)
    assert (measured.mpi, measured.same_node, measured.eager_limit) == ("Open MPI v4.1.4", False, 4040)
    assert measured.medians("one_way") == {8: 1e-6}
    with pytest.raises(Error, match="nothing that can be read"):
        parse_measurement("")


@pytest.mark.parametrize("whole", [True, False])
def test_what_was_measured_counts_also_if_the_mpi_fails_to_end(tmp_path: Path, whole: bool) -> None:
    lines = [
        '{"mpi": "MPICH", "hosts": ["n1", "n2"], "same_node": false, "rounds": 9, "eager_limit": 64}',
        '{"pattern": "one_way", "bytes": 8, "median": 1e-06, "tenth": 9e-07, "three_quarters": 2e-06}',
        *(['{"end": true}'] if whole else []),
    ]
    mpirun = program_at(tmp_path / "mpirun", "".join(f"echo '{line}'\n" for line in lines) + "exit 5")
    mpi = Mpi(str(mpirun), "mpicc", is_open_mpi=False)
    if whole:
        assert measure(mpi, ["calibrate"], tmp_path, 0.1, None).medians("one_way") == {8: 1e-6}
    else:
        with pytest.raises(Error, match="mpirun failed"):
            measure(mpi, ["calibrate"], tmp_path, 0.1, None)


def test_hosts_of_a_hostfile(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("\ufeffn1 slots=2\n# two of them\nn2:4\n\nn1\n", encoding="utf-8")
    assert hosts_in(file) == ["n1", "n2"]


def test_an_mpi_that_is_not_there_is_an_error() -> None:
    with pytest.raises(Error, match="not installed"):
        find_mpi("no-such-mpirun")
