"""mpi4py's tests of collectives pass with the plug-in as without it: a part of bench/validation/mpi4py_suite.py."""

import sys
from collections.abc import Sequence

import plugin
import pytest
from test_plugin_collectives import forcing

from subprocesses import ran

FORCED = [f"{name}={value}" for name, value in (forcing(1) | forcing(1, "I")).items()]
MODULES = ["cco_buf", "cco_vec", "cco_obj", "cco_nb", "test_op", "test_comm"]


def check_that_nothing_differs(family: str, ranks: int, modules: Sequence[str], at_least: int) -> None:
    """Runs these modules of mpi4py's tests with the plug-in and without; so many must have passed on each process.

    Algorithms are forced: without a table, the MPI executes everything.
    """
    pytest.importorskip("mpi4py")
    command = [sys.executable, "-m", "bench.validation.mpi4py_suite", "--mpi", family, "--ranks", str(ranks)]
    done = ran([*command, "--only", *modules, "--variable", *FORCED], cwd=plugin.ROOT, seconds=600)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = int(done.stdout.partition(" ok")[0].split()[-1])
    assert passed > at_least and "; 0 differ with the plug-in" in done.stdout, done.stdout


@pytest.mark.parametrize(
    ("family", "ranks"),
    [
        pytest.param("openmpi", 3, marks=plugin.needs("openmpi")),
        pytest.param("mpich", 2, marks=plugin.needs("mpich")),
        pytest.param("openmpi", 2, marks=[plugin.needs("openmpi"), pytest.mark.sweep]),
        pytest.param("mpich", 3, marks=[plugin.needs("mpich"), pytest.mark.sweep]),
    ],
)
def test_mpi4pys_collectives_do_what_they_do_without_the_plugin(family: str, ranks: int) -> None:
    """Three may have several threads, two have messages in memory; three of MPICH take minutes on two cores."""
    check_that_nothing_differs(family, ranks, MODULES, at_least=300)
