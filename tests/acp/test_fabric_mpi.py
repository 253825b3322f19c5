"""Open MPI over the transport, by its provider of libfabric: `ayatori run --transport`."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ayatori.base.compiled import PROVIDERS
from ayatori.lab.cluster import Settings, why_impossible
from ayatori.processes.transport import components_of_open_mpi, open_mpi_variables
from subprocesses import AYATORI, ran

SECONDS = 300
OPEN_MPI = ["mpirun.openmpi", "--oversubscribe"]
VARIABLES = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_mpi_yield_when_idle": "1",
    "FI_AYATORI_STATISTICS": "1",
}
OVER_OURS = [*AYATORI, "run", "--transport"]
LOSES_A_FIFTH = """nft add table ip lossy
nft add chain ip lossy arriving '{ type filter hook input priority 0; }'
nft add rule ip lossy arriving meta l4proto udp numgen random mod 100 '<' 20 drop
exec "$@"
"""
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


def compiled(made: Path, *options: str) -> Path:
    source = Path(__file__).with_name("fabric_mpi.c")
    subprocess.run(["mpicc.openmpi", "-O1", *options, source, "-o", made], check=True, timeout=120)
    return made


@pytest.fixture(scope="module")
def has_windows(tmp_path_factory: pytest.TempPathFactory) -> bool:
    """Whether windows are possible over libfabric. Those of Debian 13's Open MPI 5.0.7 fail over each provider."""
    if "osc/pt2pt" in components_of_open_mpi(OPEN_MPI):
        return True
    program = compiled(tmp_path_factory.mktemp("has_windows") / "program")
    anothers = open_mpi_variables("sm,rdma") | {"OMPI_MCA_opal_common_ofi_provider_include": "sockets"}
    return ran([*OPEN_MPI, "-n", "2", program], env=VARIABLES | anothers, seconds=SECONDS).returncode == 0


@pytest.fixture(scope="module")
def program(has_windows: bool, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("fabric_mpi") / "program", *([] if has_windows else ["-DWITHOUT_WINDOWS"]))


@pytest.fixture
def windows(has_windows: bool) -> None:
    if not has_windows:
        pytest.skip("this Open MPI makes no windows over libfabric's sockets, either")


@pytest.fixture(params=["rdma", "pt2pt"])
def one_sided(request: pytest.FixtureRequest, windows: None) -> str:
    """How windows are made."""
    if f"osc/{request.param}" not in components_of_open_mpi(OPEN_MPI):
        pytest.skip(f"this Open MPI has no osc/{request.param}")
    return str(request.param)


def check(words: list[str | Path], ranks: int, variables: dict[str, str]) -> list[dict[str, int]]:
    """The numbers of each rank of a command that ends well."""
    done = ran(words, env=VARIABLES | variables, seconds=SECONDS)
    assert done.returncode == 0 and "are right" in done.stdout, done.stdout + done.stderr
    lines = re.findall(r"ayatori-fi: rank \d+: (.*)", done.stderr)
    assert len(lines) == ranks, done.stderr
    return [
        {name: int(number) for number, name in re.findall(r"(\d+) (messages|writes|reads|atomics|packets)", line)}
        for line in lines
    ]


@pytest.mark.parametrize("wires", ["auto", "udp"])
def test_messages_collectives_and_windows(wires: str, one_sided: str, program: Path) -> None:
    """By osc/rdma, windows are remote memory of the provider; by osc/pt2pt, they are messages.

    Within a host, Open MPI counts and locks in memory that the ranks share: the provider's atomics are for other hosts.
    """
    command: list[str | Path] = [*OVER_OURS, "--", *OPEN_MPI, "-n", "3", program]
    variables = {"ACP_WIRES": wires, "OMPI_MCA_osc": one_sided}
    for numbers in check(command, 3, variables):
        assert numbers["messages"] > 10, numbers
        for name in ("writes", "reads"):
            assert (numbers[name] > 0) == (one_sided == "rdma"), numbers


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("wires", ["auto", "udp"])
def test_all_kinds_of_windows(wires: str, program: Path) -> None:
    """By osc/rdma, Open MPI 4.1.4 crashes in some, and has no shared ones."""
    check([*OVER_OURS, "--", *OPEN_MPI, "-n", "3", program, "windows"], 3, {"ACP_WIRES": wires})


@pytest.mark.parametrize("wires", ["auto", "udp"])
def test_what_was_sent_arrives_while_its_sender_computes(wires: str, program: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [*OVER_OURS, "--", *OPEN_MPI, "-n", "3", program, "away", tmp_path / "received"]
    check(command, 3, {"ACP_WIRES": wires})


@pytest.mark.parametrize("wires", ["udp", pytest.param("auto", marks=pytest.mark.sweep)])
def test_what_was_sent_to_neighbours_leaves_at_once(wires: str, program: Path, tmp_path: Path) -> None:
    """Also after a barrier, and without the thread that makes progress."""
    by_calls = {f"OMPI_MCA_mtl_ofi_{kind}_progress": "manual" for kind in ("data", "control")}
    command: list[str | Path] = [*OVER_OURS, "--", *OPEN_MPI, "-n", "4", program, "neighbours", tmp_path / "received"]
    check(command, 4, {"ACP_WIRES": wires, **by_calls})


@pytest.mark.parametrize("wires", ["auto", "udp"])
def test_a_forked_child_ends_nothing_but_itself(wires: str, program: Path) -> None:
    check([*OVER_OURS, "--", *OPEN_MPI, "-n", "3", program, "forked"], 3, {"ACP_WIRES": wires})


def test_a_reply_carries_the_acknowledgement(program: Path) -> None:
    command: list[str | Path] = [*OVER_OURS, "--", *OPEN_MPI, "-n", "2", program, "replies", "1000"]
    for numbers in check(command, 2, {"ACP_WIRES": "udp"}):
        assert numbers["messages"] >= 1000 and numbers["packets"] < 500, numbers


@pytest.fixture
def two_hosts(tmp_path: Path) -> Path:
    """A lab. Each host may lose datagrams."""
    if why := why_impossible(Settings(loss_percent=1)):
        pytest.skip(why)
    lab = tmp_path / "two-hosts.toml"
    lab.write_text(TWO_HOSTS)
    return lab


@pytest.mark.parametrize("loss", [[], pytest.param(["sh", "-ec", LOSES_A_FIFTH, "lossy"], marks=pytest.mark.sweep)])
def test_two_hosts_of_a_lab(one_sided: str, loss: list[str], program: Path, two_hosts: Path) -> None:
    job: list[str | Path] = [*OPEN_MPI, "--map-by", "node", "-n", "2", *loss, program]
    for numbers in check([*OVER_OURS, "--lab", two_hosts, "--", *job], 2, {"OMPI_MCA_osc": one_sided}):
        assert numbers["messages"] > 10, numbers
        for name in ("writes", "reads", "atomics"):
            assert (numbers[name] > 0) == (one_sided == "rdma"), numbers


@pytest.mark.sweep
@pytest.mark.parametrize("wires", ["auto", "udp"])
def test_nothing_is_lost_of_what_a_stopped_rank_is_sent(wires: str, program: Path) -> None:
    check([*OVER_OURS, "--", *OPEN_MPI, "-n", "3", program, "stopped", "10"], 3, {"ACP_WIRES": wires})


@pytest.mark.parametrize("wires", ["auto", "udp"])
def test_a_job_whose_rank_is_killed_ends_with_an_error(wires: str, program: Path, tmp_path: Path) -> None:
    """Open MPI ends the job. If it lets other ranks go on, those that wait for the rank get an error."""
    command = [*OVER_OURS, "--", *OPEN_MPI, "-n", "3"]
    variables = VARIABLES | {"ACP_WIRES": wires, "ACP_TIMEOUT": "3"}
    done = ran([*command, program, "killed"], env=variables, seconds=SECONDS)
    assert done.returncode != 0 and "signal 9" in done.stderr, done.stderr
    if "Open MPI) 5" in ran([OPEN_MPI[0], "--version"], seconds=SECONDS).stdout:
        return  # the launcher of 5.0 ends all ranks, with --enable-recovery, too
    # Each rank prints into a file of its own: mpirun, which else passes lines on, may lose them once a rank is gone.
    apart = f"exec {program} killed 2>{tmp_path}/rank$OMPI_COMM_WORLD_RANK"
    done = ran([*command, "--enable-recovery", "sh", "-c", apart], env=variables, seconds=SECONDS)
    for rank in range(2):
        said = (tmp_path / f"rank{rank}").read_text()
        expected = (
            rf"ayatori-fi: rank {rank} has lost rank 2: it was silent for \d+\.\d s\n"
            rf"rank {rank}: no message of a rank that is gone\n"
        )
        assert re.search(expected, said), said + done.stderr


@pytest.fixture(scope="module")
def coarrays(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program of a PGAS language, whose library is over MPI."""
    made = tmp_path_factory.mktemp("fabric_mpi") / "coarrays"
    source = Path(__file__).with_name("coarrays.f90")
    compiler = ["mpif90.openmpi", "-O1", "-fcoarray=lib"]
    if not shutil.which("caf.openmpi") or not shutil.which(compiler[0]):
        pytest.skip("needs libcoarrays-openmpi-dev and gfortran")
    subprocess.run([*compiler, source, "-o", made, "-lcaf_openmpi"], check=True, timeout=120)
    return made


@pytest.mark.usefixtures("windows")
@pytest.mark.parametrize("wires", ["auto", "udp"])
def test_coarrays(wires: str, coarrays: Path) -> None:
    for numbers in check([*OVER_OURS, "--", *OPEN_MPI, "-n", "4", coarrays], 4, {"ACP_WIRES": wires}):
        assert numbers["messages"] > 10, numbers


@pytest.mark.parametrize("mapping", ["ppr:2:node", "node"])
def test_coarrays_on_two_hosts(one_sided: str, mapping: str, coarrays: Path, two_hosts: Path) -> None:
    """Ranks may fill host after host, or go round. By default, coarrays are messages where Open MPI has these."""
    job: list[str | Path] = [*OPEN_MPI, "--map-by", mapping, "-n", "4", coarrays]
    variables = {"OMPI_MCA_osc": "rdma"} if one_sided == "rdma" else {}
    for numbers in check([*OVER_OURS, "--lab", two_hosts, "--", *job], 4, variables):
        assert numbers["messages"] > 10, numbers
        for name in ("writes", "reads", "atomics"):
            assert (numbers[name] > 0) == (one_sided == "rdma"), numbers


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"ACP_WIRES": "udp,shm"}, "ACP_WIRES is 'udp,shm'"),
        ({"ACP_TIMEOUT": "soon"}, "ACP_TIMEOUT is 'soon'; it must be a number above 0"),
        ({"ACP_TAGS": "perhaps"}, "ACP_TAGS is 'perhaps'; it must be on, off"),
        ({"ACP_RANK": "0"}, "ACP_PROCS is not set"),
        (
            {"ACP_RANK": "0", "ACP_PROCS": "1"},
            "rank 0 of 1, started by ayatori acprun, reaches no process of another job",
        ),
    ],
)
def test_a_job_that_cannot_start_says_why(variables: dict[str, str], said: str, program: Path) -> None:
    done = ran([*OVER_OURS, "--", *OPEN_MPI, "-n", "2", program], env=VARIABLES | variables, seconds=60)
    assert done.returncode != 0 and f"ayatori-fi: {said}" in done.stderr, done.stderr


def test_what_the_environment_chooses_counts_less_than_the_option(program: Path) -> None:
    others = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_mtl": "psm2", "FI_PROVIDER": "tcp"}
    for numbers in check([*OVER_OURS, "--", *OPEN_MPI, "-n", "2", program], 2, others):
        assert numbers["messages"] > 0


@pytest.mark.usefixtures("windows")
def test_words_choose_one_sided_communication_as_variables_do(program: Path) -> None:
    for numbers in check([*OVER_OURS, "--", *OPEN_MPI, "--mca", "osc", "rdma", "-n", "2", program], 2, {}):
        assert numbers["writes"] > 0


@pytest.mark.parametrize("words", [["--mca", "pml", "ob1"], ["-x", "OMPI_MCA_pml=ob1"]])
def test_words_that_choose_another_transport_are_refused(words: list[str], program: Path) -> None:
    done = ran([*OVER_OURS, "--", *OPEN_MPI, *words, "-n", "2", program], env=VARIABLES, seconds=60)
    said = "error: pml=ob1 for mpirun.openmpi sends past the transport"
    assert done.returncode == 1 and said in done.stderr, done.stderr


def test_an_mpi_that_cannot_is_named(tmp_path: Path) -> None:
    done = ran([*OVER_OURS, "--", "true"], cwd=tmp_path, seconds=60)
    assert done.returncode == 1 and "without MPI can't send over the transport" in done.stderr, done.stderr
