"""Long searches end at a limit or at Ctrl-C, and then have what they found."""

import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import ayatori
from ayatori._core import SearchControl
from ayatori.base.errors import Error
from ayatori.cli.searching import Cut, searched, with_results
from ayatori.model.jobs import contiguous_jobs, random_jobs
from ayatori.ordering import search
from ayatori.planning import improvement, plans
from ayatori.planning.plans import METHODS
from ayatori.planning.routes import make_routes
from ayatori.prediction import together
from ayatori.study.comparison import RoutedNetwork, Study

HOSTS = 72
SOURCE = f"fattree:K=6,levels=2,nodes={HOSTS}"
ORDER = "--collective alltoall --algorithm ring --bytes 64KiB".split()


@pytest.fixture
def hosts(tmp_path: Path) -> Callable[..., str]:
    """Writes a hostfile of some of the hosts, which are mixed (by seed 1): no two files share one."""
    mixed = Random(1).sample(range(HOSTS), HOSTS)

    def write(name: str, first: int, count: int) -> str:
        file = tmp_path / name
        file.write_text("".join(f"N{host}\n" for host in mixed[first : first + count]), encoding="utf-8")
        return str(file)

    return write


@pytest.fixture(autouse=True)
def hear_ctrl_c() -> Iterator[None]:
    """A shell that runs the tests in the background has us ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press_ctrl_c(number: signal.Signals = signal.SIGINT) -> None:
    """And wait until it was heard: only what searched() puts there changes the handler."""
    before = signal.getsignal(number)
    os.kill(os.getpid(), number)
    while signal.getsignal(number) is before:
        time.sleep(0.001)


def wait_for_stop(control: SearchControl) -> None:
    while not control.stopped:
        time.sleep(0.001)


def test_a_search_that_nothing_ends_is_not_cut() -> None:
    def find(control: SearchControl) -> str:
        control.expect(3)
        control.did(2)
        return "found"

    usual = signal.getsignal(signal.SIGINT)
    assert searched("pieces", None, find) == ("found", None)
    assert searched("pieces", 3600, find) == ("found", None)
    assert signal.getsignal(signal.SIGINT) is usual


@pytest.mark.parametrize("by", ["time", "interrupt", "terminate"])
def test_what_a_search_had_when_it_was_ended_is_kept(by: str) -> None:
    def find(control: SearchControl) -> str:
        control.expect(3)
        control.did(2)
        if by != "time":
            press_ctrl_c(signal.SIGINT if by == "interrupt" else signal.SIGTERM)
        wait_for_stop(control)
        return "best so far"

    usual = signal.getsignal(signal.SIGINT)
    found, cut = searched("pieces", 0.01 if by == "time" else None, find)
    assert found == "best so far" and cut is not None
    assert (cut.by, cut.done, cut.total) == (by, 2, 3)
    assert signal.getsignal(signal.SIGINT) is usual


def test_a_search_that_did_all_in_time_is_not_cut() -> None:
    def find(control: SearchControl) -> str:
        control.expect(1)
        wait_for_stop(control)
        control.did()
        return "all"

    assert searched("pieces", 0.01, find) == ("all", None)


def test_a_second_ctrl_c_leaves_the_search() -> None:
    over = threading.Event()

    def find(control: SearchControl) -> None:
        press_ctrl_c()
        os.kill(os.getpid(), signal.SIGINT)
        over.wait()

    with pytest.raises(KeyboardInterrupt):
        searched("pieces", None, find)
    over.set()


def test_errors_of_a_search_are_raised() -> None:
    def find(control: SearchControl) -> None:
        raise Error("no such thing")

    with pytest.raises(Error, match="no such thing"):
        searched("pieces", None, find)


def test_parts_are_counted_and_none_is_no_result() -> None:
    cut = Cut("time", 3, 8, 2.0)
    assert with_results("two", cut, 2, 4) == ("two", Cut("time", 2, 4, 2.0))
    assert with_results("all", None, 4, 4) == ("all", None)
    with pytest.raises(Error, match="not one of 4 is done in 2 s"):
        with_results("none", cut, 0, 4)
    with pytest.raises(KeyboardInterrupt):
        with_results("none", Cut("interrupt", 3, 8, 2.0), 0, 4)


def test_an_order_is_written_at_ctrl_c(hosts, tmp_path: Path, ayatori_command, monkeypatch) -> None:
    usual, calls = search._Search._predict_at_once, []

    def counted(self, orders) -> None:
        usual(self, orders)
        calls.append(len(orders))
        if len(calls) == 3:
            press_ctrl_c()

    monkeypatch.setattr(search._Search, "_predict_at_once", counted)
    out = tmp_path / "order"
    job = ["--job", hosts("job", 0, 12), "--out", str(out)]
    ended = ayatori_command("order", SOURCE, *job, *ORDER, "--json")
    assert ended.status == 130 and ended.stderr.endswith("error: interrupted\n")
    data = json.loads(ended.stdout)
    assert data["cut"]["by"] == "interrupt"
    assert data["trials"] == data["cut"]["done"] == sum(calls) < data["cut"]["of"]
    assert data["time_s"] <= data["given_time_s"]
    assert len(out.read_text(encoding="utf-8").splitlines()) == 12
    said = f"ended early   {sum(calls[:3])} of "
    calls.clear()
    assert said in ayatori_command("order", SOURCE, *job, *ORDER).stdout


def test_an_order_has_a_bound_in_time(hosts, ayatori_command) -> None:
    job = hosts("job", 0, HOSTS)
    assert (
        ayatori_command(
            "order", SOURCE, "--job", job, *ORDER, "--seconds", "1us", "--trials", "1000000", "--json"
        ).json()["cut"]["by"]
        == "time"
    )
    ayatori_command("order", SOURCE, "--job", job, *ORDER, "--seconds", "0").refused(2, "--seconds 0 is out of range")


def test_joint_plans_have_a_bound_in_time(hosts, ayatori_command) -> None:
    jobs = [option for number in range(3) for option in ("--jobs", hosts(f"job{number}", 24 * number, 24))]
    data = ayatori_command("plan", SOURCE, *jobs, "--seconds", "1us", "--json").json()
    assert data["cut"]["by"] == "time" and data["cut"]["done"] < data["cut"]["of"]
    assert data["relative_bandwidth"] >= data["without_plan"]
    words = ayatori_command("plan", SOURCE, *jobs, "--seconds", "1us").stdout
    assert f"of {data['cut']['of']} rounds of planning in" in words and "(--seconds allows more)" in words


def test_progress_is_shown_to_a_terminal_alone(hosts) -> None:
    call = [sys.executable, "-m", "ayatori.cli", "order", SOURCE, "--job", hosts("job", 0, 12), *ORDER, "--trials", "9"]
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    plain = subprocess.run(call, capture_output=True, text=True, check=True, env=environment)
    seen = subprocess.run(call, stdout=subprocess.PIPE, stderr=theirs, text=True, check=True, env=environment)
    os.close(theirs)
    shown = b""
    try:
        while piece := os.read(ours, 4096):
            shown += piece
    except OSError:  # Linux's end of a pseudo terminal
        pass
    os.close(ours)
    assert "orders" in shown.decode() and "/" in shown.decode()
    assert plain.stderr == "" and plain.stdout == seen.stdout


def after(calls: int, usual: Callable[..., Any]) -> Callable[..., Any]:
    """The function, which presses Ctrl-C when it has been called so often."""
    count = 0

    def called(*arguments: Any, **named: Any) -> Any:
        nonlocal count
        count += 1
        result = usual(*arguments, **named)
        if count == calls:
            press_ctrl_c()
        return result

    return called


@pytest.mark.parametrize("verb", ["plan", "check"])
def test_jobs_that_were_done_before_ctrl_c_are_printed(verb: str, ayatori_command, monkeypatch) -> None:
    """`plan` assesses each job twice; the job in whose midst Ctrl-C comes does not count."""
    jobs = ["--random-jobs", "6", "--job-size", "4", "--json"]
    whole = ayatori_command(verb, SOURCE, *jobs).json()
    assert whole["cut"] is None
    module, calls = (improvement, 6) if verb == "plan" else (plans, 3)
    monkeypatch.setattr(module, "assess", after(calls, plans.assess))
    ended = ayatori_command(verb, SOURCE, *jobs)
    assert ended.status == 130 and ended.stderr.endswith("error: interrupted\n")
    data = json.loads(ended.stdout)
    assert (data["cut"]["by"], data["cut"]["done"], data["cut"]["of"]) == ("interrupt", 2, 6)
    assert data["per_job"] == whole["per_job"][:2]


def test_rounds_that_were_done_before_ctrl_c_are_printed(hosts, ayatori_command, monkeypatch) -> None:
    call = ["simulate", SOURCE, "--collective", "alltoall", "--algorithm", "shift", "--rounds", "64", "--json"]
    call += ["--jobs", hosts("a", 0, 6), "--jobs", hosts("b", 6, 6)]
    usual = together.ConcurrentSimulation._times
    monkeypatch.setattr(together.ConcurrentSimulation, "_times", after(1, usual))
    ended = ayatori_command(*call)
    assert ended.status == 130 and ended.stderr.endswith("error: interrupted\n")
    told = json.loads(ended.stdout)["together"]
    assert told["rounds"] == together.RUNS_AT_ONCE < 64 and told["cut"]["by"] == "interrupt"
    monkeypatch.setattr(together.ConcurrentSimulation, "_times", usual)
    fewer = ayatori_command(*call, "--rounds", str(together.RUNS_AT_ONCE)).json()["together"]
    assert told | {"cut": None} == fewer


def test_a_study_has_a_job_of_each_kind_however_early_it_ends() -> None:
    network = ayatori.open_source("fattree:K=3,levels=2")
    study = Study(RoutedNetwork(network, make_routes(network, 0), make_routes(network)))
    control = SearchControl()
    control.stop()
    study.run(random_jobs(network, 5, 4), contiguous_jobs(network, [3, 6]), control)
    assert (control.done, control.total) == (2, 7)
    for assessed in (study.random, study.contiguous):
        assert {method: len(found) for method, found in assessed.items()} == dict.fromkeys(METHODS, 1)
