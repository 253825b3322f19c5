"""Probes on hosts: started by an agent, asked by lines, given up after a time."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import tempfile
import zlib
from asyncio.subprocess import Process, SubprocessStreamProtocol
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from ayatori.base.errors import Error
from ayatori.diagnosis.facts import Silent
from ayatori.diagnosis.probe import MARK

_PARTS = [Path(__file__).with_name(name) for name in ("host_facts.py", "probe.py")]
_LONGEST_LINE = 1 << 26
_GREETING_LINES = 10_000
_SECONDS_TO_END = 5.0
STATES = (
    ("python3", "no Python 3"),
    ("not installed (apt-get install iproute2)", "no iproute2"),
    ("Permission denied", "the agent is refused"),
    ("Host key verification", "the host's key is unknown or has changed"),
    ("Could not resolve", "the name is unknown"),
    ("Name or service not known", "the name is unknown"),
    ("No route to host", "down, or not reached"),
    ("timed out", "down, or not reached"),
    ("Connection refused", "down, or not reached"),
    ("Connection closed", "the agent is refused"),
)
"""What an agent's last words mean."""


class NoAnswer(Exception):
    def __init__(self, state: str, cause: str = "") -> None:
        super().__init__(state)
        self.state, self.cause = state, cause

    def as_fact(self, host: str) -> Silent:
        return Silent(host, self.state, self.cause)


class Connection(Protocol):
    """A host that answers questions; both raise NoAnswer."""

    @property
    def host(self) -> str: ...

    async def greet(self, seconds: float) -> dict[str, Any]:
        """Its facts."""
        ...

    async def ask(self, question: dict[str, Any], seconds: float) -> Any: ...

    async def end(self) -> None: ...


def program() -> str:
    """The text that runs on hosts: the parts in one, so that none imports another."""
    lines = [line for part in _PARTS for line in part.read_text(encoding="utf-8").splitlines()]
    return "\n".join(line for line in lines if not line.startswith("from ayatori."))


def words_on(agent: Sequence[str], host: str, command: str) -> list[str]:
    """What runs a shell's command on a host; without an agent here. Slurm's srun does not start a shell."""
    if not agent:
        return ["sh", "-c", command]
    if Path(agent[0]).name == "srun":
        return [*agent, f"--nodelist={host}", "--nodes=1", "--ntasks=1", "--overlap", "sh", "-c", command]
    return [*agent, host, command]


class Probe:
    """A probe that runs on a host."""

    def __init__(self, agent: Sequence[str], host: str, ports: Sequence[int]) -> None:
        # The program travels in the command itself: standard input is for what the probe is asked.
        packed = base64.b64encode(zlib.compress(program().encode(), 9)).decode()
        run = f"import base64, zlib; exec(zlib.decompress(base64.b64decode('{packed}')))"
        self.host = host
        self._words = words_on(agent, host, f'python3 -c "{run}" {json.dumps(list(ports), separators=(",", ":"))}')
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 (closed by end())
        self._process: Process | None = None
        self._transport: asyncio.SubprocessTransport | None = None

    async def greet(self, seconds: float) -> dict[str, Any]:
        try:
            # As asyncio.create_subprocess_exec() does, which keeps the transport that we close in the end.
            loop = asyncio.get_running_loop()
            self._transport, protocol = await loop.subprocess_exec(
                lambda: SubprocessStreamProtocol(_LONGEST_LINE, loop),
                *self._words,
                stderr=self._errors,
                start_new_session=True,
            )
            self._process = Process(self._transport, protocol, loop)
        except OSError as error:
            hint = "apt-get install openssh-client; or --agent COMMAND" if self._words[0] == "ssh" else ""
            raise Error(f"can't run {self._words[0]}", error.strerror or str(error), hint) from error
        return await self._within(seconds)

    async def ask(self, question: dict[str, Any], seconds: float) -> Any:
        assert self._process is not None and self._process.stdin is not None
        with suppress(ConnectionError):
            self._process.stdin.write(json.dumps(question).encode() + b"\n")
            await self._process.stdin.drain()
        return (await self._within(seconds))[next(iter(question))]

    async def _within(self, seconds: float) -> dict[str, Any]:
        try:
            return await asyncio.wait_for(self._read(), seconds)
        except TimeoutError as error:
            raise NoAnswer(f"no answer within {seconds:g} s", self._last_words()) from error

    async def _read(self) -> dict[str, Any]:
        """The next line that is the probe's. What a host greets its users with may come before."""
        assert self._process is not None and self._process.stdout is not None
        for _ in range(_GREETING_LINES):
            try:
                line = await self._process.stdout.readline()
            except ValueError:  # a greeting without an end
                continue
            if line.startswith(MARK.encode()):
                return dict(json.loads(line[len(MARK) :]))
            if not line:
                break
        else:
            raise NoAnswer("it prints other lines than the probe's")
        said = self._last_words()
        state = next((state for sign, state in STATES if sign in said), "its probe has ended")
        raise NoAnswer(state, said)

    def _last_words(self) -> str:
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip().splitlines()
        return said[-1].strip() if said else ""

    async def end(self) -> None:
        """The agent and what it has started here; a probe ends with its input."""
        if self._process is not None and self._transport is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._transport.close()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _SECONDS_TO_END)
        self._errors.close()
