"""Algorithms, jobs and patterns that the paths of a network don't suit: refused, or with a hint at what would do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ayatori._core import Network
from ayatori.base.errors import Error
from ayatori.cli.option_groups import PathOptions
from ayatori.cli.output import counted, note
from ayatori.model.parts import parts_of_routers
from ayatori.planning.mpi_traffic import parse_mpi_traffic
from ayatori.planning.plans import BASE_LIDS
from ayatori.planning.traced import folder_of_trace, read_traced
from ayatori.planning.traffics import PATTERNS, sizes_differ
from ayatori.prediction.predictor import DIMENSION_ORDER, PATH_AWARE, method_on

ACROSS_PARTS = "the job lies in several parts of the network"
"""How the core's errors about messages that no cables lead to their receiver begin."""


def check_algorithm(network: Network, paths: PathOptions, algorithm: str) -> None:
    """Raises Error for an algorithm that on these paths would be another one, which nobody asked for."""
    if algorithm == PATH_AWARE and not paths.by_tables and method_on(network, paths.method) == DIMENSION_ORDER:
        reason = "its steps are made for paths by forwarding tables, not for dimension order"
        raise Error(f"{PATH_AWARE} can't be done here", reason, f"--method {BASE_LIDS}")


def note_traffic(pattern: str) -> None:
    """Says what is known of a pattern that is not a usual one: of a pattern file whose messages differ in size that
    paths are chosen and compared without that."""
    if (call := parse_mpi_traffic(pattern)) is not None:
        mpi = call.mpi
        how = "seen in its messages" if mpi.seen == "trace" else "by its source, not seen in its messages"
        note(f"{pattern}: {mpi.title}, {how}")
    elif pattern not in PATTERNS and (folder := folder_of_trace(pattern)) is not None:
        traced = read_traced(folder)
        left_out = f"; left out: {', '.join(traced.unknown)}" if traced.unknown else ""
        note(f"{pattern}: {traced.ranks} ranks, {counted(traced.steps, 'step')} of different messages{left_out}")
    elif sizes_differ(pattern):
        note(f"{pattern}: messages differ in size, but all count the same here: hot spots are messages on a link")


@contextmanager
def hinting_at_rails(network: Network, has_rails: bool = True) -> Iterator[None]:
    """Where no cables join the rails of machines, an error about ranks on several of them says what would do.

    `has_rails`: the command has --rails.
    """
    try:
        yield
    except Error as error:
        if error.hint or not error.message.startswith(ACROSS_PARTS) or not rails_are_apart(network):
            raise
        one_rank = "--ppn 1: a rank a machine, all on one rail"
        hint = f"--rails aligned or --rails striped; or {one_rank}" if has_rails else one_rank
        raise Error(error.message, error.cause, hint, error.internal) from error


def rails_are_apart(network: Network) -> bool:
    """Whether all machines have their NICs in the same parts of the network, in the same order, and in several."""
    part_of = parts_of_routers(network)
    parts_of_machines: dict[int, list[int | None]] = {}
    for endpoint in network.endpoints:
        router = network.router_of(endpoint)
        part = None if router is None else part_of[router]
        parts_of_machines.setdefault(network.machine_of(network.port(endpoint).device), []).append(part)
    kinds = {tuple(parts) for parts in parts_of_machines.values()}
    return len(kinds) == 1 and len(set(*kinds)) > 1
