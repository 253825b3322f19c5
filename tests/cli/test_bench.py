"""ayatori bench: every message arrives, the keys that other tools rely on, and nothing is left running."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ayatori.base import compiled
from ayatori.base.errors import Error
from ayatori.measurement import programs
from subprocesses import processes, program_at, said_by, wait_until

ROOT = Path(__file__).parent.parent.parent

RESULT_KEYS = ["stack", "messages_per_s", "receiver_rss_MB", "duplicates", "retransmissions", "lost"]
SMALL = ("--senders", "4", "--bytes", "512", "--messages", "300", "--repeats", "2")


def is_built(stack: str) -> bool:
    return (compiled.PROGRAMS / programs.STACKS[stack][0]).exists()


def incast(run, *arguments: str) -> dict:
    outcome = run("bench", "incast", *arguments, "--json")
    assert outcome.status == 0, outcome.stderr
    return json.loads(outcome.stdout)


def test_incast_delivers_every_message_of_ours_and_counts_what_sockets_lose(ayatori_command) -> None:
    data = incast(ayatori_command, *SMALL, "--stacks", "ours,raw-udp")
    assert (data["senders"], data["bytes"], data["messages"], data["repeats"]) == (4, 512, 300, 2)
    assert [result["stack"] for result in data["results"]] == ["ours", "raw-udp"]
    ours, raw = data["results"]
    assert list(ours) == list(raw) == RESULT_KEYS
    assert ours["lost"] == 0
    assert 0 <= raw["lost"] <= 2 * 4 * 300
    for result in (ours, raw):
        rates = result["messages_per_s"]
        assert 0 < rates["min"] <= rates["median"] <= rates["max"]
        assert 0.5 < result["receiver_rss_MB"] < 100


@pytest.mark.parametrize("stack", ["ucx-tcp", "ofi-rxd"])
def test_incast_over_peers_delivers_every_message(stack: str, ayatori_command) -> None:
    if not is_built(stack):
        pytest.skip(f"{programs.STACKS[stack][1]} is not installed")
    arguments = ("--senders", "3", "--messages", "50", "--repeats", "1", "--stacks", stack)
    [result] = incast(ayatori_command, *arguments)["results"]
    assert (result["lost"], result["duplicates"], result["retransmissions"]) == (0, None, None)


def test_incast_takes_messages_larger_than_datagrams(ayatori_command) -> None:
    [result] = incast(
        ayatori_command, "--senders", "3", "--bytes", "65536", "--messages", "20", "--repeats", "1", "--stacks", "ours"
    )["results"]
    assert result["lost"] == 0


def test_incast_prints_a_table(ayatori_command) -> None:
    outcome = ayatori_command("bench", "incast", *SMALL, "--stacks", "ours").good()
    assert outcome.stdout.splitlines()[0] == "4 processes send 300 messages of 512 B each to one"
    assert outcome.stdout.splitlines()[2].split()[0] == "ours"


def test_peers_delivers_every_message(ayatori_command) -> None:
    data = ayatori_command("bench", "peers", "--count", "3000", "--json").json()
    assert data["delivered"] == data["messages"] == 6000
    assert {"rss_MB", "delivered", "bytes_per_idle_peer"} <= set(data)
    assert 1 < data["rss_MB"] < 64
    assert 0 < data["bytes_per_idle_peer"] < 1000


def test_a_stack_that_was_not_built_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "PROGRAMS", tmp_path)
    with pytest.raises(Error, match="incast_ucx_tcp was not built") as caught:
        programs.measure_incast(["ucx-tcp"], programs.IncastSettings(), 1)
    assert caught.value.hint == "apt-get install libucx-dev, then ./run build"


def test_a_program_that_fails_is_our_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program_at(tmp_path / "incast_ours", "echo no memory >&2\nexit 2")
    monkeypatch.setattr(compiled, "PROGRAMS", tmp_path)
    with pytest.raises(Error, match="incast_ours failed") as caught:
        programs.measure_incast(["ours"], programs.IncastSettings(), 1)
    assert (caught.value.cause, caught.value.internal) == ("no memory", True)


def test_a_program_that_takes_too_long_ends_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program_at(tmp_path / "incast_ours", "kill -ALRM $$")
    monkeypatch.setattr(compiled, "PROGRAMS", tmp_path)
    with pytest.raises(Error, match="incast_ours took too long"):
        programs.measure_incast(["ours"], programs.IncastSettings(), 1)


MODULES = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sorted((ROOT / "bench").rglob("*.py"))]
IMPORTS = """
import importlib, json, os, sys, traceback
found, names = {}, sys.argv[1:]
del sys.argv[1:]
for name in names:
    own, other = os.pipe()
    if os.fork() == 0:  # so that none gets what another one has imported of bench
        try:
            importlib.import_module(name)
        except BaseException:
            os.write(other, traceback.format_exc().encode()[-4000:])
        os._exit(0)
    os.close(other)
    found[name] = open(own).read()
    os.wait()
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def failed_imports() -> dict[str, str]:
    """What went wrong with each module, each imported in a process of its own that has ayatori already."""
    command = [sys.executable, "-c", f"import numpy, ayatori\n{IMPORTS}", *MODULES]
    return json.loads(said_by(command, cwd=ROOT))


@pytest.mark.parametrize("module", MODULES)
def test_modules_of_bench_can_be_imported(module: str, failed_imports: dict[str, str]) -> None:
    """They run under `./run bench` only, where nothing else would notice that a name of ours has changed."""
    if "No module named 'ortools'" in failed_imports[module]:
        pytest.skip("only ./run bench installs OR-tools")
    assert failed_imports[module] == ""


def running(argument: str) -> list[int]:
    """Processes of ours with this among their arguments."""

    def is_ours(command: bytes) -> bool:
        words = command.split(b"\0")
        return argument.encode() in words and words[0].endswith(b"incast_ours")

    return processes("cmdline", is_ours)


def test_an_interrupt_ends_all_processes() -> None:
    messages = str(1_000_000 + os.getpid())
    command = [sys.executable, "-m", "ayatori.cli", "bench", "incast", "--stacks", "ours", "--messages", messages]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_until(lambda: len(running(messages)) == 33)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    wait_until(lambda: running(messages) == [])
