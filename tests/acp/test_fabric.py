"""The provider of libfabric, by a program of our own, by libfabric's own fi_pingpong, and under an MPI."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ayatori import _acp
from subprocesses import ran

ROOT = Path(__file__).parents[2]
PROVIDERS = ROOT / "build/release/libfabric"
SECONDS = 300
LOSS = """ip link set lo up
nft add table ip t
nft add chain ip t c '{ type filter hook input priority 0; }'
nft add rule ip t c meta l4proto udp numgen random mod 100 '<' 20 drop
exec "$@"
"""

pytestmark = [
    pytest.mark.skipif(
        not (PROVIDERS / "libayatori-fi.so").exists(), reason="build/release is not there: `./run build`"
    ),
    pytest.mark.skipif(not Path("/usr/include/rdma/fabric.h").exists(), reason="needs libfabric-dev"),
]
WIRES = pytest.mark.parametrize("wires", ["shm", "udp"])


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("fabric") / "program"
    source = Path(__file__).with_name("fabric_program.c")
    subprocess.run(["cc", "-std=gnu11", "-O1", source, "-o", made, "-lfabric"], check=True, timeout=120)
    return made


def said_by_two(program: Path, *words: str, wires: str, timeout: int = 20, lossy: bool = False) -> str:
    """What both processes print, which end well."""
    command = [sys.executable, "-m", "ayatori.processes", "2", str(program), *words]
    if lossy:
        command = ["unshare", "--net", "sh", "-ec", LOSS, "lossy", *command]
    variables = {
        "FI_PROVIDER_PATH": str(PROVIDERS),
        "FI_AYATORI_STATISTICS": "1",
        "ACP_WIRES": wires,
        "ACP_TIMEOUT": str(timeout),
    }
    done = ran(command, env=variables, seconds=SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def check_counts(said: str) -> None:
    assert said.count(": good") == 2, said
    lines = re.findall(r"ayatori-fi: rank \d: (.*); \d+ packets without a message; transport", said)
    # 100 small ones, 3 long ones, one that is cut, and three to meet.
    expected = "107 messages sent, 3 of them long, 107 received, [0-9]+ unexpected; 12 writes, 6 reads, 20 atomics"
    assert len(lines) == 2 and all(re.fullmatch(expected, line) for line in lines), said


@WIRES
def test_each_operation_does_what_it_should_and_is_counted(program: Path, wires: str) -> None:
    check_counts(said_by_two(program, "operations", wires=wires))


@pytest.mark.skipif(not shutil.which("nft"), reason="needs nftables")
def test_every_byte_is_right_when_a_fifth_of_the_datagrams_is_lost(program: Path) -> None:
    check_counts(said_by_two(program, "operations", wires="udp", lossy=True))


@WIRES
def test_the_transport_takes_what_is_estimated(program: Path, wires: str) -> None:
    """`estimate memory` makes a transport as the provider does; this is what the provider counts."""
    said = said_by_two(program, "operations", wires=wires)
    counted = [int(number) for number in re.findall(r"transport (\d+) bytes, address vectors 0 bytes", said)]
    assert len(counted) == 2
    assert counted == pytest.approx([_acp.acp_memory_use(wires, 2, 2).provider] * 2, rel=0.02)


@WIRES
def test_pieces_shared_buffers_and_ordered_accesses(program: Path, wires: str) -> None:
    assert said_by_two(program, "pieces", wires=wires).count(": good") == 2


@pytest.mark.skipif(not shutil.which("nft"), reason="needs nftables")
def test_accesses_keep_their_order_when_a_fifth_of_the_datagrams_is_lost(program: Path) -> None:
    assert said_by_two(program, "pieces", wires="udp", lossy=True).count(": good") == 2


@pytest.mark.parametrize("provider", ["ayatori", "tcp;ofi_rxm", "udp;ofi_rxd", "shm"])
def test_questions_are_answered_as_by_other_providers(program: Path, provider: str) -> None:
    """Those of fabtests' fi_getinfo_test, of each kind."""
    assert said_by_two(program, "infos", provider, wires="shm").count(": good") == 2


def test_what_is_not_offered_is_refused(program: Path) -> None:
    assert said_by_two(program, "refusals", wires="shm").count(": good") == 2


@WIRES
def test_operations_with_a_peer_that_has_ended_fail(program: Path, wires: str) -> None:
    assert "rank 0: good" in said_by_two(program, "lost", wires=wires, timeout=3)


@WIRES
def test_progress_is_made_while_a_process_does_not_call(program: Path, wires: str, tmp_path: Path) -> None:
    said = said_by_two(program, "by_itself", str(tmp_path / "sent"), str(tmp_path / "used"), wires=wires)
    assert said.count(": good") == 2


@WIRES
def test_nothing_is_lost_while_a_peer_does_not_receive(program: Path, wires: str) -> None:
    assert said_by_two(program, "flood", "2", wires=wires).count(": good") == 2
