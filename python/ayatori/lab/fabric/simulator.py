"""ibsim: the process that answers MADs in the name of every switch and adapter of a fabric."""

from __future__ import annotations

import os
import re
import secrets
import socket
import struct
import sysconfig
import time
from collections import Counter
from pathlib import Path

from ayatori.base.files import read_text
from ayatori.lab.fabric.net_file import NetFile
from ayatori.processes import Child, ProgramError, find_program, last_line

_START_SECONDS = 120.0
_ANSWER_SECONDS = 0.5
_POLL_SECONDS = 0.005

# All unicast LIDs. ibsim writes beyond its array for a LID above its limit, so the limit is the same for small fabrics.
_LFT_ENTRIES = 0xC000

# ibsim's control message: magic, client, type, length, data. Disconnecting a client that was never connected changes
# nothing and is answered, so it asks whether ibsim is there.
_CONTROL = struct.Struct("=4I64x")
_PING = _CONTROL.pack(0xDEADBEEF, 0, 2, 0)

_COMPLAINT = re.compile(r"ibwarn: \[\d+\] (.*)|(fatal: .*)")

# Variables by which a program would use another simulator, another device or another cache.
_PRIVATE_PREFIXES = ("IBSIM_", "SIM_", "OSM_")


def child_environment() -> dict[str, str]:
    """Our environment without what could lead a child out of its lab, in the language that our parsers read."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_PRIVATE_PREFIXES)}
    return kept | {"LC_ALL": "C"}


def find_preload() -> Path:
    """The library that turns any libibumad program into a client of ibsim, for this machine's architecture.

    Raises ProgramError if it is not installed.
    """
    own = sysconfig.get_config_var("MULTIARCH") or ""
    folders = [Path("/usr/lib", own), *sorted(Path("/usr/lib").glob("*-linux-*")), Path("/usr/lib64")]
    for folder in folders:
        if (library := folder / "umad2sim" / "libumad2sim.so").exists():
            return library
    raise ProgramError("libumad2sim.so is not installed", hint="apt-get install ibsim-utils")


class Simulator:
    """A running ibsim with a socket name of its own, so that several can run at the same time.

    `warnings` is what it complained of while it read the fabric, each complaint once with its count.
    """

    def __init__(self, text: str, net: NetFile, folder: Path) -> None:
        """Starts ibsim on fabric `text`, whose parse is `net`, and returns when it answers.

        Its files go to `folder`, which belongs to the caller and must outlive this object.

        Raises ProgramError if ibsim is missing, refuses the fabric, or does not answer in time.
        """
        program = find_program("ibsim", "ibsim-utils")
        self.socket_name = f"ayatori-{os.getpid()}-{secrets.token_hex(4)}"
        self._log = folder / "ibsim.log"
        net_file = folder / "fabric.net"
        net_file.write_text(text, encoding="utf-8", errors="surrogateescape")
        limits = {"-N": len(net.nodes), "-S": max(1, net.switches), "-P": net.ports, "-L": _LFT_ENTRIES}
        sizes = (word for option, size in limits.items() for word in (option, str(size)))
        self._child = Child(
            [program, "-s", "-n", *sizes, net_file],
            folder=folder,
            environment=child_environment() | {"IBSIM_SOCKNAME": self.socket_name},
            output=self._log,
        )
        try:
            self._wait_until_it_answers()
            self.warnings = tuple(f"ibsim: {said} ({n} times)" for said, n in Counter(self._complaints()).items())
        except BaseException:
            self.stop()
            raise

    @property
    def pid(self) -> int:
        """ibsim's process id."""
        return self._child.pid

    def check(self) -> None:
        """Raises ProgramError if ibsim has ended."""
        if (status := self._child.wait(0)) is not None:
            raise ProgramError(f"ibsim ended unexpectedly with status {status}", self._last_words())

    def stop(self) -> None:
        """Ends ibsim; a second call does nothing."""
        self._child.stop()

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while not self._answers():
            if self._child.wait(_POLL_SECONDS) is not None:
                raise ProgramError("ibsim refused the fabric", self._last_words())
            if time.monotonic() > deadline:
                raise ProgramError(f"ibsim did not answer within {_START_SECONDS:g} s", last_line(self._log))

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as client:
            client.bind("")  # a name of the kernel's choice, for ibsim to answer to
            client.settimeout(_ANSWER_SECONDS)
            try:
                client.connect(f"\0{self.socket_name}:ctl\0")
                client.send(_PING)
                return len(client.recv(_CONTROL.size)) == _CONTROL.size
            except (ConnectionRefusedError, TimeoutError):
                return False

    def _complaints(self) -> list[str]:
        lines = read_text(self._log).split("\n")
        return [match[1] or match[2] for line in lines if (match := _COMPLAINT.match(line))]

    def _last_words(self) -> str:
        """The last error that ibsim printed; its very last line often says only that it gives up."""
        complaints = self._complaints()
        return complaints[-1] if complaints else last_line(self._log)
