"""The command line as processes of their own: each verb says what it says in the process of the tests, where most tests
run it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from ayatori.cli.app import Commands

GOLDEN = Path(__file__).parent.parent / "golden"
PAPER = "fattree:K=6,levels=2,nodes=30"
SMALL = "fattree:K=2,levels=2"
CALL = "--collective allreduce --algorithm ring --bytes 4KiB"

COMMANDS = [
    "show ib:infiniband/2008-with-lids.txt",
    f"convert {SMALL} --to graphml",
    f"route {SMALL} --json",
    f"check {PAPER} --jobs jobs --background 1",
    f"compare {SMALL} --engines magic",
    f"plan {PAPER} --contiguous 13..13 --method colour",
    f"place {PAPER} --nodes 6 --free free.hosts --running jobs",
    f"order {PAPER} --job jobs/left --pattern ring --trials 5",
    f"choose {SMALL} --contiguous 4..4 --collective alltoall --bytes 1KiB --json",
    f"simulate {PAPER} --job jobs/left {CALL}",
    f"roce {SMALL} --contiguous 4..4",
    "sources",
    "algorithms halo",
    "run -- no-such-program",
    "acprun no-such-program",
    "calibrate --hostfile no-such-file",
    "tune --seconds never mpirun",
    "explain --repeats 0 -- no-such-program",
    "lab fabric torus:4 --engine best",
    "bench incast --stacks ours,telepathy",
    "estimate hpl --paper",
    "report no-such-folder",
    "demo nonsense:1",
    "doctor --help",
    "build-plugin --mpicc no-such-program",
]
"""One of each verb; some of them print, and some of them fail."""


@pytest.mark.parametrize("command", COMMANDS)
def test_a_process_says_what_is_said_in_the_process_of_the_tests(
    command: str, ayatori_command, ayatori_process
) -> None:
    outcomes = [run(*command.split(), cwd=GOLDEN) for run in (ayatori_process, ayatori_command)]
    process, here = ((outcome.status, without_times(outcome.stdout), outcome.stderr) for outcome in outcomes)
    assert process == here


def without_times(printed: str) -> str:
    """Without the seconds that something took, on lines that tell them."""
    return re.sub(r'("wall_s": |in )[0-9.]+( [mu]?s)?', r"\1", printed)


def test_there_is_a_command_of_each_verb() -> None:
    assert {command.split()[0] for command in COMMANDS} == set(Commands())


STATE = """
import os, signal, sys, warnings
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from command_line import run_here

def state():
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]
    return dict(os.environ), Path.cwd(), sys.stdin, sys.stdout, sys.stderr, handlers, list(warnings.filters)

run_here("show", "torus:3")
before, open_files = state(), len(os.listdir("/proc/self/fd"))
for words in ("simulate torus:3 --random-jobs 3 --job-size 2 --collective alltoall --algorithm shift", "show", "what"):
    run_here(*words.split(), cwd=Path(sys.argv[2]), env={"NOT_THERE": "1"})
assert state() == before
assert len(os.listdir("/proc/self/fd")) == open_files
"""


def test_nothing_of_a_command_stays_in_the_process_of_the_tests(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", STATE, str(Path(__file__).parent.parent), str(tmp_path)], check=True)
