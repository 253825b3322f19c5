"""ayatori bench: how fast is it on this machine, beside others?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from ayatori.base.units import format_bytes
from ayatori.cli import options
from ayatori.cli.output import print_json, print_table, progress, say
from ayatori.measurement.programs import STACKS, IncastSettings, measure_incast, measure_peers

app = typer.Typer(help="How fast is it on this machine, beside others?", no_args_is_help=True)


@app.callback()
def bench() -> None:
    """How fast is it on this machine, beside others?"""


@app.command("incast")
def incast(
    senders: Annotated[int, typer.Option(help="Processes that send; one more receives.")] = IncastSettings.senders,
    bytes: Annotated[int, typer.Option(help="Of a message, 8 to 65536.")] = IncastSettings.bytes,
    messages: Annotated[int, typer.Option(help="Of each sender.")] = IncastSettings.messages,
    stacks: Annotated[str, typer.Option(metavar="A,B,…", help=f"From {', '.join(STACKS)}.")] = ",".join(STACKS),
    repeats: Annotated[int, typer.Option(help="Times that the stacks take turns.")] = 3,
    json: options.JSON = False,
) -> None:
    """Many processes send to one over the loopback, on one stack after the other; every byte is checked."""
    names = [name.strip() for name in stacks.split(",") if name.strip()]
    settings = IncastSettings(senders, bytes, messages)
    with progress("incast", repeats * len(names)) as advance:
        results = measure_incast(names, settings, repeats, advance)
    if json:
        print_json("bench-incast", asdict(settings) | {"repeats": repeats, "results": results})
    else:
        describe_incast(settings, results)


def describe_incast(incast: IncastSettings, results: list[dict[str, Any]]) -> None:
    say(f"{incast.senders} processes send {incast.messages} messages of {format_bytes(incast.bytes)} each to one")
    columns = ["  stack", "messages/s", "least", "most", "receiver, MB", "duplicates", "sent again", "lost"]
    print_table("", columns, [incast_row(result) for result in results])


def incast_row(result: dict[str, Any]) -> list[str]:
    rates = [f"{result['messages_per_s'][key]:.0f}" for key in ("median", "min", "max")]
    counts = ["not told" if result[key] is None else str(result[key]) for key in ("duplicates", "retransmissions")]
    return [f"  {result['stack']}", *rates, f"{result['receiver_rss_MB']:.1f}", *counts, str(result["lost"])]


@app.command("peers")
def peers(
    count: Annotated[int, typer.Option(help="Simulated peers.")] = 1_000_000,
    json: options.JSON = False,
) -> None:
    """One process and very many simulated peers: a message to and from each, and the memory that it takes."""
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
