"""Programs over an MPI, none of them built here, under the plug-in for MPICH's ABI: Intel's MPI Benchmarks, and mpi4py
over Intel's MPI, both from PyPI."""

import plugin
import pytest
from test_mpi4py import check_that_nothing_differs

from ayatori.base.errors import Error
from bench.harness.programs import output_of
from bench.validation import intel_mpi
from bench.validation.imb import Setting, rows_of


@pytest.fixture(scope="module", autouse=True)
def _installed() -> None:
    """Skips where PyPI can't be reached, or Intel's MPI does not run by itself."""
    try:
        intel_mpi.install()
        command = Setting("intelmpi", 2, ["Barrier"], calls=10).command()
        output_of(command, environment=intel_mpi.variables(), timeout=120)
    except Error as error:
        pytest.skip(f"no MPI of Intel's: {error}")


@pytest.mark.parametrize("family", ["intelmpi", pytest.param("mpich", marks=plugin.needs("mpich"))])
def test_intels_benchmarks_run_as_they_are(family: str, ayatori_command, tmp_path) -> None:
    setting = Setting(family, 2, ["Barrier", "Allreduce"], calls=20)
    environment = {"AYATORI_ALLREDUCE": "recursive-doubling"}
    if family == "intelmpi":
        environment |= intel_mpi.variables()
    else:
        environment |= intel_mpi.mpich_by_its_name_elsewhere(tmp_path / "libraries")
    done = ayatori_command("run", "--verbose", "--", *map(str, setting.command()), env=environment).good()
    assert done.stderr.startswith("ayatori: mpich, LD_PRELOAD=")
    assert "MPI_Allreduce on 2 ranks: recursive-doubling, forced by AYATORI_ALLREDUCE" in done.stderr
    rows = list(rows_of(done.stdout))
    assert {size for name, size, _ in rows if name == "Allreduce"} == {0, *(4 << k for k in range(21))}
    assert [size for name, size, _ in rows if name == "Barrier"] == [0]


def test_mpi4pys_collectives_do_over_intels_mpi_what_they_do_without_the_plugin() -> None:
    check_that_nothing_differs("intelmpi", 2, ["cco_buf", "cco_nb_buf", "test_op"], at_least=100)
