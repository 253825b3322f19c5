"""Asks hosts for their facts, by a probe on each of them that an agent such as ssh starts, and lets them try what lies
between them. A host that does not answer costs the others' report nothing."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shlex
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ayatori.base.errors import Error
from ayatori.diagnosis.connections import Connection, NoAnswer, Probe
from ayatori.diagnosis.facts import Facts, Host, Silent, Tried, read_host
from ayatori.diagnosis.pairs import steps_of
from ayatori.diagnosis.rates import measure_rates
from ayatori.diagnosis.trials import Trials

SECONDS = 30.0
OPEN_MPI_PORT = 1024
_PORT_VARIABLES = (
    "OMPI_MCA_btl_tcp_port_min_v4",
    "OMPI_MCA_oob_tcp_dynamic_ipv4_ports",
    "MPIEXEC_PORT_RANGE",
    "MPICH_PORT_RANGE",
    "MPIR_CVAR_CH3_PORT_RANGE",
    "UCX_TCP_PORT_RANGE",
)
_FILES_OF_A_PROBE = 4


def survey(hosts: Sequence[str], agent: Sequence[str], seconds: float = SECONDS) -> Facts:
    """Facts of the hosts and of what lies between them; each host has so many seconds for its first answer.

    `agent` are the words before HOST COMMAND that start a program there ("ssh"); none: the only host is this machine.
    Raises Error if no host answers.
    """
    _allow_files(len(hosts))
    ports = library_ports(os.environ)
    return asyncio.run(survey_by([Probe(agent, host, ports) for host in hosts], seconds))


def survey_of_all(hosts: Sequence[str], agent: Sequence[str]) -> Facts:
    """The same for what needs all of the hosts: raises Error if one does not answer."""
    facts = survey(hosts, agent)
    for one in facts.silent:
        raise _unanswered(one)
    return facts


def _unanswered(one: Silent) -> Error:
    return Error(f"host '{one.host}' does not answer", one.cause or one.state, "its agent must work without a password")


def library_ports(variables: Mapping[str, str]) -> list[int]:
    """The first ports that MPI libraries try: Open MPI's, and those that their variables name."""
    firsts = [re.findall(r"\d+", variables.get(name, ""))[:1] for name in _PORT_VARIABLES]
    first = int(firsts[0][0]) if firsts[0] else OPEN_MPI_PORT
    return list(dict.fromkeys([first, *(int(one[0]) for one in firsts[1:] if one and int(one[0]) > 0)]))


async def survey_by(connections: Sequence[Connection], seconds: float) -> Facts:
    asking = _Asking(connections, seconds)
    try:
        await asking.greet_all()
        if not asking.hosts:
            raise _unanswered(asking.silent[0])
        trials = Trials(asking.hosts)
        await trials.run(asking.all)
        facts = replace(trials.facts(), tried=Tried(len(asking.hosts), steps_of(len(asking.hosts))))
        facts = replace(facts, **await measure_rates(facts, asking.one, trials.target))
        return _without_silent(replace(facts, hosts=tuple(asking.known()), silent=tuple(asking.silent)))
    finally:
        await asyncio.gather(*(connection.end() for connection in connections))


def _without_silent(facts: Facts) -> Facts:
    """Hosts that stopped to answer are reported as such, and nothing of what they tried."""
    gone = {one.host for one in facts.silent}
    if all(host.name in gone for host in facts.hosts):
        raise _unanswered(facts.silent[0])
    return replace(
        facts,
        hosts=tuple(host for host in facts.hosts if host.name not in gone),
        reached={pair: value for pair, value in facts.reached.items() if not gone & {one.host for one in pair}},
        routed={key: value for key, value in facts.routed.items() if not gone & {key[0], key[1].host}},
        slow=tuple(pair for pair in facts.slow if not gone & {one.host for one in pair}),
    )


class _Asking:
    """The hosts that still answer."""

    def __init__(self, connections: Sequence[Connection], seconds: float) -> None:
        self._connections = {one.host: one for one in connections}
        self._seconds = seconds
        self._clocks: dict[str, tuple[float, float]] = {}
        self._names: dict[str, dict[str, str | None]] = {}
        self.hosts: list[Host] = []
        self.silent: list[Silent] = []

    async def greet_all(self) -> None:
        replies = await self._of_each(list(self._connections), self._greet)
        self.hosts = [read_host(name, reply) for name, reply in replies.items()]

    async def _greet(self, host: str) -> dict[str, Any]:
        connection = self._connections[host]
        reply = await connection.greet(self._seconds)
        before = time.time()
        clock = await connection.ask({"clock": None}, self._seconds)
        after = time.time()
        self._clocks[host] = clock - (before + after) / 2, (after - before) / 2
        return reply

    async def one(self, host: str, question: dict[str, Any]) -> Any:
        """Its answer; None if there is none any more."""
        return (await self._of_each([host], lambda name: self._ask(name, question))).get(host)

    async def all(self, questions: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
        """By host its answer, of those that have one."""
        return await self._of_each(list(questions), lambda name: self._ask(name, questions[name]))

    async def _ask(self, host: str, question: dict[str, Any]) -> Any:
        given = next(iter(question.values()))
        more = 20.0 + len(given) if isinstance(given, list) else 0.0
        answer = await self._connections[host].ask(question, self._seconds + more)
        if "resolve" in question:
            self._names[host] = dict(zip(given, answer, strict=True))
        return answer

    async def _of_each(self, hosts: Sequence[str], ask: Callable[[str], Awaitable[Any]]) -> dict[str, Any]:
        gone = {one.host for one in self.silent}
        asked = [host for host in hosts if host not in gone]
        answers = await asyncio.gather(*(ask(host) for host in asked), return_exceptions=True)
        found = {}
        for host, answer in zip(asked, answers, strict=True):
            if isinstance(answer, NoAnswer):
                self.silent.append(answer.as_fact(host))
            elif isinstance(answer, BaseException):
                raise answer
            else:
                found[host] = answer
        return found

    def known(self) -> list[Host]:
        return [
            replace(host, clock=self._clocks.get(host.name), names=self._names.get(host.name, {}))
            for host in self.hosts
        ]


def _allow_files(hosts: int) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 256 + _FILES_OF_A_PROBE * hosts
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted if hard < 0 else min(wanted, hard), hard))


def words_of(agent: str) -> list[str]:
    """The agent's words as a shell would split them. Raises Error."""
    try:
        return shlex.split(agent)
    except ValueError as error:
        raise Error(f"'{agent}' is no command", str(error)) from error
