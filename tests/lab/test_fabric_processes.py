"""The processes of the fabric lab: they are limited, they do not meet, and none outlives its lab."""

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sample_fabric import LEAF_GUID, tree, write

from ayatori.lab.fabric import ProgramError, SimulatedFabric, parse_lfts
from ayatori.processes import programs
from subprocesses import processes, wait_until


def processes_of(socket_name: str) -> list[int]:
    """The running processes of one lab, whoever their parent is."""
    mark = f"IBSIM_SOCKNAME={socket_name}".encode()
    return processes("environ", lambda variables: mark in variables.split(b"\0"))


def wait_for_processes(socket_name: str, count: int) -> None:
    """Waits: a program has no environment for a moment while it starts, and ends a moment after its parent."""
    wait_until(lambda: len(processes_of(socket_name)) == count)


def test_two_labs_at_once_do_not_meet() -> None:
    with SimulatedFabric(tree()) as one, SimulatedFabric(tree(4, 2, 3)) as two, ThreadPoolExecutor(2) as pool:
        runs = list(pool.map(lambda fabric: fabric.run_opensm("updn"), (one, two)))
        tables = [parse_lfts(fabric.read_tables()) for fabric in (one, two)]
    assert [len(table) for table in tables] == [5, 6]
    assert [len(table[LEAF_GUID]) for table in tables] == [5 + 6, 6 + 12]
    assert all(run.engine == "updn" for run in runs)


def test_a_missing_program_names_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(programs, "_SYSTEM_FOLDERS", ())
    with pytest.raises(ProgramError, match="ibsim is not installed") as error, SimulatedFabric(tree()):
        pass
    assert error.value.hint == "apt-get install ibsim-utils"


def test_a_dead_simulator_is_reported(fabric: SimulatedFabric) -> None:
    os.kill(fabric.pid, signal.SIGKILL)
    with pytest.raises(ProgramError, match="ibsim ended unexpectedly"):
        fabric.run_opensm()


def test_opensm_is_time_limited_and_ended(fabric: SimulatedFabric) -> None:
    os.kill(fabric.pid, signal.SIGSTOP)
    try:
        with pytest.raises(ProgramError, match="opensm did not end within 0.5 s"):
            fabric.run_opensm(timeout=0.5)
        assert processes_of(fabric.environment()["IBSIM_SOCKNAME"]) == [fabric.pid]
    finally:
        os.kill(fabric.pid, signal.SIGCONT)


def test_an_exception_cleans_up() -> None:
    with pytest.raises(RuntimeError), SimulatedFabric(tree()) as fabric:
        name, folder = fabric.environment()["IBSIM_SOCKNAME"], fabric.folder
        assert processes_of(name) == [fabric.pid] and folder.exists()
        raise RuntimeError
    assert not processes_of(name) and not folder.exists()


HOLDER = """
import signal, sys, time
from pathlib import Path
from ayatori.lab.fabric import SimulatedFabric
from ayatori.processes import Child, find_program
# A shell that runs the tests in the background has us ignore what Ctrl-C sends.
signal.signal(signal.SIGINT, signal.default_int_handler)
with SimulatedFabric(Path(sys.argv[1]).read_text()) as fabric:
    environment = fabric.environment()
    sleeper = [find_program("sleep", "coreutils"), "1000"]
    child = Child(sleeper, folder=fabric.folder, environment=environment, output=fabric.folder / "out")
    print(environment["IBSIM_SOCKNAME"], fabric.folder, flush=True)
    try:
        time.sleep(1000)
    finally:
        child.stop()
"""


@pytest.mark.parametrize("killer", [signal.SIGKILL, signal.SIGINT])
def test_no_process_outlives_a_killed_holder_of_a_lab(killer: signal.Signals, tmp_path: Path) -> None:
    net = write(tmp_path / "net", tree())
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, net], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout
        name, folder = holder.stdout.readline().split()
        wait_for_processes(name, 2)
        holder.send_signal(killer)
        wait_for_processes(name, 0)
        holder.wait(20)
    finally:
        holder.kill()
        holder.communicate()
    if killer == signal.SIGINT:
        assert not Path(folder).exists()
    shutil.rmtree(folder, ignore_errors=True)
