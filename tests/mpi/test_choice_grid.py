"""What is chosen is (nearly) the best in SMPI's simulation: a small part of bench/validation/choice_grid.py."""

import shutil
import sys
from pathlib import Path

import pytest

from subprocesses import said_by

ROOT = Path(__file__).parent.parent.parent

pytestmark = pytest.mark.skipif(
    shutil.which("smpirun") is None or not (ROOT / "build/release/mpi/execute_smpi").exists(),
    reason="SimGrid (libsimgrid-dev) is not installed",
)


def test_choices_are_good_in_another_simulation() -> None:
    command = [sys.executable, "-m", "bench.validation.choice_grid", "--quick"]
    assert " of 20 cells good" in said_by(command, cwd=ROOT)
