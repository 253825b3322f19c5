"""Virtual machines around this machine's files, which run one command: made, started together, and ended."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ayatori.lab.rdma.console import PORTS, Console
from ayatori.lab.rdma.initramfs import CharacterDevice, Entry, archive
from ayatori.lab.rdma.parts import Parts
from ayatori.processes import Command, ProgramError, Supervised, find_program, last_line

MAX_HOSTS = 2
"""As many as one cable joins."""

_GUEST = Path(__file__).parent / "guest"
_SPARE_MIB = 200
"""What QEMU takes for itself, for each host."""

_FOLDER = "ayatori-lab-"
"""How the names of the folders of running machines begin; the process follows."""

_KERNEL_WORDS = (
    "console=ttyS0 quiet panic=-1 mitigations=off nokaslr no_timer_check tsc=reliable audit=0 cryptomgr.notests "
    "rdinit=/init"
)
"""cryptomgr.notests: the kernel's ciphers are not tried first, which takes more than a second when they are emulated.
tsc=reliable: the time stamp counters of emulated processors agree. Without it the kernel reads the time from an
emulated chip, one processor at a time."""

_COMPLAINT = "lab: "
_BOOT_SECONDS = 240.0
_GRACE_SECONDS = 0.5
_POLL_SECONDS = 0.2


@dataclass(frozen=True)
class MachineSettings:
    """What machines to make; all hosts are alike."""

    hosts: int = 1
    """1: a host with two adapters, rxe0 and rxe1, that are joined by a cable; 2: two hosts with rxe0 each."""

    cpus: int = 2
    memory_mib: int = 1024

    netem: str = ""
    """What netem does to what each adapter sends, in the words of tc-netem(8): "loss 20% delay 1ms 500us"."""

    environment: Mapping[str, str] = field(default_factory=dict)
    """All variables of the command."""


def run_command(
    parts: Parts,
    settings: MachineSettings,
    command: Sequence[str],
    folder: Path,
    output: BinaryIO,
    errors: BinaryIO,
) -> int:
    """Runs a command on the first host, as root in `folder`, and returns its exit status (128 + N: signal N).

    The guests see all files of this machine as they are now. What they write in `folder` is written here; what they
    write anywhere else is gone with them. What the command prints goes to `output` and `errors` as it comes. The guests
    are gone when this function returns or raises, and when this process is killed.

    Raises ProgramError if a guest can't be started or set up, or ends before the command.
    """
    require_memory(settings)
    require_netem(settings.netem)
    _remove_what_is_left(Path(tempfile.gettempdir()))
    qemu = find_program("qemu-system-x86_64", "qemu-system-x86")
    with tempfile.TemporaryDirectory(prefix=f"{_FOLDER}{os.getpid()}-") as made:
        scratch = Path(made)
        script = scratch / "command"
        script.write_text(command_script(command, folder, settings.environment), encoding="utf-8")
        for host in range(settings.hosts):
            settings_of = guest_settings(settings, host, folder, script)
            (scratch / f"initrd{host}").write_bytes(archive(guest_files(parts, settings_of)))
        with Console([scratch / f"host{host}" for host in range(settings.hosts)], output, errors) as console:
            commands = [
                Command(
                    [*_waiting(host, scratch), qemu, *qemu_arguments(parts, settings, host, folder, scratch)],
                    os.environ,
                )
                for host in range(settings.hosts)
            ]
            return _run(commands, scratch, console)


def _run(commands: Sequence[Command], scratch: Path, console: Console) -> int:
    with (scratch / "qemu.log").open("wb") as log:
        machines = Supervised(commands, folder=scratch, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + _BOOT_SECONDS
        while console.status is None:
            console.listen(_POLL_SECONDS)
            if console.failure:
                raise ProgramError("a guest can't be set up", console.failure)
            if machines.wait(0) is not None:
                console.listen(0)
                if console.status is None:
                    raise ProgramError("a guest ended before its command", _last_words(scratch))
            if not console.ready and time.monotonic() > deadline:
                raise ProgramError(f"the guests were not up within {_BOOT_SECONDS:g} s", _last_words(scratch))
        return console.status
    finally:
        machines.stop(_GRACE_SECONDS)


def _remove_what_is_left(temporary: Path) -> None:
    """The folders of processes that were killed."""
    for folder in temporary.glob(f"{_FOLDER}*-*"):
        process = folder.name.removeprefix(_FOLDER).partition("-")[0]
        if process.isdigit() and not Path("/proc", process).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _last_words(scratch: Path) -> str:
    """The first complaint of a guest's scripts, else the last line of QEMU, else that of a kernel."""
    kernels = sorted(scratch.glob("kernel*.log"))
    lines = (line for log in kernels for line in log.read_text("utf-8", "replace").splitlines())
    complaint = next((line.removeprefix(_COMPLAINT).strip() for line in lines if line.startswith(_COMPLAINT)), "")
    return complaint or next((line for log in (scratch / "qemu.log", *kernels) if (line := last_line(log))), "")


# ---- Of what a guest is made


def guest_files(parts: Parts, settings: str) -> dict[str, Entry]:
    """The first file system of a guest."""
    files: dict[str, Entry] = {"dev/console": CharacterDevice(5, 1), "bin/busybox": parts.busybox.read_bytes()}
    files |= {f"modules/{path.name}": path.read_bytes() for path in parts.modules}
    files |= {name: (_GUEST / name).read_bytes() for name in ("init", "start", "remote_shell.py")}
    files["settings"] = settings.encode()
    return files


def guest_settings(settings: MachineSettings, host: int, folder: Path, script: Path) -> str:
    """What a guest's scripts read, as variables of the shell."""
    variables = {
        "host": host,
        "hosts": settings.hosts,
        "netem": settings.netem,
        "shared": "" if folder == Path("/") else folder,
        "command": script,
        "python": os.path.realpath(sys.executable),
    }
    return "".join(f"{name}={shlex.quote(str(value))}\n" for name, value in variables.items())


def command_script(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> str:
    """A script of the shell that becomes the command."""
    exports = [f"export {name}={shlex.quote(value)}" for name, value in environment.items() if name.isidentifier()]
    return "\n".join([*exports, f"cd {shlex.quote(str(folder))} || exit 126", f"exec {shlex.join(command)}", ""])


def qemu_arguments(parts: Parts, settings: MachineSettings, host: int, folder: Path, scratch: Path) -> list[str]:
    """QEMU's arguments for one host, without its name."""
    shared = [("around", Path("/"), ",readonly=on")]
    if folder != Path("/"):
        shared.append(("shared", folder, ""))
    arguments = [
        "-accel",
        "tcg,thread=multi",
        "-cpu",
        "max",
        "-smp",
        str(settings.cpus),
        "-m",
        str(settings.memory_mib),
    ]
    arguments += ["-nodefaults", "-no-user-config", "-no-reboot", "-display", "none", "-monitor", "none"]
    arguments += ["-kernel", str(parts.kernel), "-initrd", str(scratch / f"initrd{host}")]
    arguments += ["-append", _KERNEL_WORDS]
    arguments += ["-serial", f"file:{_escaped(scratch / f'kernel{host}.log')}", "-device", "virtio-serial-pci"]
    for number, port in enumerate(PORTS, start=1):
        socket = _escaped(scratch / f"host{host}" / port)
        arguments += ["-chardev", f"socket,id={port},path={socket}"]
        arguments += ["-device", f"virtserialport,chardev={port},nr={number},name={port}"]
    for tag, path, more in shared:
        arguments += ["-fsdev", f"local,id={tag},path={_escaped(path)},security_model=none,multidevs=remap{more}"]
        arguments += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
    arguments += ["-object", "rng-random,id=random,filename=/dev/urandom", "-device", "virtio-rng-pci,rng=random"]
    return arguments + (_network(host, scratch) if settings.hosts > 1 else [])


def _network(host: int, scratch: Path) -> list[str]:
    """Two cables: eth0 of each host for everything, eth1 for its adapter. The first host waits at their ends."""
    arguments = []
    for cable in range(2):
        end = f"addr.type=unix,addr.path={_escaped(scratch / f'cable{cable}')}"
        arguments += ["-netdev", f"stream,id=cable{cable},server={'on' if host == 0 else 'off'},{end}"]
        arguments += ["-device", f"virtio-net-pci,netdev=cable{cable},mac=52:54:00:00:0{cable}:0{host}"]
    return arguments


def _waiting(host: int, scratch: Path) -> list[str]:
    """What goes before the command of a QEMU that has to find the ends of its cables: the first host makes them, one
    after the other. QEMU would go on without a cable whose end is not there yet."""
    if host == 0:
        return []
    wait = 'while [ ! -S "$1" ]; do sleep 0.05; done; sleep 0.3; shift; exec "$@"'
    return ["/bin/sh", "-c", wait, "sh", str(scratch / "cable1")]


def _escaped(path: Path) -> str:
    """In QEMU's options a comma is written twice."""
    return str(path).replace(",", ",,")


# ---- What is asked for


def require_netem(words: str) -> None:
    """Raises ProgramError for words that tc does not know: a guest would say so only when it is up."""
    if not words:
        return
    # tc reads all words before it looks for the interface, which nothing is called here.
    command = [find_program("tc", "iproute2"), "qdisc", "add", "dev", "no-such-cable", "root", "netem", *words.split()]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    if "no-such-cable" not in said:
        why = next(iter(said.splitlines()), "")
        raise ProgramError("a guest can't be set up", f"tc does not take 'netem {words}': {why}")


def require_memory(settings: MachineSettings, available_mib: int | None = None) -> None:
    """Raises ProgramError if the guests would take more memory than there is, or than is given here."""
    needed = settings.hosts * (settings.memory_mib + _SPARE_MIB)
    if available_mib is None:
        available_mib = available_memory_mib()
    if needed > available_mib:
        raise ProgramError(
            f"the guests need {needed} MiB of memory, and {available_mib} MiB are free", hint="--memory takes less"
        )


def available_memory_mib() -> int:
    """Of this machine, and of the control group in which this process is."""
    words = Path("/proc/meminfo").read_text(encoding="ascii").split()
    available = int(words[words.index("MemAvailable:") + 1]) >> 10
    group = Path("/sys/fs/cgroup")
    try:
        limit, used = ((group / name).read_text(encoding="ascii").strip() for name in ("memory.max", "memory.current"))
        return available if limit == "max" else min(available, int(limit) - int(used) >> 20)
    except (OSError, ValueError):
        return available
