"""Types: those of the package, of the experiments, and of the second opinions."""

import os
import sys
from pathlib import Path

from subprocesses import ran

ROOT = Path(__file__).parent.parent


def check_types(*words: str) -> None:
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", os.devnull, *words]
    done = ran(command, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_package_is_typed() -> None:
    check_types("--strict", "python/ayatori")


def test_the_experiments_are_typed() -> None:
    check_types("--strict", "experiments")


def test_the_second_opinions_are_typed() -> None:
    """OR-tools, which some of them need, is seldom installed."""
    check_types("--explicit-package-bases", "--ignore-missing-imports", "bench/validation")
