"""The class Topology: a network's objects by id or name, its links, grids and routes, its subsets and files."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ayatori import _core
from ayatori._core import Cut
from ayatori.base.errors import Error
from ayatori.base.files import write_bytes
from ayatori.nwtopo.objects import LINK, UNREACHABLE, Difference, Link, Nic, Obj, Objects


class Topology:
    """What load() gives."""

    def __init__(
        self,
        core: _core.Topology,
        source: str,
        tables: _core.TableRoutes | None = None,
        this_machine: str | None = None,
    ) -> None:
        self._core = core
        self._tables = tables
        self._this_machine = this_machine
        self.source = source

    def __repr__(self) -> str:
        return f"<topology {self.source}: {self._core.machine_count} machines>"

    # ---- looking at it

    @property
    def max_height(self) -> int:
        return self._core.max_height

    @property
    def planes(self) -> list[str]:
        return self._core.planes

    @property
    def warnings(self) -> list[str]:
        """What the source, then the file of tables, could not read, one line each: something may be missing.

        load() and from_buffer() issue a SourceWarning for each, too.
        """
        return [*self._core.warnings, *(self._tables.warnings if self._tables else ())]

    @property
    def private_bytes(self) -> int:
        """Memory of this process; `shared_bytes` is that of a mapped cache, once a node."""
        return self._core.private_bytes

    @property
    def shared_bytes(self) -> int:
        return self._core.shared_bytes

    def objects(self, height: int) -> Objects:
        """Objects of one height by rising id; none above max_height."""
        if height < 0:
            raise Error(f"there is no height {height}")
        core = self._core
        return Objects(self, core.count_at(height), lambda index: core.object_at(height, index))

    @property
    def machines(self) -> Objects:
        """In network order: neighbors share a router."""
        return Objects(self, self._core.machine_count, self._core.machine)

    def object_by_id(self, id: int) -> Obj:
        """The object with an id, from this process or another."""
        if not 0 <= id < 1 << 64 or not self._core.contains(id):
            raise Error(f"no object {id} in {self.source}")
        return Obj(self, id)

    def machine(self, name: str) -> Obj:
        """A machine by its host name, with or without the domain."""
        found = self._find(name)
        if found is None or found.type != "machine":
            raise Error(f"no machine named '{name}' in {self.source}")
        return found

    @property
    def this_machine(self) -> Obj:
        """The machine that this process runs on: by load()'s `this_machine`, NWTOPO_THIS_MACHINE, or the host name."""
        for name, said_by in (
            (self._this_machine, "load()"),
            (os.environ.get("NWTOPO_THIS_MACHINE"), "NWTOPO_THIS_MACHINE"),
            (socket.gethostname(), "its host name"),
        ):
            if not name:
                continue
            found = self._find(name)
            if found is None and name.isdecimal() and int(name) < 1 << 64 and self._core.contains(int(name)):
                found = Obj(self, int(name))
            if found is None or found.type != "machine":
                raise Error(f"this machine, '{name}' by {said_by}, is not in {self.source}")
            return found
        raise Error("this host has no name", hint="load(..., this_machine=NAME)")

    def nic_by_guid(self, guid: int) -> Nic:
        """The NIC with a GUID."""
        found = self._core.find_nic(guid) if 0 < guid < 1 << 64 else None
        if found is None:
            raise Error(f"no NIC has the GUID {guid:#x} in {self.source}")
        return self._nic(*found)

    def object_by_guid(self, guid: int) -> Obj:
        """The router with a GUID, or the machine with a NIC that has it."""
        found = self._core.find_guid(guid) if 0 < guid < 1 << 64 else None
        if found is None:
            raise Error(f"no router or NIC has the GUID {guid:#x} in {self.source}")
        return Obj(self, found)

    def router(self, name: str) -> Obj:
        found = self._find(name)
        if found is None or found.type != "router":
            raise Error(f"no router named '{name}' in {self.source}")
        return found

    @property
    def root(self) -> Obj | None:
        """The object above all others; None where several share the highest place, as the spines of a fat tree do."""
        highest = self.objects(self.max_height)
        return highest[0] if len(highest) == 1 else None

    def links(self) -> npt.NDArray[np.void]:
        """Every link of every machine and router as a row of LINK; a cable is two rows."""
        return self._core.link_bytes().view(LINK)

    # ---- grids

    def coords(self, obj: Obj, grid: Obj | None = None) -> tuple[int, ...]:
        """Where an object, or what it lies under, stands in a grid (by default the only one)."""
        grid = self._grid(grid)
        point = self._core.grid_point(grid.id, self._id(obj))
        if point is None:
            raise Error(f"{obj!r} is not under {grid!r}")
        return tuple(int(c) for c in np.unravel_index(point, grid.dimensions))

    def coordinates(self, grid: Obj | None = None) -> npt.NDArray[np.int32]:
        """Coordinates of all machines, in network order: machines x dimensions; -1 for those not under the grid."""
        return self._core.coordinates(self._grid(grid).id)

    def at(self, coords: Sequence[int], grid: Obj | None = None) -> Obj | None:
        """The object at a point; None where a sparse grid has none."""
        grid = self._grid(grid)
        lengths = grid.dimensions
        if len(coords) != len(lengths) or not all(0 <= c < length for c, length in zip(coords, lengths, strict=True)):
            raise Error(f"{tuple(coords)} is not a point of a grid of {'x'.join(map(str, lengths))}")
        child = self._core.grid_child(grid.id, int(np.ravel_multi_index(tuple(coords), lengths)))
        return None if child is None else Obj(self, child)

    def shifted(self, obj: Obj, shifts: Sequence[int], grid: Obj | None = None) -> Obj | None:
        """The object that lies `shifts` away, around the edge of a torus; None beyond the edge of a mesh."""
        grid = self._grid(grid)
        coords = self.coords(obj, grid)
        if len(shifts) != len(coords):
            raise Error(f"{len(shifts)} shifts in a grid of {len(coords)} dimensions")
        target = [c + shift for c, shift in zip(coords, shifts, strict=True)]
        for i, (length, around) in enumerate(zip(grid.dimensions, grid.periodicities, strict=True)):
            if around:
                target[i] %= length
            elif not 0 <= target[i] < length:
                return None
        return self.at(target, grid)

    def neighbor(self, obj: Obj, dimension: int, shift: int = 1, grid: Obj | None = None) -> Obj | None:
        """The same along one dimension (from 0)."""
        count = len(self._grid(grid).dimensions)
        if not 0 <= dimension < count:
            raise Error(f"dimension {dimension} in a grid of {count} dimensions")
        return self.shifted(obj, [shift if i == dimension else 0 for i in range(count)], grid)

    # ---- queries, over links that are up

    def hops(self, a: Obj, b: Obj) -> int | None:
        """Links on a shortest path; None if there is no path."""
        hops = self._core.hops(self._id(a), self._id(b))
        return None if hops == UNREACHABLE else hops

    def nic_hops(self, a: Nic, b: Nic) -> int | None:
        """Links on a shortest path that leaves by one NIC and arrives at another; None if there is no path."""
        hops = self._core.nic_hops(self._id(a.machine), a.index, self._id(b.machine), b.index)
        return None if hops == UNREACHABLE else hops

    def nearest_nic(self, nic: Nic, machine: Obj) -> Nic | None:
        """The NIC of another machine that a message by this one should go to: the nearest, if possible on its rail."""
        found = self._core.nearest_nic(self._id(nic.machine), nic.index, self._machine_id(machine))
        return None if found is None else self._nic(machine.id, found)

    def distances(self, objects: Iterable[Obj] | None = None) -> npt.NDArray[np.uint32]:
        """Hops between each two of the objects (default: all machines); UNREACHABLE where there is no path."""
        return self._core.distances(self._ids(self.machines if objects is None else objects))

    def num_routes(self, a: Obj, b: Obj) -> int:
        """How many shortest routes there are, parallel cables counted apart."""
        return self._core.count_routes(self._id(a), self._id(b))

    def routes(self, a: Obj, b: Obj) -> Iterator[list[Link]]:
        """The shortest routes, one after another. The first of a torus goes from the first dimension to the last."""
        for which in range(self.num_routes(a, b)):
            yield [self._link(link) for link in self._core.route(self._id(a), self._id(b), which)]

    def routed_path(self, a: Obj, b: Obj, path: int = 0) -> list[Link]:
        """The path that packets take by the forwarding tables that load() was given, to the path-th LID of `b`."""
        if self._tables is None:
            raise Error(f"no forwarding tables were given for {self.source}", hint="load(..., tables=FILE)")
        if path < 0:
            raise Error(f"there is no path {path}: paths count from 0")
        links = self._core.routed_path(self._tables, self._id(a), self._id(b), path)
        return [self._link(link) for link in links]

    def common_ancestors(self, a: Obj, b: Obj) -> list[Obj]:
        """The lowest objects above both (or equal to one): in a fat tree, the routers where the two may meet."""
        return [Obj(self, id) for id in self._core.common_ancestors(self._id(a), self._id(b))]

    def nearest_machines(self, obj: Obj, count: int = 1) -> list[Obj]:
        """Up to `count` machines, nearest first, not the object itself."""
        if count < 0:
            raise Error(f"cannot look for {count} machines")
        return [Obj(self, id) for id in self._core.nearest_machines(self._id(obj), count)]

    def machines_under(self, obj: Obj) -> Objects:
        """Machines under an object, itself if it is one, in network order."""
        ids = self._core.machines_under(self._id(obj))
        return Objects(self, len(ids), lambda index: int(ids[index]))

    def cut(self, a: Iterable[Obj], b: Iterable[Obj]) -> Cut:
        """What two sets of machines can exchange: bandwidth, injection, oversubscription (0: not known), num_links."""
        return self._core.cut(self._ids(a), self._ids(b))

    # ---- other topologies, files

    def shrink(self, machines: Iterable[Obj]) -> Topology:
        """The subset with these machines; ids and heights stay."""
        return Topology(self._core.shrink(self._ids(machines)), self.source, self._tables, self._this_machine)

    def diff(self, after: Topology) -> list[Difference]:
        """What has to happen to this topology to become `after`; objects are matched by name."""
        found = self._core.difference(after._core)
        return [Difference(each.type, each.is_link, each.name, each.detail) for each in found]

    def export_file(self, format: str, path: str | os.PathLike[str]) -> None:
        """Writes a file, whole or not at all: what `ayatori convert` knows ("json", "dot", "svg", …), or a "cache".

        load("cache:PATH") maps a cache: one copy for all processes of a machine.
        """
        if format == "cache":
            self._core.write_cache(os.fspath(path))
        else:
            write_bytes(Path(path), _core.export_network(self._core.network(), format))

    def export_buffer(self) -> bytes:
        """What from_buffer() reads: rank 0 loads a topology and broadcasts it."""
        return self._core.cache_bytes()

    # ---- helpers

    def _find(self, name: str) -> Obj | None:
        id = self._core.find(name)
        return None if id is None else Obj(self, id)

    def _id(self, obj: Obj) -> int:
        """Objects of a subset and of its base are the same by id, so both are welcome where they exist."""
        if not self._core.contains(obj.id):
            raise Error(f"{obj!r} is not an object of {self!r}")
        return obj.id

    def _ids(self, objects: Iterable[Obj]) -> list[int]:
        return [self._id(obj) for obj in objects]

    def _machine_id(self, obj: Obj) -> int:
        if obj.type != "machine":
            raise Error(f"{obj!r} is not a machine")
        return self._id(obj)

    def _nic(self, machine: int, index: int) -> Nic:
        nic = self._core.nic(machine, index)
        return Nic(Obj(self, machine), index, nic.rail, self.planes[nic.plane], nic.guid, nic.device)

    def _link(self, link: _core.TopologyLink) -> Link:
        ends = [Obj(self, id) if self._core.contains(id) else None for id in (link.from_id, link.to_id)]
        near, far = link.from_device, link.to_device
        rail = None
        if link.from_nic is not None or link.to_nic is not None:
            rail = near.rail if link.from_nic is not None else far.rail
        return Link(
            from_=ends[0],
            to=ends[1],
            from_port=link.from_port,
            to_port=link.to_port,
            from_nic=link.from_nic,
            to_nic=link.to_nic,
            rail=rail,
            from_device=near.device,
            to_device=far.device,
            from_guid=near.guid,
            to_guid=far.guid,
            plane=self.planes[link.plane],
            **{name: getattr(link, name) for name in ("rate", "bandwidth", "latency", "up", "degraded")},
        )

    def _grid(self, grid: Obj | None) -> Obj:
        if grid is None:
            grids = [obj for obj in self._virtual_objects() if obj.type == "grid"]
            if len(grids) != 1:
                raise Error(f"{self.source} has {len(grids)} grids", hint="say which one" if grids else "")
            return grids[0]
        if grid.type != "grid":
            raise Error(f"{grid!r} is not a grid")
        return grid

    def _virtual_objects(self) -> Iterator[Obj]:
        """They have the highest ids, and are highest where they are."""
        for height in range(self.max_height, 0, -1):
            for obj in reversed(self.objects(height)):
                if obj.type in ("machine", "router"):
                    break
                yield obj
