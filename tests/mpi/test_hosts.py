"""Hosts in network namespaces: both MPIs measure between them, and nothing is left of them."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import plugin
import pytest

from ayatori.calibration.measuring import compile_program, find_mpi, hosts_in, parse_measurement, placement
from bench.validation.hosts import command_among_hosts, why_no_hosts

pytestmark = pytest.mark.skipif(bool(why_no_hosts()), reason=why_no_hosts() or "")


@pytest.mark.parametrize("family", plugin.families())
def test_ranks_on_two_hosts_measure_messages_between_them(family: str, tmp_path: Path) -> None:
    mpi = find_mpi(f"mpirun.{family}")
    program = compile_program(mpi, tmp_path)
    hostfile = tmp_path / "hostfile"
    command = [mpi.mpirun, *placement(mpi, hostfile), program, "0.01", "1", "4096"]
    done = subprocess.run(
        command_among_hosts(2, "200mbit", tmp_path, command),
        env=os.environ | plugin.OPEN_MPI_HERE,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert hosts_in(hostfile) == ["h0", "h1"]
    measured = parse_measurement(done.stdout)
    assert (sorted(measured.hosts), measured.same_node) == (["h0", "h1"], False)
    assert set(measured.medians("one_way")) >= {1, 4096}


def test_nothing_is_left_of_hosts_whose_first_process_is_killed(tmp_path: Path) -> None:
    mark = tmp_path / "up"
    script = f"ip netns exec h1 sh -c 'echo > {mark}; exec sleep 1000.{os.getpid()}'"
    command = command_among_hosts(2, "200mbit", tmp_path, ["sh", "-c", script])
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as hosts:
        deadline = time.monotonic() + 60
        while not mark.exists():
            assert hosts.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        hosts.kill()
    while f"1000.{os.getpid()}" in _commands():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    links = subprocess.run(["ip", "-brief", "link"], capture_output=True, text=True, check=True).stdout
    assert "cable" not in links
    assert not Path("/run/netns/h0").exists()


def _commands() -> str:
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return "\n".join(found)
