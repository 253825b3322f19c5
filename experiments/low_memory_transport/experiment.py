"""Incasts in the simulated network, and memory of real processes on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from ayatori.cli.output import note, progress
from ayatori.measurement.programs import measure_peers
from ayatori.prediction.incast import OURS, Protocol, SimulatedIncast, simulate_incast
from ayatori.resumable import SavedResults, compute, compute_each
from experiments.low_memory_transport.incast_presentation import Incasts, incast_figures, incast_tables, nak_delays
from experiments.low_memory_transport.memory_measurement import KINDS, OVER_TRANSPORTS, is_there, measure
from experiments.low_memory_transport.memory_presentation import Memory, memory_figures, memory_tables
from experiments.low_memory_transport.paper import SIZES
from experiments.low_memory_transport.retry_presentation import Broken, retry_errors
from experiments.low_memory_transport.verbs_measurement import VerbsSettings, why_not
from experiments.low_memory_transport.verbs_measurement import measure as measure_on_verbs
from experiments.low_memory_transport.verbs_presentation import verbs_tables
from experiments.page import Table, open_results, present

SCENARIO = Path(__file__).parent / "paper.toml"


def paper_protocol(timer_us: int) -> Protocol:
    return Protocol(f"UD, {timer_us:,} us", timer_us * 1e-6)


def connections(delay_us: int) -> Protocol:
    """RC-SRQ, whose interfaces wait so long after a NAK."""
    return Protocol(f"RC-SRQ, {delay_us} us", not_ready_delay=delay_us * 1e-6)


RC = connections(640)
"""The delay after a NAK is not in the paper: min_rnr_timer 12 is what libibverbs' examples and perftest set."""
RC_SHORTEST = connections(10)
"""The shortest delay that InfiniBand has."""
NAK_DELAYS_US = (10, 20, 40, 80, 160, 320, 640)
"""Some of InfiniBand's, with one buffer: what of UD's lead is the delay's."""

TIMERS_US = (1, 10, 100, 1_000, 10_000)
ENOUGH_US = 1_000
"""Figure 5's timer, of which the paper does not tell."""

FIGURE5 = (paper_protocol(ENOUGH_US), RC, OURS)
FIGURE6 = (
    *map(paper_protocol, TIMERS_US),
    RC,
    RC_SHORTEST,
    Protocol("adaptive"),
    Protocol("100 us + admission", 100e-6, admission=True),
    OURS,
)


RETRY_LIMITS = (0, 1, 2, 3, 4, 5, 6, 7)
"""Of rnr_retry; 7 is none."""


def limited(protocol: Protocol, limit: int) -> Protocol:
    return replace(protocol, name=f"{protocol.name}, rnr_retry {limit}", rnr_retry=limit)


@dataclass(frozen=True)
class Settings:
    sizes: tuple[int, ...] = SIZES
    buffers: tuple[int, ...] = (1, 10, 100, 1_000, 10_000)
    seeds: tuple[int, ...] = (1, 2, 3, 4, 5)
    messages: int = 2_000
    """Of each client. With a timer of 1 us, a tenth: most of what is simulated then are copies."""
    processes: tuple[int, ...] = (4, 8, 16, 24, 32, 48, 64)
    """On this machine, for figure 1; none: without it. Between two alone, Open MPI sets up less than between more."""
    peers: int = 1_000_000
    verbs: VerbsSettings | None = VerbsSettings()
    """In a virtual machine; None: without it."""


QUICK = Settings(
    buffers=(1, 10, 100, 1_000, 10_000),
    seeds=(1,),
    messages=200,
    processes=(4, 8, 12),
    verbs=VerbsSettings(buffers=(1, 10), messages=10, rounds=1, peers=(500,), operations=100),
)


def run(folder: Path, settings: Settings = Settings(), resume: bool = False) -> Path:
    """Computes, prints and draws it all; returns the page."""
    results = open_results(folder, asdict(settings) | {"scenario": SCENARIO.read_text()}, resume)
    incasts = _incasts(settings, results)
    tables, figures = incast_tables(incasts), incast_figures(incasts)
    tables.append(_nak_delays(settings, results, incasts))
    tables += [retry_errors(_limited_retries(settings, results, protocol), protocol) for protocol in (RC, RC_SHORTEST)]
    if settings.processes:
        memory = _memory(settings, results)
        tables, figures = tables + memory_tables(memory), figures + memory_figures(memory)
    tables += _on_verbs(settings, results)
    about = f"31 clients to one server, {settings.messages} messages each, on a simulated network; " + (
        f"medians of {len(settings.seeds)} seeds" if len(settings.seeds) > 1 else f"seed {settings.seeds[0]}"
    )
    return present(results, "Paper 5: reliable messages in little memory", about, tables, figures)


def _incasts(settings: Settings, results: SavedResults) -> Incasts:
    found = Incasts(settings.sizes, settings.buffers, settings.seeds, settings.messages)
    runs = [(protocol, 1) for protocol in FIGURE6]
    runs += [(protocol, count) for count in settings.buffers for protocol in FIGURE5 if (protocol, count) not in runs]
    items = [(size, seed) for size in settings.sizes for seed in settings.seeds]
    with progress("incast", len(runs) * len(items)) as advance:
        for protocol, buffers in runs:
            key = f"{protocol.name}: {buffers} buffers"
            simulated = compute(results, key, items, 5, _simulate(protocol, buffers, settings), advance)
            found.add(protocol, buffers, dict(zip(items, simulated, strict=True)))
    return found


def _nak_delays(settings: Settings, results: SavedResults, found: Incasts) -> Table:
    items = [(size, seed) for size in settings.sizes for seed in settings.seeds]
    protocols = [connections(us) for us in NAK_DELAYS_US]
    with progress("NAK delays", len(protocols) * len(items)) as advance:
        for protocol in protocols:
            simulated = compute(
                results, f"{protocol.name}: 1 buffers", items, 5, _simulate(protocol, 1, settings), advance
            )
            found.add(protocol, 1, dict(zip(items, simulated, strict=True)))
    return nak_delays(found, protocols, paper_protocol(100))


def _limited_retries(settings: Settings, results: SavedResults, protocol: Protocol) -> Broken:
    """Connections that break, by limit and buffers; messages of the smallest size, which come fastest."""
    items = [(settings.sizes[0], seed) for seed in settings.seeds]
    found: Broken = {}
    with progress("retry limits", len(RETRY_LIMITS) * len(settings.buffers) * len(items)) as advance:
        for limit in RETRY_LIMITS:
            of_limit = limited(protocol, limit)
            for buffers in settings.buffers:
                key = f"limited: {of_limit.name}: {buffers} buffers"
                runs = compute(results, key, items, 5, _simulate(of_limit, buffers, settings), advance)
                found[limit, buffers] = [run["broken"] for run in runs]
    return found


def _simulate(
    protocol: Protocol, buffers: int, settings: Settings
) -> Callable[[Sequence[tuple[int, int]]], list[dict[str, Any]]]:
    messages = settings.messages if protocol.timer is None or protocol.timer > 5e-6 else settings.messages // 10

    def simulate(items: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
        return [
            simulate_incast(protocol, SimulatedIncast(size, buffers, seed, messages=messages, scenario=SCENARIO))
            for size, seed in items
        ]

    return simulate


def _on_verbs(settings: Settings, results: SavedResults) -> list[Table]:
    wanted = settings.verbs
    if wanted is None:
        return []
    if reason := why_not():
        note(f"real verbs are left out: {reason}")
        return []
    with progress("real verbs", 1) as advance:
        [found] = compute_each(results, "real verbs", [wanted], measure_on_verbs, advance)
    return verbs_tables(found)


def _memory(settings: Settings, results: SavedResults) -> Memory:
    found = Memory(settings.processes)
    wanted = dict.fromkeys((*KINDS, *OVER_TRANSPORTS))
    kinds = [kind for kind in wanted if is_there(kind)]
    for kind in wanted:
        if kind not in kinds:
            note(f"{kind}: not installed, left out")
    with progress("processes", len(kinds) * len(settings.processes) + 1) as advance:
        for kind in kinds:
            found.bytes[kind] = compute(
                results, f"memory: {kind}", settings.processes, 1, partial(measure, kind), advance
            )
        [found.peers] = compute_each(results, "memory: simulated peers", [settings.peers], measure_peers, advance)
    return found
