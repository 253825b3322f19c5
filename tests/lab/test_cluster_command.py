"""`ayatori lab cluster` with real namespaces: what a command finds in one, and that nothing is left of it."""

import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ayatori.cli.json_kinds import KINDS
from ayatori.lab.cluster import Settings, can_delay, has_netem, why_impossible
from ayatori.measurement.collectives import program_of
from subprocesses import AYATORI, processes, ran, said_by, wait_until
from typed_json import unlike

QUICK = [sys.executable, str(Path(__file__).parents[1] / "mpi/quick_measurements.py")]
EXAMPLES = Path(__file__).parents[2] / "examples/cluster"
THREE_CHASSIS = EXAMPLES / "three-chassis.toml"
SECONDS = 120.0

pytestmark = [
    pytest.mark.skipif(bool(why_impossible(Settings(loss_percent=1))), reason=why_impossible(Settings())),
]


def lab(folder: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*AYATORI, "lab", "cluster", *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def output_of(folder: Path, *words: str) -> str:
    out, err = lab(folder, *words).communicate(timeout=SECONDS)
    assert err == ""
    return out


def test_the_command_runs_on_the_first_host_and_its_status_comes_back(tmp_path: Path) -> None:
    script = 'hostname; pwd; cat; cat "$AYATORI_LAB_HOSTFILE" | wc -l; echo to stderr >&2; exit 7'
    running = ran(
        [*AYATORI, "lab", "cluster", THREE_CHASSIS, "--", "sh", "-c", script],
        cwd=tmp_path,
        given="given\n",
        seconds=SECONDS,
    )
    assert running.stdout.split() == ["chassis1-blade1", str(tmp_path), "given", "12"]
    assert (running.returncode, running.stderr) == (7, "to stderr\n")


# From a blade on one plane to the InfiniBand address of a gateway in another chassis, and how long that takes.
SEND = """
import os, socket, subprocess, sys, time
host, address, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
listen = "import socket; s = socket.create_server(('', 7000)); print(flush=True); c = s.accept()[0]"
receive = f"f = c.makefile('rb'); f.read({count}); c.send(b'.')"
agent = [os.environ["HYDRA_LAUNCHER_EXEC"], host, f'{sys.executable} -c "{listen}; {receive}"']
with subprocess.Popen(agent, stdout=subprocess.PIPE) as receiver:
    receiver.stdout.readline()
    with socket.create_connection((address, 7000)) as connection:
        begin = time.monotonic()
        connection.sendall(bytes(count))
        connection.recv(1)
        print(count * 8 / (time.monotonic() - begin))
"""


def test_packets_pass_gateways_at_the_rate_of_the_slowest_cable(tmp_path: Path) -> None:
    words = [sys.executable, "-c", SEND, "chassis2-gateway1", "chassis2-gateway1-infiniband0", "3000000"]
    rate = float(output_of(tmp_path, str(THREE_CHASSIS), "--slower", "20", "--", *words))
    assert 5e6 < rate <= 50e6 * 1.15, "1 Gbit/s divided by 20, but for the first burst"


BESIDE_STORAGE = """
[planes.gbe]
rate = "1Gbit/s"

[[switches]]
name = "core"
plane = "gbe"

[[hosts]]
name = "a[1-2],storage"
links = [{ to = "core" }]

[[background]]
from = "storage"
to = "a2"
plane = "gbe"
rate = "400Mbit/s"
"""


def test_background_traffic_flows_from_its_host_to_the_other(tmp_path: Path) -> None:
    (tmp_path / "storage.toml").write_text(BESIDE_STORAGE)
    sent = "ip -n storage -j -s link show gbe0 | grep -o '\"bytes\":[0-9]*' | tail -1 | cut -d: -f2"
    wait = f'for i in $(seq 1200); do [ "$({sent})" -gt 500000 ] && exec echo flows; sleep 0.05; done'
    assert output_of(tmp_path, "storage.toml", "--slower", "20", "--", "sh", "-c", wait) == "flows\n"


def test_packets_are_lost_at_the_rate_that_is_asked_for(tmp_path: Path) -> None:
    count = """
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
"""
    receive = count + "s.bind(('', 7001)); print(flush=True); s.settimeout(1); n = 0\ntry:\n while s.recv(99): n += 1\n"
    receive += "except TimeoutError: print(n)"
    (tmp_path / "receive.py").write_text(receive)
    (tmp_path / "send.py").write_text(
        "import os, socket, subprocess, sys, time\n"
        "agent = [os.environ['HYDRA_LAUNCHER_EXEC'], 'qs21-2', f'{sys.executable} receive.py']\n"
        "with subprocess.Popen(agent, stdout=subprocess.PIPE) as receiver:\n"
        " receiver.stdout.readline()\n"
        " s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        " for i in range(2000): s.sendto(b'.', ('chassis1-qs21-2', 7001)); time.sleep(2e-4)\n"
        " print(receiver.stdout.read().decode())\n".replace("'qs21-2'", "'chassis1-qs21-2'")
    )
    arrived = int(
        output_of(tmp_path, str(EXAMPLES / "evaluation.toml"), "--loss", "20", "--", sys.executable, "send.py")
    )
    assert 1400 < arrived < 1800


def test_labs_stand_side_by_side_and_nothing_is_left_of_them_at_whatever_point_they_are_ended(tmp_path: Path) -> None:
    before = said_by(["ip", "-brief", "link"])
    seed = random.randrange(1 << 32)
    print("seed", seed)
    draw = random.Random(seed)
    mark = f"1000.{os.getpid()}"
    everywhere = (
        f'for host in $(cat $AYATORI_LAB_HOSTFILE); do $HYDRA_LAUNCHER_EXEC $host "exec sleep {mark}" & done; wait'
    )
    labs = [lab(tmp_path, str(THREE_CHASSIS), "--", "sh", "-c", everywhere) for _ in range(4)]
    for running in labs:
        time.sleep(draw.uniform(0, 2))
        running.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM]))
        running.wait(SECONDS)
    # The labs' own processes have the command in their words, and the machine may have others' labs.
    wait_until(lambda: not processes("cmdline", lambda command: mark.encode() in command), SECONDS)
    assert said_by(["ip", "-brief", "link"]) == before
    assert not Path("/run/netns/chassis1-blade1").exists()
    assert not Path("/run/ayatori").exists()


def test_sigterm_reaches_the_command(tmp_path: Path) -> None:
    script = "trap 'echo asked; exit 3' TERM; echo up; while :; do sleep 0.05; done"
    running = lab(tmp_path, str(THREE_CHASSIS), "--", "sh", "-c", script)
    assert running.stdout is not None
    assert running.stdout.readline() == "up\n"
    running.send_signal(signal.SIGTERM)
    assert running.communicate(timeout=SECONDS)[0] == "asked\n"
    assert running.returncode == 3


def test_a_kernel_without_netem_is_told_of(tmp_path: Path) -> None:
    file = tmp_path / "slow.toml"
    file.write_text(THREE_CHASSIS.read_text().replace('rate = "1Gbit/s"', 'rate = "1Gbit/s"\nlatency = "50us"'))
    running = lab(tmp_path, str(file), "--", "true")
    told = running.communicate(timeout=SECONDS)[1]
    assert ("netem" in told) == (not has_netem())


# The shortest of some round trips to the other host, in seconds.
ROUND_TRIP = """
import os, socket, subprocess, sys, time
listen = "import socket; s = socket.create_server(('', 7000)); print(flush=True); c = s.accept()[0]"
answer = "[c.sendall(c.recv(1)) for _ in range(9)]"
agent = [os.environ["HYDRA_LAUNCHER_EXEC"], "b2", f'{sys.executable} -c "{listen}; {answer}"']
with subprocess.Popen(agent, stdout=subprocess.PIPE) as receiver:
    receiver.stdout.readline()
    with socket.create_connection(("b2", 7000)) as connection:
        times = []
        for _ in range(9):
            begin = time.monotonic()
            connection.sendall(b".")
            connection.recv(1)
            times.append(time.monotonic() - begin)
print(min(times))
"""


@pytest.mark.skipif(not has_netem() and not can_delay(), reason="nothing here delays packets")
def test_cables_have_the_latency_that_the_file_gives_them(tmp_path: Path) -> None:
    """Two cables there and two back; netem, or our own process in its place."""
    (tmp_path / "planes.toml").write_text(TWO_PLANES.replace('"1Gbit/s"', '"1Gbit/s"\nlatency = "5ms"'))
    seconds = float(output_of(tmp_path, "planes.toml", "--", sys.executable, "-c", ROUND_TRIP))
    assert seconds >= 4 * 5e-3


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["nowhere.toml", "--", "true"], 1, "nowhere.toml"),
        ([str(THREE_CHASSIS), "--slower", "0", "--", "true"], 2, "--slower takes a number above 0"),
        ([str(THREE_CHASSIS), "--loss", "100", "--", "true"], 2, "--loss a percentage below 100"),
        ([str(THREE_CHASSIS), "--", "no-such-program"], 127, "no-such-program"),
    ],
)
def test_bad_input_is_said(words: list[str], status: int, said: str, tmp_path: Path) -> None:
    running = lab(tmp_path, *words)
    assert said in running.communicate(timeout=SECONDS)[1]
    assert running.returncode == status


# The two hosts of each measurement have different cores, if there are two.
TWO_PLANES = """
[planes.gbe]
rate = "1Gbit/s"

[planes.fast]
rate = "4xSDR"

[[switches]]
name = "left"
plane = "gbe"

[[switches]]
name = "right"
plane = "fast"

[[hosts]]
name = "a[1-2]"
links = [{ to = "left" }]

[[hosts]]
name = "b[1-2]"
links = [{ to = "left" }, { to = "right" }]
"""


@pytest.mark.skipif(shutil.which("mpicc.mpich") is None, reason="MPICH is not installed")
def test_a_ping_pong_measures_each_network_and_what_is_simulated_uses_it(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Two launches for each, as many as the command makes with --all."""
    everything = pytestconfig.getoption("--all", default=False)
    (tmp_path / "planes.toml").write_text(TWO_PLANES)
    bench = ["bench", "pingpong", "--network", "cluster:planes.toml", "--mpirun", "mpirun.mpich", "--seconds", "10ms"]
    words = [*(AYATORI if everything else QUICK), *bench, "--max-bytes", "1KiB", "--out-dir", "measured", "--json"]
    script = 'exec "$@" --hosts "$AYATORI_LAB_HOSTFILE"'
    # MPICH's ranks poll: beside other tests each launch takes seconds instead of a fifth of one.
    out, err = lab(tmp_path, "planes.toml", "--", "sh", "-c", script, "sh", *words).communicate(timeout=5 * SECONDS)
    assert out, err
    data = json.loads(out)
    assert (data.pop("format"), data.pop("version")) == ("ayatori-bench-pingpong-output", 1), err
    assert list(unlike(data, KINDS["bench-pingpong"].type)) == []
    found = {one["name"]: one for one in data["stretches"]}
    assert set(found) == {"gbe near", "gbe far", "fast near", "gbe > fast"}
    assert found["gbe far"]["hosts"] == ["a1", "b2"]
    assert found["fast near"]["interfaces"] == ["fast0", "fast0"]
    assert found["gbe > fast"]["interfaces"] == ["gbe0", "fast0"]
    for one in found.values():
        assert [row["bytes"] for row in one["sizes"]] == [1 << power for power in range(11)]
        assert all(row["half_round_trip_s"] > 0 and row["throughput_MBps"] > 0 for row in one["sizes"])
    for diagram in ("latency.svg", "throughput.svg"):
        assert "fast near" in (tmp_path / "measured" / diagram).read_text()
    call = ["--collective", "broadcast", "--algorithm", "binomial", "--bytes", "8B", "--calibration", "measured"]
    simulated = subprocess.run(
        [*AYATORI, "simulate", "json:measured/network.json", *call, "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    costs = json.loads(simulated.stdout)["model"]["on_planes"]
    saved = [json.loads((tmp_path / "measured" / f"{plane}.json").read_text()) for plane in ("gbe", "fast")]
    assert [one["eager_limit"] for one in costs] == [one["between"]["eager_limit"] for one in saved]


needs_open_mpi = pytest.mark.skipif(not program_of("openmpi").exists(), reason="Open MPI is not installed")


def sent_by_b1(folder: Path, words: list[str], **settings: str) -> tuple[dict[str, int], str]:
    """Bytes by interface of b1, and what is said, when four ranks that know the network make these calls. Of the MPI's
    own messages each goes by gbe."""
    (folder / "planes.toml").write_text(TWO_PLANES)
    launch = ["--network", "cluster:planes.toml", "--", "mpirun.openmpi", "-np", "4"]
    script = f"{shlex.join([*AYATORI, 'run', '--verbose', *launch, *words])} >&2 && ip -n b1 -j -s link"
    by_gbe = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "gbe0"}
    in_lab = [*AYATORI, "lab", "cluster", "planes.toml", "--", "sh", "-c", script]
    done = ran(in_lab, cwd=folder, env=by_gbe | settings, seconds=SECONDS)
    assert done.returncode == 0, done.stderr
    return {link["ifname"]: link["stats64"]["tx"]["bytes"] for link in json.loads(done.stdout)}, done.stderr


@needs_open_mpi
def test_messages_of_the_plug_in_take_the_best_network_of_two_hosts(tmp_path: Path) -> None:
    words = [str(program_of("openmpi")), "alltoall", "65536", "1"]
    sent, said = sent_by_b1(tmp_path, words, AYATORI_ALLTOALL="spread")
    assert sent["fast0"] > 2 * 65536, f"several calls, in each of them a message to b2: {said}"
    assert sent["gbe0"] > 4 * 65536, "and messages to a1 and a2"


@needs_open_mpi
def test_calls_that_do_not_block_go_by_the_fastest_network(tmp_path: Path) -> None:
    """Not with MPICH 4.0, of which four processes over UCX often wait for each other in MPI_Finalize."""
    words = [str(program_of("openmpi").with_name("overlap_mpi_openmpi")), *"iallreduce arithmetic 65536 2 0".split()]
    sent, said = sent_by_b1(tmp_path, words, AYATORI_IALLREDUCE="ring")
    assert "without blocking on 4 ranks: ring" in said
    assert sent["fast0"] > 4 * 65536, f"b1 sends to b2: {said}"
    assert sent["gbe0"] < sent["fast0"], "no more than what the MPI says, and the barriers"


PURPOSES = """
[planes.tree]
rate = "1Gbit/s"
for = ["collectives"]

[planes.grid]
rate = "1Gbit/s"
for = ["neighbours", "storage"]

[planes.fibre]
rate = "4GFC"

[[switches]]
name = "left"
plane = "tree"

[[switches]]
name = "right"
plane = "grid"

[[switches]]
name = "disks"
plane = "fibre"

[[hosts]]
name = "h[1-2]"
links = [{ to = "left" }, { to = "right" }, { to = "disks" }]
"""


@pytest.mark.parametrize(
    ("family", "settings"), [("openmpi", {}), ("mpich", {}), ("openmpi", {"AYATORI_ALLREDUCE": "ring"})]
)
def test_collectives_and_other_messages_take_the_networks_that_are_for_them(
    family: str, settings: dict[str, str], tmp_path: Path
) -> None:
    """As the interfaces of the first host count bytes while each kind is sent. An allreduce of two processes sends at
    least its data once, and small messages, of the MPI's own too, may go anywhere. Nothing is forced, but once."""
    if shutil.which(f"mpicc.{family}") is None:
        pytest.skip(f"mpicc.{family} is not installed")
    (tmp_path / "purposes.toml").write_text(PURPOSES)
    source = Path(__file__).with_name("purposes.c")
    subprocess.run([f"mpicc.{family}", "-O1", source, "-o", tmp_path / "purposes"], check=True)
    run = [*AYATORI, "run", "--verbose", "--lab", "purposes.toml", "--", f"mpirun.{family}", "-np", "2"]
    done = ran([*run, "./purposes", "tree0", "grid0"], cwd=tmp_path, env=settings, seconds=SECONDS)
    assert done.returncode == 0, done.stderr
    assert "collectives have networks that the MPI's other messages do not take" in done.stderr
    why = r"MPI_Allreduce on 2 ranks: \S+, as the MPI's own would take other networks"
    assert bool(re.search(why, done.stderr)) == (not settings)
    assert "left out, since a lab's networks carry IP and Fibre Channel storage alone: fibre" in done.stderr
    sent = json.loads((tmp_path / "sent.json").read_text())
    data = 8 << 20
    assert sent["collectives"]["tree0"] >= data and sent["neighbours"]["grid0"] >= data, sent
    assert sent["collectives"]["grid0"] < data / 16 and sent["neighbours"]["tree0"] < data / 16, sent
    assert sent["outstanding"]["tree0"] >= data and sent["outstanding"]["grid0"] < data / 16, sent


def test_a_purpose_that_is_not_known_is_said_before_a_lab_is_made(tmp_path: Path) -> None:
    (tmp_path / "wrong.toml").write_text(PURPOSES.replace('"collectives"', '"reductions"'))
    running = lab(tmp_path, "wrong.toml", "--", "true")
    assert "wrong.toml:4: for: nothing is called 'reductions'" in running.communicate(timeout=SECONDS)[1]
    assert running.returncode == 1


def test_run_starts_a_program_with_the_plug_in_in_a_lab(tmp_path: Path) -> None:
    (tmp_path / "planes.toml").write_text(TWO_PLANES)
    run = [*AYATORI, "run", "--lab", "planes.toml", "--slower", "2", "--", "mpirun.mpich", "-np", "4"]
    said = said_by([*run, "sh", "-c", 'echo "$(hostname) $LD_PRELOAD"'], cwd=tmp_path)
    lines = sorted(line.split() for line in said.splitlines())
    assert [line[0] for line in lines] == ["a1", "a2", "b1", "b2"]
    assert all("libayatori_mpi.so" in line[1] for line in lines)
    assert all("libayatori_yields.so" in line[1] for line in lines), "MPICH's ranks share cores in a lab"
