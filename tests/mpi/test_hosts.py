"""Hosts in network namespaces: nothing is left of them."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from bench.validation.hosts import command_among_hosts, why_no_hosts

pytestmark = pytest.mark.skipif(bool(why_no_hosts()), reason=why_no_hosts() or "")


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
