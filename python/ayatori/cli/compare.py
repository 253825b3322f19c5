"""ayatori compare: which tables are the best for this network?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from ayatori._core import Network
from ayatori.base.errors import UnknownWord
from ayatori.base.units import parse_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import NetworkOptions
from ayatori.cli.output import note, print_json, print_table, print_warning, say, saying_what_is_done
from ayatori.cli.searching import STATUS_OF_CUT, CutData, cut_as_data, describe_cut, searched, with_results
from ayatori.cli.status import Status
from ayatori.formats.job_files import read_jobs
from ayatori.lab.fabric.engines import ENGINES
from ayatori.model.jobs import count_hosts, random_jobs, read_job
from ayatori.planning.routes import read_routes
from ayatori.planning.together import JobOnFabric
from ayatori.study.tables import ComparedData, Comparison, RowData, Workload, WorkloadData, as_data

USUAL_SIZES = "32,64"
USUAL_JOBS = 20
MAX_ENGINE_SECONDS = 86400.0


class CompareData(ComparedData):
    source: str
    seed: int
    """As given."""
    cut: CutData | None
    """How the comparison was cut short."""


@dataclass(frozen=True)
class WorkloadOptions:
    """The jobs whose bandwidth is measured."""

    PANEL: ClassVar[str] = options.JOBS_PANEL
    USUAL: ClassVar[tuple[str, ...]] = ("job", "jobs")
    job: options.JOB = None
    jobs: options.JOBS = None
    job_sizes: Annotated[
        str | None, typer.Option(metavar="N[,N…]", help=f"Hosts per random job; default {USUAL_SIZES}.")
    ] = None
    jobs_per_size: Annotated[
        int | None, typer.Option(metavar="N", help=f"Number of random jobs per size; default {USUAL_JOBS}.")
    ] = None
    seed: options.SEED = 1
    ppn: options.PPN = 0
    order: options.ORDER = "given"

    def on(self, network: Network) -> list[Workload]:
        """The jobs that the options name; without any, random ones of the usual sizes. Raises UsageError, Error."""
        is_random = self.jobs_per_size is not None or self.job_sizes is not None
        if sum((self.job is not None, bool(self.jobs), is_random)) > 1:
            raise UsageError("--job, --jobs and random jobs exclude each other")
        if not 0 <= self.ppn <= options.MAX_RANKS:
            raise UsageError(f"--ppn {self.ppn} is out of range", hint=f"0 to {options.MAX_RANKS}")
        options.check_order(self.order)
        options.check_seed(self.seed)
        if self.job is not None:
            return [Workload(self.job.name, (read_job(network, self.job, self.ppn, self.order),))]
        if self.jobs:
            return [concurrent(network, self.jobs, self.ppn, self.order)]
        count = USUAL_JOBS if self.jobs_per_size is None else self.jobs_per_size
        if not 1 <= count <= options.MAX_JOBS:
            raise UsageError(f"--jobs-per-size {count} is out of range", hint=f"1 to {options.MAX_JOBS}")
        return [
            Workload(f"{size} hosts", tuple(random_jobs(network, count, size, self.ppn, self.seed)))
            for size in self._sizes_on(network)
        ]

    def _sizes_on(self, network: Network) -> list[int]:
        if self.job_sizes is not None:
            return parse_sizes(self.job_sizes)
        hosts = count_hosts(network)
        usual = parse_sizes(USUAL_SIZES)
        fitting = [size for size in usual if size <= hosts] or [hosts]
        if fitting != usual:
            note(f"the network has {hosts} hosts: jobs of {fitting[0]}")
        return fitting


@grouped
def compare(
    *,
    lfts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Forwarding tables, as OpenSM or dump_lfts wrote them.")
    ] = None,
    workload: WorkloadOptions,
    engines: Annotated[
        str | None, typer.Option(metavar="NAME[,NAME…]", help=f"Engines of OpenSM: {', '.join(ENGINES)}; default all.")
    ] = None,
    engine_seconds: Annotated[str, typer.Option(metavar="TIME", help="Time limit of each engine.")] = "120s",
    on: NetworkOptions,
    json: options.JSON = False,
) -> int:
    """Compare tables of OpenSM's engines, ours, and those in use.

    Ours are shown with a plan, too. Those in use are named by --lfts. OpenSM runs on a simulated fabric of the source.
    The jobs are random ones, the job of --job, or the concurrent jobs of --jobs; their traffic is an all-to-all. Ctrl-C
    prints the tables that are done.
    """
    asked, seconds = parse_engines(engines), parse_engine_seconds(engine_seconds)
    network = on.open()
    workloads = workload.on(network)
    tables = None if lfts is None else read_routes(network, lfts)
    with saying_what_is_done() as doing:
        comparison = Comparison(network, workloads, tables, asked, seconds, workload.seed, doing)
        found, cut = searched("tables", None, comparison.run)
    found, cut = with_results(found, cut, len(found.rows), found.expected)
    compared = as_data(network, found, workloads)
    data: CompareData = {"source": on.source, "seed": workload.seed, **compared, "cut": cut_as_data(cut)}
    print_json("compare", data) if json else describe(data)
    return STATUS_OF_CUT[cut.by] if cut is not None else Status.DONE


def parse_engines(text: str | None) -> list[str] | None:
    """The value of --engines. Raises UsageError for an engine that we can't start."""
    if text is None:
        return None
    words = options.words_of(text)
    if unknown := [word for word in words if word not in ENGINES]:
        raise UnknownWord("engine", unknown[0], ENGINES)
    return words


def parse_engine_seconds(text: str) -> float:
    seconds = options.value_of(parse_seconds, text)
    if not 0 < seconds <= MAX_ENGINE_SECONDS:
        raise UsageError(f"--engine-seconds {text} is out of range", hint="for example 120s; at most a day")
    return seconds


def parse_sizes(text: str) -> list[int]:
    words = options.words_of(text)
    if not words or not all(word.isdecimal() and 2 <= int(word) <= options.MAX_RANKS for word in words):
        raise UsageError(f"--job-sizes {text} is no list of sizes", hint=f"from 2 on, for example {USUAL_SIZES}")
    return [int(word) for word in words]


def concurrent(network: Network, paths: list[Path], ppn: int, order: str) -> Workload:
    """The concurrent jobs of --jobs; a plan among them counts as its job, since it holds on its own tables only."""
    named, _ = read_jobs(network, paths, ppn, order)
    if not named:
        raise UsageError("--jobs names no job", hint="--jobs HOSTFILE, --jobs PLAN or --jobs FOLDER, also repeated")
    if planned := [each.name for each in named if each.plan is not None]:
        print_warning(f"plans hold on their own tables only; these count as jobs without one: {', '.join(planned)}")
    return Workload("concurrent jobs", together=tuple(JobOnFabric(each.name, each.job) for each in named))


def jobs_in_words(each: WorkloadData) -> str:
    """20 jobs of 8 hosts; 2 concurrent jobs; a job by its name."""
    count, name = each["jobs"], each["name"]
    if each["concurrent"]:
        return f"{count} {name}"
    return name if count == 1 else f"{count} jobs of {name}"


def describe(data: CompareData) -> None:
    workloads = data["workloads"]
    random = "" if any(each["concurrent"] or each["jobs"] == 1 for each in workloads) else f" (seed {data['seed']})"
    many = ", ".join(map(jobs_in_words, workloads))
    say(f"{data['source']}: bandwidth of {many}{random}, as a share of what the NICs could")
    columns = ["  tables", "VLs", "longest", "balance", "idle"]
    for each in workloads:
        columns += [each["name"], "worst"]
    made = [row for row in data["rows"] if not row["refusal"]]
    print_table("", columns, [figures_of(row, workloads) for row in made])
    for row in data["rows"]:
        if row["refusal"] or row["reason"]:
            say(f"  {row['name']}: {row['refusal'] or row['reason']}")
    towards_switches = [row["name"] for row in made if row["deadlock_free"] and not row["deadlock_free_to_switches"]]
    if towards_switches:
        say(f"  not counted: cycles through packets to the switches themselves ({', '.join(towards_switches)})")
    if data["without_lab"]:
        print_warning(f"no tables of OpenSM: {data['without_lab']}")
    describe_cut(data["cut"], "tables")
    say(f"best: {data['best']}")


def figures_of(row: RowData, workloads: Sequence[WorkloadData]) -> list[str]:
    needed = row["vls"]
    unknown = "?" if row["service_levels"] and row["lanes"] is None else "cycle"
    figures = [
        f"  {row['name']}",
        unknown if needed is None else str(needed),
        str(row["longest_route"]),
        f"{row['balance']:.2f}",
        f"{row['idle_links']} of {row['links']}",
    ]
    for each in workloads:
        own = row["relative_bandwidth"].get(each["name"])
        figures += ["-", "-"] if own is None else [f"{own['mean']:.3f}", f"{own['min']:.3f}"]
    return figures
