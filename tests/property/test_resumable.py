"""Long runs: whatever interrupts them, what is done is kept, and the rest is done later."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.cli.app import app
from ayatori.cli.execution import execute
from ayatori.model.network import open_source
from ayatori.resumable import Interrupted, SavedResults, computation, compute, partial_file


def squares(chunk: range) -> list[int]:
    return [i * i for i in chunk]


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

        saved = SavedResults(partial_file(parameters, folder), parameters, save_every=10)
        saved.load()
        counted = 0
        try:
            assert compute(saved, "squares", range(pieces), chunk, work, count) == squares(range(pieces))
            assert counted == pieces
            saved.remove()
            assert list(folder.iterdir()) == []
        except Interrupted:
            assert stop is not None and len(json.loads(saved.path.read_text())["results"]["squares"]) <= stop


HEAD = '"format": "ayatori-results", "version": 1'
UNREADABLE = [
    "",
    "{",
    "[]",
    "{}",
    '{"parameters": {"bytes": 1}, "results": {}}',
    f'{{{HEAD}, "parameters": 3, "results": {{}}}}',
    f'{{{HEAD}, "parameters": {{"bytes": 1}}, "results": []}}',
    f'{{{HEAD}, "parameters": {{"bytes": 1}}, "resu',
    f'{{{HEAD}, "parameters": {{"bytes": 2}}, "results": {{}}}}',
    f'{{{HEAD.replace("1", "2")}, "parameters": {{"bytes": 1}}, "results": {{}}}}',
]


@pytest.mark.parametrize("contents", UNREADABLE)
def test_files_that_do_not_hold_this_runs_results_are_refused(contents: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(contents)
    with pytest.raises(Error, match="can't resume from .*results.json"):
        SavedResults(path, {"bytes": 1}).load()


def test_saved_results_are_loaded_under_their_names(tmp_path: Path) -> None:
    saved = SavedResults(tmp_path / "folder" / "results.json", {"sizes": (1, 2)})
    assert not saved.load()
    saved.add("squares", [1, 4])
    saved.add("cubes", [1])
    saved.add("squares", [9])
    again = SavedResults(saved.path, {"sizes": (1, 2)})
    assert again.load()
    assert (again.of("squares"), again.of("cubes"), again.of("others")) == ([1, 4, 9], [1], [])


SLOW_RUN = """
import sys, time
from pathlib import Path
from ayatori.resumable import Interrupted, SavedResults, compute

class Slow(SavedResults):
    def save(self):
        print("saving", flush=True)
        time.sleep(0.3)
        super().save()

def work(chunk):
    print("working", flush=True)
    time.sleep(0.05)
    return list(chunk)

try:
    compute(Slow(Path("partial"), {}, save_every=10), "numbers", range(10**6), 1, work)
except Interrupted:
    sys.exit(130)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_does_not_end_the_saving(number: signal.Signals, tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", SLOW_RUN], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as slow:
        signalled = False
        for line in slow.stdout:  # once while it works, and again while it saves
            if line == "saving\n" or not signalled:
                slow.send_signal(number)
                signalled = True
    assert slow.returncode == 130
    [partial] = tmp_path.iterdir()
    assert isinstance(json.loads(partial.read_text())["results"]["numbers"], list)


@pytest.mark.parametrize("verb", ["simulate --algorithm shift", "choose"])
def test_results_are_taken_if_the_network_is_the_same(verb: str, tmp_path: Path, monkeypatch, capsys) -> None:
    """And not if there are other cables under the same name."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ayatori.cli.options.SAVE_EVERY_SECONDS", 0)
    monkeypatch.setattr(SavedResults, "remove", lambda _saved: None)  # as if each run had been interrupted
    command = (
        f"{verb} json:network --contiguous 2..3 --collective alltoall --bytes 1MB --calibration none --json".split()
    )

    def seconds(source: str, *options: str) -> float:
        Path("network").write_bytes(_core.export_network(open_source(source), "json"))
        assert execute(app, [*command, *options], "ayatori") == 0
        data = json.loads(capsys.readouterr().out)
        return data["time_s"] if "time_s" in data else data["calls"][0]["ranking"][0]["time_s"]

    slow = seconds("full:3,rate=4xEDR")
    with monkeypatch.context() as no_work:
        no_work.setattr(computation, "_interruptible", None)
        assert seconds("full:3,rate=4xEDR", "--resume") == slow
    assert seconds("full:3,rate=4xHDR", "--resume") == slow / 2


def test_a_table_for_an_mpi_goes_on_where_it_ended(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ayatori.cli.options.SAVE_EVERY_SECONDS", 0)
    monkeypatch.setattr(SavedResults, "remove", lambda _saved: None)
    command = "choose full:4 --collective alltoall,allreduce --bytes 1KiB,1MiB --to openmpi --out table".split()
    assert execute(app, command, "ayatori") == 0
    first = Path("table").read_text()
    with monkeypatch.context() as no_work:
        no_work.setattr(computation, "_interruptible", None)
        assert execute(app, [*command, "--resume"], "ayatori") == 0
    assert Path("table").read_text() == first
    capsys.readouterr()


def test_an_error_of_the_work_is_the_error_of_the_run(tmp_path: Path) -> None:
    def work(_chunk: range) -> list[int]:
        raise Error("no such job")

    with pytest.raises(Error, match="no such job"):
        compute(SavedResults(tmp_path / "partial", {}), "pieces", range(3), 1, work)
