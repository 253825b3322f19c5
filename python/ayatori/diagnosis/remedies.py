"""The settings by which the MPI libraries use one way between hosts, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ayatori.base.errors import Error
from ayatori.diagnosis.facts import Facts, has_little_shared_memory
from ayatori.diagnosis.interface_names import (
    is_taken_for_address,
    names_for_openmpi,
    names_for_openmpi_here,
    networks_among,
)
from ayatori.diagnosis.networks import Way
from ayatori.diagnosis.planes import ServedPlane


def remedies(facts: Facts, way: Way) -> Mapping[str, list[str]]:
    """By library: words for its launcher's command line, or variables. A library is missing if no setting of its is the
    same on all hosts."""
    settings: dict[str, list[str]] = {}
    chosen = _that_names_only(facts, way)
    by_host = {address.host: [address.interface] for address in way.addresses}
    common = names_for_all(facts, by_host)
    if way.alone and chosen is not None:
        settings["openmpi"] = _openmpi_by_tcp(chosen)
    elif common:
        settings["openmpi"] = _openmpi_by_ucx(facts, common)
    settings |= _of_devices(facts, common, by_host)
    return _with_daemons_on(settings, chosen if way.alone else None)


def _with_daemons_on(settings: dict[str, list[str]], names: str | None) -> dict[str, list[str]]:
    """Open MPI's daemons use all networks by default, whatever carries messages, and hang as TCP does."""
    if names is not None:
        for library in {"openmpi_ucx", "openmpi_libfabric"} & settings.keys():
            settings[library] = ["--mca", "oob_tcp_if_include", names, *settings[library]]
    return settings


def _of_devices(facts: Facts, names: Sequence[str], by_host: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """For libraries that take interfaces by name. UCX and NCCL take those of a list that a host has; libfabric, Hydra
    and Gloo need a name that is the same on all hosts."""
    if not names:
        return {}
    listed = ",".join(names)
    settings = {"openmpi_ucx": _openmpi_by_ucx(facts, names)}
    if len(names) == 1:
        settings["openmpi_libfabric"] = _openmpi_by_libfabric(names[0])
    settings["mpich"] = _mpich(names) if _are_everywhere(names, by_host) else _mpich_by_ucx(names)
    settings["nccl"] = [f"NCCL_SOCKET_IFNAME=={listed}"]
    if _are_everywhere(names, by_host):
        settings["gloo"] = [f"GLOO_SOCKET_IFNAME={listed}"]
    return settings


def _are_everywhere(names: Sequence[str], by_host: Mapping[str, Sequence[str]]) -> bool:
    return all(set(names) <= set(own) for own in by_host.values())


def names_for_all(facts: Facts, by_host: Mapping[str, Sequence[str]]) -> list[str]:
    """Names of interfaces of which each host takes its own; empty if a host has another interface of such a name."""
    union = sorted({name for own in by_host.values() for name in own})
    for host in facts.hosts:
        has = {one.name for one in host.interfaces}
        if not by_host.get(host.name) or has & set(union) != set(by_host[host.name]):
            return []
    return union


def common_interfaces(by_host: Mapping[str, Sequence[str]]) -> list[str]:
    """Those that all hosts have: Open MPI aborts where a host lacks one that it is to use."""
    sets = [set(own) for own in by_host.values()]
    return sorted(set.intersection(*sets)) if sets else []


def remedies_by_purpose(facts: Facts, planes: Sequence[ServedPlane]) -> Mapping[str, list[str]]:
    """The same where a network says what its planes are for: all that an MPI sends goes over those for neighbours, by
    the interfaces that all hosts have there. Nothing where there is none."""
    serving = [plane for plane in planes if plane.carries_ip and "neighbours" in plane.purposes]
    by_host = {
        host.name: [name for plane in serving for name in plane.interfaces.get(host.name, ())] for host in facts.hosts
    }
    interfaces = common_interfaces(by_host)
    if not interfaces:
        return {}
    names = names_for_openmpi(interfaces, lambda interface: networks_among(facts, interface))
    openmpi = {} if names is None else {"openmpi": _openmpi_by_tcp(names)}
    return openmpi | _with_daemons_on(_of_devices(facts, interfaces, by_host), names)


def variables_for(by_host: Mapping[str, Sequence[str]], openmpi: bool) -> dict[str, str]:
    """For processes that this machine starts, which send messages over these interfaces of each host and no other then:
    those that all hosts have. If there is none, UCX takes each host's own from a list of all, and Open MPI aborts where
    a host lacks one: then raises Error, as it does if Open MPI has no option for them."""
    interfaces = common_interfaces(by_host)
    if openmpi and not interfaces:
        cause = "no interface is called the same on all of them"
        raise Error("no option makes Open MPI use the planes for neighbours", cause, hint="ayatori doctor --network")
    interfaces = interfaces or sorted({name for own in by_host.values() for name in own})
    named = {"OMPI_MCA_btl_tcp_if_include": names_for_openmpi_here(interfaces)} if openmpi else {}
    return named | _devices(interfaces)


def _devices(interfaces: Sequence[str]) -> dict[str, str]:
    """For UCX and libfabric, which takes one alone."""
    names = ",".join(interfaces)
    return {"UCX_NET_DEVICES": names} | ({"FI_TCP_IFACE": names} if len(interfaces) == 1 else {})


def _mpich(interfaces: Sequence[str]) -> list[str]:
    words = [word for name, value in _devices(interfaces).items() for word in ("-genv", name, value)]
    return ["-iface", interfaces[0], *words]


def _mpich_by_ucx(interfaces: Sequence[str]) -> list[str]:
    return ["-genv", "UCX_NET_DEVICES", ",".join(interfaces)]


def _openmpi_by_tcp(names: str) -> list[str]:
    return ["--mca", "btl_tcp_if_include", names, "--mca", "oob_tcp_if_include", names]


def _that_names_only(facts: Facts, way: Way) -> str | None:
    """The subnet, if the way's addresses are all that the hosts have in it, else the interface's name, unless Open MPI
    would not understand it."""
    inside = [address for host in facts.hosts for address in host.addresses() if address.network == way.network]
    if len(inside) == len(way.addresses):
        return way.network
    return None if way.interface is None or is_taken_for_address(way.interface) else way.interface


def _openmpi_by_ucx(facts: Facts, interfaces: Sequence[str]) -> list[str]:
    """Open MPI's own TCP can't use an interface with several addresses; UCX can. Open MPI takes UCX for TCP only if it
    gets the option that any transport and device will do. UCX ends the job where its shared memory has no room."""
    transports = "tcp,self" if any(has_little_shared_memory(host) for host in facts.hosts) else "tcp,self,sm"
    words = ["--mca", "pml", "ucx", "--mca", "osc", "ucx"]
    words += ["--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"]
    return [*words, "-x", f"UCX_TLS={transports}", "-x", f"UCX_NET_DEVICES={','.join(interfaces)}"]


def _openmpi_by_libfabric(interface: str) -> list[str]:
    words = ["--mca", "pml", "cm", "--mca", "mtl", "ofi", "--mca", "mtl_ofi_provider_include", "tcp"]
    return [*words, "-x", "FI_PROVIDER=tcp", "-x", f"FI_TCP_IFACE={interface}"]
