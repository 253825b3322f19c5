"""`ayatori lab rdma` with a real virtual machine, and where none can be made."""

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ayatori.lab.rdma import MachineSettings, missing_packages, prepare_parts, run_command
from ayatori.processes import ProgramError
from subprocesses import processes, wait_until

ROOT = Path(__file__).parent.parent.parent
LIBACP = ROOT / "build/release/lib"
PRELOAD = ROOT / "build/release/paths/libayatori_paths.so"
SECONDS = 600.0
"""Long: other tests run beside this one, and the machine is emulated."""


def lab(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "ayatori.cli", "lab", "rdma", "--memory", "512MiB", *words],
        cwd=folder,
        env=os.environ | {"NO_COLOR": "1", "ODD": "a 'b\" $c"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@dataclass(frozen=True)
class Ended:
    """A command in one guest, in whose working directory `folder` it wrote `made` and, of RoCE's packets, `ports`."""

    folder: Path
    outside: Path
    status: int
    out: list[str]
    err: bytes


@pytest.fixture(scope="module")
def ended(machine: None, tmp_path_factory: pytest.TempPathFactory) -> Ended:
    """One guest for all that one host is asked for: most of the time is its start."""
    folder = tmp_path_factory.mktemp("guest")
    outside = folder.parent / f"{folder.name}.outside"
    (folder / "given").write_text("of before\n")
    capture = f"{sys.executable} {ROOT / 'tests/paths/capture.py'} {PRELOAD} >ports"
    script = f"""
        cat given; printf '%s\\n' "$ODD"; pwd; rdma link | cut -d' ' -f2,4; cat >made; printf 'a\\000b' >made
        tc qdisc show dev rdma0; echo gone >{outside}; cat {outside}; echo to stderr >&2
        {capture if can_capture() else ":"} 2>capture.log; exit 7"""
    running = lab(folder, "--netem", "delay 3ms", "--", "sh", "-c", script)
    out, err = running.communicate(timeout=SECONDS)
    return Ended(folder, outside, running.returncode, out.decode().splitlines(), err)


def test_output_status_and_files_come_back(ended: Ended) -> None:
    assert ended.status == 7, ended.err
    first = ["of before", "a 'b\" $c", str(ended.folder), "rxe0/1 ACTIVE", "rxe1/1 ACTIVE"]
    assert ended.out[:5] == first, ended.out
    assert "netem" in ended.out[5] and "delay 3ms" in ended.out[5] and ended.out[6] == "gone"
    assert ended.err == b"to stderr\n"
    assert (ended.folder / "made").read_bytes() == b"a\0b"
    assert not ended.outside.exists(), "what is written elsewhere is gone with the guest"


def can_capture() -> bool:
    return PRELOAD.exists() and shutil.which("ibv_rc_pingpong") is not None


def test_packets_of_roce_have_the_planned_source_ports(ended: Ended) -> None:
    """Over IPv4, GID index 1, and over IPv6, index 0."""
    if not can_capture():
        pytest.skip("libibverbs-dev or ibverbs-utils is not installed")
    planned = [["rxe0", "rxe1", 51111], ["rxe1", "rxe0", 62222]]
    log = (ended.folder / "capture.log").read_text()
    assert (ended.folder / "ports").exists(), log
    assert json.loads((ended.folder / "ports").read_text()) == {"1": planned, "0": planned}, log


def acp_program(name: str, folder: Path) -> Path:
    """A program of libacp's tests that does not exchange ranks, which only processes of one host can."""
    options = ["-std=gnu99", "-O1", f"-I{ROOT / 'src/acp/include'}", f"-L{LIBACP}", f"-Wl,-rpath,{LIBACP}", "-pthread"]
    subprocess.run(["cc", ROOT / f"src/acp/tests/{name}.c", *options, "-lacp", "-o", folder / name], check=True)
    return folder / name


def test_two_hosts_reach_each_other_and_run_mpi_over_ucx_and_libacp(machine: None, tmp_path: Path) -> None:
    """Both MPIs over UCX's verbs alone, each with one of its transports, and messages of each of its protocols; libacp
    over verbs, with reliable connections to some peers."""
    source = Path(__file__).with_name("ring.c")
    for family in ("openmpi", "mpich"):
        subprocess.run([f"mpicc.{family}", "-O1", source, "-o", tmp_path / family], check=True)
    programs = [acp_program(name, tmp_path) for name in ("acp_copy_test", "acp_locks_test", "acp_channels_test")]
    over_hosts = shlex.join(map(str, [ROOT / "src/acp/tests/over_hosts.sh", *programs]))
    # The machine may stand still for seconds while other tests run, which must not end a connection.
    script = f"""
        export UCX_UD_TIMEOUT=10m UCX_RC_TIMEOUT=10s UCX_WARN_UNUSED_ENV_VARS=n
        mpirun.openmpi --allow-run-as-root -np 2 --host host0,host1 --map-by node --mca pml ucx \
            --mca btl '^openib,ofi' -x UCX_NET_DEVICES=rxe0:1 -x UCX_UD_TIMEOUT -x UCX_TLS=ud_v,self ./openmpi
        mpiexec.mpich -n 2 -ppn 1 -hosts host0,host1 -genv UCX_NET_DEVICES rxe0:1 -genv UCX_TLS rc_v,self ./mpich
        cat /sys/class/infiniband/rxe0/ports/1/hw_counters/rcvd_pkts
        {over_hosts} >programs && echo libacp: good
        $LAB_RSH host1 'hostname; rdma link | cut -d" " -f2,4; echo there >made; exit 5'"""
    running = lab(tmp_path, "--guests", "2", "--cpus", "1", "--netem", "delay 50us", "--", "sh", "-c", script)
    out, err = running.communicate(timeout=SECONDS)
    assert running.returncode == 5, (out, err)
    *rings, received, over_verbs, host, link = out.decode().splitlines()
    assert rings[-2:] == ["ring of 2: good"] * 2, (out, err)  # UCX warns on standard output
    assert int(received) > 200, "the messages did not pass the adapters"
    assert over_verbs == "libacp: good", (out, err)
    assert (host, link) == ("host1", "rxe0/1 ACTIVE")


def qemu_processes(above: int) -> list[int]:
    """Of this machine, whose folder belongs to the process `above`."""
    mark = f"ayatori-lab-{above}-".encode()
    return processes("cmdline", lambda words: b"qemu-system" in words and mark in words)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_machine_is_left_when_the_command_is_ended(machine: None, tmp_path: Path, number: signal.Signals) -> None:
    running = lab(tmp_path, "--", "sleep", "1000")
    wait_until(lambda: qemu_processes(running.pid) != [], SECONDS)
    running.send_signal(number)
    running.communicate(timeout=SECONDS)
    wait_until(lambda: qemu_processes(running.pid) == [], SECONDS)


def test_a_netem_that_tc_does_not_take_is_an_error(machine: None, tmp_path: Path) -> None:
    """Before a guest is started."""
    running = lab(tmp_path, "--netem", "lose everything", "--", "true")
    out, err = running.communicate(timeout=SECONDS)
    assert running.returncode == 1 and out == b""
    assert b"a guest can't be set up" in err and b"netem lose everything" in err


@pytest.mark.sweep
def test_what_a_guest_can_not_be_set_up_with_is_an_error(
    machine: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a whole guest; in test_rdma_parts.py without one."""
    monkeypatch.setattr("ayatori.lab.rdma.machine.require_netem", lambda _: None)
    settings = MachineSettings(memory_mib=512, netem="lose everything", environment=os.environ)
    with pytest.raises(ProgramError, match="a guest can't be set up") as error:
        run_command(prepare_parts(), settings, ["true"], tmp_path, io.BytesIO(), io.BytesIO())
    assert error.value.cause == "tc does not take 'netem lose everything'"


def test_missing_packages_are_named_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ayatori.processes.programs._SYSTEM_FOLDERS", ())
    monkeypatch.setenv("PATH", str(tmp_path))
    assert missing_packages()[:2] == ["qemu-system-x86", "iproute2"]


def test_too_much_memory_is_refused_before_the_machine_starts(ayatori_command, machine: None) -> None:
    ayatori_command("lab", "rdma", "--memory", "64000GiB", "--", "true").refused(1, "the guests need", "MiB are free")
