"""The plug-in as the preset asan builds it, in programs that are not sanitized: AddressSanitizer and
UndefinedBehaviorSanitizer see what the plug-in does, and AddressSanitizer's heap is the whole process's.

What the MPIs lose at their end is not looked for.
"""

import shutil
from pathlib import Path

import plugin
import pytest
import test_plugin_collectives

from subprocesses import said_by

SANITIZED = plugin.ROOT / "build/asan/mpi"
OPTIONS = "detect_leaks=0:detect_container_overflow=0:abort_on_error=0:exitcode=99"


def runtime() -> Path:
    """AddressSanitizer's, which must be loaded before all others: the libraries of the preset leave it to programs."""
    if shutil.which("clang++-19") is None:
        pytest.skip("clang-19 is not installed")
    asked = ["clang++-19", "-print-file-name=libclang_rt.asan-x86_64.so"]
    file = Path(said_by(asked).strip())
    if not file.is_absolute() or not file.exists():
        pytest.skip("this clang has no AddressSanitizer that is a shared library")
    return file


@pytest.fixture(scope="module", params=plugin.families())
def mpi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> plugin.Mpi:
    if not (SANITIZED / request.param / "libayatori_mpi.so").exists():
        pytest.skip("the preset asan is not built: ./run test cpp does that")
    return plugin.made(request.param, tmp_path_factory)


def check(mpi: plugin.Mpi, ranks: int, source: str, *words: str, **variables: str) -> str:
    done = mpi.run_well(
        ranks,
        source,
        *words,
        plugin=SANITIZED / mpi.family / "libayatori_mpi.so",
        before=[runtime()],
        ASAN_OPTIONS=OPTIONS,
        UBSAN_OPTIONS="print_stacktrace=1",
        **variables,
    )
    assert "collectives are left alone" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("memory", ["on", "off"])
def test_collectives(mpi: plugin.Mpi, memory: str) -> None:
    words = ["5", "60", "2000"]
    forced = test_plugin_collectives.forcing(1)
    said = check(mpi, 3, "check_collectives.cpp", *words, AYATORI_NODE_MEMORY=memory, **forced)
    assert "60 rounds, 0 failures" in said


def test_calls_that_do_not_block_with_the_progress_thread(mpi: plugin.Mpi) -> None:
    forced = test_plugin_collectives.forcing(1, "I")
    said = check(mpi, 3, "check_nonblocking.cpp", "5", "30", "2000", AYATORI_PROGRESS="thread", **forced)
    assert "30 rounds, 0 failures" in said


def test_requests_and_communicators(mpi: plugin.Mpi) -> None:
    check(mpi, 3, "check_progress.cpp", AYATORI_PROGRESS="thread", AYATORI_IBCAST="chain:chunk=4KiB")
    check(mpi, 3, "check_communicators.cpp", AYATORI_ALLREDUCE="ring")
