"""What is known of some hosts and the networks between them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Address:
    """An address of an interface."""

    host: str
    interface: str
    text: str
    network: str
    """Its subnet: "10.9.0.0/16"."""


@dataclass(frozen=True)
class Interface:
    name: str
    addresses: tuple[Address, ...]
    mtu: int
    port_guid: int = 0
    """Of the InfiniBand port under it; 0: it is no IP over InfiniBand."""
    up: bool = True
    carrier: bool = True
    speed: int | None = None
    """Mbit/s; None: the driver does not say."""
    duplex: str = ""
    hardware: str = ""
    addresses6: tuple[Address, ...] = ()
    """IPv6, but for those of one link."""
    errors: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Mpich:
    """As it is installed."""

    version: str
    device: str
    """By what it sends messages: "ch4:ucx", "ch4:ofi"; empty: it does not say."""


@dataclass(frozen=True)
class Host:
    name: str
    """As the hostfile has it."""
    interfaces: tuple[Interface, ...]
    """Those that are up and have an address, but for the loopback."""
    own_address: str | None
    """What its own name leads to on the host itself."""
    adapters: tuple[str, ...]
    """RDMA adapters."""
    locked_bytes: int | None
    """How much memory a process may lock; None: as much as it likes."""
    open_files: int | None
    cores: int | None = None
    """That a process may use."""
    mpich: Mpich | None = None
    down: tuple[Interface, ...] = ()
    """Interfaces that are down or have no IPv4 address."""
    reply: Mapping[str, Any] = field(default_factory=dict)
    """All that the probe has printed (host_facts.py)."""
    names: Mapping[str, str | None] = field(default_factory=dict)
    """What the names of other hosts lead to on this one."""
    clock: tuple[float, float] | None = None
    """Seconds by which its clock is ahead of ours, and by how much this may be wrong."""

    def addresses(self) -> Iterator[Address]:
        for interface in self.interfaces:
            yield from interface.addresses

    def addresses6(self) -> Iterator[Address]:
        for interface in (*self.interfaces, *self.down):
            if interface.up:
                yield from interface.addresses6


@dataclass(frozen=True)
class Silent:
    """A host that did not answer, or stopped to."""

    host: str
    state: str
    """What is the same for hosts with the same trouble: "no answer within 30 s"."""
    cause: str


@dataclass(frozen=True)
class Tried:
    """Which ordered pairs of hosts were tried: for these steps host i to host i + step, modulo their number."""

    hosts: int
    steps: tuple[int, ...]

    @property
    def pairs(self) -> int:
        return self.hosts * len(self.steps)

    @property
    def all_pairs(self) -> int:
        return self.hosts * (self.hosts - 1)


@dataclass(frozen=True)
class Facts:
    hosts: tuple[Host, ...]
    """Those that answered."""
    reached: Mapping[tuple[Address, Address], bool]
    """From an address of one host to one of another, in the same subnet: whether all arrived that was sent. Only those
    pairs of hosts that were tried."""
    routed: Mapping[tuple[str, Address], bool]
    """From a host to an address in a subnet that it is not on."""
    bytes_per_second: Mapping[str, float]
    """By subnet: the median over what was measured; missing if nothing came."""
    failures: Mapping[tuple[Address, Address], tuple[str, ...]] = field(default_factory=dict)
    """Of pairs that were not reached: "silent", "refused", "unreachable", "stranger" (by the kernel's port), the same
    with " PORT" (by a port that MPI libraries take), "messages SIZE", "packets"."""
    losses: Mapping[tuple[Address, Address], int] = field(default_factory=dict)
    """Of the packets that were counted there and back, how many were lost, twice."""
    rates: Mapping[tuple[Address, Address], tuple[float, ...]] = field(default_factory=dict)
    """Bytes a second from one address to another, samples."""
    slow: tuple[tuple[Address, Address], ...] = ()
    """Pairs that stayed slow when they were measured alone, alternating with a usual one."""
    busy: Mapping[str, str] = field(default_factory=dict)
    """By subnet: why rates are not compared."""
    silent: tuple[Silent, ...] = ()
    tried: Tried = Tried(0, ())


LITTLE_SHARED_BYTES = 64 << 20
"""Containers often have so much, which Open MPI and UCX fill by a few ranks."""


def has_little_shared_memory(host: Host) -> bool:
    space = host.reply.get("shared_memory")
    return space is not None and space["free"] < LITTLE_SHARED_BYTES


def read_host(name: str, reply: Mapping[str, Any]) -> Host:
    """A host of what the probe prints."""
    own = [_interface(name, one) for one in reply["interfaces"] if not one["loopback"]]
    return Host(
        name,
        tuple(one for one in own if one.up and one.addresses),
        reply["own_address"],
        tuple(reply["adapters"]),
        reply["locked_bytes"],
        reply["open_files"],
        reply.get("cores"),
        Mpich(**reply["mpich"]) if reply.get("mpich") else None,
        tuple(one for one in own if not (one.up and one.addresses)),
        reply,
    )


def _interface(host: str, one: Mapping[str, Any]) -> Interface:
    def read(key: str) -> tuple[Address, ...]:
        listed = one.get(key, [])
        return tuple(
            Address(host, one["name"], text, str(ipaddress.ip_network(f"{text}/{length}", strict=False)))
            for text, length in listed
        )

    hardware = one.get("hardware") or ""
    speed = one.get("speed")
    return Interface(
        one["name"],
        read("addresses"),
        one["mtu"],
        port_guid_in(hardware),
        one["up"],
        one.get("carrier", True),
        speed if speed and speed > 0 else None,
        one.get("duplex") or "",
        hardware,
        read("addresses6"),
        one.get("errors", {}),
    )


def port_guid_in(hardware: str) -> int:
    """Of IP over InfiniBand the port's GUID: the last 8 of the 20 bytes of its hardware address (RFC 4391, section
    9.1.1). 0 for other interfaces."""
    parts = hardware.split(":")
    return int("".join(parts[-8:]), 16) if len(parts) == 20 else 0
