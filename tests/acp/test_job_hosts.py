"""libacp on several hosts: namespaces of this machine, with any addresses and numbers of ranks, many jobs at once."""

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from subprocesses import program_at, ran, wait_until
from thoroughness import tries

ROOT = Path(__file__).parents[2]
LIBRARIES = ROOT / "build/release/lib"
SECONDS = 300
JOBS = 8

AGENT = """[ "$1" != -x ] || shift
host=$1
shift
exec unshare --uts sh -c "hostname $host; $*"
"""

REFUSED = [
    *("python3", "-c"),
    "import ctypes, sys; acp = ctypes.CDLL(sys.argv[1]); acp.acp_error_message.restype = ctypes.c_char_p;"
    "refused = acp.acp_init(None, None) != 0; print(acp.acp_error_message().decode()); sys.exit(refused)",
    str(LIBRARIES / "libacp.so"),
]
"""A program that prints why acp_init fails."""

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("ip"), reason="needs root, for namespaces, and iproute2"),
    pytest.mark.skipif(not (LIBRARIES / "libacp.so").exists(), reason="build/release is not there: `./run build`"),
]


@pytest.fixture(scope="module")
def copies(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of all sizes between all ranks, whose contents are checked."""
    made = tmp_path_factory.mktemp("copies") / "copies"
    flags = ["-std=c99", f"-I{ROOT / 'src/acp/include'}", f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}", "-lacp"]
    source = ROOT / "src/acp/tests/acp_copy_test.c"
    subprocess.run(["cc", str(source), "-o", str(made), *flags, "-pthread"], check=True, timeout=120)
    return made


class TwoHosts:
    """Network namespaces with a cable, and addresses that do not follow each other."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self.inside = []
        for _ in range(2):
            host = stack.enter_context(
                subprocess.Popen(["unshare", "--net", "sleep", "1000"], stdin=subprocess.DEVNULL)
            )
            stack.callback(host.kill)
            self.inside.append(["nsenter", f"--net=/proc/{host.pid}/ns/net"])
            while Path(f"/proc/{host.pid}/ns/net").readlink() == Path("/proc/self/ns/net").readlink():
                pass
        other = self.inside[1][1].split("/")[2]
        self._ip(0, "link", "add", "cable", "type", "veth", "peer", "name", "cable", "netns", other)
        for host, addresses in enumerate((["10.3.7.9/8", "fd00:1::9/64"], ["10.200.1.2/8", "fd00:1::7:77/64"])):
            for address in addresses:
                self._ip(host, "address", "add", address, "dev", "cable", *(["nodad"] if ":" in address else []))
            for device in ("cable", "lo"):
                self._ip(host, "link", "set", device, "up")

    def _ip(self, host: int, *words: str) -> None:
        subprocess.run([*self.inside[host], "ip", *words], check=True, timeout=60)


@pytest.fixture(scope="module")
def hosts() -> Iterator[TwoHosts]:
    with contextlib.ExitStack() as stack:
        yield TwoHosts(stack)


class Job:
    """Processes of one job: `on_hosts` of them on each host."""

    def __init__(
        self, program: Path, hosts: TwoHosts, on_hosts: tuple[int, int], settings: dict[str, str], folder: Path
    ):
        file = folder / secrets.token_hex(8)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT, 0o600)
        os.write(descriptor, secrets.token_hex(16).encode())
        os.close(descriptor)
        self.processes = []
        for rank in range(sum(on_hosts)):
            host = int(rank >= on_hosts[0])
            place = {
                "ACP_RANK": rank,
                "ACP_PROCS": sum(on_hosts),
                "ACP_LOCAL_PROCS": on_hosts[host],
                "ACP_LOCAL_RANK": rank - host * on_hosts[0],
            }
            environment = os.environ | {name: str(value) for name, value in place.items()} | settings
            environment |= {"ACP_JOB_FILE": str(file), "ACP_TIMEOUT": "100"}
            command = [*hosts.inside[host], str(program)]
            self.processes.append(
                subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            )

    def must_end_well(self) -> None:
        said = [process.communicate(timeout=SECONDS)[0] for process in self.processes]
        assert all(process.returncode == 0 for process in self.processes), "\n".join(said)


SETTINGS = {
    "IPv4": {"ACP_NETWORK": "10.0.0.0/8"},
    "IPv6": {"ACP_NETWORK": "fd00:1::/64"},
    "both": {},
    "UDP alone": {"ACP_WIRES": "udp"},
    "no tags": {"ACP_TAGS": "off"},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_a_job_runs_on_hosts_with_unequal_ranks_and_any_addresses(
    settings: dict[str, str], copies: Path, hosts: TwoHosts, tmp_path: Path
) -> None:
    for on_hosts in ((3, 2), (1, 3))[: tries(1, 2)]:
        Job(copies, hosts, on_hosts, settings, tmp_path).must_end_well()


def test_many_jobs_share_the_hosts(copies: Path, hosts: TwoHosts, tmp_path: Path) -> None:
    for _ in range(tries(1, 5)):
        for job in [Job(copies, hosts, (2, 1), {}, tmp_path) for _ in range(JOBS)]:
            job.must_end_well()


def test_a_job_lives_beside_one_in_another_container(copies: Path, tmp_path: Path) -> None:
    """They have one /dev/shm, but not one /proc. The other job begins and ends before the last rank finds the first."""
    go = tmp_path / "go"
    last_waits = f"[ $ACP_RANK -lt 3 ] || until [ -e {go} ]; do sleep 0.05; done; exec {copies}"
    launcher = [sys.executable, "-m", "ayatori.processes"]
    container = "unshare --pid --mount --fork --kill-child --mount-proc".split()
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "ACP_TIMEOUT": "60"}
    before = set(Path("/dev/shm").glob("ayatori-0-*/ring-*"))
    waiting = [*container, *launcher, "4", "sh", "-c", last_waits]
    with subprocess.Popen(waiting, env=environment, text=True, stderr=subprocess.PIPE) as job:
        wait_until(lambda: len(set(Path("/dev/shm").glob("ayatori-0-*/ring-*")) - before) >= 3)
        assert ran([*launcher, "2", copies], env=environment).returncode == 0
        go.touch()
        assert job.wait(SECONDS) == 0, job.communicate()


def test_a_job_without_a_secret_stays_on_its_host(copies: Path) -> None:
    """Slurm without PMIx passes none on."""
    environment = os.environ | {"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_STEP_ID": "0", "SLURM_JOB_ID": "7"}
    environment |= {"SLURM_STEP_TASKS_PER_NODE": "1(x2)", "SLURM_LOCALID": "0"}
    said = ran(REFUSED, env=environment, seconds=60)
    assert "the processes of this job have no secret" in said.stdout, said
    assert "ACP_JOB_FILE" in said.stdout


@pytest.mark.skipif(not shutil.which("mpirun.openmpi"), reason="needs Open MPI")
@pytest.mark.parametrize("placement", ["a:4,b:2,c:2", "a:1,b:3"])
def test_open_mpi_passes_secret_and_addresses_on(placement: str, copies: Path, tmp_path: Path) -> None:
    """By PMIx, between hosts with names of their own."""
    ranks = sum(int(host.partition(":")[2]) for host in placement.split(","))
    agent = program_at(tmp_path / "agent", AGENT)
    # Open MPI 5 does not bind more ranks than this machine has cores.
    mpirun = ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "none", "--host", placement, "-np", str(ranks)]
    settings = ["-x", "ACP_NETWORK=127.0.0.0/8", "-x", "ACP_TIMEOUT=100"]
    done = ran([*mpirun, "--mca", "plm_rsh_agent", str(agent), *settings, str(copies)], seconds=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("mpiexec.hydra"), reason="needs MPICH")
def test_ranks_that_hydra_places_round_robin_are_refused(copies: Path, tmp_path: Path) -> None:
    """It says how many ranks a host has, and not which."""
    agent = program_at(tmp_path / "agent", AGENT)
    mpiexec = ["mpiexec.hydra", "-launcher", "ssh", "-launcher-exec", str(agent), "-hosts", "a,b", "-n", "4"]
    mpiexec += ["-genv", "ACP_NETWORK", "127.0.0.0/8", "-genv", "ACP_TIMEOUT", "100"]
    done = ran([*mpiexec, "-ppn", "2", str(copies)], seconds=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    refused = ran([*mpiexec, "-ppn", "1", *REFUSED], seconds=SECONDS)
    assert refused.returncode != 0
    assert "ranks must fill host after host" in refused.stdout + refused.stderr
