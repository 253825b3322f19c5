"""Source ports of a plan, in the packets of Linux' soft RoCE."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PRELOAD = ROOT / "build/release/paths/libayatori_paths.so"
HOSTS = ("192.168.77.1", "192.168.77.2")


@pytest.fixture(scope="module")
def preload() -> Path:
    """Skips the test where there is nothing to run in the machine."""
    if not PRELOAD.exists() or shutil.which("ibv_rc_pingpong") is None:
        pytest.skip("libibverbs-dev or ibverbs-utils is not installed")
    return PRELOAD


def test_packets_have_the_planned_source_ports(machine: None, preload: Path, tmp_path: Path) -> None:
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
        [sys.executable, "-m", "ayatori.cli", "lab", "rdma", "--", sys.executable, str(script), str(preload)],
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
