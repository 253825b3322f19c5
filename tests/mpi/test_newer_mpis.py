"""The plug-ins, which are built with the MPIs that are installed, under newer ones of the same families from PyPI."""

from pathlib import Path

import plugin
import pytest

from ayatori.base.errors import Error
from bench.validation.newer_mpis import NEWER, NewerMpi
from subprocesses import said_by


@pytest.fixture(scope="module", params=NEWER, ids=lambda mpi: f"{mpi.family} {mpi.version}")
def mpi(request: pytest.FixtureRequest) -> NewerMpi:
    """Skips where PyPI can't be reached."""
    newer: NewerMpi = request.param
    if not plugin.library(newer.family).exists():
        pytest.skip(f"there is no plug-in for {newer.family} here")
    try:
        newer.install()
    except Error as error:
        pytest.skip(str(error))
    return newer


@pytest.mark.parametrize(
    ("source", "forced", "in_words"),
    [
        ("check_collectives.cpp", {"AYATORI_BCAST": "chain"}, "MPI_Bcast on 2 ranks: chain"),
        ("check_nonblocking.cpp", {"AYATORI_IBCAST": "chain"}, "MPI_Bcast without blocking on 2 ranks: chain"),
    ],
)
def test_collectives_are_executed_over_newer_mpis(
    mpi: NewerMpi, source: str, forced: dict[str, str], in_words: str, tmp_path: Path, ayatori_command
) -> None:
    environment = mpi.variables()
    program = tmp_path / "check"
    compiler = [mpi.compiler, "-std=c++20", "-O1", plugin.PROGRAMS / source, "-o", program]
    said_by(compiler, env=environment)
    launch = map(str, [*mpi.launcher, "-np", "2", program, "5", "60"])
    run = ayatori_command("run", "--verbose", "--", *launch, env=environment | forced).good()
    assert "60 rounds, 0 failures" in run.stdout
    assert run.stderr.startswith(f"ayatori: {mpi.family}, LD_PRELOAD=")
    assert in_words in run.stderr
