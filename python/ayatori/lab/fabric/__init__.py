"""The fabric lab: a real subnet manager and real diagnostics on a simulated InfiniBand fabric."""

from ayatori.lab.errors import LabError
from ayatori.lab.fabric.fabric import Engine, Fabric
from ayatori.lab.fabric.ibdmchk import IbdmchkReport, PathCheck
from ayatori.lab.fabric.opensm import OpensmRun
from ayatori.lab.fabric.tables import parse_guid2lid, parse_lfts

__all__ = [
    "Engine",
    "Fabric",
    "IbdmchkReport",
    "LabError",
    "OpensmRun",
    "PathCheck",
    "parse_guid2lid",
    "parse_lfts",
]
