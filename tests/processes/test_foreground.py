"""A command that runs as if it had taken our place."""

import os
import signal
import subprocess
import sys

import pytest

from ayatori.processes.foreground import run_in_foreground
from subprocesses import ran

_RUNS = """import os, sys
from ayatori.processes.foreground import run_in_foreground
sys.exit(run_in_foreground({}, os.environ))"""


@pytest.mark.parametrize(("script", "status"), [("exit 7", 7), ("kill -KILL $$", 128 + signal.SIGKILL), ("true", 0)])
def test_the_status_is_the_commands(script: str, status: int) -> None:
    assert run_in_foreground(["sh", "-c", script], os.environ) == status


def test_what_can_not_be_started_is_an_error_and_leaves_no_handler() -> None:
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(OSError, match="No such file"):
        run_in_foreground(["/no/such/program"], os.environ)
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2])
def test_signals_are_passed_on(number: signal.Signals) -> None:
    script = f"trap 'echo got; exit 5' {number.name[3:]}; echo ready; while :; do sleep 0.05; done"
    words = [sys.executable, "-c", _RUNS.format(["sh", "-c", script])]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(number)
        assert running.stdout.read() == "got\n"
    assert running.returncode == 5


def test_the_input_is_ours() -> None:
    done = ran([sys.executable, "-c", _RUNS.format(["cat"])], given="given")
    assert (done.stdout, done.returncode) == ("given", 0)
