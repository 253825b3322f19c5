"""Source ports of a plan, in the packets of Linux' soft RoCE."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ayatori.lab.rdma import missing_packages, prepare_parts
from ayatori.lab.rdma.machine import available_memory_mib
from ayatori.processes import ProgramError

ROOT = Path(__file__).parent.parent.parent
PRELOAD = ROOT / "build/release/paths/libayatori_paths.so"
HOSTS = ("192.168.77.1", "192.168.77.2")


@pytest.fixture(scope="module")
def machine() -> None:
    """Skips the test where no virtual machine can be made, or there is nothing to run in it."""
    if not PRELOAD.exists() or shutil.which("ibv_rc_pingpong") is None:
        pytest.skip("libibverbs-dev or ibverbs-utils is not installed")
    try:
        if missing := missing_packages():
            pytest.skip(f"no virtual machine can run here: {', '.join(missing)} not installed")
        if available_memory_mib() < 2 * 724:
            pytest.skip(f"no virtual machine can run here: {available_memory_mib()} MiB are free")
        prepare_parts()
    except ProgramError as error:
        pytest.skip(f"no virtual machine can run here: {error}: {error.cause}")


def test_packets_have_the_planned_source_ports(machine: None, tmp_path: Path) -> None:
    plan = {
        "format": "ayatori-roce-plan",
        "version": 1,
        "hash": "crc32",
        "reason": "a test",
        "ports": [{"host": host, "address": host} for host in HOSTS],
        "source_ports": [[0, 51111], [62222, 0]],
    }
    (tmp_path / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    script = ROOT / "tests/paths/capture.py"
    done = subprocess.run(
        [sys.executable, "-m", "ayatori.cli", "lab", "rdma", "--", sys.executable, str(script), str(PRELOAD)],
        cwd=tmp_path,
        env=os.environ | {"AYATORI_ROCE_PLAN": str(tmp_path / "plan.json")},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert sorted(map(tuple, found)) == [(HOSTS[0], HOSTS[1], 51111), (HOSTS[1], HOSTS[0], 62222)]
