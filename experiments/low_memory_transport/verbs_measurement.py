"""Paper 5's incast, memory and remote atomics on real verbs: all of it in one virtual machine, in turns."""

from __future__ import annotations

import json
import os
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ayatori.base.compiled import PROGRAMS
from ayatori.base.errors import Error
from ayatori.lab.rdma import MachineSettings, missing_packages, prepare_parts, require_memory, run_command
from ayatori.processes import ProgramError

BYTES = 64
HANDLING_US = 50
"""For which the receiver holds a message's buffer. Without it, Soft-RoCE carries a message to its buffer within the
sender's system call, and one buffer is always free again before the next message: nothing runs out."""

RC, RC_SHORTEST, RC_LIMITED = "RC-SRQ, 640 us", "RC-SRQ, 10 us", "RC-SRQ, 640 us, rnr_retry 3"
OURS = "adaptive + admission"
TIMERS_US = (1, 10, 100, 1_000, 10_000)
ENOUGH_US = 1_000

MEMORY_KINDS = {"rc_srq": "RC-SRQ", "handles": "UD, a handle for each peer", "ours": "ours, over UD"}
MAX_CONNECTIONS = 2_000
"""More take minutes to make."""

_SECONDS = 30
"""A program that takes longer is ended, and has no result."""


def datagrams(timer_us: int) -> str:
    return f"UD, {timer_us:,} us"


_ARGUMENTS = {
    RC: ("rc_srq", "12", "7"),
    RC_SHORTEST: ("rc_srq", "1", "7"),
    RC_LIMITED: ("rc_srq", "12", "3"),
    OURS: ("datagrams", "adaptive"),
    **{datagrams(timer): ("datagrams", str(timer)) for timer in TIMERS_US},
}
"""Of each protocol its program, and what it is told last."""

ONE_BUFFER = (RC, RC_SHORTEST, RC_LIMITED, *map(datagrams, TIMERS_US), OURS)
BY_BUFFERS = (RC, RC_LIMITED, datagrams(ENOUGH_US), OURS)


@dataclass(frozen=True)
class VerbsSettings:
    buffers: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)
    messages: int = 50
    """Of each of 31 senders."""
    rounds: int = 3
    peers: tuple[int, ...] = (500, 1_000, 2_000, 20_000)
    operations: int = 1_000


@dataclass(frozen=True)
class Run:
    """One start of a program; `name` and `settings` say what its results are."""

    name: str
    settings: dict[str, Any]
    command: list[str]


def why_not() -> str:
    """Why no virtual machine can be made here; empty if one can."""
    missing = missing_packages()
    if missing:
        return f"{', '.join(missing)} not installed"
    if not (PROGRAMS / "verbs_incast_rc_srq").exists():
        return "built without libibverbs"
    try:
        require_memory(MachineSettings())
    except ProgramError as error:
        return str(error)
    return ""


def measure(settings: VerbsSettings) -> list[dict[str, Any]]:
    """What each run measured, with its `name` and settings; of a run that failed, `failed`: what it said last."""
    runs = list(_runs(settings))
    with tempfile.TemporaryDirectory(prefix="ayatori-verbs-") as made:
        folder = Path(made)
        (folder / "runs").write_text("".join(map(_shell_line, range(len(runs)), runs)), encoding="utf-8")
        with (folder / "output").open("w+b") as output, (folder / "errors").open("w+b") as errors:
            machine = MachineSettings(environment=os.environ)
            status = run_command(prepare_parts(), machine, ["sh", "runs"], folder, output, errors)
            output.seek(0)
            text = output.read().decode()
    if status != 0:
        raise Error("the virtual machine's runs ended early", cause=f"status {status}", internal=True)
    return [result for run, part in zip(runs, text.split("run ")[1:], strict=True) for result in _results(run, part)]


def _runs(settings: VerbsSettings) -> Iterator[Run]:
    for _ in range(settings.rounds):
        for protocol in ONE_BUFFER:
            yield _incast(protocol, 1, 0, settings.messages)
        for buffers in settings.buffers:
            for protocol in ONE_BUFFER if buffers == 1 else BY_BUFFERS:
                yield _incast(protocol, buffers, HANDLING_US, settings.messages)
        for name in ("connection", "calls", "libacp"):
            yield Run("operations", {}, [f"verbs_operations_{name}", "rxe0", "rxe1", str(settings.operations)])
        for kind in MEMORY_KINDS:
            for peers in settings.peers:
                if kind == "rc_srq" and peers > MAX_CONNECTIONS:
                    continue
                yield Run("memory", {}, ["verbs_memory_connections", kind, "rxe0", "rxe1", str(peers)])


def _incast(protocol: str, buffers: int, handling_us: int, messages: int) -> Run:
    program, *more = _ARGUMENTS[protocol]
    counts = map(str, (buffers, BYTES, messages, handling_us))
    return Run("incast", {"protocol": protocol}, [f"verbs_incast_{program}", "rxe0", "rxe1", *counts, *more])


def _shell_line(number: int, run: Run) -> str:
    program, *arguments = run.command
    return f"echo run {number}; timeout {_SECONDS} {shlex.join([str(PROGRAMS / program), *arguments])} 2>&1\n"


def _results(run: Run, said: str) -> list[dict[str, Any]]:
    """`said`: the number of the run, then a line for each result."""
    lines = said.strip().splitlines()[1:]
    found = [json.loads(line) for line in lines if line.startswith("{")]
    about = {"name": run.name, **run.settings}
    if not found:
        return [about | {"command": run.command, "failed": lines[-1] if lines else f"not done in {_SECONDS} s"}]
    return [about | result for result in found]
