"""Long runs: whatever interrupts them, what is done is kept, and the rest is done later."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori.errors import Error
from ayatori.runs import Interrupted, PartialResults, run


def squares(chunk: range) -> list[int]:
    return [i * i for i in chunk]


def nothing(_count: int) -> None:
    pass


@given(pieces=st.integers(0, 40), chunk=st.integers(1, 9), stops=st.lists(st.integers(0, 40), max_size=4))
@settings(max_examples=40, deadline=None)
def test_resumed_runs_end_like_uninterrupted_ones(tmp_path_factory, pieces: int, chunk: int, stops: list[int]) -> None:
    folder = tmp_path_factory.mktemp("run")
    parameters = {"pieces": pieces, "chunk": chunk}
    counted = 0

    def count(done: int) -> None:
        nonlocal counted
        counted += done

    for stop in [*sorted(stops), None]:

        def work(part: range, stop: int | None = stop) -> list[int]:
            if stop is not None and stop in part:
                raise KeyboardInterrupt
            return squares(part)

        partial = PartialResults(parameters, folder)
        partial.load()
        counted = 0
        try:
            assert run(pieces, chunk, work, partial, count) == squares(range(pieces))
            assert counted == pieces
            assert list(folder.iterdir()) == []
        except Interrupted:
            assert stop is not None and len(json.loads(partial.path.read_text())["results"]) <= stop


def test_results_of_something_else_are_refused(tmp_path: Path) -> None:
    mine = PartialResults({"bytes": 1}, tmp_path)
    mine.add([1, 2])
    mine.save()
    for broken in ("", "{", "[]", '{"parameters": {"bytes": 2}, "results": []}', '{"parameters": {"bytes": 1}}'):
        mine.path.write_text(broken)
        with pytest.raises(Error, match="can't resume"):
            PartialResults({"bytes": 1}, tmp_path).load()


def test_an_error_of_the_work_is_the_error_of_the_run(tmp_path: Path) -> None:
    def work(_chunk: range) -> list[int]:
        raise Error("no such job")

    with pytest.raises(Error, match="no such job"):
        run(3, 1, work, PartialResults({}, tmp_path), nothing)
