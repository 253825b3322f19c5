"""What is known of some hosts and the networks between them."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Address:
    """An IPv4 address of an interface."""

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

    def addresses(self) -> Iterator[Address]:
        for interface in self.interfaces:
            yield from interface.addresses


@dataclass(frozen=True)
class Facts:
    hosts: tuple[Host, ...]
    reached: Mapping[tuple[Address, Address], bool]
    """From an address of one host to one of another, in the same subnet: whether the other answered. Only those pairs
    of hosts that were tried."""
    routed: Mapping[tuple[str, Address], bool]
    """From a host to an address in a subnet that it is not on."""
    bytes_per_second: Mapping[str, float]
    """By subnet: the slowest that was measured between neighbours of the list; missing if nothing came."""


def read_host(name: str, reply: Mapping[str, Any]) -> Host:
    """A host of what the probe prints."""
    interfaces = []
    for one in reply["interfaces"]:
        if one["loopback"] or not one["up"] or not one["addresses"]:
            continue
        addresses = tuple(
            Address(name, one["name"], text, str(ipaddress.ip_network(f"{text}/{length}", strict=False)))
            for text, length in one["addresses"]
        )
        interfaces.append(Interface(one["name"], addresses, one["mtu"], port_guid_in(one.get("hardware") or "")))
    return Host(
        name,
        tuple(interfaces),
        reply["own_address"],
        tuple(reply["adapters"]),
        reply["locked_bytes"],
        reply["open_files"],
        reply.get("cores"),
        Mpich(**reply["mpich"]) if reply.get("mpich") else None,
    )


def port_guid_in(hardware: str) -> int:
    """Of IP over InfiniBand the port's GUID: the last 8 of the 20 bytes of its hardware address (RFC 4391, section
    9.1.1). 0 for other interfaces."""
    parts = hardware.split(":")
    return int("".join(parts[-8:]), 16) if len(parts) == 20 else 0
