"""The settings by which the MPI libraries use one way between hosts, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ayatori.diagnosis.facts import Facts
from ayatori.diagnosis.networks import Way
from ayatori.diagnosis.planes import ServedPlane


def remedies(facts: Facts, way: Way) -> Mapping[str, list[str]]:
    """By library: words for its launcher's command line. A library is missing if no setting of its is the same on all
    hosts."""
    settings: dict[str, list[str]] = {}
    chosen = _that_names_only(facts, way)
    if way.alone and chosen is not None:
        settings["openmpi"] = ["--mca", "btl_tcp_if_include", chosen, "--mca", "oob_tcp_if_include", chosen]
    elif way.interface is not None:
        settings["openmpi"] = _openmpi_by_ucx(way)
    if way.interface is not None:
        devices = {"FI_TCP_IFACE": way.interface, "UCX_NET_DEVICES": way.interface}
        words = [word for name, value in devices.items() for word in ("-genv", name, value)]
        settings["mpich"] = ["-iface", way.interface, *words]
    return settings


def remedies_by_purpose(planes: Sequence[ServedPlane], hosts: Sequence[str]) -> Mapping[str, list[str]]:
    """The same where a network says what its planes are for: all that an MPI sends goes over those for neighbours.
    Nothing where their interfaces are not called alike on all hosts."""
    serving = [plane for plane in planes if plane.carries_ip and "neighbours" in plane.purposes]
    by_host = [{name for plane in serving for name in plane.interfaces.get(host, ())} for host in hosts]
    if not by_host or not by_host[0] or any(names != by_host[0] for names in by_host):
        return {}
    variables = variables_for(sorted(by_host[0]))
    names = variables["UCX_NET_DEVICES"]
    mpich = {name: value for name, value in variables.items() if not name.startswith("OMPI_")}
    return {
        "openmpi": ["--mca", "btl_tcp_if_include", names, "--mca", "oob_tcp_if_include", names],
        "mpich": ["-iface", sorted(by_host[0])[0]] + [word for name in mpich for word in ("-genv", name, mpich[name])],
    }


def variables_for(interfaces: Sequence[str]) -> dict[str, str]:
    """For processes of either library, which send messages over these interfaces and no other then. libfabric takes one
    alone."""
    names = ",".join(interfaces)
    variables = {"OMPI_MCA_btl_tcp_if_include": names, "UCX_NET_DEVICES": names}
    return variables | ({"FI_TCP_IFACE": names} if len(interfaces) == 1 else {})


def _that_names_only(facts: Facts, way: Way) -> str | None:
    """The subnet, if the way's addresses are all that the hosts have in it, else the interface's name."""
    inside = [address for host in facts.hosts for address in host.addresses() if address.network == way.network]
    return way.network if len(inside) == len(way.addresses) else way.interface


def _openmpi_by_ucx(way: Way) -> list[str]:
    """Open MPI's own TCP can't use an interface with several addresses; UCX can. Open MPI takes UCX for TCP only if it
    is told that any transport and device will do."""
    assert way.interface is not None
    words = ["--mca", "pml", "ucx", "--mca", "osc", "ucx"]
    words += ["--mca", "opal_common_ucx_tls", "any", "--mca", "opal_common_ucx_devices", "any"]
    return [*words, "-x", "UCX_TLS=tcp,self,sm", "-x", f"UCX_NET_DEVICES={way.interface}"]
