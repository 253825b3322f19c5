"""Asks hosts for their facts, by a probe on each of them that an agent such as ssh starts."""

from __future__ import annotations

import base64
import json
import shlex
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error
from ayatori.diagnosis.facts import Address, Facts, Host, read_host

ALL_PAIRS_UP_TO = 32
"""Hosts. Of more, each tries as many that follow it in the list."""
_GREETING_LINES = 100
_PROBE = Path(__file__).with_name("probe.py")


class _Probe:
    """A probe that runs on a host."""

    def __init__(self, agent: Sequence[str], host: str) -> None:
        # The program travels in the command itself: standard input is for what the probe is asked.
        program = base64.b64encode(_PROBE.read_bytes()).decode()
        command = f"python3 -c \"import base64; exec(base64.b64decode('{program}'))\""
        self.host = host
        self._by_ssh = bool(agent) and agent[0] == "ssh"
        words = [*agent, host, command] if agent else ["sh", "-c", command]
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        except OSError as error:
            hint = "apt-get install openssh-client; or --agent COMMAND" if self._by_ssh else ""
            raise Error(f"can't run {words[0]}", error.strerror or str(error), hint) from error
        self.reply: dict[str, Any] = {}

    def listen(self) -> None:
        """Waits for the facts. What a host greets its users with may come before them."""
        self.reply = self._read(skipped_lines=_GREETING_LINES)

    def ask(self, question: dict[str, Any]) -> Any:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        return self._read()[next(iter(question))]

    def _read(self, skipped_lines: int = 0) -> dict[str, Any]:
        assert self._process.stdout is not None and self._process.stderr is not None
        for _ in range(1 + skipped_lines):
            line = self._process.stdout.readline()
            if line.startswith("{"):
                return dict(json.loads(line))
            if not line:
                break
        self.end()
        said = self._process.stderr.read().strip().splitlines()
        cause = said[-1] if said else "its probe has ended"
        hint = f"'ssh {self.host} true' must work without a password" if self._by_ssh else ""
        raise Error(f"host '{self.host}' does not answer", cause, hint)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def survey(hosts: Sequence[str], agent: Sequence[str]) -> Facts:
    """Facts of the hosts and of what lies between them.

    `agent` are the words before HOST COMMAND that start a program there ("ssh"); none: the only host is this machine.
    Raises Error if a host does not answer.
    """
    with ExitStack() as stack, ThreadPoolExecutor(max(1, len(hosts))) as pool:
        probes = [_Probe(agent, host) for host in hosts]
        for probe in probes:
            stack.callback(probe.end)
        wait_for_all(pool.map(_Probe.listen, probes))
        known = [read_host(probe.host, probe.reply) for probe in probes]
        return _try_all(pool, probes, known)


def wait_for_all(results: Any) -> None:
    for _ in results:
        pass


def _peers(number: int, count: int) -> list[int]:
    return [(number + step) % count for step in range(1, min(count, ALL_PAIRS_UP_TO + 1))]


def _try_all(pool: ThreadPoolExecutor, probes: list[_Probe], hosts: list[Host]) -> Facts:
    reached: dict[tuple[Address, Address], bool] = {}
    routed: dict[tuple[str, Address], bool] = {}
    tried = [_targets(number, hosts) for number in range(len(hosts))]

    def reach(number: int) -> list[float | None]:
        targets = [_target(source, other, hosts, probes) for source, other in tried[number]]
        return list(probes[number].ask({"reach": targets}))

    for number, times in enumerate(pool.map(reach, range(len(hosts)))):
        for (source, other), seconds in zip(tried[number], times, strict=True):
            if source is not None:
                reached[source, other] = seconds is not None
            else:
                routed[hosts[number].name, other] = seconds is not None
    return Facts(tuple(hosts), reached, routed, _rates(probes, hosts, reached))


def _targets(number: int, hosts: list[Host]) -> list[tuple[Address | None, Address]]:
    """Pairs of own and other address to try; no own address: whatever the routes say."""
    pairs: list[tuple[Address | None, Address]] = []
    own = list(hosts[number].addresses())
    for peer in _peers(number, len(hosts)):
        for other in hosts[peer].addresses():
            same = [address for address in own if address.network == other.network]
            pairs += [(address, other) for address in same] or [(None, other)]
    return pairs


def _target(source: Address | None, other: Address, hosts: list[Host], probes: list[_Probe]) -> list[Any]:
    reply = next(probe.reply for probe in probes if probe.host == other.host)
    return [source.text if source else None, other.text, reply["port"], reply["token"]]


def _rates(probes: list[_Probe], hosts: list[Host], reached: dict[tuple[Address, Address], bool]) -> dict[str, float]:
    """One transfer at a time, so that they don't disturb each other."""
    rates: dict[str, float] = {}
    for number in range(len(hosts)):
        for source, other in _targets(number, hosts):
            is_next = other.host == hosts[(number + 1) % len(hosts)].name
            if source is None or not is_next or not reached[source, other]:
                continue
            rate = probes[number].ask({"rate": _target(source, other, hosts, probes)})
            if rate is not None:
                rates[source.network] = min(rate, rates.get(source.network, rate))
    return rates


def words_of(agent: str) -> list[str]:
    """The agent's words as a shell would split them. Raises Error."""
    try:
        return shlex.split(agent)
    except ValueError as error:
        raise Error(f"'{agent}' is no command", str(error)) from error
