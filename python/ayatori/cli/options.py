"""Arguments and options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import click
import typer

from ayatori.base.errors import Error, UnknownWord
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note

if TYPE_CHECKING:
    from ayatori._core import Network
    from ayatori.model.network import BackgroundData
    from ayatori.resumable import SavedResults

Value = TypeVar("Value")
SAVE_EVERY_SECONDS = 10.0
ASSUMED = "assumed"
"""--calibration assumed: what is assumed for the rate of the links, as without a calibration."""
NO_COSTS = "none"
"""--calibration none: nothing takes time but bytes and links, and what other options give."""
ORDERS = ("given", "network")
MAX_SECONDS_TO_MEASURE = 3600.0
MAX_JOBS = 10**6
MAX_RANKS = 2**24  # of a job

JOBS_PANEL = "Jobs and ranks"
TOGETHER_PANEL = "Concurrent jobs"
PATHS_PANEL = "Messages and paths"
COSTS_PANEL = "Costs of messages"
SEARCH_PANEL = "Long runs"
NAMES_PANEL = "Names of hosts"
MPI_PANEL = "MPI"
"""Panels of help, where options of one purpose stand together (ayatori.cli.grouped)."""

SOURCE = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="Network, such as fattree:K=6,levels=2,nodes=30 or ib:FILE; see `ayatori sources`."
    ),
]
JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
MPIRUN = Annotated[str, typer.Option(metavar="PROGRAM", help="Launcher of the MPI, such as mpirun.mpich.")]
MPICC = Annotated[str | None, typer.Option(metavar="PROGRAM", help="Compiler of the MPI, if not next to mpirun.")]
RANKS = Annotated[str, typer.Option(metavar="N[,N…]", help="Number of processes.")]
HOST_PATTERN = Annotated[
    str,
    typer.Option(
        metavar="REGEX",
        help="Regular expression for host (group 1) and device (group 2) in InfiniBand node descriptions.",
        rich_help_panel=NAMES_PANEL,
    ),
]
ALIASES = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Other names of hosts: lines 'NAME OTHER…', as in /etc/hosts.",
        rich_help_panel=NAMES_PANEL,
    ),
]
JOB = Annotated[
    Path | None, typer.Option(metavar="HOSTFILE", help="Hosts of the job: a hostfile, rankfile or nodefile.")
]
JOBS = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="Concurrent job: a hostfile, a plan, or a folder of them. Repeatable."),
]
BACKGROUND = Annotated[
    float, typer.Option(metavar="SHARE", help="With --jobs: share of the other hosts that send background traffic.")
]
ROUNDS = Annotated[
    int | None,
    typer.Option(metavar="N", help="With --jobs: number of random phases (check: 300, simulate: 30)."),
]
APPLIED = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Paths that `ayatori run --applied-out DIR` recorded, to be measured."),
]
SVG_OF_JOBS = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="Draw the jobs of --jobs and their shared links.")
]
REPORT_OF_JOBS = Annotated[
    Path | None,
    typer.Option(
        "--report",
        metavar="DIR",
        help="Write a report of the jobs of --jobs to DIR/report.html, with its data.",
        rich_help_panel=TOGETHER_PANEL,
    ),
]
REPORT = Annotated[Path | None, typer.Option(metavar="DIR", help="Write a report to DIR/report.html, with its data.")]
RANDOM_JOBS = Annotated[int | None, typer.Option(metavar="N", help="Number of random jobs of --job-size hosts.")]
UNNAMED_HCAS = Annotated[
    bool, typer.Option("--unnamed-hcas", help="Use HCAs that name no host, too, in jobs without a hostfile.")
]
JOB_SIZE = Annotated[int | None, typer.Option(metavar="N", help="Hosts per random job.")]
MPI_COLLECTIVES = Annotated[
    str, typer.Option(metavar="C[,C…]", help="Collectives, such as barrier,allreduce; else all.")
]
MPI_SIZES = Annotated[str, typer.Option(metavar="SIZE[,SIZE…]", help="Size per pair of ranks, or of the whole vector.")]
SEED = Annotated[int, typer.Option(metavar="N", help="Random seed.")]
CONTIGUOUS = Annotated[str | None, typer.Option(metavar="A..B", help="Jobs of the first A, …, B hosts.")]
PPN = Annotated[
    int,
    typer.Option(
        metavar="N", help="Ranks per host; 0: the hostfile's slots, or one per line; without a file one per rail."
    ),
]
ORDER = Annotated[
    str,
    typer.Option(metavar="ORDER", help="Order of ranks: 'given' by the hostfile, line by line, or 'network'."),
]
LMC = Annotated[
    str,
    typer.Option(metavar="LMC", help="Log2 of the LIDs per port, 0 to 7, or 'auto': one LID per path, if they fit."),
]
PATTERN = Annotated[
    str,
    typer.Option(
        metavar="PATTERN",
        help="Messages of the job: shift, xor, ring, halo-2d, random, …, or a file of 'FROM TO' lines.",
        rich_help_panel=PATHS_PANEL,
    ),
]
TRAFFIC = Annotated[
    list[str] | None,
    typer.Option(
        "--traffic",
        "--pattern",
        metavar="PATTERN",
        help="Traffic that comes first: shift, xor, …, or a file of 'FROM TO' lines. Repeatable. Default: all alike.",
        rich_help_panel=PATHS_PANEL,
    ),
]

METHOD = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD",
        help="Method of paths: base-lids, rule, colour, pair; dimension-order (the default in grids of machines); "
        "multipath: each message over all LIDs.",
    ),
]
METHOD_OR_ROUTERS = Annotated[
    str | None,
    typer.Option(
        metavar="METHOD",
        help="Method of paths: base-lids, rule, colour, pair; dimension-order (the default in grids of machines); "
        "multipath: each message over all LIDs; adaptive: each packet by load; ecmp: a hash of each flow.",
    ),
]
PLAN = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Plan that `ayatori plan --out` wrote; its job and its paths.")
]
HASH_SEEDS = Annotated[
    int | None, typer.Option(metavar="N", help="With --method ecmp: mean over N hashes (8); the first has --seed.")
]
LFTS = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Tables of the fabric; without --method, messages take base LIDs."),
]
STEPS = Annotated[
    str,
    typer.Option(
        metavar="MODE",
        help="Mode of steps. drift: each rank continues when it can, as in MPI; synchronous: all ranks together.",
    ),
]
LINK_BANDWIDTH = Annotated[
    str | None, typer.Option(metavar="RATE", help="Rate of every link, such as 1716MB/s; else the network's rates.")
]
LINK_LATENCY = Annotated[
    str | None, typer.Option(metavar="TIME", help="Latency of links without a known one; else assumed by rate.")
]
LATENCY = Annotated[
    str | None, typer.Option(metavar="TIME", help="Latency of each message between hosts, without its links.")
]
CALIBRATION = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|assumed|none",
        help="Costs of messages and copies: a file of calibrate, or a folder of bench pingpong; assumed by link rate "
        "(the default); or none.",
    ),
]
OVERHEAD = Annotated[
    str | None, typer.Option(metavar="TIME", help="Processor time of each message, at its sender and its receiver.")
]
EAGER = Annotated[str | None, typer.Option(metavar="SIZE", help="Largest message that does not wait for its receive.")]
INJECTION = Annotated[
    str | None, typer.Option(metavar="RATE", help="Bandwidth limit of each NIC, per direction; else none.")
]
BUS = Annotated[str | None, typer.Option(metavar="RATE", help="Bandwidth limit inside a host; else none.")]
RAILS = Annotated[
    str,
    typer.Option(
        metavar="USE",
        help="Use of several NICs per host: own (rank i has NIC i), aligned (both ends on the receiver's rail), "
        "striped (each message over all), fastest (the fastest plane), lowest-latency (by size, one plane or several); "
        "auto: lowest-latency if hosts are on several planes, else own.",
        rich_help_panel=PATHS_PANEL,
    ),
]
HEAD_OF_LINE = Annotated[bool, typer.Option("--head-of-line", help="Model head-of-line blocking in switches.")]
PACKETS = Annotated[
    bool, typer.Option("--packets", help="Simulate packets that queue in switches: finite buffers, credits.")
]
LINK_BUFFER = Annotated[
    int | None, typer.Option(metavar="N", help="With --packets: packets that a link's buffer holds, 1 to 64 (8).")
]
RESUME = Annotated[
    bool,
    typer.Option("--resume", help="Continue the same command after Ctrl-C.", rich_help_panel=SEARCH_PANEL),
]


class OneOf(click.Choice[str]):
    """A closed set of words, which shells complete."""

    def __init__(self, what: str, words: Sequence[str]) -> None:
        super().__init__(words)
        self.what = what

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in self.choices:
            raise UnknownWord(self.what, value, self.choices)
        return str(value)


def background_in_words(flows: Sequence[BackgroundData]) -> str:
    """By plane how much traffic there is in the background, from background_as_data()."""
    on_plane: dict[str, list[float]] = {}
    for flow in flows:
        on_plane.setdefault(flow["plane"], []).append(flow["bytes_per_second"])
    return ", ".join(
        f"{len(rates)} flow{'s' * (len(rates) > 1)} on {plane}, {sum(rates) / 1e6:.4g} MB/s asked for"
        for plane, rates in on_plane.items()
    )


def parse_rails(network: Network, text: str) -> str:
    """A use of rails, by its name; of "auto" the one that suits the network."""
    from ayatori.planning.plans import rails_on

    return value_of(lambda name: rails_on(network, name), text)


def check_rails(text: str) -> None:
    """Raises UsageError for no use of rails."""
    from ayatori.planning.plans import AUTO_RAILS, rails_named

    if text != AUTO_RAILS:
        value_of(rails_named, text)


def words_of(text: str) -> list[str]:
    """Of a list with commas, each word once."""
    return list(dict.fromkeys(word.strip() for word in text.split(",") if word.strip()))


def seconds_to_measure(text: str, usual: str) -> float:
    """What --seconds says of a measurement; `usual` is the example. Raises UsageError."""
    from ayatori.base.units import parse_seconds

    seconds = value_of(parse_seconds, text)
    if not 0 < seconds <= MAX_SECONDS_TO_MEASURE:
        raise UsageError(f"--seconds {text} is out of range", hint=f"for example {usual}; at most an hour")
    return seconds


def value_of(parse: Callable[[str], Value], text: str) -> Value:
    """What an option's text means. Raises UsageError where `parse` raises Error."""
    try:
        return parse(text)
    except Error as error:
        raise UsageError(error.message, error.cause, error.hint) from error


def check_seed(seed: int) -> None:
    """Raises UsageError for what the core can't take."""
    if not 0 <= seed < 2**64:
        raise UsageError(f"seed {seed} does not fit in 64 bits")


def open_partial(
    source: str, parameters: dict[str, Any], resume: bool, save_every: float | None = None
) -> SavedResults:
    """The file for the results of a run with these parameters; with `resume` those that an earlier run has left.

    They are saved every SAVE_EVERY_SECONDS at most, or every `save_every` seconds.
    """
    from ayatori.resumable import SavedResults, is_first_process, partial_file

    parameters = {"source": source} | parameters
    least_seconds = SAVE_EVERY_SECONDS if save_every is None else save_every
    saved = SavedResults(partial_file(parameters), parameters, least_seconds)
    if resume and not saved.load() and is_first_process():
        note(f"nothing to resume from ({saved.path}): starting from the beginning")
    return saved


def digest_of(file: Path) -> str:
    """Of its content, for what depends on all of it."""
    from hashlib import sha256

    from ayatori.base.files import read_text

    return sha256(read_text(file).encode()).hexdigest()


def name_of_paths(used: str, asked: str | None, lfts: Path | None) -> str:
    """The method as reports name it: base LIDs on given tables are nobody's method, but those tables."""
    return "tables" if lfts is not None and asked is None else used


def check_order(order: str) -> None:
    """Raises UnknownWord for no order of ranks."""
    if order not in ORDERS:
        raise UnknownWord("rank order", order, ORDERS)


def parse_lmc(text: str) -> int | str:
    if text == "auto":
        return text
    if not re.fullmatch(r"\d{1,3}", text) or int(text) > 7:
        raise UsageError(f"LMC '{text}' is out of range", hint="0 to 7, or auto")
    return int(text)


def random_job_count(count: int) -> int:
    """The value of --random-jobs. Raises UsageError if it is out of range."""
    if not 1 <= count <= MAX_JOBS:
        raise UsageError(f"--random-jobs {count} is out of range", hint=f"1 to {MAX_JOBS}")
    return count


def size_of(text: str) -> int:
    """The bytes of an option that takes one size. Raises UsageError."""
    from ayatori.base.units import parse_bytes

    if "," in text or _range_meant(text):
        raise UsageError(f"'{text}' is not one size", hint="for example 1KiB; `ayatori choose` takes several sizes")
    return value_of(parse_bytes, text)


def sizes_of(text: str) -> list[int]:
    """ "1KiB,3000,1MiB" or "1KiB..8KiB" (1, 2, 4 and 8 KiB), also mixed; each once. Raises UsageError."""
    from ayatori.base.units import parse_bytes

    sizes: dict[int, None] = {}
    for part in map(str.strip, text.split(",")):
        meant = _range_meant(part)
        if meant and meant != part:
            raise UsageError(f"'{part}' is not a size", hint=f"a range is written {meant}")
        first, last = (value_of(parse_bytes, end) for end in (part.split("..") if meant else (part, part)))
        if not 0 < first <= last:
            raise UsageError(f"'{part}' is not a size to choose for", hint="for example 64KiB, or 1KiB..64MiB")
        sizes |= dict.fromkeys(first << doublings for doublings in range((last // first).bit_length()))
    return list(sizes)


def _range_meant(text: str) -> str:
    """ "1KiB..4KiB" for that and for 1KiB-4KiB, 1KiB...4KiB, 1KiB:4KiB; empty for text that is no range."""
    ends = re.fullmatch(r"(\d+(?:\.\d+)?\w*?)\s*(?:\.\.+|…|-|:|to)\s*(\d+(?:\.\d+)?\w*)", text.strip())
    return f"{ends[1]}..{ends[2]}" if ends else ""


def parse_range(text: str) -> range:
    match = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        meant = _range_meant(text)
        hint = f"a range is written {meant}" if meant not in ("", text) else "for example 3..30"
        raise UsageError(f"'{text}' is not a range of job sizes", hint=hint)
    return range(int(match[1]), int(match[2]) + 1)
