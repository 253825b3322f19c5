"""Types: the package's own, those that its compiled core states, and those of the second opinions."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from subprocesses import ran

ROOT = Path(__file__).parent.parent.parent


def check_types(*words: str) -> None:
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", os.devnull, *words]
    done = ran(command, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_package_is_typed() -> None:
    check_types("--strict", "python/ayatori/nwtopo")


def test_the_second_opinions_are_typed() -> None:
    """OR-tools, which some of them need, is seldom installed."""
    check_types("--explicit-package-bases", "--ignore-missing-imports", "bench/validation")


@pytest.mark.parametrize("module", ["_core", "_acp", "_mpi"])
def test_the_types_of_compiled_modules_are_those_of_their_bindings(tmp_path: Path, module: str) -> None:
    """After a change: python -m nanobind.stubgen -m ayatori._core -o python/ayatori/_core.pyi"""
    stub = tmp_path / "stub.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", f"ayatori.{module}", "-o", str(stub)]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert stub.read_text() == (ROOT / f"python/ayatori/{module}.pyi").read_text()
