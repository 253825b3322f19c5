"""ayatori choose: which algorithm should a collective of some size take on a job?"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from ayatori.base.units import format_bytes, format_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import JobOptions, ModelOptions, NetworkOptions
from ayatori.cli.output import counted, note, print_json, print_table, progress, say, say_unbroken
from ayatori.cli.planned import PlannedPathOptions
from ayatori.cli.starting import describe_planning, describe_start, line_that_plans, write_start_files

if TYPE_CHECKING:
    from ayatori._core import Job, Network
    from ayatori.prediction.choice import CandidateData, Choice, ChooseData, RankingData
    from ayatori.prediction.predictor import Model

BYTES = Annotated[
    str, typer.Option(metavar="SIZE[,SIZE…]", help="Sizes as MPI counts them; 1KiB..64MiB: powers of two between.")
]
OTHERS_HELP = "Algorithm of the user to include: file:F, library:L.so:NAME. Repeatable."
WITH = Annotated[list[str] | None, typer.Option("--with", metavar="NAME", help=OTHERS_HELP)]
OUT = Annotated[Path | None, typer.Option(metavar="FILE", help="Write one job's table to FILE, for AYATORI_CHOICE.")]

TO = Annotated[
    str,
    typer.Option(
        metavar="FORMAT", help="Rank the algorithms of this library: openmpi, openmpi-json, mpich, intel, ucc."
    ),
]
LIBRARY = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="With --to mpich: libmpich.so that runs the job."),
]


@dataclass(frozen=True)
class CallsOptions:
    """The options that say for which collectives and sizes an algorithm is chosen."""

    collective: Annotated[
        str, typer.Option(metavar="C[,C…]", help="Collectives, such as alltoall,allreduce; see `ayatori algorithms`.")
    ]
    bytes: BYTES = "1KiB..4MiB"

    def calls(self) -> list[tuple[str, int]]:
        collectives = parse_collectives(self.collective)
        return [(name, size) for name in collectives for size in sizes_for(name, sorted(options.sizes_of(self.bytes)))]


@dataclass(frozen=True)
class TableOptions:
    """The options that say which algorithms are ranked in addition to ours or instead, and where the table goes."""

    PANEL: ClassVar[str] = "Other algorithms and tables"
    USUAL: ClassVar[tuple[str, ...]] = ("out",)
    with_: WITH = None
    out: OUT = None
    to: TO = ""
    mpi_library: LIBRARY = None

    def check(self, jobs: list[Job]) -> None:
        """Raises UsageError for options that would not count."""
        if self.out is not None and len(jobs) > 1:
            raise UsageError("--out takes the table of one job", hint="--job HOSTFILE --out FILE")
        if self.with_ and self.to:
            raise UsageError("--to ranks the MPI's own algorithms: it can't execute others", hint="--with without --to")
        if self.mpi_library is not None and self.to != "mpich":
            raise UsageError("--mpi-library is for MPICH's table", hint="--to mpich --mpi-library FILE --out FILE")


@grouped
def choose(
    *,
    what: CallsOptions,
    each: JobOptions,
    paths: PlannedPathOptions,
    costs: ModelOptions,
    table: TableOptions,
    resume: options.RESUME = False,
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Rank the algorithms of collectives by predicted time.

    With several jobs, the mean times are ranked. Under mpirun or srun the processes share the work.

    --plan takes the paths of a plan as they are; --method rule, colour or pair plans anew, for the messages of each
    algorithm.
    """
    from ayatori._core import Purpose
    from ayatori.cli.paths import hinting_at_rails
    from ayatori.prediction.choice import choice_as_data, choice_parameters, pieces_of
    from ayatori.prediction.choice import choose as rank_algorithms
    from ayatori.resumable import is_first_process

    calls = what.calls()
    network = on.open(Purpose.collectives)
    model = paths.hashing(costs.model_on(network), each.seed)
    with hinting_at_rails(network, has_rails=False):
        jobs, predictor = paths.jobs_and_predictor(network, each, model)
    table.check(jobs)
    others, out = table.with_ or [], table.out
    parameters = choice_parameters(network, jobs, calls, paths.method, model, others) | paths.tables_as_data()
    saved = options.open_partial(on.source, parameters | ({"to": table.to} if table.to else {}), resume)
    with hinting_at_rails(network, has_rails=False):
        if table.to:
            from ayatori.cli import choose_for_mpi

            return choose_for_mpi.choose(on.source, predictor, jobs, calls, table, saved, json, paths.plans)
        with progress("algorithms", len(pieces_of(calls, others))) as advance:
            choice = rank_algorithms(predictor, jobs, calls, others=others, saved=saved, advance=advance)
    if not is_first_process():
        return
    saved.remove()
    start, plan_line = write_choice(out, on.source, network, choice, paths)
    data: ChooseData = {
        "source": on.source,
        **choice_as_data(choice),
        "plans": paths.plans,
        "start": start,
        "plan_line": plan_line,
    }
    data["method"] = paths.name_of(choice.method)
    if json:
        print_json("choose", data)
        return
    describe(data, model)
    describe_start(start)
    if plan_line:
        describe_planning(plan_line)
        say_unbroken(f"and before the line that starts it: AYATORI_CHOICE={quote(str(out and out.resolve()))}")


def write_choice(
    out: Path | None, source: str, network: Network, choice: Choice, paths: PlannedPathOptions
) -> tuple[dict[str, str], str]:
    """The table, and what starts its job, with the plan of a file if the times are with one: by launcher, the line.
    Where the times are with a plan that nobody has made yet, the line that makes it instead. Nothing without `out`."""
    from ayatori.formats.choice_table import table_of, write_table

    if out is None:
        return {}, ""
    write_table(table_of(source, network, choice), out)
    note(f"wrote {out}")
    with_plan = "" if paths.plan is None else f"--plan {quote(str(paths.plan.resolve()))} "
    run = f"AYATORI_CHOICE={quote(str(out.resolve()))} ayatori run {with_plan}"
    lines = write_start_files(network, choice.jobs[0], out, run)
    if paths.plan is None:
        plan_line = line_that_plans(source, out.with_name(f"{out.name}.hosts"), choice.method, paths.lfts)
        if plan_line:
            return {}, plan_line
    return {launcher: line for launcher, line in lines.items() if launcher != "torchrun"}, ""


def parse_collectives(text: str) -> list[str]:
    from ayatori.prediction.calls import algorithms_of

    names = list(dict.fromkeys(text.split(",")))
    for name in names:
        options.value_of(algorithms_of, name)
    if "alltoallv" in names:
        raise UsageError(
            "alltoallv has no one size to choose by", hint="`ayatori simulate --sizes FILE` times one algorithm"
        )
    return names


def sizes_for(collective: str, sizes: list[int]) -> list[int]:
    return [0] if collective == "barrier" else sizes


def describe(data: ChooseData, model: Model) -> None:
    from ayatori.cli.costs import describe_costs, describe_paths

    jobs = f"{data['jobs']} jobs, their mean time" if data["jobs"] > 1 else counted(data["ranks"][0], "rank")
    say(f"{data['source']}: {jobs}")
    describe_paths(data)
    describe_costs(model)
    for collective in dict.fromkeys(call["collective"] for call in data["calls"]):
        describe_collective(collective, [call for call in data["calls"] if call["collective"] == collective])


def describe_collective(collective: str, calls: list[RankingData]) -> None:
    """A row for the sizes that are next to each other and take the same algorithm."""
    columns = [f"  {collective}", "chosen", "time", "nearest", "times as long"]
    print_table("", columns, [interval_as_row(run) for run in runs_of(calls)])
    left_out = {entry["algorithm"]: entry["reason"] for call in calls for entry in call["left_out"]}
    for algorithm, reason in left_out.items():
        say(f"  without {algorithm}: {reason}")


def runs_of(calls: list[RankingData]) -> list[list[RankingData]]:
    """The calls by size, those next to each other together whose fastest algorithm and chunk size are the same."""
    by_size = sorted(calls, key=lambda call: call["bytes"])
    return [list(run) for _, run in groupby(by_size, key=lambda call: name_of(call["ranking"][0]))]


def interval_as_row(run: list[RankingData]) -> list[str]:
    """From the smallest to the largest size: the time of both, and the algorithm that comes nearest to it anywhere
    between them, with how many times that it takes there."""
    ends = [run[0], run[-1]] if len(run) > 1 else [run[0]]
    others = [(times_as_long(call["ranking"][1], call["ranking"][0]), call) for call in run if len(call["ranking"]) > 1]
    factor, nearest = min(others, key=lambda other: other[0], default=(None, None))
    return [
        "  " + " .. ".join(format_bytes(call["bytes"]) for call in ends if call["bytes"]),
        name_of(run[0]["ranking"][0]),
        " .. ".join(format_seconds(call["ranking"][0]["time_s"]) for call in ends),
        name_of(nearest["ranking"][1]) if nearest else "",
        f"x{factor:.2f}" if nearest else "",
    ]


def times_as_long(other: CandidateData, best: CandidateData) -> float:
    return other["time_s"] / best["time_s"] if best["time_s"] else 1


def name_of(candidate: CandidateData) -> str:
    return str(candidate["algorithm"]) + (f"/{format_bytes(candidate['chunk'])}" if candidate["chunk"] else "")
