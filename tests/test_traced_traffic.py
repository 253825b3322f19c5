"""Traces of programs become patterns: which messages start together, how often, and what a plan is made for."""

import copy
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.planning.traced import read_traced
from ayatori.planning.traffics import sizes_differ, steps_of
from ayatori.traces.files import trace_of
from ayatori.traces.phases import Phases, Step
from command_line import run_here

SAYS = "Open MPI v4.1.4, package: Debian OpenMPI"
Calls = list[tuple[list[Any], list[int]]]
"""Of a rank: the operations that a call begins, and the numbers of those that it ends."""


def rank_file(rank: int, members: list[list[int]], calls: Calls, **more: Any) -> dict[str, Any]:
    head = {"format": "ayatori-trace", "version": 1, "rank": rank, "ranks": len(members[0]), "mpi": SAYS}
    head |= {"host": f"h{rank}", "cores": [rank], "thread_level": [0, 0], "clock_offset": 0.0, "eager_limits": []}
    head |= {"threads": [], "left_out": 0, "unseen": [], "calling_threads": 1, "members": members, "traffic": []}
    operations: list[Any] = []
    written: list[Any] = []
    for begun, ended in calls:
        first, time = len(operations), float(len(written))
        operations += begun
        written.append(["MPI_Call", time, time + 0.5, 0.5, [first, len(operations)], ended, -1])
    return head | {"from": 0.0, "until": float(len(written)), "operations": operations, "calls": written} | more


def send(to: int, size: int = 8, members: int = 0) -> list[Any]:
    return ["send", to, 0, members, size]


def receive(sender: int, size: int = 8, members: int = 0) -> list[Any]:
    return ["receive", sender, 0, members, size]


def collective(name: str, size: int, members: int = 0, peer: int = -1, tag: int = 0) -> list[Any]:
    return [name, peer, tag, members, size]


def steps_by_hand(all_calls: Sequence[Calls], members: list[list[int]] | None = None) -> list[Step]:
    groups = members or [list(range(len(all_calls)))]
    traces = [trace_of(rank_file(rank, groups, calls)) for rank, calls in enumerate(all_calls)]
    return Phases(traces, lambda _operation: None).steps


def written(folder: Path, all_calls: Sequence[Calls], members: list[list[int]] | None = None) -> str:
    groups = members or [list(range(len(all_calls)))]
    for rank, calls in enumerate(all_calls):
        (folder / f"rank-{rank}.json").write_text(json.dumps(rank_file(rank, groups, calls)))
    return str(folder)


def pairs_of(steps: _core.StepSequence) -> list[set[tuple[int, int]]]:
    return [{(m.from_rank, m.to_rank) for m in steps.messages(step)} for step in range(steps.step_count)]


def test_messages_of_one_wait_are_one_step_and_a_chain_is_several() -> None:
    ring = [[([receive((rank - 1) % 3), send((rank + 1) % 3)], [0, 1])] for rank in range(3)]
    assert steps_by_hand(ring) == [{(0, 1): 8, (1, 2): 8, (2, 0): 8}]
    chain: list[Calls] = [
        [([send(1, 5)], [0])],
        [([receive(0, 5)], [0]), ([send(2, 6)], [1])],
        [([receive(1, 6)], [0])],
    ]
    assert steps_by_hand(chain) == [{(0, 1): 5}, {(1, 2): 6}]


def test_sends_that_block_come_one_after_the_other_and_others_go_together() -> None:
    receivers: list[Calls] = [[([receive(0)], [0])], [([receive(0)], [0])]]
    blocking: Calls = [([send(1)], [0]), ([send(2)], [1])]
    assert steps_by_hand([blocking, *receivers]) == [{(0, 1): 8}, {(0, 2): 8}]
    together: Calls = [([send(1)], []), ([send(2)], []), ([], [0, 1])]
    assert steps_by_hand([together, *receivers]) == [{(0, 1): 8, (0, 2): 8}]


def test_a_step_that_comes_again_is_there_once_with_all_its_bytes() -> None:
    there: Calls = [([receive(1), send(1, 10)], [0, 1]), ([receive(1), send(1, 20)], [2, 3])]
    back: Calls = [([receive(0), send(0, 10)], [0, 1]), ([receive(0), send(0, 20)], [2, 3])]
    assert steps_by_hand([there, back]) == [{(0, 1): 30, (1, 0): 30}]


def test_one_sided_messages_go_from_the_origin_to_the_target_or_back() -> None:
    origin: Calls = [([["put", 1, 0, 0, 7]], []), ([["fence", -1, 0, 0, 0]], [0, 1]), ([["get", 1, 0, 0, 9]], [2])]
    other: Calls = [([["fence", -1, 0, 0, 0]], [0])]
    assert steps_by_hand([origin, other]) == [{(0, 1): 7}, {(1, 0): 9}]


def test_polls_of_the_own_memory_take_no_step() -> None:
    polls: Calls = [([["accumulate", 0, 0, 0, 8]], [number]) for number in range(3)]
    origin: Calls = [*polls, ([["put", 1, 0, 0, 7]], [3])]
    assert steps_by_hand([origin, [([["put", 0, 0, 0, 7]], [0])]]) == [{(0, 1): 7, (1, 0): 7}]


def test_collectives_of_neighbours_have_the_receivers_of_the_trace() -> None:
    """Their tag is the number of the receivers among the groups."""
    groups = [[0, 1, 2], [1], [0, 2], []]
    calls: list[Calls] = [[([collective("neighbours", 64, tag=tag)], [0])] for tag in (1, 2, 3)]
    assert steps_by_hand(calls, groups) == [{(0, 1): 64, (1, 0): 64, (1, 2): 64}]


ROUNDS = st.lists(
    st.dictionaries(
        st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: pair[0] != pair[1]),
        st.integers(1, 1 << 40),
        min_size=1,
        max_size=8,
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda step: frozenset(step),
)


@given(ROUNDS, st.randoms())
def test_rounds_between_barriers_are_the_steps(rounds: list[Step], random: Any) -> None:
    """Each rank begins all messages of its round in any order, waits for all, and enters a barrier."""
    calls: list[Calls] = []
    for rank in range(5):
        own: Calls = []
        number = 0
        for step in rounds:
            begun = [send(to, size) for (sender, to), size in step.items() if sender == rank]
            begun += [receive(sender, size) for (sender, to), size in step.items() if to == rank]
            random.shuffle(begun)
            own += [([one], []) for one in begun]
            own += [([], list(range(number, number + len(begun)))), ([collective("barrier", 0)], [number + len(begun)])]
            number += len(begun) + 1
        calls.append(own)
    assert steps_by_hand(calls) == rounds


def test_rows_and_columns_of_a_transform_exchange_at_the_same_time(tmp_path: Path) -> None:
    """Ranks 0 1 / 2 3: an all-to-all in each row, then one in each column, among a barrier and a short allreduce."""
    groups = [[0, 1, 2, 3], [0, 1], [2, 3], [0, 2], [1, 3]]
    calls: list[Calls] = []
    for rank in range(4):
        row, column = 1 + rank // 2, 3 + rank % 2
        begun = [
            collective("barrier", 0),
            collective("alltoall", 1 << 20, row),
            collective("alltoall", 1 << 20, column),
            collective("allreduce", 8),
        ]
        calls.append([([one], [number]) for number, one in enumerate(begun)])
    steps = steps_of(written(tmp_path, calls, groups), 4)
    rows, columns = {(0, 1), (1, 0), (2, 3), (3, 2)}, {(0, 2), (2, 0), (1, 3), (3, 1)}
    seen = pairs_of(steps)
    assert [step in (rows, columns) for step in seen] == [True] * 100
    assert (seen.count(rows), seen.count(columns)) == (50, 50)
    assert not sizes_differ(str(tmp_path))
    assert pairs_of(steps_of(str(tmp_path / "rank-2.json"), 4)) == seen


def test_trees_and_unknown_operations(tmp_path: Path) -> None:
    calls: list[Calls] = [
        [
            ([collective("broadcast", 64, peer=2)], [0]),
            ([collective("scan", 64)], [1]),
            ([["file write", -1, 0, 0, 9]], [2]),
        ]
        for _ in range(3)
    ]
    traced = read_traced(Path(written(tmp_path, calls)))
    lines = [line.split() for line in traced.text.splitlines() if line]
    assert {receiver for _, receiver, _ in lines} == {"0", "1"} and {size for *_, size in lines} == {"64"}
    assert traced.unknown == ["scan"]


def test_what_is_not_the_trace_of_this_job_is_refused_in_one_line(tmp_path: Path) -> None:
    folder = written(tmp_path, [[([send(1)], [0])], [([receive(0)], [0])]])
    with pytest.raises(Error, match="is the trace of 2 ranks, and the job has 3"):
        steps_of(folder, 3)
    stuck: list[Calls] = [
        [([collective("allreduce", 8, 1)], [0]), ([collective("allreduce", 8, 2)], [1])],
        [([collective("allreduce", 8, 2)], [0]), ([collective("allreduce", 8, 1)], [1])],
    ]
    groups = [[0, 1], [0, 1], [1, 0]]
    with pytest.raises(Error, match="the ranks' traces do not fit together"):
        steps_by_hand(stuck, groups)
    cut = trace_of(rank_file(0, [[0]], [], left_out=5))
    with pytest.raises(Error, match="rank 0 made 5 calls more than a trace holds"):
        Phases([cut], lambda _operation: None)
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(Error, match="has written no trace"):
        steps_of(str(empty), 2)
    silent = tmp_path / "silent"
    silent.mkdir()
    written(silent, [[([collective("barrier", 0)], [0])]] * 2)
    with pytest.raises(Error, match="has sent nothing"):
        steps_of(str(silent), 2)


JUNK = st.one_of(st.none(), st.integers(-3, 9), st.text(max_size=3), st.lists(st.integers(-2, 3), max_size=3))


@settings(max_examples=300)
@given(st.data())
def test_broken_traces_are_refused_or_have_steps_of_their_ranks(data: st.DataObject) -> None:
    """Any value of any rank's trace replaced by junk."""
    good: list[Calls] = [
        [([receive(1), send(1)], [0, 1]), ([collective("allreduce", 8)], [2]), ([collective("neighbours", 4)], [3])],
        [([receive(0), send(0)], [0, 1]), ([collective("allreduce", 8)], [2]), ([collective("neighbours", 4)], [3])],
    ]
    files = [copy.deepcopy(rank_file(rank, [[0, 1]], calls)) for rank, calls in enumerate(good)]
    value: Any = files[data.draw(st.integers(0, 1))]
    for _ in range(data.draw(st.integers(1, 4))):
        keys = sorted(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            break
        key = data.draw(st.sampled_from(keys))
        if not isinstance(value[key], list) or not value[key] or data.draw(st.booleans()):
            value[key] = data.draw(JUNK)
            break
        value = value[key]
    try:
        steps = Phases([trace_of(one) for one in files], lambda _operation: None).steps
    except (Error, ValueError, KeyError, TypeError, IndexError):  # read_traces() makes an Error of the others
        return
    assert all(pair in {(0, 1), (1, 0)} and size > 0 for step in steps for pair, size in step.items())


def test_plan_is_made_for_a_trace(tmp_path: Path) -> None:
    """Ranks exchange with the rank eight further only: what hinders them at base LIDs is not a usual traffic."""
    ranks = 16
    folder = tmp_path / "trace"
    folder.mkdir()
    calls: list[Calls] = [
        [([receive((rank + 8) % ranks, 1 << 20), send((rank + 8) % ranks, 1 << 20)], [0, 1])] for rank in range(ranks)
    ]
    written(folder, calls)
    (tmp_path / "hosts").write_text(
        "".join(f"N{n}\n" for n in (3, 17, 4, 9, 28, 0, 12, 21, 7, 22, 15, 1, 8, 25, 19, 11))
    )
    plan = [
        "plan",
        "fattree:K=6,levels=2,nodes=30",
        "--job",
        str(tmp_path / "hosts"),
        "--traffic",
        str(folder),
        "--json",
    ]
    done = run_here(*plan)
    found = json.loads(done.stdout)
    assert found["named"] == [str(folder)] == [found["pattern"]]
    traffic = found["traffics"][0]
    assert traffic["traffic"] == str(folder) and traffic["with_plan"] == 1.0 > traffic["without"]
    assert "16 ranks, 1 step of different messages" in done.stderr
