"""Arguments and options that several verbs share."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from ayatori import _core
from ayatori._core import Job, Network, Routes
from ayatori.base.errors import Error
from ayatori.base.files import read_text
from ayatori.base.units import format_bytes, format_seconds, parse_bytes, parse_rate, parse_seconds
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, say
from ayatori.formats.calibration import costs_of, costs_on_planes, read_calibration
from ayatori.model.jobs import contiguous_jobs, random_jobs, read_job, whole_network_job
from ayatori.planning.plans import AUTO_RAILS, method_named, rails_named, rails_on
from ayatori.planning.routes import read_routes
from ayatori.prediction.assumed import assumed_costs, assumed_link_latency, assumed_on_planes
from ayatori.prediction.costs import FREE, Costs, MessageCosts, fixed, seconds_of
from ayatori.prediction.predictor import DIMENSION_ORDER, ECMP, MAX_HASH_SEEDS, OTHER_METHODS, STEP_MODES, Model
from ayatori.resumable import SavedResults, is_first_process, partial_file

Value = TypeVar("Value")
SAVE_EVERY_SECONDS = 10.0
ASSUMED = "assumed"
"""--calibration assumed: what is assumed for the rate of the links, as without a calibration."""
NO_COSTS = "none"
"""--calibration none: nothing takes time but bytes and links, and what other options give."""
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
ROUNDS = Annotated[
    int | None,
    typer.Option(metavar="N", help="With --jobs: how many random phases are drawn (check: 300, simulate: 30)."),
]
APPLIED = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Take the plan's paths as `ayatori run --applied-out DIR` recorded them."),
]
SVG_OF_JOBS = Annotated[
    Path | None, typer.Option("--svg", metavar="FILE", help="Draw the jobs of --jobs, and the links that they share.")
]
REPORT = Annotated[
    Path | None, typer.Option(metavar="DIR", help="Also draw it: DIR/report.html, beside what it was drawn from.")
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
METHOD_OR_ROUTERS = Annotated[
    str | None,
    typer.Option(
        help="Paths: destination-mod-K, rule, colour, pair; dimension-order (the default in grids of machines); "
        "multipath: each message over all LIDs; adaptive: each packet by load; ecmp: a hash of each flow."
    ),
]
HASH_SEEDS = Annotated[
    int | None, typer.Option(metavar="N", help="Of --method ecmp: the mean over N hashes (8); the first has --seed.")
]
LFTS = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="The fabric's own tables, not ours; base LIDs without --method."),
]
STEPS = Annotated[str, typer.Option(help="drift: each rank goes on when it can, as in MPI; synchronous: all together.")]
LINK_BANDWIDTH = Annotated[
    str | None, typer.Option(metavar="RATE", help="Of every link, e.g. 1716MB/s; else the network's own rates.")
]
LINK_LATENCY = Annotated[
    str | None, typer.Option(metavar="TIME", help="Of each link whose own is not known; else assumed for its rate.")
]
LATENCY = Annotated[
    str | None, typer.Option(metavar="TIME", help="Of each message between machines, without that of its links.")
]
CALIBRATION = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|assumed|none",
        help="What messages and copies cost: as calibrate wrote it, or the folder of bench pingpong; assumed for the "
        "rate of links (the default); none: nothing.",
    ),
]
OVERHEAD = Annotated[
    str | None, typer.Option(metavar="TIME", help="Of each message, on the processors of its sender and its receiver.")
]
EAGER = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Messages up to this size do not wait for their receive.")
]
INJECTION = Annotated[str | None, typer.Option(metavar="RATE", help="Of each NIC, out and in; else no limit.")]
BUS = Annotated[str | None, typer.Option(metavar="RATE", help="Inside a node; else no limit.")]
RAILS = Annotated[
    str,
    typer.Option(
        help="Of machines with several NICs: own (rank i has NIC i), aligned (both ends on the receiver's rail), "
        "striped (each message over all), fastest (whole, on the fastest plane), soonest (by size, on the plane "
        "where it takes the least time, or over several); auto: soonest where machines are on several planes, else own."
    ),
]
HEAD_OF_LINE = Annotated[bool, typer.Option("--head-of-line", help="Switches forward what arrives in its order.")]
RESUME = Annotated[bool, typer.Option("--resume", help="Go on where Ctrl-C ended the same command.")]


@dataclass(frozen=True)
class JobOptions:
    """The options that name jobs which are looked at one by one."""

    job: JOB = None
    random_jobs: RANDOM_JOBS = None
    job_size: JOB_SIZE = None
    seed: SEED = 1
    contiguous: CONTIGUOUS = None
    ppn: PPN = 0
    order: ORDER = "network"
    unnamed_hcas: UNNAMED_HCAS = False

    @property
    def named(self) -> list[object]:
        """What names jobs, each None where it is not given."""
        return [self.job, self.random_jobs, self.contiguous]

    @property
    def one_by_one(self) -> list[object]:
        """What can't be asked of jobs that are named in another way, each None where it is not given."""
        return [*self.named, self.job_size]

    def jobs_on(self, network: Network) -> list[Job]:
        """The jobs that the options ask for; empty if they ask for none."""
        if self.order not in ("network", "given"):
            raise UsageError(f"no rank order '{self.order}'", hint="orders: network, given")
        if not 0 <= self.ppn <= MAX_RANKS:
            raise UsageError(f"--ppn {self.ppn} is out of range", hint=f"0 to {MAX_RANKS}")
        if self.job_size is not None and self.random_jobs is None:
            raise UsageError("--job-size is of random jobs", hint="--random-jobs N --job-size M")
        if sum(choice is not None for choice in self.named) > 1:
            raise UsageError("--job, --random-jobs and --contiguous exclude each other")
        if self.job is not None:
            return [read_job(network, self.job, self.ppn, self.order)]
        if self.contiguous is not None:
            return contiguous_jobs(network, parse_range(self.contiguous), self.ppn, self.unnamed_hcas)
        if self.random_jobs is None:
            return []
        random_job_count(self.random_jobs)
        if self.job_size is None:
            raise UsageError("--random-jobs needs --job-size", hint="how many machines each job takes")
        if self.job_size < 1:
            raise UsageError(f"--job-size {self.job_size} is out of range", hint="at least 1")
        check_seed(self.seed)
        return random_jobs(network, self.random_jobs, self.job_size, self.ppn, self.seed, self.unnamed_hcas)

    def jobs_or_whole_network(self, network: Network) -> list[Job]:
        """The jobs that the options ask for; if they ask for none, one on all hosts."""
        jobs = self.jobs_on(network)
        if jobs:
            return jobs
        whole = whole_network_job(network, self.ppn, self.unnamed_hcas)
        if is_first_process():
            hosts = len(whole.machines)
            note(f"no job is named: one on all {hosts} machines (--job, --random-jobs and --contiguous name others)")
        return [whole]


@dataclass(frozen=True)
class PathOptions:
    """The options that say which way messages go."""

    method: METHOD_OR_ROUTERS = None
    lfts: LFTS = None
    hash_seeds: HASH_SEEDS = None

    def hashing(self, model: Model, seed: int) -> Model:
        """The model with the seeds of its hash."""
        check_seed(seed)
        if self.method:
            value_of(lambda name: method_named(name, (DIMENSION_ORDER, *OTHER_METHODS)), self.method)
        if self.hash_seeds is None:
            return replace(model, hash_seed=seed)
        if self.method != ECMP:
            raise UsageError("--hash-seeds is of paths by hashes", hint=f"--method {ECMP} --hash-seeds N")
        if not 1 <= self.hash_seeds <= MAX_HASH_SEEDS:
            raise UsageError(f"--hash-seeds {self.hash_seeds} is out of range", hint=f"1 to {MAX_HASH_SEEDS}")
        return replace(model, hash_seed=seed, hash_seeds=self.hash_seeds)

    def tables_on(self, network: Network) -> Routes | None:
        """The fabric's own tables, if they are given."""
        return read_routes(network, self.lfts) if self.lfts else None

    def tables_as_data(self) -> dict[str, str]:
        """What the results of a run depend on: the content of its tables."""
        return {} if self.lfts is None else {"tables": hashlib.sha256(read_text(self.lfts).encode()).hexdigest()}

    def name_of(self, used: str) -> str:
        """The method as reports name it: base LIDs on given tables are nobody's method, but those tables."""
        return name_of_paths(used, self.method, self.lfts)


@dataclass(frozen=True)
class ModelOptions:
    """The options that say what messages cost."""

    steps: STEPS = "drift"
    calibration: CALIBRATION = None
    link_bandwidth: LINK_BANDWIDTH = None
    link_latency: LINK_LATENCY = None
    latency: LATENCY = None
    overhead: OVERHEAD = None
    eager: EAGER = None
    injection: INJECTION = None
    bus: BUS = None
    head_of_line: HEAD_OF_LINE = False

    def model_on(self, network: Network) -> Model:
        """What is assumed for this network or was measured, and instead of these numbers what the options say."""
        if self.steps not in STEP_MODES:
            raise UsageError(f"no steps '{self.steps}'", hint=f"steps: {', '.join(STEP_MODES)}")
        link_latency = 0.0 if self.calibration == NO_COSTS else assumed_link_latency(network)
        if self.link_latency is not None:
            link_latency = _given("--link-latency", parse_seconds, self.link_latency)
        costs, on_planes = self._costs_and_planes(network, link_latency)
        rate = self.link_bandwidth
        return Model(
            steps=self.steps,
            link_bandwidth=0 if rate is None else _given("--link-bandwidth", parse_rate, rate),
            link_latency=link_latency,
            costs=replace(
                costs,
                origin=costs.origin + self._given_in_words(),
                inside=self._inside(costs.inside),
                between=self._between(costs.between),
            ),
            head_of_line=self.head_of_line,
            on_planes=tuple(one and self._between(one) for one in on_planes),
        )

    def _costs_and_planes(self, network: Network, link_latency: float) -> tuple[Costs, Sequence[MessageCosts | None]]:
        """As --calibration says, with words for where each part comes from."""
        if self.calibration == NO_COSTS:
            return replace(FREE, origin=NO_COSTS), ()
        costs = assumed_costs(network)
        on_planes: Sequence[MessageCosts | None] = assumed_on_planes(network)
        if on_planes:
            costs = replace(costs, origin="assumed for the links of each plane")
        if not self.calibration or self.calibration == ASSUMED:
            return costs, on_planes
        path = Path(self.calibration)
        if not path.is_dir():
            calibration = read_calibration(path)
            return costs_of(calibration, costs, link_latency), () if calibration.between else on_planes
        on_planes = costs_on_planes(network, path, on_planes)
        measured = [name for name in network.planes if (path / f"{name}.json").exists()]
        assumed = [name for name in network.planes if name not in measured]
        origin = f"between machines measured on {', '.join(measured)} ({path})"
        origin += f", assumed on {', '.join(assumed)}" if assumed else ""
        return replace(costs, origin=f"{origin}; within a machine assumed"), on_planes

    def _given_in_words(self) -> str:
        """Which of the costs are the options' own. A cost of 0 that was given is not assumed either."""
        options = {
            "link latency": self.link_latency,
            "latency": self.latency,
            "overheads": self.overhead,
            "eager limit": self.eager,
            "injection": self.injection,
            "bus": self.bus,
        }
        given = [name for name, text in options.items() if text is not None]
        return f"; given: {', '.join(given)}" if given else ""

    def _messages(self, costs: MessageCosts) -> MessageCosts:
        if self.overhead is not None:
            busy = fixed(_given("--overhead", parse_seconds, self.overhead))
            costs = replace(costs, send=busy, receive=busy, gap=0.0)
        return costs if self.eager is None else replace(costs, eager_limit=_given("--eager", parse_bytes, self.eager))

    def _inside(self, costs: MessageCosts) -> MessageCosts:
        costs = self._messages(costs)
        return costs if self.bus is None else replace(costs, bandwidth=_given("--bus", parse_rate, self.bus))

    def _between(self, costs: MessageCosts) -> MessageCosts:
        costs = self._messages(costs)
        if self.latency is not None:
            costs = replace(costs, latency=_given("--latency", parse_seconds, self.latency))
        rate = self.injection
        return costs if rate is None else replace(costs, bandwidth=_given("--injection", parse_rate, rate))


def describe_paths(data: dict[str, Any]) -> None:
    """A line: which paths, by which hashes, in which steps."""
    model = data["model"]
    last = model["hash_seed"] + model["hash_seeds"] - 1
    seeds = f", mean over hash seeds {model['hash_seed']} to {last}" if data["method"] == ECMP else ""
    say(f"  paths         {data['method']}{seeds}, steps {model['steps']}")


def background_in_words(flows: Sequence[dict[str, Any]]) -> str:
    """By plane how much traffic there is beside jobs, of what background_as_data() tells."""
    on_plane: dict[str, list[float]] = {}
    for flow in flows:
        on_plane.setdefault(flow["plane"], []).append(flow["bytes_per_second"])
    return ", ".join(
        f"{len(rates)} flow{'s' * (len(rates) > 1)} on {plane}, {sum(rates) / 1e6:.4g} MB/s asked for"
        for plane, rates in on_plane.items()
    )


def describe_costs(model: Model) -> None:
    """Where the numbers come from, and the most important ones."""
    costs = model.costs or FREE
    between = costs.between
    if costs.origin == NO_COSTS:
        say("  costs         none: nothing takes time but bytes and links")
        return
    say(f"  costs         {costs.origin}")
    if model.on_planes:
        return
    small = seconds_of(between.send, 0), seconds_of(between.receive, 0)
    say(
        f"                between machines: latency {format_seconds(between.latency)} and "
        f"{format_seconds(model.link_latency or 0)} a link, overheads {' and '.join(map(format_seconds, small))}, "
        f"eager up to {format_bytes(between.eager_limit)}"
    )
    if costs.cores:
        say(
            f"                {costs.cores} cores a machine; where two ranks share one messages wait "
            f"{format_seconds(seconds_of(costs.turn, 1))}, longer with more, and times are a rough guide"
        )


def parse_rails(network: Network, text: str) -> str:
    """A use of rails, by its name; of "auto" the one that suits the network."""
    return value_of(lambda name: rails_on(network, name), text)


def check_rails(text: str) -> None:
    """Raises UsageError for no use of rails."""
    if text != AUTO_RAILS:
        value_of(rails_named, text)


def value_of(parse: Callable[[str], Value], text: str) -> Value:
    """What an option's text means. Raises UsageError where `parse` raises Error."""
    try:
        return parse(text)
    except Error as error:
        raise UsageError(error.message, error.cause, error.hint) from error


def _given(option: str, parse: Callable[[str], Value], text: str) -> Value:
    """What the text of one of several options of a kind means; the error names the option."""
    try:
        return value_of(parse, text)
    except UsageError as error:
        raise UsageError(f"{option}: {error.message}", error.cause, error.hint) from error


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
    parameters = {"source": source} | parameters
    least_seconds = SAVE_EVERY_SECONDS if save_every is None else save_every
    saved = SavedResults(partial_file(parameters), parameters, least_seconds)
    if resume and not saved.load() and is_first_process():
        note(f"nothing to resume from ({saved.path}): starting from the beginning")
    return saved


def name_of_paths(used: str, asked: str | None, lfts: Path | None) -> str:
    """The method as reports name it: base LIDs on given tables are nobody's method, but those tables."""
    return "tables" if lfts is not None and asked is None else used


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


def parse_range(text: str) -> range:
    match = re.fullmatch(r"(\d{1,9})\.\.(\d{1,9})", text)
    if not match or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"'{text}' is not a range of job sizes", hint="for example 3..30")
    return range(int(match[1]), int(match[2]) + 1)
