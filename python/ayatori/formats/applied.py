"""Plans as a job applied them (docs/applied-format.md): what libayatori_paths.so recorded, next to the plan."""

from __future__ import annotations

from pathlib import Path
from typing import TypedDict

from ayatori import _core
from ayatori._core import AppliedPlan
from ayatori.base.errors import Error

DIFFERENCES_SHOWN = 20


def read_applied(plan: Path, folder: Path) -> AppliedPlan:
    """The paths that the connections of a job took, by the records in `folder`, one for each of its processes.

    Raises Error for a folder without records, and for files that can't be read.
    """
    return _core.apply_records(_core.read_plan_file(str(plan)), [str(file) for file in records_in(folder)])


def records_in(folder: Path) -> list[Path]:
    """The records in a folder. Raises Error if it has none."""
    records = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not records:
        raise Error(f"{folder} has no records of paths", hint="ayatori run --plan FILE --applied-out DIR -- COMMAND")
    return records


class OtherPathData(TypedDict):
    from_rank: int
    to_rank: int
    """The first ranks on the two ports."""
    slid: int
    dlid: int
    count: int
    """The LIDs of the path, and how many connections took it."""


class AppliedData(TypedDict):
    connections: int
    as_planned: int
    elsewhere: int
    """Connections between ports of the job, those of them on paths of the plan, and connections with other ports."""
    port_pairs: int
    connected_pairs: int
    """Ordered pairs of ports of the job, and those with a connection."""
    planned_relative_bandwidth: float
    """What the plan would get; `relative_bandwidth` is what was applied."""
    not_as_planned: list[OtherPathData]
    """The 20 paths with most other connections."""


def applied_as_data(applied: AppliedPlan, planned_relative_bandwidth: float) -> AppliedData:
    """How applied differs from planned."""
    others = sorted(applied.not_as_planned, key=lambda other: (-other.count, other.from_rank, other.to_rank))
    return {
        "connections": applied.connections,
        "as_planned": applied.as_planned,
        "elsewhere": applied.elsewhere,
        "port_pairs": applied.port_pairs,
        "connected_pairs": applied.connected_pairs,
        "not_as_planned": [
            {
                "from_rank": other.from_rank,
                "to_rank": other.to_rank,
                "slid": other.slid,
                "dlid": other.dlid,
                "count": other.count,
            }
            for other in others[:DIFFERENCES_SHOWN]
        ],
        "planned_relative_bandwidth": planned_relative_bandwidth,
    }
