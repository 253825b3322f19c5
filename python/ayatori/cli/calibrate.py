"""ayatori calibrate: what do messages, copies and reductions cost on this machine?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ayatori.base.errors import Error
from ayatori.base.files import check_can_be_written, read_text
from ayatori.base.units import format_bytes, format_seconds
from ayatori.calibration.calibrating import calibrate as measure_and_fit
from ayatori.calibration.measuring import hosts_in
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import MpiOptions
from ayatori.cli.output import counted, note, print_json, print_table, print_warning, say, saying_what_is_done
from ayatori.formats.calibration import Calibration, write_calibration
from ayatori.prediction.costs import MessageCosts, seconds_of

SIZES_PRINTED = (1, 1 << 10, 1 << 16, 1 << 20, 1 << 22)


@grouped
def calibrate(
    *,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the calibration to FILE.")] = None,
    mpi: MpiOptions,
    hostfile: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Hosts: messages are measured between the first two, too.")
    ] = None,
    links: Annotated[int, typer.Option(metavar="N", help="Number of links between these two hosts.")] = 2,
    seconds: Annotated[
        str, typer.Option(metavar="TIME", help="Measuring time within a host, and between hosts.")
    ] = "20s",
    json: options.JSON = False,
) -> None:
    """Measure the costs of messages by MPI, for predictions.

    The command fits the model of simulate and choose, and checks it on other sizes. It starts two ranks on this host,
    and one rank on each of two hosts of --hostfile. It announces how long it takes at most, ends by then, and names the
    sizes that it did not reach.
    """
    time = options.seconds_to_measure(seconds, "20s")
    if not 0 <= links <= 1000:
        raise UsageError(f"--links {links} is out of range", hint="0 to 1000")
    check_files(hostfile, out)
    found = mpi.find()
    with saying_what_is_done() as doing:
        calibration = measure_and_fit(found, time, hostfile, links, doing)
    if out is not None:
        write_calibration(calibration, out)
        note(f"wrote {out}")
    print_json("calibrate", asdict(calibration)) if json else describe(calibration)


def check_files(hostfile: Path | None, out: Path | None) -> None:
    """Raises Error before anything is measured: what can't be read or written would be found out when it is over."""
    if hostfile is not None:
        read_text(hostfile)
        hosts = len(hosts_in(hostfile))
        if hosts < 2:
            raise Error(
                f"{hostfile} names {counted(hosts, 'host')}: messages are measured between the first two",
                hint="without --hostfile, this host alone is measured",
            )
    if out is not None:
        check_can_be_written(out)


def describe(calibration: Calibration) -> None:
    say(f"{calibration.machine}, {calibration.mpi}")
    for name, costs in (("inside a machine", calibration.inside), ("between machines", calibration.between)):
        if costs is not None:
            describe_messages(name, costs)
    rows = [
        [f"  {format_bytes(size)}", *(format_seconds(seconds_of(cost, size)) for cost in local)]
        for local in [(calibration.copy, calibration.reduce, calibration.cache_refill)]
        for size in SIZES_PRINTED
    ]
    print_table("", ["  in a rank", "copy", "reduce", "more if sent"], rows)
    say(f"  our engine: {format_seconds(calibration.engine)} for each end of a message, in addition to the MPI")
    say(f"  start: {format_seconds(calibration.start)} before a collective's first step")
    describe_oversubscription(calibration)
    rows = [
        [f"  {error.what}", "fitted" if error.fitted else "checked", str(error.points), f"{error.median:.1%}"]
        + [f"{error.max:.1%}"]
        for error in calibration.errors
    ]
    print_table("", ["  error of the model", "times", "points", "median", "largest"], rows)
    for remark in calibration.remarks:
        print_warning(remark)


def describe_oversubscription(calibration: Calibration) -> None:
    say(
        f"  where two ranks share a core: {format_seconds(calibration.start_skew)} more before the first step, "
        f"{format_seconds(seconds_of(calibration.scheduling_delay, 1))} until a message is seen"
    )
    more = [f"{format_seconds(seconds_of(calibration.oversubscription, m))} ({format_bytes(m)})" for m in SIZES_PRINTED]
    say(f"    and more to receive it: {', '.join(more)}")


def describe_messages(name: str, costs: MessageCosts) -> None:
    rendezvous = f", rendezvous {format_seconds(costs.rendezvous)}" if costs.rendezvous else ""
    gap = f", gap {format_seconds(costs.gap)}" if costs.gap else ""
    bandwidth = f", {costs.bandwidth / 1e6:.0f} MB/s" if costs.bandwidth else ""
    burst = f", of which {format_bytes(costs.burst)} pass at once after a pause" if costs.burst else ""
    burst += f", in packets of {format_bytes(costs.packet)}" if costs.packet else ""
    header = f", {format_bytes(costs.header)} more with each message" if costs.header else ""
    eager = f"eager up to {format_bytes(costs.eager_limit)}"
    say(f"  {name}: latency {format_seconds(costs.latency)}{gap}, {eager}{rendezvous}{bandwidth}{burst}{header}")
    rows = [
        [f"  {format_bytes(size)}", *(format_seconds(seconds_of(cost, size)) for cost in (costs.send, costs.receive))]
        for size in SIZES_PRINTED
    ]
    print_table("", ["  overhead of", "sender", "receiver"], rows)
