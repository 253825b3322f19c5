"""ayatori bench pingpong: what do messages take on each network between some hosts?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from ayatori._core import Network, Purpose
from ayatori.base.files import make_folder, write_bytes
from ayatori.base.units import format_bytes, format_seconds, parse_bytes
from ayatori.calibration.fitting import errors_of, one_way
from ayatori.cli import options
from ayatori.cli.doctor import hosts_and_agent
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import MpiOptions
from ayatori.cli.output import note, print_json, print_table, say, saying_what_is_done
from ayatori.diagnosis import survey_of_all
from ayatori.formats.calibration import write_calibration
from ayatori.model.network import open_source
from ayatori.pingpong import (
    Result,
    find_stretches,
    latency_plot,
    measure_stretches,
    network_of_facts,
    served_planes,
    throughput_plot,
    with_measured_links,
)


class FitErrorData(TypedDict):
    median: float
    max: float
    """The median and the largest."""


class MessageData(TypedDict):
    bytes: int
    """The size of a message."""
    half_round_trip_s: float
    """The median over many round trips."""
    tenth_s: float
    three_quarters_s: float
    """A tenth, and three quarters, of the round trips take no longer."""
    throughput_MBps: float
    """For messages that are sent one after the other."""


class StretchData(TypedDict):
    name: str
    """The network and which of its hosts: `gbe near`, `gbe far`; both networks of a path through a gateway:
    `gbe > infiniband`."""
    place: str
    """`near`: the network's first two hosts; `far`: its first and its last; `gateway`."""
    hosts: list[str]
    interfaces: list[str]
    """Those of both ends."""
    mpi: str
    eager_limit: int
    """Which MPI, and its largest message that does not wait for its receive."""
    bandwidth_MBps: float
    """Fitted to the largest messages."""
    fit_error: FitErrorData
    """How far the fit is from the medians: shares of them."""
    sizes: list[MessageData]
    """By size, rising."""


class PingPongData(TypedDict):
    stretches: list[StretchData]
    """One entry per pair of hosts."""


LEAST_BYTES, MOST_BYTES = 1 << 10, 1 << 30
SIZES_PRINTED = (1, 1 << 6, 1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22)


@grouped
def pingpong(
    *,
    hosts: Annotated[Path, typer.Option("--hosts", metavar="HOSTFILE", help="Hosts, two or more.")],
    network: Annotated[
        str | None,
        typer.Option(metavar="SOURCE", help="Network of the hosts; else each host is asked."),
    ] = None,
    out_dir: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the network with measured links, the fits and two diagrams to DIR."),
    ] = None,
    mpi: MpiOptions,
    seconds: Annotated[str, typer.Option(metavar="TIME", help="Measuring time per pair of hosts.")] = "10s",
    max_bytes: Annotated[str, typer.Option(metavar="SIZE", help="Largest message.")] = "4MiB",
    agent: Annotated[
        str | None, typer.Option(metavar="COMMAND", help="Command that starts a program on a host, as doctor's.")
    ] = None,
    json: options.JSON = False,
) -> None:
    """Measure latency (half a round trip) and throughput by message size.

    The pairs are the first two hosts of each network, its first and its last host, and a host with one that it reaches
    by a gateway only.

    --out-dir gets network.json with measured rates and latencies (json:DIR/network.json), PLANE.json with the costs
    of messages (--calibration DIR of simulate and choose), latency.svg and throughput.svg.
    """
    time = options.seconds_to_measure(seconds, "10s")
    most = options.value_of(parse_bytes, max_bytes)
    if not LEAST_BYTES <= most <= MOST_BYTES:
        raise UsageError(f"--max-bytes {max_bytes} is out of range", hint="1KiB to 1GiB")
    names, words = hosts_and_agent(hosts, agent)
    if len(names) < 2:
        raise UsageError("a ping-pong takes two hosts", hint="--hosts HOSTFILE with two or more")
    found = mpi.find()
    described = None if network is None else open_source(network, purpose=Purpose.sockets)
    with saying_what_is_done() as doing:
        doing("asking the hosts for their networks")
        facts = survey_of_all(names, words)
        planes = served_planes(described, facts)[1] if described is not None else []
        results = measure_stretches(find_stretches(facts, planes), found, time, most, doing)
    if out_dir is not None:
        write_results(out_dir, described, results, network_of_facts(facts))
        note(f"wrote {out_dir}")
    data: PingPongData = {"stretches": [as_data(result) for result in results]}
    print_json("bench-pingpong", data) if json else describe(results)


def write_results(folder: Path, described: Network | None, results: Sequence[Result], text: str) -> None:
    make_folder(folder)
    file = folder / "network.json"
    if described is None:
        write_bytes(file, text.encode())
        described = open_source(f"json:{file}", purpose=Purpose.sockets)
    measured, links = with_measured_links(described, results)
    write_bytes(file, measured.encode())
    for result in results:
        if result.stretch.place == "near" and result.stretch.plane in links:
            plane = result.stretch.plane
            write_calibration(result.calibration(links[plane]), folder / f"{plane}.json")
    write_bytes(folder / "latency.svg", latency_plot(results).encode())
    write_bytes(folder / "throughput.svg", throughput_plot(results).encode())


def as_data(result: Result) -> StretchData:
    spread, stream = result.spread, result.one_after_the_other
    error = errors_of(
        "half round trip", lambda size: one_way(result.costs, size), result.half_round_trip.items(), fitted=True
    )[0]
    return {
        "name": result.stretch.name,
        "place": result.stretch.place,
        "hosts": list(result.stretch.hosts),
        "interfaces": [end.interface for end in result.stretch.ends],
        "mpi": result.measured.mpi,
        "eager_limit": result.measured.eager_limit,
        "bandwidth_MBps": result.costs.bandwidth / 1e6,
        "fit_error": {"median": error.median, "max": error.max},
        "sizes": [
            {
                "bytes": size,
                "half_round_trip_s": seconds,
                "tenth_s": spread[size][0],
                "three_quarters_s": spread[size][1],
                "throughput_MBps": size / stream[size] / 1e6,
            }
            for size, seconds in sorted(result.half_round_trip.items())
        ],
    }


def describe(results: Sequence[Result]) -> None:
    for result in results:
        measured, spread, stream = result.half_round_trip, result.spread, result.one_after_the_other
        say(f"{result.stretch.name}: {' - '.join(result.stretch.hosts)}, {result.measured.mpi}")
        rows = [
            [
                f"  {format_bytes(size)}",
                format_seconds(measured[size]),
                f"{format_seconds(spread[size][0])} … {format_seconds(spread[size][1])}",
                f"{size / stream[size] / 1e6:.2f} MB/s",
            ]
            for size in SIZES_PRINTED
            if size in measured
        ]
        print_table("", ["  message", "half round trip", "10% … 75%", "throughput"], rows)
