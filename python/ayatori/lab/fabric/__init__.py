"""The fabric lab: a real subnet manager and real diagnostics on a simulated InfiniBand fabric."""

from ayatori.lab.fabric.fabric import Engine, SimulatedFabric
from ayatori.lab.fabric.ibdmchk import IbdmchkReport, PathCheck
from ayatori.lab.fabric.opensm import OpensmRun, SweepOptions
from ayatori.lab.fabric.tables import parse_guid2lid, parse_lfts
from ayatori.processes import ProgramError

__all__ = [
    "Engine",
    "SimulatedFabric",
    "IbdmchkReport",
    "ProgramError",
    "OpensmRun",
    "PathCheck",
    "SweepOptions",
    "parse_guid2lid",
    "parse_lfts",
]
