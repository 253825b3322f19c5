"""Calibrations on disk (docs/calibration-format.md): what messages, copies and reductions cost on a machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from ayatori import _core
from ayatori._core import Network
from ayatori.base.errors import Error
from ayatori.prediction.costs import Costs, Line, MessageCosts, SizeCost, members_in, with_members_of


@dataclass(frozen=True)
class FitError:
    """How far fitted costs are from what was measured: shares of the measured times."""

    what: str
    """The pattern."""
    fitted: bool
    """Whether the fit used these measurements; otherwise they check it."""
    points: int
    """The number of sizes."""
    median: float
    max: float
    """The median and the largest error."""


@dataclass(frozen=True)
class Calibration:
    """Times in seconds, sizes in bytes. [Calibrations](calibration-format.md) say what the numbers mean."""

    machine: str
    mpi: str
    """Where it was measured, and by which MPI."""
    inside: MessageCosts | None = None
    between: MessageCosts | None = None
    """Costs of messages inside this host, and between two hosts; null: not measured."""
    links_between: int = 0
    """Links between the machines that were measured; their latency is part of that of `between`."""
    copy: SizeCost = ()
    reduce: SizeCost = ()
    """A local copy, and combining two vectors, by size."""
    cache_refill: SizeCost = ()
    """More than a reduction takes where its result replaces what was sent in the same step."""
    start: float = 0
    """Seconds from the call of a collective until its first step begins."""
    engine: float = 0
    """Seconds that our executor takes for each end of a message, in addition to the MPI."""
    cores: int = 0
    """Of the machine; 0: not known."""
    scheduling_delay: SizeCost = ()
    """Seconds that a message waits where two ranks share a core, and as much longer with more."""
    start_skew: float = 0
    """Seconds by which a rank begins later for each further rank that shares its core."""
    oversubscription: SizeCost = ()
    """More of a receiver's processor for a message within a machine where two ranks share a core, and as much longer
    with more."""
    remarks: Sequence[str] = ()
    """What limits the worth of these numbers, in words."""
    errors: Sequence[FitError] = ()
    """How far the model is from what was measured."""


def costs_of(calibration: Calibration, otherwise: Costs, link_latency: float) -> Costs:
    """What was measured, and `otherwise` for what was not. Links have `link_latency` each, also those measured over."""
    inside = calibration.inside and _executed(calibration.inside, calibration.engine)
    between = calibration.between and _executed(calibration.between, calibration.engine)
    if between is not None:
        between = replace(between, latency=max(0.0, between.latency - calibration.links_between * link_latency))
    origin = f"measured on {calibration.machine} with {calibration.mpi}"
    if calibration.between is None:
        origin += f", between machines {otherwise.origin}"
    if calibration.inside is None:
        origin += f", within a machine {otherwise.origin}"
    return Costs(
        origin,
        inside or otherwise.inside,
        between or otherwise.between,
        calibration.copy or otherwise.copy,
        calibration.reduce or otherwise.reduce,
        calibration.cache_refill if calibration.reduce else otherwise.cache_refill,
        calibration.start,
        calibration.cores if inside else otherwise.cores,
        calibration.scheduling_delay if inside else otherwise.scheduling_delay,
        calibration.start_skew if inside else otherwise.start_skew,
        calibration.oversubscription if inside else otherwise.oversubscription,
    )


def costs_on_planes(
    network: Network, folder: Path, otherwise: Sequence[MessageCosts | None]
) -> Sequence[MessageCosts | None]:
    """Of messages between machines by plane, as `PLANE.json` in the folder says, and `otherwise` where there is no such
    file. Latencies are without that of the links, where the network tells it. Raises Error for a folder without any."""
    found: dict[int, MessageCosts] = {}
    for plane, name in enumerate(network.planes):
        file = folder / f"{name}.json"
        if not file.exists():
            continue
        calibration = read_calibration(file)
        if calibration.between is None:
            raise Error(f"{file} does not say what messages between machines cost")
        links = calibration.links_between * _link_seconds(network, plane)
        found[plane] = replace(calibration.between, latency=max(0.0, calibration.between.latency - links))
    if not found:
        names = ", ".join(f"{name}.json" for name in network.planes)
        raise Error(f"{folder} has no calibration of a plane of this network", hint=f"expected one of {names}")
    return [found.get(plane, otherwise[plane] if otherwise else None) for plane in range(len(network.planes))]


def _link_seconds(network: Network, plane: int) -> float:
    """The median latency of the plane's links that the network tells; 0 for none."""
    ports = (network.port(near) for near, _ in network.cables())
    known = [port.latency_ns for port in ports if network.plane_of(port.device) == plane and port.latency_ns]
    return median(known) * 1e-9 if known else 0.0


def _executed(costs: MessageCosts, engine: float) -> MessageCosts:
    """What messages cost that our engine sends and receives by the MPI."""
    return replace(costs, send=_more(costs.send, engine), receive=_more(costs.receive, engine))


def _more(cost: SizeCost, seconds: float) -> SizeCost:
    if seconds == 0:
        return cost
    lines = cost if cost and cost[0].first == 0 else (Line(0, 0.0), *cost)
    return tuple(replace(line, seconds=line.seconds + seconds) for line in lines)


def write_calibration(calibration: Calibration, path: Path) -> None:
    """Whole or not at all."""
    core = with_members_of(replace(calibration, errors=()), _core.Calibration())
    core.errors = [_core.FitError(**vars(error)) for error in calibration.errors]
    _core.write_calibration(core, str(path))


def read_calibration(path: Path) -> Calibration:
    """Reads what write_calibration wrote. Raises Error, naming the file and the place that is not as it should be."""
    core = _core.read_calibration(str(path))
    errors = tuple(FitError(**members_in(error, FitError)) for error in core.errors)
    return Calibration(**members_in(core, Calibration) | {"errors": errors})
