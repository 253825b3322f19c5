"""Style as an ordinary test: format, lint, and that nothing names a machine it was written on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PYTHON = ("python", "tests", "bench")
CPP = ("src", "fuzz", "bench", "python/bindings", "mpi", "tests/c_api", "examples")
MAX_LINES = 450


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def sources(*suffixes: str) -> list[Path]:
    return sorted(path for folder in (*CPP, *PYTHON) for path in (ROOT / folder).rglob("*") if path.suffix in suffixes)


def test_python_is_formatted_and_lint_free() -> None:
    assert run(sys.executable, "-m", "ruff", "check", *PYTHON) == ""
    assert run(sys.executable, "-m", "ruff", "format", "--check", *PYTHON) == ""


@pytest.mark.skipif(shutil.which("clang-format-19") is None, reason="clang-format-19 is not installed")
def test_cpp_is_formatted() -> None:
    files = [str(path) for path in sources(".cpp", ".hpp")]
    assert run("clang-format-19", "--dry-run", "--Werror", *files) == ""


def test_files_can_be_read_in_one_sitting() -> None:
    long = {
        path.name: lines
        for path in sources(".cpp", ".hpp", ".py")
        if (lines := len(path.read_text().splitlines())) > MAX_LINES
    }
    assert long == {}


def test_the_core_neither_prints_nor_aborts() -> None:
    """Nor looks at the environment: but for the files whose work that is, and acp_abort()."""
    forbidden = ("std::cout", "std::cerr", "printf(", "abort(", "getenv(", "std::rand")
    allowed = {ROOT / "src" / file for file in ("capi/surroundings.cpp", "acp/setup.cpp", "acp/api.cpp")}
    for path in (ROOT / "src").rglob("*.cpp"):
        if path.name.endswith("_test.cpp") or path in allowed:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            assert not any(word in line for word in forbidden), f"{path}:{number}: {line}"
