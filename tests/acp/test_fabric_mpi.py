"""Open MPI over the transport, by its provider of libfabric: `ayatori run --transport`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ayatori.base.compiled import PROVIDERS
from ayatori.lab.cluster import Settings, why_impossible
from subprocesses import AYATORI, ran

SECONDS = 300
OPEN_MPI = ["mpirun.openmpi", "--oversubscribe"]
VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "FI_AYATORI_STATISTICS": "1",
}
TWO_HOSTS = """[planes.ethernet]
rate = "1Gbit/s"

[[switches]]
name = "switch"
plane = "ethernet"

[[hosts]]
name = "host[1-2]"
links = [{ to = "switch" }]
"""

pytestmark = [
    pytest.mark.skipif(not (PROVIDERS / "libayatori-fi.so").exists(), reason="needs libfabric-dev, and `./run build`"),
    pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="needs Open MPI"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("fabric_mpi") / "program"
    source = Path(__file__).with_name("fabric_mpi.c")
    subprocess.run(["mpicc.openmpi", "-O1", source, "-o", made], check=True, timeout=120)
    return made


def check(words: list[str | Path], ranks: int, variables: dict[str, str]) -> list[dict[str, int]]:
    """The numbers of each rank of a command that ends well."""
    done = ran(words, env=VARIABLES | variables, seconds=SECONDS)
    assert done.returncode == 0 and "all bytes are right" in done.stdout, done.stdout + done.stderr
    lines = re.findall(r"ayatori-fi: rank \d+: (.*)", done.stderr)
    assert len(lines) == ranks, done.stderr
    return [
        {name: int(number) for number, name in re.findall(r"(\d+) (messages|writes|reads|atomics)", line)}
        for line in lines
    ]


@pytest.mark.parametrize("wires", ["auto", "udp"])
@pytest.mark.parametrize("one_sided", ["rdma", "pt2pt"])
def test_messages_collectives_and_windows(wires: str, one_sided: str, program: Path) -> None:
    """By osc/rdma, windows are remote memory of the provider; by osc/pt2pt, they are messages.

    Within a host, Open MPI counts and locks in memory that the ranks share: the provider's atomics are for other hosts.
    """
    command: list[str | Path] = [*AYATORI, "run", "--transport", "--", *OPEN_MPI, "-n", "3", program]
    variables = {"ACP_WIRES": wires, "OMPI_MCA_osc": one_sided}
    for numbers in check(command, 3, variables):
        assert numbers["messages"] > 10, numbers
        for name in ("writes", "reads"):
            assert (numbers[name] > 0) == (one_sided == "rdma"), numbers


@pytest.mark.skipif(bool(why_impossible(Settings(loss_percent=1))), reason=why_impossible(Settings(loss_percent=1)))
def test_two_hosts_of_a_lab(program: Path, tmp_path: Path) -> None:
    lab = tmp_path / "two-hosts.toml"
    lab.write_text(TWO_HOSTS)
    job: list[str | Path] = [*OPEN_MPI, "--map-by", "node", "-n", "2", program]
    for numbers in check([*AYATORI, "run", "--transport", "--lab", lab, "--", *job], 2, {}):
        assert min(numbers.values()) > 0, numbers


def test_an_mpi_that_cannot_is_named(tmp_path: Path) -> None:
    done = ran([*AYATORI, "run", "--transport", "--", "true"], cwd=tmp_path, seconds=60)
    assert done.returncode == 1 and "without MPI can't send over the transport" in done.stderr, done.stderr
