"""ayatori route: forwarding tables for OpenSM's file engine, checked first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ayatori._core import Job, Network
from ayatori.cli import options
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import NetworkOptions
from ayatori.cli.output import counted, note, print_json, print_warning, say
from ayatori.cli.searching import TREES, searched
from ayatori.formats.job_files import read_jobs
from ayatori.formats.running import SLURM, listed_jobs
from ayatori.model.network import LinkData
from ayatori.planning.routes import (
    ChannelData,
    DifferingData,
    DistinctPathsData,
    LanesData,
    RouteData,
    TableFile,
    TablesData,
    changes_for_jobs,
    check,
    check_as_data,
    make_routes_explained,
    read_routes,
    table_file_bytes,
    write_for_opensm,
)

MAX_PARTS = 4
LARGE_FILE = 10**8
"""Bytes of tables from which on the size is printed."""


@grouped
def route(
    *,
    lmc: options.LMC = "auto",
    for_jobs: Annotated[
        list[Path] | None,
        typer.Option(
            "--for",
            metavar="PATH",
            help="Jobs for which tables balance base LIDs: a hostfile, a folder, or the word slurm. Repeatable.",
        ),
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write lfts, guid2lid and a README to DIR.")
    ] = None,
    comments: Annotated[
        bool, typer.Option("--comments", help="Comment each entry of lfts, not each LID: seven times the size.")
    ] = False,
    changed_from: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Tables in use, to count changed entries and write changed switches only."),
    ] = None,
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Make forwarding tables for OpenSM, and check them.

    Ports get one or several LIDs, and so one or several paths.
    """
    network = on.open()
    running = jobs_to_spread(network, for_jobs or [])
    ports = options.parse_lmc(lmc)
    made, cut = searched(TREES, None, lambda control: make_routes_explained(network, ports, running, control=control))
    if cut is not None:
        raise KeyboardInterrupt
    checked = check(network, made.routes)
    differing: DifferingData = {}
    old = read_routes(network, changed_from) if changed_from is not None else None
    if old is not None:
        differing["differing_entries"] = made.routes.count_differences(old)
    data: RouteData = {
        "source": on.source,
        "engine": made.engine,
        "lmc": made.lmc,
        **check_as_data(network, made.routes, checked),
        "explanation": made.explanation,
        "notes": made.notes,
        **changes_for_jobs(network, made, running),
        **differing,
    }
    if out_dir is not None:
        file = TableFile(comments, old)
        announce(out_dir / file.name, table_file_bytes(network, made.routes, file), file)
        write_for_opensm(network, made, on.source, out_dir, checked, file)
        note(f"wrote {out_dir}/{file.name}, guid2lid and README, which has the opensm command line")
    if json:
        print_json("route", data)
    else:
        describe(data)


def jobs_to_spread(network: Network, paths: list[Path]) -> list[Job]:
    """The jobs of hostfiles, plans and folders, and for the word slurm those that squeue prints."""
    from_files = [path for path in paths if str(path) != SLURM]
    jobs = [named.job for named in read_jobs(network, from_files)[0]]
    return jobs + list(listed_jobs(network, SLURM).values()) if len(from_files) < len(paths) else jobs


def announce(path: Path, size: int, file: TableFile) -> None:
    """Says how large a file will be before it is written, if that takes its time."""
    if size < LARGE_FILE:
        return
    hint = "; without --comments it is a seventh" if file.comments else ""
    note(f"writing {path}, in OpenSM's format: {size_in_words(size)}{hint}")


def size_in_words(size: int) -> str:
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size} bytes"


def describe(data: RouteData) -> None:
    engine = {"fat_tree": "fat tree", "balanced": "balanced"}[data["engine"]]
    say(f"{data['source']}: {engine} tables, {data['explanation']}")
    say(f"  LIDs          {data['lids']} of {data['lid_space']}")
    if data["running"]:
        jobs = "1 job" if data["running"] == 1 else f"{data['running']} jobs"
        say(f"  for {jobs:9} {data['changed_entries']} of {data['entries']} entries change")
    if "differing_entries" in data:
        say(f"  differences   {data['differing_entries']} entries differ from those tables")
    describe_check(data)
    for line in data["notes"]:
        say(f"  note: {line}")


def describe_check(data: TablesData) -> None:
    """The lines that `route` and `check` share."""
    if data["parts"]:
        print_warning(parts_in_words(data["parts"]))
    say(f"  reachable     {reach_in_words(data)}")
    if data["unrouted_router_lids"]:
        count = data["unrouted_router_lids"]
        say(f"                {count} routes from router to router are left out; only management would use them")
    say(f"  deadlock      {'free' if data['deadlock_free'] else cycle_in_words(data['cycle'])}")
    say(f"  longest route {data['longest_route']} links")
    for link in data["balance"]:
        say(f"  balance       {link['links']}: {link['min']} to {link['max']} LIDs a link, mean {link['mean']:.1f}")
    if data["distinct_paths"]:
        say(f"  paths         {distinct_in_words(data['distinct_paths'])}")
    if data["idle_links"]:
        print_warning(idle_in_words(data["idle_links"]))
    for problem in data["problems"]:
        say(f"  problem: {problem}")


def distinct_in_words(paths: DistinctPathsData) -> str:
    if paths["min"] == paths["max"]:
        return f"{paths['max']} different for each pair of NICs"
    return f"{paths['min']} to {paths['max']} different for a pair of NICs, mean {paths['mean']:.1f}"


def idle_in_words(links: Sequence[LinkData]) -> str:
    first = f"{links[0]['from']} port {links[0]['from_port']}"
    count = f"{counted(len(links), 'link')} between switches carr{'ies' if len(links) == 1 else 'y'} nothing"
    return f"{count}, though their switches send several LIDs over one other link that is no shorter: {first}"


def describe_lanes(lanes: LanesData) -> None:
    """Deadlock over virtual lanes: with the service levels of the paths, and with SL 0 for all."""
    used = ", ".join(
        f"VL {use['vl']} ({counted(use['links'], 'link')}{'' if use['deadlock_free'] else ', a cycle'})"
        for use in lanes["used"]
    )
    say(f"  lanes         {used or 'none'}")
    say(f"  by their SLs  {'free' if lanes['deadlock_free'] else lane_cycle_in_words(lanes['cycle'])}")
    free_at_sl_0 = lanes["deadlock_free_at_sl_0"]
    say(f"  all at SL 0   {'free' if free_at_sl_0 else lane_cycle_in_words(lanes['cycle_at_sl_0'])}")
    if lanes["paths_without_sl"]:
        paths = f"{lanes['paths_without_sl']} of {lanes['paths']} paths"
        say(f"  problem: {paths} have no SL in the file; they count at SL 0")
    if lanes["discarded"]:
        say(f"  problem: {lanes['discarded']} hops discard packets: their SL has VL 15 there, or no VL")


def lane_cycle_in_words(cycle: Sequence[ChannelData]) -> str:
    lanes = ", ".join(f"VL {vl}" for vl in sorted({channel["vl"] for channel in cycle}))
    return f"{cycle_in_words(cycle)}, on {lanes}"


def parts_in_words(parts: list[str]) -> str:
    shown = "; ".join(parts[:MAX_PARTS])
    more = f"; and {len(parts) - MAX_PARTS} more" if len(parts) > MAX_PARTS else ""
    return f"the network is in {len(parts)} parts, which no cables join: {shown}{more}"


def reach_in_words(data: TablesData) -> str:
    missing = []
    if data["unreachable"] > 0:
        pairs = f"{data['unreachable']} (router, LID) pairs are NOT"
        missing.append(f"{pairs}, {data['looping']} of them go round for ever")
    if data["ports_without_lids"] > 0:
        missing.append(f"{counted(data['ports_without_lids'], 'port')} of adapters NOT: without a LID in these tables")
    return "; ".join(missing) or "every LID from every router"


def cycle_in_words(cycle: Sequence[LinkData]) -> str:
    first = cycle[0]
    return f"POSSIBLE: a cycle of {len(cycle)} links, one is {first['from']} port {first['from_port']}"
