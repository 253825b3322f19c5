"""OSU's benchmarks as mpi4py's source distribution has them, in Python: they run unchanged under the plug-in, and to
their end. OSU's own, in C, are in no package of Debian or PyPI."""

import re
import sys
from pathlib import Path

import plugin
import pytest

from ayatori.base.errors import Error
from bench.validation.mpi4py_suite import environment_of, launcher_of, suite

SIZES = [0, *(1 << power for power in range(21))]
FORCED = {
    "allgather": "ring",
    "alltoall": "spread",
    "alltoallv": "spread",
    "barrier": "spread",
    "bcast": "binomial",
    "gather": "linear",
    "scatter": "linear",
}


@pytest.fixture(scope="module")
def benchmarks() -> Path:
    """Skips where PyPI can't be reached."""
    pytest.importorskip("mpi4py")
    try:
        return suite().parent / "demo"
    except Error as error:
        pytest.skip(str(error))


def sizes_in(output: str) -> list[int]:
    """Of the rows, each of which has a size and a time above 0."""
    rows = re.findall(r"^ *(\d+) +(\d+\.\d+)$", output, re.MULTILINE)
    return [int(size) for size, time in rows if float(time) > 0]


def cases() -> list[object]:
    """Each benchmark by one of the MPIs in turn, by both with --all."""
    marks = [(family, number, name) for family in plugin.FAMILIES for number, name in enumerate(FORCED)]
    return [
        pytest.param(
            family,
            name,
            marks=[plugin.needs(family), *([pytest.mark.sweep] if family != plugin.FAMILIES[number % 2] else [])],
        )
        for family, number, name in marks
    ]


@pytest.mark.parametrize(("family", "name"), cases())
def test_osus_benchmarks_come_to_their_end_and_are_executed(
    family: str, name: str, benchmarks: Path, ayatori_command, tmp_path: Path
) -> None:
    call = f"MPI_{name.capitalize()}"
    forced = {f"AYATORI_{name.upper()}": FORCED[name]}
    launch = [*launcher_of(family), "-np", "2", sys.executable, str(benchmarks / f"osu_{name}.py")]
    done = ayatori_command("run", "--verbose", "--", *launch, env=environment_of(family, tmp_path, forced)).good()
    assert sizes_in(done.stdout) == ([0] if name == "barrier" else SIZES), done.stdout
    assert done.stderr.startswith(f"ayatori: {family}, LD_PRELOAD=")
    assert f"{call} on 2 ranks: {FORCED[name]}, forced by AYATORI_{name.upper()}" in done.stderr
