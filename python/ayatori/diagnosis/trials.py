"""Which addresses hosts try, and what becomes of it: connections to a port of the kernel's choice and to those that MPI
libraries take, messages and packets of several sizes, and names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ayatori.diagnosis.facts import Address, Facts, Host, Interface
from ayatori.diagnosis.pairs import bulk_steps_of, steps_of

Asked = Callable[[Mapping[str, dict[str, Any]]], Awaitable[dict[str, Any]]]
"""Asks hosts, each its question, and returns the answers of those that have one."""
_Trial = tuple[Address | None, Address, int]
"""From which address (None: whatever the routes say), to which, at which of its ports."""


@dataclass
class Trials:
    hosts: Sequence[Host]
    _by_name: dict[str, Host] = field(init=False)
    _failures: dict[tuple[Address, Address], list[str]] = field(default_factory=lambda: defaultdict(list))
    _losses: dict[tuple[Address, Address], int] = field(default_factory=dict)
    _tried: dict[tuple[Address, Address], bool] = field(default_factory=dict)
    _routed: dict[tuple[str, Address], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._by_name = {host.name: host for host in self.hosts}

    async def run(self, ask: Asked) -> None:
        """What fails is tried again: a busy host may be late once."""
        await ask({host.name: {"resolve": names} for host, names in self._names_to_ask()})
        trials = {host.name: self._targets(number) for number, host in enumerate(self.hosts)}
        await self._reach(ask, trials)
        failed = {name: [one for one in own if self._has_failed(name, one)] for name, own in trials.items()}
        if any(failed.values()):
            for own in failed.values():
                for source, other, _ in own:
                    if source is not None:
                        self._failures.pop((source, other), None)
                        self._tried.pop((source, other), None)
            await self._reach(ask, failed)
        bulk = {host.name: self._bulk_targets(number) for number, host in enumerate(self.hosts)}
        lost = await self._bulk(ask, bulk)
        if any(lost.values()):
            await self._bulk(ask, lost, is_last=True)

    def _names_to_ask(self) -> list[tuple[Host, list[str]]]:
        count = len(self.hosts)
        peers = steps_of(count) if count > 1 else ()
        return [
            (host, [self.hosts[(number + step) % count].name for step in peers])
            for number, host in enumerate(self.hosts)
            if count > 1
        ]

    def _targets(self, number: int) -> list[_Trial]:
        count = len(self.hosts)
        near = set(range(1, count)) if count <= 32 else set(bulk_steps_of(count))
        found: list[_Trial] = []
        for step in steps_of(count):
            peer = self.hosts[(number + step) % count]
            ports = len(peer.reply["ports"]) if step in near else 1
            for source, other in _between(self.hosts[number], peer):
                own_ports = range(ports if source is not None and ":" not in other.text else 1)
                found += [(source, other, port) for port in own_ports if self._port(other, port)]
        return found

    def _bulk_targets(self, number: int) -> list[_Trial]:
        count = len(self.hosts)
        pairs = [
            pair
            for step in bulk_steps_of(count)
            for pair in _between(self.hosts[number], self.hosts[(number + step) % count])
        ]
        return [
            (source, other, 0) for source, other in pairs if source is not None and self._tried.get((source, other))
        ]

    def _port(self, other: Address, number: int) -> int | None:
        reply = self._by_name[other.host].reply
        port: int | None = reply["port6"] if ":" in other.text else reply["ports"][number]
        return port

    def target(self, source: Address | None, other: Address, port: int = 0) -> list[Any]:
        token = self._by_name[other.host].reply["token"]
        return [source.text if source else None, other.text, self._port(other, port), token]

    async def _reach(self, ask: Asked, trials: Mapping[str, list[_Trial]]) -> None:
        answers = await ask(
            {name: {"reach": [self.target(*one) for one in own]} for name, own in trials.items() if own}
        )
        for name, answer in answers.items():
            for (source, other, port), outcome in zip(trials[name], answer, strict=True):
                arrived = not isinstance(outcome, str)
                if source is None:
                    self._routed[name, other] = arrived
                    continue
                self._tried[source, other] = self._tried.get((source, other), True) and arrived
                if not arrived:
                    self._failures[source, other].append(f"{outcome} {self._port(other, port)}" if port else outcome)

    def _has_failed(self, name: str, trial: _Trial) -> bool:
        source, other, _ = trial
        if source is None:
            return not self._routed.get((name, other), True)
        return not self._tried.get((source, other), True)

    async def _bulk(
        self, ask: Asked, trials: Mapping[str, list[_Trial]], is_last: bool = False
    ) -> dict[str, list[_Trial]]:
        """What was lost; it counts if it is lost twice."""
        questions = {
            name: {"bulk": [[*self.target(*one), *self._packets(*one[:2])] for one in own]}
            for name, own in trials.items()
            if own
        }
        lost: dict[str, list[_Trial]] = {name: [] for name in trials}
        for name, answer in (await ask(questions) if questions else {}).items():
            for trial, words in zip(trials[name], answer, strict=True):
                if not words:
                    continue
                lost[name].append(trial)
                if is_last and trial[0] is not None:
                    self._note(trial[0], trial[1], words)
        return lost

    def _note(self, source: Address, other: Address, words: Sequence[str]) -> None:
        """What an MPI's connections repeat is lost, and does not keep them from working."""
        for word in words:
            if word.startswith("lost"):
                self._losses[source, other] = int(word.split()[1])
        failed = [word for word in words if not word.startswith("lost")]
        if failed:
            self._failures[source, other] += failed
            self._tried[source, other] = False

    def _packets(self, source: Address | None, other: Address) -> tuple[int, int]:
        """The port for packets, and the largest size that both ends have set."""
        assert source is not None
        size = min(_interface_of(self._by_name[one.host], one).mtu for one in (source, other))
        return int(self._by_name[other.host].reply["packets"]), size

    def facts(self) -> Facts:
        failures = {pair: tuple(words) for pair, words in self._failures.items() if words}
        return Facts(tuple(self.hosts), self._tried, self._routed, {}, failures, self._losses)


def _between(own: Host, peer: Host) -> list[tuple[Address | None, Address]]:
    """Pairs of own and other address to try; no own address: whatever the routes say. IPv6 where there is nothing
    else."""
    pairs: list[tuple[Address | None, Address]] = []
    addresses = list(own.addresses())
    for other in peer.addresses():
        same = [address for address in addresses if address.network == other.network]
        pairs += [(address, other) for address in same] or [(None, other)]
    if any(source is not None for source, _ in pairs):
        return pairs
    return pairs + [
        (address, other)
        for address in own.addresses6()
        for other in peer.addresses6()
        if address.network == other.network
    ]


def _interface_of(host: Host, address: Address) -> Interface:
    return next(one for one in (*host.interfaces, *host.down) if one.name == address.interface)
