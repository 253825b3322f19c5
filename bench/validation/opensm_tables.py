"""Time to compute forwarding tables: ours beside OpenSM's own engines, on the same fabric, in one run.

    .venv/bin/python -m bench.validation.opensm_tables [SOURCE]

The default is the largest fabric that ibsim holds comfortably, a 36-port tree of 3 levels with 11,664 hosts. OpenSM's
time is read off its own log: from "building routing with" to the last line before tables go to the switches, so no
MAD, no discovery and no file is in it. Ours is generate_routes, from the network to complete tables. Our tables are
checked (every LID from every router, no deadlock) before they are timed.
"""

from __future__ import annotations

import re
import statistics
import sys
import time
from pathlib import Path

import ayatori
from ayatori import _core
from ayatori.base.files import read_text
from ayatori.lab.fabric import Engine, SimulatedFabric
from ayatori.lab.fabric.verification import net_text

SOURCE = "fattree:K=18,levels=3"
RUNS = 5
ENGINES: tuple[Engine, ...] = ("ftree", "updn")
BEGIN = re.compile(r"ucast_mgr_route: building routing with")
END = re.compile(r"do_routing: FatTree routing is done|osm_ucast_mgr_process: \S+ tables configured")
CLOCK = re.compile(r"\w+ +\d+ (\d+):(\d+):(\d+) (\d{6}) ")


def seconds_of(line: str) -> float:
    clock = CLOCK.match(line)
    if clock is None:
        raise ValueError(f"no time in OpenSM's log: {line}")
    hours, minutes, seconds, micros = (int(part) for part in clock.groups())
    return hours * 3600 + minutes * 60 + seconds + micros * 1e-6


def computation_seconds(log: Path) -> float:
    """From the start of the last routing to its first end line."""
    lines = read_text(log).splitlines()
    begin = max(i for i, line in enumerate(lines) if BEGIN.search(line))
    end = next(line for line in lines[begin:] if END.search(line))
    return (seconds_of(end) - seconds_of(lines[begin])) % 86400


def time_ours(network: ayatori.Network) -> list[float]:
    seconds = []
    for _ in range(RUNS):
        start = time.perf_counter()
        _core.generate_routes(network, 0, [], _core.PathNumbering.by_destination)
        seconds.append(time.perf_counter() - start)
    return seconds


def main() -> None:
    source = sys.argv[1] if len(sys.argv) > 1 else SOURCE
    network = ayatori.open_source(source)
    print(f"{source}: {len(network.endpoints)} hosts, {network.router_count} routers, LMC 0")
    checked = ayatori.check(network, ayatori.make_routes(network, 0))
    if not checked.ok:
        sys.exit(f"our tables are wrong: {checked.problems}")
    print("our tables: every LID reachable from every router, free of deadlock")
    ours = time_ours(network)
    middle = statistics.median(ours)
    print(
        f"ayatori        {ours[0]:8.3f} s first, {middle:.3f} s median of {RUNS}, ({min(ours):.3f} to {max(ours):.3f})"
    )
    with SimulatedFabric(net_text(network)) as fabric:
        for engine in ENGINES:
            run = fabric.run_opensm(engine, dumps=False, timeout=400)
            theirs = computation_seconds(run.folder / "osm.log")
            print(f"OpenSM {engine:7} {theirs:8.3f} s, {theirs / middle:.0f} times ours")


if __name__ == "__main__":
    main()
