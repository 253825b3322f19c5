"""Jobs of libacp that another user of the node attacks: he learns nothing, changes nothing, and ends nothing."""

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from thoroughness import tries

ROOT = Path(__file__).parents[2]
LIBRARIES = ROOT / "build/release/lib"
NOBODY = 65534
SECONDS = 300

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root, to be another user"),
    pytest.mark.skipif(not (LIBRARIES / "libacp.so").exists(), reason="build/release is not there: `./run build`"),
]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("attacked") / "attacked"
    flags = ["-std=c99", "-O1", f"-I{ROOT / 'src/acp/include'}", f"-L{LIBRARIES}", f"-Wl,-rpath,{LIBRARIES}", "-lacp"]
    source = Path(__file__).with_name("attacked.c")
    subprocess.run(["cc", str(source), "-o", str(made), *flags], check=True, timeout=120)
    return made


class Sniffer:
    """UDP datagrams of the loopback, as somebody reads them who reads the network."""

    def __init__(self) -> None:
        self.datagrams: list[bytes] = []
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0003))
        self._socket.bind(("lo", 0))
        self._socket.settimeout(0.2)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._listen)

    def __enter__(self) -> "Sniffer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._socket.close()

    def _listen(self) -> None:
        while not self._over.is_set() and len(self.datagrams) < 3000:
            try:
                packet = self._socket.recv(70_000)
            except TimeoutError:
                continue
            if packet[0] >> 4 == 4 and packet[9] == socket.IPPROTO_UDP:
                self.datagrams.append(packet[(packet[0] & 15) * 4 + 8 :])


def descendants(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += descendants(int(child))
    return found


def processes_of(job: "subprocess.Popen[str]", program: Path, count: int) -> list[int]:
    while True:
        found = descendants(job.pid)
        names = [Path(f"/proc/{pid}/exe") for pid in found]
        if sum(name.exists() and name.resolve() == program for name in names) == count:
            return found
        assert job.poll() is None, job.communicate()


def secret_of(pid: int) -> str:
    """Read by root, who may."""
    environment = Path(f"/proc/{pid}/environ").read_bytes().decode().split("\0")
    name = next(line.partition("=")[2] for line in environment if line.startswith("ACP_JOB_FILE="))
    return Path(name.replace("self", str(pid))).read_bytes()[:32].decode()


@pytest.mark.parametrize("wires", ["shm", "udp"])
def test_another_user_learns_changes_and_ends_nothing(wires: str, program: Path, tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    packets = tries(100_000, 1_000_000)
    environment = os.environ | {"ACP_WIRES": wires, "ACP_TIMEOUT": "60", "PYTHONPATH": str(ROOT / "python")}
    command = [sys.executable, "-m", "ayatori.processes", "3", str(program), str(stop)]
    with Sniffer() as sniffer:
        job = subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        pids = processes_of(job, program, 3)
        while wires == "udp" and len(sniffer.datagrams) < 3000:
            assert job.poll() is None, job.communicate()
    stranger = tmp_path / "stranger.py"  # in a folder that nobody may enter, it would not run
    shutil.copy(Path(__file__).with_name("stranger.py"), stranger)
    captured = tmp_path / "captured"
    captured.write_text("\n".join(datagram.hex() for datagram in sniffer.datagrams))
    for path in (tmp_path, *tmp_path.parents):
        if path.owner() == "root" and path.is_relative_to("/tmp/pytest-of-root"):
            path.chmod(0o755)
    as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    attack = [*as_nobody, "/usr/bin/python3", str(stranger), "0", str(packets), str(captured), "0", *map(str, pids)]
    said = subprocess.run(attack, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    secret = secret_of(pids[-1])
    stop.write_text("")
    output, errors = job.communicate(timeout=SECONDS)
    assert job.returncode == 0, errors
    assert output.count("rounds") == 3 and errors == ""
    assert found["opened"] == [] and found["unix_sockets"] == 0 and found["killed"] == 0
    assert len(secret) == 32 and secret not in found["texts"]
    assert not any(bytes.fromhex(secret) in datagram for datagram in sniffer.datagrams)
    if wires == "udp":
        assert found["ports"] >= 6 and found["sent"] > packets * 0.9, found
        assert len({struct.unpack_from("<Q", one, 2) for one in sniffer.datagrams}) > 1000, "nonces repeat"


def test_the_squatter_of_a_folder_is_refused(program: Path) -> None:
    """A folder of another user with the name of this user's would be one that he may enter."""
    name = f"/dev/shm/ayatori-0-{os.stat('/proc/self/ns/pid').st_ino}-{0x5EED:016x}"
    try:
        subprocess.run(
            ["setpriv", f"--reuid={NOBODY}", "--clear-groups", f"--regid={NOBODY}", "mkdir", name], check=True
        )
        listed = subprocess.run([str(program), "/"], capture_output=True, text=True, timeout=60, check=False)
        assert listed.returncode == 0, "its number is another one"
        assert Path(name).exists()
    finally:
        Path(name).rmdir()
