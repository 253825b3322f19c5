"""ayatori order: which host of a job should have which ranks?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict

import typer

from ayatori._core import Job, Network, Purpose
from ayatori.base.errors import UnknownWord
from ayatori.base.units import format_seconds
from ayatori.cli import options
from ayatori.cli.costs import describe_costs, describe_paths
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import JobOptions, ModelOptions, NetworkOptions, PathOptions
from ayatori.cli.output import counted, note, print_json, say, say_unbroken
from ayatori.cli.paths import check_algorithm, hinting_at_rails
from ayatori.cli.searching import CutData, SearchOptions, cut_as_data, describe_cut, leave_if_interrupted, searched
from ayatori.cli.starting import describe_planning, describe_start, line_that_plans
from ayatori.model.jobs import hosts_of
from ayatori.ordering.files import FORMATS
from ayatori.ordering.search import Ordered, Pattern, Traffic, order_ranks, trials_for
from ayatori.planning.traffics import purpose_of, steps_of
from ayatori.prediction.calls import Call, algorithms_of, check_algorithm_name
from ayatori.prediction.predictor import Model, Predictor

HOSTS_SHOWN = 16


TRIALS = Annotated[
    int,
    typer.Option(
        metavar="N", help="Limit of predicted orders; 0: about one minute.", rich_help_panel=options.SEARCH_PANEL
    ),
]


@dataclass(frozen=True)
class OrderedJob:
    """The options that name the job, and what its ranks send."""

    PANEL: ClassVar[str] = options.JOBS_PANEL
    USUAL: ClassVar[tuple[str, ...]] = ("job", "collective", "algorithm", "pattern", "bytes")
    job: Annotated[Path, typer.Option(metavar="HOSTFILE", help="Hosts of the job: a hostfile, rankfile or nodefile.")]
    collective: Annotated[
        str, typer.Option(metavar="C", help="Main collective of the job, such as allreduce or halo.")
    ] = ""
    algorithm: Annotated[
        str, typer.Option(metavar="A", help="Algorithm of the collective; see `ayatori algorithms`.")
    ] = ""
    pattern: Annotated[
        str,
        typer.Option(
            metavar="PATTERN",
            help="Messages instead of a collective: shift, ring, neighbour, random, or a file of 'FROM TO' lines.",
        ),
    ] = ""
    bytes: Annotated[str, typer.Option(metavar="SIZE", help="Size as MPI counts it, or of each message.")] = "1MiB"
    ppn: options.PPN = 0
    order: options.ORDER = "given"

    @property
    def purpose(self) -> Purpose:
        return purpose_of(self.pattern) if self.pattern else Purpose.collectives

    def read(self, network: Network) -> Job:
        return JobOptions(job=self.job, ppn=self.ppn, order=self.order).jobs_on(network)[0]

    def traffic(self, ranks: int, seed: int) -> Traffic:
        """What so many ranks send. Raises UsageError."""
        size = options.size_of(self.bytes)
        if bool(self.pattern) == bool(self.collective):
            raise UsageError("an order is for a --collective with its --algorithm, or for a --pattern")
        if self.pattern:
            if size == 0:
                raise UsageError("messages of a pattern need bytes")
            return Pattern(steps_of(self.pattern, ranks, seed), size)
        algorithms_of(self.collective)  # says if there is no such collective
        if not self.algorithm:
            listed = f"`ayatori algorithms {self.collective}` lists them"
            raise UsageError(f"--collective {self.collective} needs an --algorithm", hint=listed)
        check_algorithm_name(self.collective, self.algorithm)
        if self.collective == "alltoallv":
            raise UsageError("an alltoallv has no one size", hint="--pattern FILE")
        return Call(self.collective, self.algorithm, 0 if self.collective == "barrier" else size)


@dataclass(frozen=True)
class FileOptions:
    """The options that say where the order goes."""

    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT", help="Format of --out: hosts, a line per rank (default), or coordinates, for MPICH."
        ),
    ] = "hosts"
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the order to FILE.")] = None

    def check(self) -> None:
        """Raises UsageError."""
        if self.to not in FORMATS:
            raise UnknownWord("format of rank orders", self.to, FORMATS)
        if self.to != "hosts" and self.out is None:
            raise UsageError("a rank order is written to a file", hint=f"--to {self.to} --out FILE")


class HostRanks(TypedDict):
    host: str
    ranks: int
    """A host, and how many ranks follow each other on it."""


class OrderData(TypedDict):
    source: str
    collective: str
    algorithm: str
    pattern: str
    bytes: str
    seed: int
    """As given; empty where not."""
    method: str
    """How paths are chosen; `tables`: base LIDs on those of `--lfts`."""
    model: dict[str, Any]
    """The simulator's numbers: [predictions](predictions.md)."""
    given_time_s: float
    time_s: float
    gain: float
    """Predicted time in the given order and in the order that was found; their quotient, at least 1."""
    trials: int
    settled: bool
    """How many orders were predicted; true if no change of two hosts makes it faster."""
    hosts: list[HostRanks]
    """The order that was found."""
    cut: CutData | None
    """How the search was cut short."""
    file: str | None
    start: dict[str, str]
    """What `--out` wrote, or null; by launcher, the line that uses it."""
    plan_line: str
    """Where the times are with a plan: the line that makes it and prints how to start the job. `start` is empty then.
    Else empty."""


@grouped
def order(
    *,
    job: OrderedJob,
    paths: PathOptions,
    costs: ModelOptions,
    trials: TRIALS = 0,
    search: SearchOptions,
    written: FileOptions,
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Find a rank order that suits the network and the job.

    Hosts change places; each keeps its number of ranks. The predicted time never exceeds that of the given order.
    """
    written.check()
    to, out = written.to, written.out
    if trials < 0:
        raise UsageError(f"--trials {trials} is out of range", hint="1 or more; 0: about a minute's worth")
    limit, seed = search.limit, search.seed
    network = on.open(job.purpose)
    model = paths.hashing(costs.model_on(network), seed)
    given = job.read(network)
    check_algorithm(network, paths, job.algorithm)
    traffic = job.traffic(given.rank_count, seed)
    predictor = Predictor(network, paths.method, model, paths.tables_on(network))
    count = trials_for(given, traffic, predictor, trials or None)
    with hinting_at_rails(network, has_rails=False):
        ordered, cut = searched(
            "orders", limit, lambda control: order_ranks(predictor, given, traffic, count, seed, control)
        )
    start = write_order(network, ordered, to, out)
    planned = out is not None and to == "hosts"
    line = line_that_plans(on.source, out, predictor.method, paths.lfts) if planned and out else ""
    data: OrderData = {
        "source": on.source,
        "collective": job.collective,
        "algorithm": job.algorithm,
        "pattern": job.pattern,
        "bytes": job.bytes,
        "method": paths.name_of(predictor.method),
        "model": asdict(model),
        "seed": seed,
        "given_time_s": ordered.given_seconds,
        "time_s": ordered.seconds,
        "gain": ordered.gain,
        "trials": ordered.trials,
        "settled": ordered.settled,
        "hosts": [{"host": host, "ranks": ranks} for host, ranks in hosts_of(network, ordered.job)],
        "cut": cut_as_data(cut),
        "file": str(out) if out else None,
        "start": {} if line else start,  # those would start it without the plan
        "plan_line": line,
    }
    print_json("order", data) if json else describe(data, model, to)
    leave_if_interrupted(cut)


def write_order(network: Network, ordered: Ordered, to: str, out: Path | None) -> dict[str, str]:
    """Writes the file; returns, by launcher, the line that uses it."""
    if out is None:
        return {}
    start = FORMATS[to](network, ordered.job, out)
    note(f"wrote {out}")
    return start


def describe(data: OrderData, model: Model, to: str) -> None:
    what = f"{data['collective']} {data['algorithm']}" if data["collective"] else f"pattern {data['pattern']}"
    size = f" of {data['bytes']}" if data["collective"] != "barrier" else ""
    ranks = counted(sum(host["ranks"] for host in data["hosts"]), "rank")
    say(f"{data['source']}: {ranks}, {what}{size}")
    describe_paths(data)
    describe_costs(model)
    say(f"  as given      {format_seconds(data['given_time_s'])}")
    how = "no change of two hosts makes it faster" if data["settled"] else "more trials may find a faster one"
    say(f"  ordered       {format_seconds(data['time_s'])}, x{data['gain']:.2f} as fast")
    if len({host["ranks"] for host in data["hosts"]}) == len(data["hosts"]):
        how = "no two hosts have as many ranks, so that they could change places"
    orders = "1 order was" if data["trials"] == 1 else f"{data['trials']} orders were"
    say(f"  trials        {orders} predicted; {how}")
    describe_cut(data["cut"], "orders")
    names = list(dict.fromkeys(host["host"] for host in data["hosts"]))
    more = f", … and {len(names) - HOSTS_SHOWN} more" if len(names) > HOSTS_SHOWN else ""
    say(f"  hosts         {', '.join(names[:HOSTS_SHOWN])}{more}")
    if to == "hosts":
        describe_start(data["start"])
        if data["plan_line"]:
            describe_planning(data["plan_line"])
        return
    for line in data["start"].values():
        say_unbroken(f"to use it: {line}")
