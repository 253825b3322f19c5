"""How a Topology comes to be: load() from a source, from_buffer() from another process's topology."""

from __future__ import annotations

import os
import warnings
from enum import Enum
from pathlib import Path

from ayatori import _core
from ayatori.base.errors import Error, SourceWarning
from ayatori.base.files import read_text
from ayatori.base.sources import with_kind
from ayatori.nwtopo.topology import Topology


class Hosts(Enum):
    """Which hosts of a source a topology has."""

    detected = "detected"
    """Those of this job where nobody named a source, else all."""
    of_job = "of job"
    """Those of the batch job that this process runs in, if there is one."""
    all = "all"


def load(
    source: str | None = None,
    *,
    physical_view: bool = False,
    hosts: Hosts = Hosts.detected,
    this_machine: str | None = None,
    faults: str = "",
    tables: str | os.PathLike[str] | None = None,
    host_pattern: str = "",
    aliases: str | os.PathLike[str] | None = None,
) -> Topology:
    """Discovers a topology.

    `source` is "torus:24x18x16", "ib:live", "ib:FILE", "cache:FILE", …, or a file whose content tells its kind (a
    SourceTaken says which). None takes the environment's NWTOPO_SOURCE, or whichever network is found first.
    `this_machine` is the name or id of the machine that this process runs on, for whoever looks from outside.
    `physical_view`: where the physical and the logical network differ (Tofu), the physical one. `faults` are names of
    routers or machines, NAME:PORT for one cable, NAME:DEVICE or NAME:DEVICE:PORT for a NIC of a machine, separated by
    commas: queries go around them. `tables` is a file of forwarding tables (OpenSM's lfts file or dump, dump_lfts,
    ibroute) for routed_path().

    `aliases` is a file of other names of machines, by which they are found, too (lines `NAME OTHER…`, as /etc/hosts has
    them); None takes the one that the environment's AYATORI_ALIASES names, if it is set.

    What the source or the tables could not read is reported by a SourceWarning per line, and by Topology.warnings.
    """
    found = source or os.environ.get("NWTOPO_SOURCE") or ""
    automatic = not found
    if automatic:
        found = _core.automatic_source()
    if not found:
        raise Error("no network found", hint="name a source, or set NWTOPO_SOURCE")
    routes = None
    if tables is not None:
        routes = _core.parse_table_routes(found, host_pattern, read_text(Path(tables)), os.fspath(tables))
    found = with_kind(found)
    core = _with_aliases(_core.open_topology(found, physical_view, host_pattern), aliases)
    topology = Topology(core, found, routes, this_machine)
    if hosts == Hosts.of_job or (hosts == Hosts.detected and automatic):
        # Batch systems name a host once for each of its processes.
        if names := dict.fromkeys(_core.job_hosts()):
            topology = topology.shrink(map(topology.machine, names))
    if faults:
        topology = Topology(topology._core.take_out(faults), found, routes, this_machine)
    return _warned(topology)


def from_buffer(
    data: bytes, *, this_machine: str | None = None, aliases: str | os.PathLike[str] | None = None
) -> Topology:
    """The topology that Topology.export_buffer() made, in this process or another.

    Forwarding tables and other names are not in it. `aliases` as for load().
    """
    core = _with_aliases(_core.open_cache_bytes(data), aliases)
    return _warned(Topology(core, "buffer", None, this_machine))


def _with_aliases(core: _core.Topology, aliases: str | os.PathLike[str] | None) -> _core.Topology:
    file = os.fspath(aliases) if aliases is not None else os.environ.get("AYATORI_ALIASES")
    return core.with_aliases(read_text(Path(file)), file) if file else core


def _warned(topology: Topology) -> Topology:
    for line in topology.warnings:
        warnings.warn(line, SourceWarning, stacklevel=3)
    return topology
