"""ayatori lab: real programs on simulated hardware."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori import _core
from ayatori.base.errors import Error, UnknownWord
from ayatori.base.units import parse_bytes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, say
from ayatori.cli.own_options import RunsCommand
from ayatori.cli.route import describe_check
from ayatori.lab.cluster import (
    LEAST_DELAY_NS,
    can_delay,
    find_routes,
    has_netem,
    lay_out,
    read_faults,
    why_impossible,
    why_too_large,
)
from ayatori.lab.cluster import Settings as ClusterSettings
from ayatori.lab.cluster import run_command as run_in_cluster
from ayatori.lab.fabric import SimulatedFabric
from ayatori.lab.fabric.verification import (
    OPENSM_ENGINES,
    LabCheck,
    compare_networks,
    discover_live,
    load_our_tables,
    net_text,
    read_back,
    try_engine,
    with_guids,
    write_tables_of,
)
from ayatori.lab.rdma import MAX_HOSTS, MachineSettings, missing_packages, prepare_parts, run_command
from ayatori.model.network import open_source
from ayatori.planning.routes import TablesData, check, check_as_data, make_routes_explained

LEAST_BURST, MOST_BURST = 2 << 10, 1 << 20
ENGINES = (*OPENSM_ENGINES, "file")

app = typer.Typer(help="Run real programs on simulated hardware.", no_args_is_help=True)


@app.callback()
def lab() -> None:
    """Run real programs on simulated hardware."""


class LabFabricData(TablesData):
    """The tables are those that the switches hold."""

    source: str
    engine: str
    """As given."""
    checks: list[Annotated[dict[str, Any], LabCheck]]
    """What was looked at."""


@app.command("fabric")
def fabric(
    source: options.SOURCE,
    engine: Annotated[
        str, typer.Option(metavar="NAME", help="Engine: ftree, updn, minhop, or file: our tables.")
    ] = "file",
    lmc: options.LMC = "auto",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the switches' tables to FILE.")] = None,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Run real OpenSM on a simulated fabric, and read the tables back over MADs."""
    if engine not in ENGINES:
        raise UnknownWord("engine", engine, ENGINES)
    known = open_source(source, host_pattern)
    lids = options.parse_lmc(lmc)
    with SimulatedFabric(net_text(known)) as running:
        for warning in running.warnings():
            note(f"ibsim: {warning}")
        network = with_guids(running, known)
        checks = [compare_networks(network, discover_live(running, host_pattern))]
        if engine == "file":
            checks += load_our_tables(running, network, make_routes_explained(network, lids), source)
            routes = read_back(running, network)
        else:
            tried = try_engine(running, network, engine)
            if tried.routes is None:
                raise Error(f"OpenSM's {engine} engine does not route {source}", tried.refusal)
            routes = tried.routes
        if out is not None:
            write_tables_of(routes, network, out)
            note(f"wrote {out}")
        data: LabFabricData = {
            "source": source,
            "engine": engine,
            **check_as_data(network, routes, check(network, routes)),
            "checks": [check.as_data() for check in checks],
        }
    if json:
        print_json("lab-fabric", data)
    else:
        describe(data)
    if not all(check["passed"] for check in data["checks"]):
        raise Error("the switches do not hold what was asked for", internal=True)


@app.command("rdma", cls=RunsCommand)
def rdma(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="Command that runs on the first host.")],
    guests: Annotated[
        int,
        typer.Option(
            "--guests",
            metavar="N",
            min=1,
            max=MAX_HOSTS,
            help="Number of hosts: 1 with two adapters, rxe0 and rxe1, joined by a cable, or 2 with rxe0 each.",
        ),
    ] = 1,
    netem: Annotated[
        str,
        typer.Option(
            "--netem", metavar="WORDS", help="Settings of tc-netem(8) for all adapters: 'loss 20% delay 1ms'."
        ),
    ] = "",
    cpus: Annotated[int, typer.Option("--cpus", metavar="N", min=1, max=64, help="Processors of each host.")] = 2,
    memory: Annotated[str, typer.Option("--memory", metavar="SIZE", help="Memory of each host.")] = "1GiB",
) -> int:
    """Run a command with real verbs, in a virtual machine with Soft-RoCE.

    Debian's kernel runs in QEMU, on the files of this host. The command sees this host's programs and files. Changes
    in the working directory stay; other changes are lost with the virtual machine. Exit status: the command's.
    """
    missing = missing_packages()
    if missing:
        raise Error("no virtual machine can run here", hint=f"apt-get install {' '.join(missing)}")
    settings = MachineSettings(guests, cpus, parse_bytes(memory) >> 20, netem, dict(os.environ))
    return run_command(prepare_parts(), settings, command, Path.cwd(), sys.stdout.buffer, sys.stderr.buffer)


@app.command("cluster", cls=RunsCommand)
def cluster(
    file: Annotated[Path, typer.Argument(metavar="FILE.toml", help="Cluster file (docs/cluster-format.md).")],
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="Command that runs on the first host.")],
    slower: Annotated[float, typer.Option("--slower", metavar="N", help="Divisor of all rates.")] = 1.0,
    loss: Annotated[float, typer.Option("--loss", metavar="PERCENT", help="Loss of received packets.")] = 0.0,
    burst: Annotated[
        str,
        typer.Option(
            "--burst", metavar="SIZE", help="Bytes that pass a cable at once after a pause; 3KiB: packet by packet."
        ),
    ] = "32KiB",
    fault: Annotated[
        Path | None,
        typer.Option("--fault", metavar="FILE", help="Break hosts and switches first (examples/cluster/faults)."),
    ] = None,
) -> int:
    """Run a command, such as mpirun, in a cluster of network namespaces.

    The cluster has the file's hosts, planes and rates. Exit status: the command's. Nothing of the cluster is left
    afterwards. AYATORI_LAB_HOSTFILE names a file with all hosts; Open MPI and MPICH use it by themselves.
    """
    if slower <= 0 or not 0 <= loss < 100:
        raise UsageError("--slower takes a number above 0, --loss a percentage below 100")
    at_once = options.value_of(parse_bytes, burst)
    if not LEAST_BURST <= at_once <= MOST_BURST:
        raise UsageError(f"--burst {burst} is out of range", hint="2KiB to 1MiB")
    settings = ClusterSettings(slower, loss, at_once, fault)
    check_lab(file, settings)
    return run_in_cluster(file, settings, command)


def check_lab(file: Path, settings: ClusterSettings) -> None:
    """Says what of the file the lab leaves out. Raises Error if there can be no such lab here."""
    network = open_source(f"cluster:{file}", purpose=_core.Purpose.sockets)
    layout = lay_out(network, settings.slower, _core.interfaces_in_cluster(str(file)))
    if layout.own_addresses:
        find_routes(layout)
    if settings.fault is not None:
        read_faults(settings.fault, layout)
    if why := why_impossible(settings) or why_too_large(layout):
        raise Error("no cluster can be made here", why)
    whole = open_source(f"cluster:{file}")
    for name, use in zip(whole.planes, whole.plane_uses, strict=True):
        if use.fibre_channel:
            note(f"left out, since a lab's networks carry IP and Fibre Channel storage alone: {name}")
    for pair in layout.left_out:
        note(f"left out, since Ethernet allows no circles: {pair}")
    least = LEAST_DELAY_NS if can_delay() else sys.maxsize
    latencies = [network.port(end).latency_ns for ends in network.cables() for end in ends]
    if any(0 < latency < least for latency in latencies) and not has_netem():
        few = f" of less than {LEAST_DELAY_NS // 1000} us" if can_delay() else ""
        note(f"this kernel has no netem: the file's latencies{few} are left out")


def describe(data: LabFabricData) -> None:
    say(f"{data['source']}: real OpenSM, engine {data['engine']}, {data['lids']} LIDs")
    describe_check(data)
    for result in data["checks"]:
        say(check_in_words(result))


def check_in_words(check: dict[str, Any]) -> str:
    return f"  {'ok  ' if check['passed'] else 'FAIL'}  {check['what']} ({check['figure']})"
