"""Programs of MPI's standard ABI (MPI 5.0), whose handles are none of a family's: one line, and nothing intercepted."""

import os
from collections.abc import Mapping
from pathlib import Path

import plugin
import pytest

from ayatori.base.errors import Error
from bench.harness import from_pypi
from subprocesses import ran, said_by

MPICH = plugin.ROOT / "build" / "mpich-5.0.2"
VARIABLES = {"PATH": f"{MPICH / 'bin'}:{os.environ['PATH']}", "LD_LIBRARY_PATH": str(MPICH / "lib")}
LEFT_ALONE = "ayatori: this program has MPI's standard ABI (libmpi_abi.so): "
PRELOADED = [(family, name) for family in plugin.FAMILIES for name in ("libayatori_mpi.so", "libayatori_trace.so")]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Skips where PyPI can't be reached."""
    try:
        from_pypi.install("mpich==5.0.2", MPICH, MPICH / "bin" / "mpicc_abi")
    except Error as error:
        pytest.skip(str(error))
    built = tmp_path_factory.mktemp("programs") / "says_sum"
    said_by(["mpicc_abi", plugin.PROGRAMS / "says_sum.c", "-o", built], env=VARIABLES)
    return built


def launch(program: Path) -> list[str]:
    return ["mpirun", "-np", "3", str(program)]


def told(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("ayatori: this program")]


@pytest.mark.parametrize(("family", "name"), PRELOADED)
def test_what_is_preloaded_hands_on_the_calls(program: Path, family: str, name: str, tmp_path: Path) -> None:
    library = plugin.library(family).with_name(name)
    if not library.exists():
        pytest.skip(f"there is no plug-in for {family} here")
    variables = VARIABLES | {"AYATORI_ALLREDUCE": "ring", "AYATORI_PROGRESS": "thread", "AYATORI_TRACE": str(tmp_path)}
    mpirun, *words = launch(program)
    done = ran([mpirun, "-genv", "LD_PRELOAD", str(library), *words], env=variables, seconds=60)
    assert (done.returncode, done.stdout) == (0, "sum 3\n"), done.stderr
    assert [line.startswith(LEFT_ALONE) for line in told(done.stderr)] == [True]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("variables", "lines"),
    [({}, 1), ({"AYATORI_MPI": "off"}, 0), ({"AYATORI_ALLREDUCE": "ring", "AYATORI_VERBOSE": "1"}, 1)],
    ids=["default", "off", "forced"],
)
def test_run_leaves_the_program_alone(program: Path, variables: Mapping[str, str], lines: int, ayatori_command) -> None:
    done = ayatori_command("run", "--", *launch(program), env=VARIABLES | variables).good()
    assert done.stdout == "sum 3\n"
    assert [line.startswith(LEFT_ALONE) for line in told(done.stderr)] == [True] * lines


def test_explain_says_that_nothing_is_traced(program: Path, ayatori_command, tmp_path: Path) -> None:
    done = ayatori_command("explain", "--", *launch(program), env=VARIABLES, cwd=tmp_path)
    done.refused(1, "the program has written no trace", LEFT_ALONE.removeprefix("ayatori: "))
