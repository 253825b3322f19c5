"""nwtopo for Python: the topology of the network between machines, as nwtopo.h shows it to C.

from ayatori import nwtopo
topology = nwtopo.load("torus:4x6x16")
here, there = topology.machine("N0-0-0"), topology.machine("N3-2-7")
print(topology.hops(here, there), topology.coords(there))

A Topology never changes, and any number of threads may use it. Objects are light: an id and the topology they belong
to. Sequences of objects are made as they are walked, so a network of a million machines costs nothing until it is used.
Functions raise ayatori.Error for what they cannot do.
"""

from ayatori._core import Cut
from ayatori.base.errors import SourceWarning
from ayatori.nwtopo.loading import Hosts, from_buffer, load
from ayatori.nwtopo.objects import LINK, NO_NIC, UNREACHABLE, Difference, Link, Nic, Obj, Objects, ObjType
from ayatori.nwtopo.topology import Topology

__all__ = [
    "LINK",
    "NO_NIC",
    "UNREACHABLE",
    "Cut",
    "Difference",
    "Hosts",
    "ObjType",
    "Link",
    "Nic",
    "Obj",
    "Objects",
    "SourceWarning",
    "Topology",
    "from_buffer",
    "load",
]
