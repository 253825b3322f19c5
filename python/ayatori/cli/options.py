"""Arguments and options that several verbs share."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.base.errors import Error
from ayatori.base.files import read_text
from ayatori.base.units import parse_bytes, parse_rate, parse_seconds
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note
from ayatori.formats.calibration import costs_of, read_calibration
from ayatori.model.jobs import contiguous_jobs, random_jobs, read_job, whole_network_job
from ayatori.prediction.costs import FREE, fixed
from ayatori.prediction.predictor import Model
from ayatori.resumable import SavedResults, is_first_process, partial_file

Value = TypeVar("Value")
SAVE_EVERY_SECONDS = 10.0
MAX_JOBS = 10**6
MAX_RANKS = 2**24  # of a job

SOURCES = f"SOURCE names a network: {', '.join(synopsis for _, synopsis in _core.source_kinds())}."
"""For the help of verbs that take one."""

SOURCE = Annotated[
    str,
    typer.Argument(metavar="SOURCE", help="A network, such as fattree:K=6,levels=2,nodes=30 or ib:FILE; see below."),
]
JSON = Annotated[bool, typer.Option("--json", help="Print JSON.")]
HOST_PATTERN = Annotated[
    str,
    typer.Option(metavar="REGEX", help="Reads host (group 1) and device (group 2) off InfiniBand node descriptions."),
]
JOB = Annotated[Path | None, typer.Option(metavar="HOSTFILE", help="A job's hosts: Open MPI, MPICH or Slurm syntax.")]
JOBS = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="A job that runs too: a hostfile, a plan, or a folder of them. Repeat it."),
]
BACKGROUND = Annotated[
    float, typer.Option(metavar="SHARE", help="With --jobs: this share of all other hosts sends, too, unplanned.")
]
ROUNDS = Annotated[int, typer.Option(help="With --jobs: how many random phases are drawn.")]
SVG_OF_JOBS = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="Draw the jobs of --jobs, and the links that they share.")
]
RANDOM_JOBS = Annotated[int | None, typer.Option(metavar="N", help="N random jobs of --job-size machines.")]
UNNAMED_HCAS = Annotated[
    bool, typer.Option("--unnamed-hcas", help="Jobs that are not listed may hold HCAs that name no host.")
]
JOB_SIZE = Annotated[int | None, typer.Option(metavar="N", help="Machines of a random job.")]
SEED = Annotated[int, typer.Option(help="Seed of what is random.")]
CONTIGUOUS = Annotated[str | None, typer.Option(metavar="A..B", help="Jobs of the first A, …, B machines.")]
PPN = Annotated[int, typer.Option(help="Ranks a machine; 0: the hostfile's slots, else one a rail.")]
ORDER = Annotated[str, typer.Option(help="Ranks in the 'network' order, or as 'given' in the hostfile.")]
LMC = Annotated[str, typer.Option(help="log2 of the LIDs a port, 0 to 7, or 'auto': one LID a path, if they fit.")]
PATTERN = Annotated[str, typer.Option(help="shift, ring, neighbour, random, or a file of 'FROM TO' lines.")]

METHOD = Annotated[
    str | None,
    typer.Option(
        help="Paths: destination-mod-K, rule, colour, pair; dimension-order (the default in grids of machines); "
        "multipath: each message over all LIDs."
    ),
]
LFTS = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The fabric's own tables, not ours; base LIDs without --method."),
]
STEPS = Annotated[str, typer.Option(help="drift: each rank goes on when it can, as in MPI; synchronous: all together.")]
LINK_BANDWIDTH = Annotated[
    str | None, typer.Option(metavar="RATE", help="Of every link, e.g. 1716MB/s; else the network's own rates.")
]
LINK_LATENCY = Annotated[str, typer.Option(metavar="TIME", help="Of each link whose own is not known.")]
CALIBRATION = Annotated[
    Path | None, typer.Option(metavar="FILE", help="What messages, copies and reductions cost, as calibrate wrote it.")
]
OVERHEAD = Annotated[
    str | None, typer.Option(metavar="TIME", help="Of each message, on the processors of its sender and its receiver.")
]
EAGER = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Messages up to this size do not wait for their receive.")
]
INJECTION = Annotated[str | None, typer.Option(metavar="RATE", help="Of each NIC, out and in; else no limit.")]
BUS = Annotated[str | None, typer.Option(metavar="RATE", help="Inside a node; else no limit.")]
HEAD_OF_LINE = Annotated[bool, typer.Option("--head-of-line", help="Switches forward what arrives in its order.")]
RESUME = Annotated[bool, typer.Option("--resume", help="Go on where Ctrl-C ended the same command.")]


def parse_model(
    steps: str,
    calibration: Path | None,
    link_bandwidth: str | None,
    link_latency: str,
    overhead: str | None,
    eager: str | None,
    injection: str | None,
    bus: str | None,
    head_of_line: bool,
) -> Model:
    """The simulator's numbers: the calibration's, and instead of these what the other options say."""
    costs = costs_of(read_calibration(calibration)) if calibration is not None else FREE
    inside, between = costs.inside, costs.between
    if overhead is not None:
        busy = fixed(value_of(parse_seconds, overhead))
        inside, between = (replace(messages, send=busy, receive=busy) for messages in (inside, between))
    if eager is not None:
        limit = value_of(parse_bytes, eager)
        inside, between = (replace(messages, eager_limit=limit) for messages in (inside, between))
    if injection is not None:
        between = replace(between, bandwidth=value_of(parse_rate, injection))
    if bus is not None:
        inside = replace(inside, bandwidth=value_of(parse_rate, bus))
    return Model(
        steps=steps,
        link_bandwidth=value_of(parse_rate, link_bandwidth) if link_bandwidth else 0,
        link_latency=value_of(parse_seconds, link_latency),
        costs=replace(costs, inside=inside, between=between),
        head_of_line=head_of_line,
    )


def value_of(parse: Callable[[str], Value], text: str) -> Value:
    """What an option's text means. Raises UsageError where `parse` raises Error."""
    try:
        return parse(text)
    except Error as error:
        raise UsageError(error.message, error.cause, error.hint) from error


def open_partial(source: str, parameters: dict[str, Any], resume: bool) -> SavedResults:
    """The file for the results of a run with these parameters; with `resume` those that an earlier run has left."""
    parameters = {"source": source} | parameters
    saved = SavedResults(partial_file(parameters), parameters, SAVE_EVERY_SECONDS)
    if resume and not saved.load() and is_first_process():
        note(f"nothing to resume from ({saved.path}): starting from the beginning")
    return saved


def tables_as_data(lfts: Path | None) -> dict[str, str]:
    """What the results of a run depend on: the content of its tables."""
    return {} if lfts is None else {"tables": hashlib.sha256(read_text(lfts).encode()).hexdigest()}


def name_of_paths(used: str, asked: str | None, lfts: Path | None) -> str:
    """The method as reports name it: base LIDs on given tables are nobody's method, but those tables."""
    return "tables" if lfts is not None and asked is None else used


def parse_lmc(text: str) -> int | str:
    if text == "auto":
        return text
    if not re.fullmatch(r"\d{1,3}", text) or int(text) > 7:
        raise UsageError(f"LMC '{text}' is out of range", hint="0 to 7, or auto")
    return int(text)


def collect_jobs(
    network: Network,
    job: Path | None,
    random_count: int | None,
    job_size: int | None,
    seed: int,
    contiguous: str | None,
    ppn: int,
    order: str,
    unnamed_hcas: bool,
) -> list[Job]:
    """The jobs that the options ask for; empty if they ask for none."""
    if order not in ("network", "given"):
        raise UsageError(f"no rank order '{order}'", hint="orders: network, given")
    if not 0 <= ppn <= MAX_RANKS:
        raise UsageError(f"--ppn {ppn} is out of range", hint=f"0 to {MAX_RANKS}")
    if sum(choice is not None for choice in (job, random_count, contiguous)) > 1:
        raise UsageError("--job, --random-jobs and --contiguous exclude each other")
    if job is not None:
        return [read_job(network, job, ppn, order)]
    if contiguous is not None:
        return contiguous_jobs(network, parse_range(contiguous), ppn, unnamed_hcas)
    if random_count is None:
        return []
    random_job_count(random_count)
    if job_size is None:
        raise UsageError("--random-jobs needs --job-size", hint="how many machines each job takes")
    if job_size < 1:
        raise UsageError(f"--job-size {job_size} is out of range", hint="at least 1")
    if not 0 <= seed < 2**64:
        raise UsageError(f"seed {seed} does not fit in 64 bits")
    return random_jobs(network, random_count, job_size, ppn, seed, unnamed_hcas)


def random_job_count(count: int) -> int:
    """The value of --random-jobs. Raises UsageError if it is out of range."""
    if not 1 <= count <= MAX_JOBS:
        raise UsageError(f"--random-jobs {count} is out of range", hint=f"1 to {MAX_JOBS}")
    return count


def jobs_or_whole_network(network: Network, jobs: list[Job], ppn: int, unnamed_hcas: bool) -> list[Job]:
    """The jobs that were asked for; if there are none, one on all hosts."""
    if jobs:
        return jobs
    whole = whole_network_job(network, ppn, unnamed_hcas)
    if is_first_process():
        hosts = len(whole.machines)
        note(f"no job is named: one on all {hosts} machines (--job, --random-jobs and --contiguous name others)")
    return [whole]


def jobs_to_predict(
    network: Network,
    job: Path | None,
    random_count: int | None,
    job_size: int | None,
    seed: int,
    contiguous: str | None,
    ppn: int,
    order: str,
    unnamed_hcas: bool,
) -> list[Job]:
    """The jobs that the options ask for; if they ask for none, one on all hosts."""
    jobs = collect_jobs(network, job, random_count, job_size, seed, contiguous, ppn, order, unnamed_hcas)
    return jobs_or_whole_network(network, jobs, ppn, unnamed_hcas)


def parse_range(text: str) -> range:
    match = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"'{text}' is not a range of job sizes", hint="for example 3..30")
    return range(int(match[1]), int(match[2]) + 1)
