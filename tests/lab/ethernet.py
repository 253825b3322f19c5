"""A small real Ethernet: devices are network namespaces, cables are veth pairs, and each device runs lldpd."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from ayatori.processes import Child, find_program
from subprocesses import ran

_DEADLINE_SECONDS = 30
_numbers = itertools.count()

# One end of a cable: (device, interface).
End = tuple[str, str]


def why_not() -> str:
    """The reason why this machine cannot run such an Ethernet; empty if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    for program, package in (("ip", "iproute2"), ("lldpd", "lldpd")):
        if shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin") is None:
            return f"{program} is not installed (apt-get install {package})"
    return _why_no_namespaces()


def _why_no_namespaces() -> str:
    """Tries one. `ip netns exec` fails in a chroot: it needs `/` to be a mount point."""
    probe = f"ayatori-probe-{os.getpid()}"
    added = ran(["ip", "netns", "add", probe])
    if added.returncode != 0:
        return f"cannot add a network namespace: {added.stderr.strip()}"
    try:
        entered = ran(["ip", "netns", "exec", probe, "true"])
    finally:
        subprocess.run(["ip", "netns", "delete", probe], check=False)
    return "" if entered.returncode == 0 else f"cannot enter a network namespace: {entered.stderr.strip()}"


class Ethernet:
    """Devices that announce themselves to each other for as long as the `with` block lasts.

    `devices` maps each name to whether the device forwards packets (a switch); `cables` are pairs of ends. LLDP
    announces the names of `devices`, not those of the namespaces.
    """

    def __init__(self, devices: Mapping[str, bool], cables: list[tuple[End, End]]) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="ayatori-ethernet-")
        self._folder = Path(self._temporary.name)
        self._devices = devices
        self._cables = cables
        prefix = f"ayatori-{os.getpid()}-{next(_numbers)}"
        self._namespaces = {device: f"{prefix}-{device}" for device in devices}
        self._made: list[str] = []
        self._daemons: list[Child] = []

    def __enter__(self) -> Ethernet:
        try:
            self._folder.chmod(0o755)  # lldpd drops its privileges before it opens its socket
            for namespace in self._namespaces.values():
                self._ip("netns", "add", namespace)
                self._made.append(namespace)
            for number, ends in enumerate(self._cables):
                self._plug(number, *ends)
            for device in self._devices:
                self._start(device)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for daemon in self._daemons:
            daemon.stop()
        for namespace in self._made:
            subprocess.run(["ip", "netns", "delete", namespace], check=False)
        self._temporary.cleanup()

    def gather(self, expected: Mapping[str, int]) -> dict[str, str]:
        """The output of `lldpctl -f json0` on each device, once each has the given number of neighbours, with rates."""
        deadline = time.monotonic() + _DEADLINE_SECONDS
        outputs: dict[str, str] = {}
        while missing := [device for device in self._devices if device not in outputs]:
            assert time.monotonic() < deadline, f"{missing} did not hear all of their neighbours"
            for device in missing:
                output = self._control(device, "lldpctl", "-f", "json0")
                complete = output.count('"via": "LLDP"') == expected[device] == output.count('"current"')
                if complete:
                    outputs[device] = output
            time.sleep(0.2)
        return outputs

    @staticmethod
    def _ip(*arguments: str) -> None:
        subprocess.run(["ip", *arguments], check=True, timeout=10)

    def _plug(self, number: int, a: End, b: End) -> None:
        ends = []
        for device, interface in (a, b):
            # Locally administered, and the same in every run.
            address = f"02:00:00:00:{number:02x}:{len(ends):02x}"
            ends.append(["name", interface, "address", address, "netns", self._namespaces[device]])
        self._ip("link", "add", *ends[0], "type", "veth", "peer", *ends[1])
        for device, interface in (a, b):
            self._ip("-n", self._namespaces[device], "link", "set", interface, "up")

    def _start(self, device: str) -> None:
        settings = self._folder / f"{device}.conf"
        lines = [f"configure system hostname {device}", "configure lldp tx-interval 1"]
        if self._devices[device]:
            lines += ["configure system capabilities enabled bridge,router", "configure lldp portidsubtype ifname"]
        settings.write_text("\n".join(lines) + "\n")
        lldpd = find_program("lldpd", "lldpd")
        own = ["-u", self._socket(device), "-p", str(self._folder / f"{device}.pid"), "-O", str(settings)]
        self._daemons.append(
            Child(
                ["ip", "netns", "exec", self._namespaces[device], lldpd, "-dd", "-S", "an Ethernet lab", *own],
                folder=self._folder,
                environment=dict(os.environ),
                output=self._folder / f"{device}.log",
            )
        )

    def _control(self, device: str, *command: str) -> str:
        inside = ["ip", "netns", "exec", self._namespaces[device]]
        done = ran([*inside, find_program(command[0], "lldpd"), "-u", self._socket(device), *command[1:]], seconds=10)
        return done.stdout  # empty until the daemon is up

    def _socket(self, device: str) -> str:
        return str(self._folder / f"{device}.socket")
