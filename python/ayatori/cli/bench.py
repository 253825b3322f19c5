"""ayatori bench: how fast is it on this machine, compared with others?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ayatori.base.units import format_bytes, format_seconds, parse_bytes, parse_seconds
from ayatori.cli import bench_collectives, bench_hpl, bench_overlap, bench_pingpong, options
from ayatori.cli.output import print_json, print_table, progress, say
from ayatori.measurement.programs import STACKS, IncastData, IncastSettings, StackIncast, measure_incast, measure_peers
from ayatori.prediction.incast import (
    OURS,
    Protocol,
    SimulatedIncast,
    SimulatedIncastData,
    result_as_data,
    simulate_incast,
)

app = typer.Typer(help="Measure Ayatori and its peers on this host.", no_args_is_help=True)
app.command("collectives")(bench_collectives.collectives)
app.command("pingpong")(bench_pingpong.pingpong)
app.command("alltoall")(bench_collectives.alltoall)
app.command("hpl")(bench_hpl.hpl)
app.command("overlap")(bench_overlap.overlap)


@app.callback()
def bench() -> None:
    """Measure Ayatori and its peers on this host."""


@app.command("incast")
def incast(
    senders: Annotated[
        int, typer.Option(metavar="N", help="Sending processes; one more receives.")
    ] = IncastSettings.senders,
    bytes: Annotated[str, typer.Option(metavar="SIZE", help="Message size, 8 B to 64 KiB.")] = "1KiB",
    messages: Annotated[int, typer.Option(metavar="N", help="Messages per sender.")] = IncastSettings.messages,
    stacks: Annotated[str, typer.Option(metavar="A,B,…", help=f"Stacks: {', '.join(STACKS)}.")] = ",".join(STACKS),
    repeats: Annotated[int, typer.Option(metavar="N", help="Rounds of alternating measurements.")] = 3,
    json: options.JSON = False,
) -> None:
    """Measure an incast over the loopback: many processes send to one.

    The stacks alternate. Every byte is checked.
    """
    names = [name.strip() for name in stacks.split(",") if name.strip()]
    settings = IncastSettings(senders, options.value_of(parse_bytes, bytes), messages)
    with progress("incast", repeats * len(names)) as advance:
        results = measure_incast(names, settings, repeats, advance)
    if json:
        data: IncastData = {
            "senders": settings.senders,
            "bytes": settings.bytes,
            "messages": settings.messages,
            "repeats": repeats,
            "results": results,
        }
        print_json("bench-incast", data)
    else:
        describe_incast(settings, results)


def describe_incast(incast: IncastSettings, results: list[StackIncast]) -> None:
    say(f"{incast.senders} processes send {incast.messages} messages of {format_bytes(incast.bytes)} each to one")
    columns = ["  stack", "messages/s", "least", "most", "receiver, MB", "duplicates", "sent again", "lost"]
    print_table("", columns, [incast_row(result) for result in results])


def incast_row(result: StackIncast) -> list[str]:
    of_runs = result["messages_per_s"]
    rates = [f"{rate:.0f}" for rate in (of_runs["median"], of_runs["min"], of_runs["max"])]
    counts = [
        "not known" if count is None else str(count) for count in (result["duplicates"], result["retransmissions"])
    ]
    return [f"  {result['stack']}", *rates, f"{result['receiver_rss_MB']:.1f}", *counts, str(result["lost"])]


@app.command("simulated-incast")
def simulated_incast(
    senders: Annotated[
        int, typer.Option(metavar="N", help="Sending processes; one more receives.")
    ] = SimulatedIncast.clients,
    bytes: Annotated[str, typer.Option(metavar="SIZE", help="Message size.")] = "64B",
    messages: Annotated[int, typer.Option(metavar="N", help="Messages per sender.")] = SimulatedIncast.messages,
    buffers: Annotated[int, typer.Option(metavar="N", help="Receive buffers of the receiver.")] = 1,
    timer: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="Retransmission time of paper 5's protocol; else our transport."),
    ] = None,
    seed: options.SEED = 1,
    scenario: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Scenario of the network (TOML): loss, delay, buffers.")
    ] = None,
    json: options.JSON = False,
) -> None:
    """Simulate an incast into few receive buffers: many processes send to one.

    The network is simulated in virtual time. Equal options give equal results. docs/simulated-network.toml describes
    scenarios.
    """
    load = SimulatedIncast(options.value_of(parse_bytes, bytes), buffers, seed, senders, messages, scenario=scenario)
    protocol = Protocol("fixed timer", options.value_of(parse_seconds, timer)) if timer else OURS
    data = result_as_data(protocol, load, simulate_incast(protocol, load))
    if json:
        print_json("bench-simulated-incast", data)
    else:
        describe_simulated_incast(data)


def describe_simulated_incast(data: SimulatedIncastData) -> None:
    say(
        f"{data['senders']} processes send {data['messages']} messages of {format_bytes(data['bytes'])} each to one "
        f"with {data['buffers']} receive {'buffer' if data['buffers'] == 1 else 'buffers'}"
    )
    total = data["senders"] * data["messages"]
    lost = "" if data["complete"] else f", {total - data['delivered']} of {total} did not arrive"
    say(f"  protocol      {data['protocol']}{lost}")
    say(f"  messages      {data['messages_per_s']:.0f} a second, fairness {data['fairness']:.3f} (Jain's index)")
    of = data["latency_s"]
    median, p99, longest = (format_seconds(value) for value in (of["median"], of["p99"], of["max"]))
    say(f"  latency       median {median}, 99 % {p99}, longest {longest}")
    say(f"  packets       {data['data_packets']}, {data['retransmissions']} sent again")
    say(f"  no buffer     {data['overflowed']} packets found none, {data['duplicates']} came twice")


@app.command("peers")
def peers(
    count: Annotated[int, typer.Option(metavar="N", help="Number of simulated peers.")] = 1_000_000,
    json: options.JSON = False,
) -> None:
    """Measure the memory of one process that has very many peers.

    The process exchanges a message with each simulated peer.
    """
    with progress("peers", 1) as advance:
        data = measure_peers(count)
        advance()
    if json:
        print_json("bench-peers", data)
    else:
        say(f"{data['delivered']} of {data['messages']} messages to and from {count} peers arrived")
        per_peer = data["bytes_per_idle_peer"]
        idle = f", {per_peer:.1f} B an idle peer" if per_peer is not None else ""
        say(f"  memory  {data['rss_MB']:.1f} MB{idle}")
