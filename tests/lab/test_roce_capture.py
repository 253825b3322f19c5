"""Source ports of a plan, in the packets of Linux' soft RoCE."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PRELOAD = ROOT / "build/release/paths/libayatori_paths.so"


@pytest.fixture(scope="module")
def preload() -> Path:
    """Skips the test where there is nothing to run in the machine."""
    if not PRELOAD.exists() or shutil.which("ibv_rc_pingpong") is None:
        pytest.skip("libibverbs-dev or ibverbs-utils is not installed")
    return PRELOAD


def test_packets_have_the_planned_source_ports(machine: None, preload: Path, tmp_path: Path) -> None:
    """Over IPv4, GID index 1, and over IPv6, index 0."""
    script = ROOT / "tests/paths/capture.py"
    done = subprocess.run(
        [sys.executable, "-m", "ayatori.cli", "lab", "rdma", "--", sys.executable, str(script), str(preload)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    planned = [["rxe0", "rxe1", 51111], ["rxe1", "rxe0", 62222]]
    assert json.loads(done.stdout.splitlines()[-1]) == {"1": planned, "0": planned}
