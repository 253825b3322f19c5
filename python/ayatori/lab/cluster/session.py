"""A command in a lab, from the outside: whether there can be one here, and its processes until they end."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ayatori.processes.signals import signals_passed_on

_OWN = ("unshare", "--net", "--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc")
"""Namespaces that end with their first process, with all that is in them: nothing is left, however a lab ends."""

KEPT = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
"""Signals that wait until the lab's first process can handle them. The first two reach the command by way of it."""
_SECONDS_TO_FORK = 5.0


@dataclass(frozen=True)
class Settings:
    """How a lab differs from what the network's source says."""

    slower: float = 1.0
    """All rates are divided by it."""
    loss_percent: float = 0.0
    """Of the packets that a host receives, dropped at random."""
    burst_bytes: int = 32768
    """What passes a cable at once after a pause. That costs the processors least; where it is less, packets leave one
    by one, so that messages of all sizes take their bytes at the rate."""
    fault: Path | None = None
    """A file of faults (faults.py)."""


def why_impossible(settings: Settings) -> str:
    """The reason why this machine can't have such a lab; empty if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    programs = {"ip": "iproute2", "tc": "iproute2", "unshare": "util-linux", "setpriv": "util-linux"}
    if settings.loss_percent > 0:
        programs["nft"] = "nftables"
    for program, package in programs.items():
        if shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") is None:
            return f"{program} is not installed (apt-get install {package})"
    # In a chroot, for example, a network namespace can be made and not be entered.
    return _tried("sh", "-c", "mount -t tmpfs none /run && ip netns add a && ip netns exec a ip link add type veth")


def has_netem() -> bool:
    """Whether this machine's kernel can delay packets."""
    return not _tried("tc", "qdisc", "add", "dev", "lo", "root", "netem", "delay", "1us")


def _tried(*command: str) -> str:
    """What the command says when it fails in namespaces of its own; empty if it does not."""
    done = subprocess.run([*_OWN, *command], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else done.stderr.strip().split("\n")[0] or f"{command[0]} fails"


def words_in_lab(file: Path, settings: Settings, command: Sequence[str]) -> list[str]:
    """A command that runs `command` on the first host of the cluster that the file describes. The lab ends with it, and
    it with the process that starts it."""
    inside = [sys.executable, "-m", "ayatori.lab.cluster", str(file), str(settings.slower), str(settings.loss_percent)]
    fault = "" if settings.fault is None else str(settings.fault)
    return ["setpriv", "--pdeathsig", "KILL", *_OWN, *inside, str(settings.burst_bytes), fault, *command]


def run_command(file: Path, settings: Settings, command: Sequence[str]) -> int:
    """Runs a command on the first host of the cluster that the file describes, with our input and output. Returns its
    exit status (128 + N: killed by signal N).

    Its signals are ours: SIGTERM and SIGHUP are passed on, and what a terminal sends reaches it anyway. If this process
    is killed, so is the lab.
    """
    # A namespace's first process never gets a signal that it does not handle yet, unless it has blocked it. The lab's
    # inherits this, and unblocks them when it is ready.
    unblocked = signal.pthread_sigmask(signal.SIG_BLOCK, KEPT)
    lab = subprocess.Popen(words_in_lab(file, settings, command))

    def forward(number: int) -> None:
        with suppress(OSError):
            os.kill(_first_process_of(lab), number)

    # A terminal's SIGINT may have come before there was a lab to send it to. The lab's first process ends by it as long
    # as there is no command, and ignores it then.
    with signals_passed_on(KEPT) as send_by:
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        send_by(forward)
        status = lab.wait()
    return status if status >= 0 else 128 - status


def _first_process_of(lab: subprocess.Popen[bytes]) -> int:
    """The lab's own, which unshare starts soon; signals that unshare itself has blocked would be lost."""
    end = time.monotonic() + _SECONDS_TO_FORK
    while time.monotonic() < end and lab.poll() is None:
        first = Path(f"/proc/{lab.pid}/task/{lab.pid}/children").read_text().split()
        if first:
            return int(first[0])
        time.sleep(0.01)
    return lab.pid
