"""The settings by which the MPI libraries use one way between hosts, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ayatori.diagnosis.facts import Facts
from ayatori.diagnosis.interface_names import (
    is_taken_for_address,
    names_for_openmpi,
    names_for_openmpi_here,
    networks_among,
)
from ayatori.diagnosis.networks import Way
from ayatori.diagnosis.planes import ServedPlane


def remedies(facts: Facts, way: Way) -> Mapping[str, list[str]]:
    """By library: words for its launcher's command line. A library is missing if no setting of its is the same on all
    hosts."""
    settings: dict[str, list[str]] = {}
    chosen = _that_names_only(facts, way)
    if way.alone and chosen is not None:
        settings["openmpi"] = _openmpi_by_tcp(chosen)
    elif way.interface is not None:
        settings["openmpi"] = _openmpi_by_ucx(way)
    if way.interface is not None:
        settings["mpich"] = _mpich([way.interface])
    return settings


def remedies_by_purpose(facts: Facts, planes: Sequence[ServedPlane]) -> Mapping[str, list[str]]:
    """The same where a network says what its planes are for: all that an MPI sends goes over those for neighbours.
    Nothing where their interfaces are not called alike on all hosts."""
    serving = [plane for plane in planes if plane.carries_ip and "neighbours" in plane.purposes]
    by_host = [{name for plane in serving for name in plane.interfaces.get(host.name, ())} for host in facts.hosts]
    if not by_host or not by_host[0] or any(names != by_host[0] for names in by_host):
        return {}
    interfaces = sorted(by_host[0])
    names = names_for_openmpi(interfaces, lambda interface: networks_among(facts, interface))
    openmpi = {} if names is None else {"openmpi": _openmpi_by_tcp(names)}
    return openmpi | {"mpich": _mpich(interfaces)}


def variables_for(interfaces: Sequence[str], openmpi: bool) -> dict[str, str]:
    """For processes that this machine starts, which send messages over these interfaces and no other then. Raises Error
    if Open MPI, where it is meant, has no option for that."""
    named = {"OMPI_MCA_btl_tcp_if_include": names_for_openmpi_here(interfaces)} if openmpi else {}
    return named | _devices(interfaces)


def _devices(interfaces: Sequence[str]) -> dict[str, str]:
    """For UCX and libfabric, which takes one alone."""
    names = ",".join(interfaces)
    return {"UCX_NET_DEVICES": names} | ({"FI_TCP_IFACE": names} if len(interfaces) == 1 else {})


def _mpich(interfaces: Sequence[str]) -> list[str]:
    words = [word for name, value in _devices(interfaces).items() for word in ("-genv", name, value)]
    return ["-iface", interfaces[0], *words]


def _openmpi_by_tcp(names: str) -> list[str]:
    return ["--mca", "btl_tcp_if_include", names, "--mca", "oob_tcp_if_include", names]


def _that_names_only(facts: Facts, way: Way) -> str | None:
    """The subnet, if the way's addresses are all that the hosts have in it, else the interface's name, unless Open MPI
    would not understand it."""
    inside = [address for host in facts.hosts for address in host.addresses() if address.network == way.network]
    if len(inside) == len(way.addresses):
        return way.network
    return None if way.interface is None or is_taken_for_address(way.interface) else way.interface


def _openmpi_by_ucx(way: Way) -> list[str]:
    """Open MPI's own TCP can't use an interface with several addresses; UCX can. Open MPI takes UCX for TCP only if it
    gets the option that any transport and device will do."""
    assert way.interface is not None
    words = ["--mca", "pml", "ucx", "--mca", "osc", "ucx"]
    words += ["--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"]
    return [*words, "-x", "UCX_TLS=tcp,self,sm", "-x", f"UCX_NET_DEVICES={way.interface}"]
