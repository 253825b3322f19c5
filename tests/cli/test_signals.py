"""SIGTERM is what timeout(1), batch systems and mpirun send: what is done is kept, as after Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

SLOW_PREDICTIONS = """
import sys, time
from ayatori.cli import main
from ayatori.prediction import predictor

def slowly(self, jobs, call):
    if slowly.calls:
        print("working", flush=True)
        time.sleep(600)
    slowly.calls += 1
    return at_once(self, jobs, call)

at_once, slowly.calls = predictor.Predictor.predict, 0
predictor.Predictor.predict = slowly
sys.argv = ["ayatori", *sys.argv[1:]]
main()
"""
SLOW_OPENING = """
import sys, threading, time
from ayatori.cli import main, show

def slowly(*_):
    threading.Thread(target=time.sleep, args=[600]).start()
    print("working", flush=True)
    time.sleep(600)

show.as_data = slowly
sys.argv = ["ayatori", "show", "torus:4"]
main()
"""
CALL_THAT_NO_SIGNAL_ENDS = """
import ctypes, sys
from ayatori.cli import main, show

def slowly(*_):
    print("working", flush=True)
    library, mutex = ctypes.CDLL(None), ctypes.create_string_buffer(64)
    library.pthread_mutex_lock(mutex)
    library.pthread_mutex_lock(mutex)

show.as_data = slowly
sys.argv = ["ayatori", "show", "torus:4"]
main()
"""
"""As a long call of the core, in which Python handles no signal."""
BLOCKED_AND_SENT = """
import os, signal, sys, time
from ayatori.cli import main, show

def blocked(*_):
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(0.1)
    print("not interrupted", flush=True)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    print("not reached", flush=True)

show.as_data = blocked
sys.argv = ["ayatori", "show", "torus:4"]
main()
"""


def signalled(code: str, arguments: list[str], folder: Path, number: signal.Signals) -> tuple[int, str]:
    """Exit status and talk of a command that gets the signal while it works."""
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NO_COLOR": "1"},
        preexec_fn=take_signals,
    )
    assert process.stdout is not None and process.stdout.readline() == "working\n"
    process.send_signal(number)
    try:
        _, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, errors


def take_signals() -> None:
    """A shell that runs the tests in the background has us ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_is_done_is_kept(number: signal.Signals, tmp_path: Path) -> None:
    call = "simulate full:4 --random-jobs 40 --job-size 3 --collective alltoall --algorithm shift".split()
    status, errors = signalled(SLOW_PREDICTIONS, call, tmp_path, number)
    [partial] = tmp_path.glob("*.partial")
    assert (status, errors) == (
        130,
        f"error: interrupted\ncaused by: 16 of 40 are done and kept in {partial.name}\n"
        "hint: the same command with --resume goes on there\n",
    )
    assert len(json.loads(partial.read_text())["results"]["predictions"]) == 16


def test_without_anything_to_keep_sigterm_ends_at_once(tmp_path: Path) -> None:
    """Whatever other threads do: they are not waited for, and nothing is torn down under them."""
    assert signalled(SLOW_OPENING, [], tmp_path, signal.SIGTERM) == (128 + signal.SIGTERM, "")


@pytest.mark.parametrize(("number", "said"), [(signal.SIGINT, "error: interrupted\n"), (signal.SIGTERM, "")])
def test_a_call_in_which_python_handles_no_signal_is_left(number: signal.Signals, said: str, tmp_path: Path) -> None:
    assert signalled(CALL_THAT_NO_SIGNAL_ENDS, [], tmp_path, number) == (128 + number, said)


def test_a_signal_waits_while_it_is_blocked() -> None:
    """As where a lab makes its folder, whatever other threads there are."""
    ended = subprocess.run([sys.executable, "-c", BLOCKED_AND_SENT], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (128 + signal.SIGTERM, "not interrupted\n")
