"""What a Topology consists of: its objects, their NICs and links, and how two topologies differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, overload

import numpy as np

if TYPE_CHECKING:
    from ayatori.nwtopo.topology import Topology

ObjType: TypeAlias = Literal["machine", "router", "grid", "full", "graph"]

UNREACHABLE = 0xFFFFFFFF
"""The distance between objects without a path between them."""
NO_NIC = 0xFFFFFFFF
"""In Topology.links(): this end of the link is a router."""

LINK = np.dtype(
    {
        "names": [
            *("from", "to", "from_port", "to_port", "from_nic", "to_nic", "plane"),
            *("bandwidth", "latency", "up", "degraded"),
        ],
        "formats": ["u8", "u8", "u4", "u4", "u4", "u4", "u4", "f8", "f8", "?", "?"],
        "offsets": [0, 8, 32, 36, 44, 48, 40, 16, 24, 52, 53],
        "itemsize": 56,
    }
)
"""A row of Topology.links(): ids, ports and NICs (NO_NIC at a router) of both ends, index of the plane, bytes a second,
seconds (0: not known)."""


@dataclass(frozen=True)
class Nic:
    """A network adapter of a machine."""

    machine: Obj
    index: int  # among the machine's NICs, from 0, by plane and rail
    rail: int  # which of a cluster's parallel networks, or of the machine's adapters on one network
    plane: str
    guid: int  # 0 if not known
    device: str  # "mlx5_0"; empty if not known


@dataclass(frozen=True)
class Link:
    """The directed way out of a port; the way back is a link of the object at its other end.

    An end is None in a route of a subset, where packets go through a router that is built into a machine outside of it.
    """

    from_: Obj | None
    to: Obj | None
    from_port: int  # as printed on the device, 0 if not known
    to_port: int
    from_nic: int | None  # index of the machine's NIC that the port is on; None at a router
    to_nic: int | None
    rail: int | None  # of the NIC at the machine's end (at the start, if both are machines); None between routers
    from_device: str  # name of that NIC; empty at a router, and if not known
    to_device: str
    from_guid: int  # of the NIC or router; 0 if not known
    to_guid: int
    plane: str
    rate: str  # "4xNDR", "?" if not known
    bandwidth: float  # payload of one direction, 0 if not known
    latency: float  # seconds, with the device at the far end; 0 if not known
    up: bool  # False: taken out by `faults`, and no query goes over it
    degraded: bool  # slower than most links of its kind


class Difference(NamedTuple):
    """One thing that two topologies do not share."""

    type: str  # "added", "removed" or "changed"
    is_link: bool  # a cable; otherwise an object
    name: str  # "LS1", or "LS1 port 8 - RS2 port 2"
    detail: str  # of a change: "4xHDR -> 4xNDR"


class Objects(Sequence["Obj"]):
    """Objects by index, each made when it is asked for."""

    __slots__ = ("_count", "_id_at", "_topology")

    def __init__(self, topology: Topology, count: int, id_at: Callable[[int], int]) -> None:
        self._topology, self._count, self._id_at = topology, count, id_at

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Obj: ...
    @overload
    def __getitem__(self, index: slice) -> Objects: ...
    def __getitem__(self, index: int | slice) -> Obj | Objects:
        chosen = range(self._count)[index]
        if isinstance(chosen, range):
            return Objects(self._topology, len(chosen), lambda i: self._id_at(chosen[i]))
        return Obj(self._topology, self._id_at(chosen))

    def __repr__(self) -> str:
        shown = ", ".join(repr(obj) for obj in self[:3])
        return f"[{shown}, … {self._count} in all]" if self._count > 3 else f"[{shown}]"


class Obj:
    """A machine, a router, or a virtual object that says how its children are joined.

    `id` means the same object in every process and every subset of one source.
    """

    __slots__ = ("id", "topology")

    def __init__(self, topology: Topology, id: int) -> None:
        self.topology, self.id = topology, id

    @property
    def type(self) -> ObjType:
        type: ObjType = self.topology._core.kind(self.id)  # type: ignore[assignment]
        return type

    @property
    def name(self) -> str:
        """Host or router name, a word for a virtual object; empty if nobody tells."""
        return self.topology._core.name(self.id)

    @property
    def height(self) -> int:
        """0 for machines, 1 for what is directly above them, …"""
        return self.topology._core.height(self.id)

    @property
    def num_nics(self) -> int:
        return self.topology._core.nic_count(self.id) if self.type == "machine" else 0

    @property
    def nics(self) -> list[Nic]:
        """Network adapters of a machine, by plane and rail; of any other object none."""
        return [self.topology._nic(self.id, i) for i in range(self.num_nics)]

    @property
    def parents(self) -> Objects:
        core = self.topology._core
        return Objects(self.topology, core.parent_count(self.id), lambda i: core.parent(self.id, i))

    @property
    def children(self) -> Objects:
        core = self.topology._core
        return Objects(self.topology, core.child_count(self.id), lambda i: core.child(self.id, i))

    @property
    def links(self) -> list[Link]:
        """Links that leave the object, by plane and port number. Virtual objects have none."""
        core = self.topology._core
        return [self.topology._link(core.link(self.id, i)) for i in range(core.link_count(self.id))]

    @property
    def dimensions(self) -> tuple[int, ...]:
        """Lengths of a grid; empty for all other objects."""
        return tuple(self.topology._core.grid_dimensions(self.id)) if self.type == "grid" else ()

    @property
    def periodicities(self) -> tuple[bool, ...]:
        """Of each dimension of a grid: True for a torus, False for a mesh."""
        return tuple(self.topology._core.grid_periodic(self.id)) if self.type == "grid" else ()

    @property
    def reference_coordinates(self) -> tuple[int, ...]:
        """Where the first point of a subset's grid lies in the whole grid."""
        return tuple(self.topology._core.grid_reference(self.id)) if self.type == "grid" else ()

    @property
    def dense(self) -> bool:
        """True if every point of a grid has a child."""
        return self.type == "grid" and self.topology._core.grid_dense(self.id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Obj) and self.id == other.id and self.topology is other.topology

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<{self.type} {self.name or self.id}>"
