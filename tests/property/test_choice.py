"""Choices: rankings are sorted, tables cover every size once and come back as written, and broken ones are refused."""

import json
import math
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.formats.choice_table import Measured, Table, read_table, table_of, write_table
from ayatori.model.jobs import contiguous_jobs, random_jobs
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call, algorithms_of
from ayatori.prediction.choice import (
    AS_FAST,
    MOST_RANKS_TO_EACH,
    Candidate,
    Choice,
    Ranking,
    choose,
    chunk_sizes_to_try,
)
from ayatori.prediction.costs import FREE, Costs, Line, MessageCosts
from ayatori.prediction.predictor import Model, Predictor
from schemas import document_in
from thoroughness import tries

COLLECTIVES = list(dict.fromkeys(algorithm.collective for algorithm in _core.algorithms()))
SIZED = [collective for collective in COLLECTIVES if collective not in ("barrier", "alltoallv")]  # one number says all
SOURCES = ["fattree:K=3,levels=2", "torus:2x3x2", "dragonfly:a=2,p=2,h=1"]
MODEL = Model(link_bandwidth=1e9, link_latency=1e-6, costs=FREE)
SIZES = st.integers(1, 1 << 40)


@cache
def network_of(source: str):
    return open_source(source)


@settings(max_examples=tries(12))
@given(st.data())
def test_rankings_are_sorted_and_true(data) -> None:
    """Every algorithm is ranked or left out, once; what leads takes at most 1% longer than any algorithm predicted by
    itself, and none that is as fast sends fewer messages."""
    network = network_of(data.draw(st.sampled_from(SOURCES)))
    machines, ppn, seed = (data.draw(st.integers(1, most)) for most in (6, 3, 1000))
    jobs = random_jobs(network, 1, machines, ppn, seed)
    collective = data.draw(st.sampled_from(SIZED))
    size = data.draw(st.integers(1, 1 << 20))
    (ranking,) = choose(Predictor(network, model=MODEL), jobs, [(collective, size)]).rankings
    times = [candidate.seconds for candidate in ranking.ranked[1:]]
    assert all(a <= b * (1 + 1e-8) for a, b in zip(times, times[1:], strict=False))
    limit = AS_FAST * min(candidate.seconds for candidate in ranking.ranked)
    assert ranking.best.seconds <= limit
    assert all(ranking.best.messages <= other.messages for other in ranking.ranked if other.seconds <= limit)
    names = [entry.algorithm for entry in [*ranking.ranked, *ranking.left_out]]
    left_out = [entry.name for entry in algorithms_of(collective) if entry.of_an_mpi]
    assert sorted(names + left_out) == sorted(algorithm.name for algorithm in algorithms_of(collective))
    predictor = Predictor(network, model=MODEL)
    for candidate in ranking.ranked:
        alone = predictor.predict(jobs, Call(collective, candidate.algorithm, size, chunk_bytes=candidate.chunk_bytes))[
            0
        ]
        assert (alone.seconds, alone.messages) == (candidate.seconds, candidate.messages)
        automatic = predictor.predict(jobs, Call(collective, candidate.algorithm, size))[0]
        assert candidate.seconds <= automatic.seconds


def test_algorithms_in_which_each_rank_sends_to_each_other_are_compared_in_small_jobs_alone() -> None:
    for ppn in (1, MOST_RANKS_TO_EACH, MOST_RANKS_TO_EACH + 1):
        network = network_of("full:1,hosts=1")
        (job,) = contiguous_jobs(network, [1], ppn)
        (ranking,) = choose(Predictor(network, model=MODEL), [job], [("allreduce", 1024)]).rankings
        reasons = {entry.algorithm: entry.reason for entry in ranking.left_out}
        for name in ("spread", "two-step"):
            assert ("each rank sends to each other" in reasons.get(name, "")) == (ppn > MOST_RANKS_TO_EACH)


def test_several_jobs_count_by_their_mean() -> None:
    network = network_of(SOURCES[0])
    jobs = random_jobs(network, 3, 5, 1, 7)
    calls = [("alltoall", 4096)]
    predictor = Predictor(network, model=MODEL)
    together = choose(predictor, jobs, calls).rankings[0]
    alone = [choose(predictor, [job], calls).rankings[0] for job in jobs]
    for candidate in together.ranked:
        times = [c.seconds for ranking in alone for c in ranking.ranked if c.algorithm == candidate.algorithm]
        assert candidate.seconds == pytest.approx(math.fsum(times) / 3, rel=1e-12)


@settings(deadline=None)
@given(st.integers(1, 1 << 30), st.integers(1, 64))
def test_chunk_sizes_are_powers_of_four_below_the_size(size: int, ranks: int) -> None:
    call = Call("broadcast", "chain", size)
    sizes = chunk_sizes_to_try(call, _core.placement_of_ranks(ranks, 1))
    assert len(sizes) == len(set(sizes)) <= 5
    assert all(1024 <= chunk < size and math.log2(chunk) % 2 == 0 for chunk in sizes)


@st.composite
def choices(draw) -> Choice:
    """For one real job, with winners that nobody predicted."""
    network = network_of(SOURCES[0])
    jobs = random_jobs(network, 1, draw(st.integers(1, 9)), draw(st.integers(1, 4)), draw(st.integers(0, 99)))
    rankings = []
    for collective in draw(st.lists(st.sampled_from(SIZED), min_size=1, unique=True)):
        names = [algorithm.name for algorithm in algorithms_of(collective)]
        for size in draw(st.lists(SIZES, min_size=1, max_size=8, unique=True)):
            best = Candidate(draw(st.sampled_from(names[:3])), draw(st.sampled_from([0, 4096])), 1.0)
            rankings.append(Ranking(collective, size, [best], []))
    send = (Line(0, draw(st.floats(0, 1))), Line(draw(SIZES), 0.25, draw(st.floats(0, 1))))
    costs = Costs("given", MessageCosts(eager_limit=draw(SIZES)), MessageCosts(send=send), reduce=(Line(1, 0, 0.5),))
    model = Model(link_latency=draw(st.floats(0, 1)), costs=costs, head_of_line=draw(st.booleans()))
    return Choice(
        jobs,
        draw(st.sampled_from(["base-lids", "pair", "dimension-order", "adaptive", "ecmp"])),
        model,
        rankings,
    )


def table_from(choice: Choice) -> Table:
    return table_of(SOURCES[0], network_of(SOURCES[0]), choice)


@settings(max_examples=tries(25))
@given(choices())
def test_tables_cover_every_size_once(choice: Choice) -> None:
    table = table_from(choice)
    for ranking in choice.rankings:
        found = table.lookup(ranking.collective, ranking.bytes)
        assert (found.algorithm, found.chunk_bytes) == (ranking.best.algorithm, ranking.best.chunk_bytes)
    for sizes in table.collectives.values():
        assert sizes.intervals[0].first == 0 and sizes.intervals[-1].last is None
        for a, b in zip(sizes.intervals, sizes.intervals[1:], strict=False):
            assert a.last is not None and a.first <= a.last and b.first == a.last + 1
            assert (a.algorithm, a.chunk_bytes) != (b.algorithm, b.chunk_bytes)
            left = max(size for size in sizes.sampled if size <= a.last)
            right = min(size for size in sizes.sampled if size > a.last)
            assert a.last**2 <= left * right < (a.last + 1) ** 2


@settings(max_examples=tries(12))
@given(choices())
def test_tables_come_back_as_they_were_written(choice: Choice) -> None:
    table = table_from(choice)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.json"
        write_table(table, path)
        assert read_table(path) == table
        document_in(path, "choice-table")
        measured = Measured("n1: a processor, 2 cores", "Open MPI v4.1.4", "2026-11-27", 3)
        table = replace(table, source="", method="", model=Model(), measured=measured)
        write_table(table, path)
        assert read_table(path) == table
        assert not {"source", "method", "model"} & set(document_in(path, "choice-table"))


@pytest.mark.parametrize(
    ("keys", "value", "named"),
    [
        (["source"], "", "/source: expected"),
        (["machines"], [], "/machines: expected"),
        (["machines", 0, "ranks"], 0, "/machines/0/ranks: expected"),
        (["machines", 0, "host"], 7, "/machines/0/host: expected"),
        (["model", "between", "gap"], -1, "/model/between/gap: expected"),
        (["model", "between", "gap"], math.nan, "JSON"),
        (["collectives"], {}, "/collectives: expected"),
        (["collectives", "barrier"], {}, "/collectives/barrier: expected a member 'sampled'"),
        (["collectives", "alltoall", "intervals", 1, "to"], 9000, "/intervals/1/to: expected null"),
    ],
)
def test_errors_name_file_and_key(tmp_path: Path, keys: list, value, named: str) -> None:
    """What choice_table_test.cpp asks besides is not asked again; any input at all is for choice_table_fuzz.cpp."""
    jobs = random_jobs(network_of(SOURCES[0]), 1, 4, 1, 1)
    rankings = [
        Ranking("alltoall", size, [Candidate(name, 0, 1.0)], []) for size, name in ((1024, "bruck"), (4096, "shift"))
    ]
    path = tmp_path / "table.json"
    write_table(table_from(Choice(jobs, "base-lids", Model(link_latency=0, costs=FREE), rankings)), path)
    document = json.loads(path.read_text())
    inner = document
    for key in keys[:-1]:
        inner = inner[key]
    inner[keys[-1]] = value
    path.write_text(json.dumps(document))
    with pytest.raises(Error) as raised:
        read_table(path)
    assert raised.value.message.startswith(f"{path}:") and named in raised.value.message
