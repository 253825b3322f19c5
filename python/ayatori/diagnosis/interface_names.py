"""The option for Open MPI which interfaces to use: by their names, or by their networks where it would not understand a
name."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from ipaddress import ip_network

from ayatori.base.errors import Error
from ayatori.diagnosis.facts import Facts


def is_taken_for_address(interface: str) -> bool:
    """Open MPI takes a name that does not begin with a letter for an address, ignores it, and uses every network."""
    return not interface[:1].isalpha()


def names_for_openmpi(interfaces: Sequence[str], networks_of: Callable[[str], Sequence[str]]) -> str | None:
    """The value of btl_tcp_if_include and oob_tcp_if_include. None: of an interface that must be called by its network
    none is known."""
    called = [networks_of(one) if is_taken_for_address(one) else [one] for one in interfaces]
    return ",".join(name for names in called for name in names) if all(called) else None


def names_for_openmpi_here(interfaces: Sequence[str]) -> str:
    """The same with the networks that this machine has. Raises Error if it does not have such an interface."""
    names = names_for_openmpi(interfaces, _networks_here)
    if names is None:
        listed = ", ".join(filter(is_taken_for_address, interfaces))
        cause = "it takes names that do not begin with a letter for addresses, and there is no such interface here"
        raise Error(f"no option makes Open MPI use {listed}", cause, hint="name its network: 10.65.0.0/16")
    return names


def networks_among(facts: Facts, interface: str) -> list[str]:
    """Those that any of the hosts has on the interface of this name."""
    addresses = (address for host in facts.hosts for address in host.addresses())
    return sorted({address.network for address in addresses if address.interface == interface})


def _networks_here(interface: str) -> list[str]:
    if "/" in interface:
        return [interface]
    words = [shutil.which("ip") or "false", "-j", "-4", "address", "show", interface]
    listed = subprocess.run(words, capture_output=True, text=True, check=False)
    devices = json.loads(listed.stdout or "[]") if listed.returncode == 0 else []
    addresses = [one for device in devices for one in device.get("addr_info", [])]
    return [str(ip_network(f"{one['local']}/{one['prefixlen']}", strict=False)) for one in addresses]
