"""ayatori simulate: how long does a collective take on a job, and which links hold it up?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypedDict

import typer

from ayatori._core import Job, Network, PacketOptions, Purpose, placement_of_job
from ayatori.base.errors import Error
from ayatori.base.spreads import PerhapsSpread, Spread
from ayatori.base.units import format_bytes, format_seconds, parse_bytes
from ayatori.cli import options
from ayatori.cli.costs import describe_costs, describe_paths
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import JobOptions, ModelOptions, NetworkOptions
from ayatori.cli.output import counted, note, print_json, print_table, progress, say
from ayatori.cli.paths import check_algorithm, hinting_at_rails
from ayatori.cli.planned import PlannedPathOptions
from ayatori.cli.searching import Cut, CutData, cut_as_data, describe_cut, leave_if_interrupted, searched
from ayatori.cli.together import JobsAsked, describe_shared_links
from ayatori.formats.applied import records_in
from ayatori.formats.schedule_file import write_schedules
from ayatori.model.network import BackgroundData, background_as_data
from ayatori.planning.plans import MULTIPATH
from ayatori.planning.routes import make_routes
from ayatori.planning.together import BACKGROUND
from ayatori.prediction.calls import Call, check_algorithm_name, make_schedule, read_pair_sizes
from ayatori.prediction.predictor import Model, Packets, Predictor
from ayatori.prediction.simulation import (
    Simulation,
    SimulationData,
    simulate_by,
    simulation_as_data,
    simulation_parameters,
)
from ayatori.prediction.together import ConcurrentData, ConcurrentSimulation, concurrent_as_data
from ayatori.resumable import is_first_process

WITHOUT_SIZE = ("alltoallv", "barrier")
"""--bytes does not count for them: an alltoallv has --sizes."""
HOT_LINKS_PRINTED = 10
ROUNDS = 30
BYTES = Annotated[
    str, typer.Option(metavar="SIZE", help="Size as MPI counts it: per pair, or the vector; none for a barrier.")
]
CHUNK = Annotated[str, typer.Option(metavar="SIZE", help="Chunk size of a pipeline; 0: the algorithm's choice.")]


ALGORITHM = Annotated[
    str, typer.Option(metavar="A", help="Algorithm, such as ring, or one of yours: file:F, library:L.so:NAME.")
]
SCHEDULE_OUT = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="Write one job's schedule to FILE, step by step.", rich_help_panel="More of the collective"
    ),
]


@dataclass(frozen=True, kw_only=True)
class CallOptions:
    """The options that say which collective is simulated, and on which jobs."""

    PANEL: ClassVar[str] = "More of the collective"
    USUAL: ClassVar[tuple[str, ...]] = ("collective", "algorithm", "bytes")
    collective: Annotated[
        str, typer.Option(metavar="C", help="Collective, such as allreduce; see `ayatori algorithms`.")
    ]
    algorithm: ALGORITHM
    bytes: BYTES = "1MiB"
    each: JobOptions
    asked: JobsAsked
    root: Annotated[int, typer.Option(metavar="RANK", help="Rank of the root.")] = 0
    sizes: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Sizes of an alltoallv: lines 'FROM TO BYTES'.")
    ] = None
    chunk: CHUNK = "0"

    def call(self) -> Call:
        """The call without what the file `sizes` says, which read_sizes() adds when the jobs are known."""
        check_algorithm_name(self.collective, self.algorithm)
        if self.collective == "alltoallv" and self.sizes is None:
            hint = "--sizes FILE, with lines 'FROM TO BYTES'"
            raise UsageError("alltoallv needs a size for each pair of ranks", hint=hint)
        size = 0 if self.collective in WITHOUT_SIZE else options.size_of(self.bytes)
        return Call(self.collective, self.algorithm, size, self.root, options.value_of(parse_bytes, self.chunk))


@dataclass(frozen=True)
class SimulatedModel(ModelOptions):
    """The options that say what messages cost, and whether packets queue."""

    packets: options.PACKETS = False
    link_buffer: options.LINK_BUFFER = None

    def packets_by(self, seed: int) -> Packets | None:
        """What queues, with this seed; None: flows. Raises UsageError."""
        if self.link_buffer is not None and not self.packets:
            raise UsageError("--link-buffer is of packets", hint="--packets --link-buffer N")
        if self.link_buffer is not None and not 1 <= self.link_buffer <= PacketOptions.max_buffer:
            raise UsageError(
                f"--link-buffer {self.link_buffer} is out of range", hint=f"1 to {PacketOptions.max_buffer}"
            )
        if not self.packets:
            return None
        return Packets(seed=seed) if self.link_buffer is None else Packets(self.link_buffer, seed)


class SimulatedTogether(ConcurrentData):
    background: float
    """The share of other hosts that send, too."""
    cut: CutData | None
    """How the search was cut short."""


class PerhapsTogether(TypedDict, total=False):
    together: SimulatedTogether
    """Only with `--jobs`: jobs that run at the same time. All other keys are of each job alone."""


class SimulatedCall(SimulationData):
    collective: str
    algorithm: str
    bytes: int
    root: int
    """As given."""
    chunk_bytes: int
    radix: int
    """A pipeline's chunk and the radix of a k-nomial tree; 0: the algorithm's own choice."""
    sizes: str | None
    """The file of an alltoallv."""
    method: str
    """How paths are chosen; `tables`: base LIDs on those of `--lfts`. Of jobs with plan files and others together: for
    the others."""
    plans: list[str]
    """Files of plans whose paths messages take, as given."""
    model: dict[str, Any]
    """The simulator's numbers: [predictions](predictions.md)."""


class SimulateData(SimulatedCall, PerhapsTogether):
    source: str
    seed: int
    """As given."""
    background: list[BackgroundData]
    """Background traffic, as the source states it."""
    wall_s: float
    """How long the simulation took."""


@grouped
def simulate(
    *,
    what: CallOptions,
    paths: PlannedPathOptions,
    costs: SimulatedModel,
    rails: options.RAILS = "auto",
    schedule_out: SCHEDULE_OUT = None,
    resume: options.RESUME = False,
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Predict the time of a collective on a network.

    Messages are flows that share links fairly, or with --packets packets that queue in switches. --jobs times
    concurrent jobs, each in a loop that begins at a random phase. Without --jobs, the processes of an mpirun or srun
    share the jobs.

    --plan takes the paths of a plan as they are, and --jobs those of each plan among its files; --method rule, colour
    or pair plans anew, for the messages of this algorithm.
    """
    started = time.monotonic()
    call, each, asked = what.call(), what.each, what.asked
    network = on.open(Purpose.collectives)
    model = replace(costs.model_on(network), packets=costs.packets_by(each.seed))
    model = paths.hashing(replace(model, rails=options.parse_rails(network, rails)), each.seed)
    asked.check([*each.one_by_one, schedule_out, resume or None], paths.plan)
    check_algorithm(network, paths, call.algorithm)
    question = Question(call, what.sizes, paths, model, asked.applied)
    together: PerhapsTogether
    with hinting_at_rails(network):
        if asked.jobs:
            simulation, together, cut = simulate_together(network, asked, each, question)
        else:
            jobs, predictor = paths.jobs_and_predictor(network, each, model, asked.applied)
            write_schedule(network, jobs, question, schedule_out)
            simulation, together, cut = (
                simulate_each(predictor, jobs, question, on.source, resume),
                {},
                None,
            )
    if is_first_process():
        data: SimulateData = {
            "source": on.source,
            **as_data(simulation, question, asked.plans),
            "seed": each.seed,
            "background": background_as_data(network),
            **together,
            "wall_s": time.monotonic() - started,
        }
        print_json("simulate", data) if json else describe(data, model)
    leave_if_interrupted(cut)


@dataclass(frozen=True)
class Question:
    """What is simulated on each job, over which paths."""

    call: Call
    sizes: Path | None
    """Of an alltoallv."""
    paths: PlannedPathOptions
    model: Model
    applied: Path | None = None

    def call_on(self, jobs: list[Job]) -> Call:
        """The call with what the file of sizes says, if there is one."""
        return self.call if self.sizes is None else replace(self.call, sizes=read_sizes(self.sizes, jobs))


def simulate_each(predictor: Predictor, jobs: list[Job], question: Question, source: str, resume: bool) -> Simulation:
    """Each job by itself; what is done is kept for --resume until all are."""
    call, method, model = question.call_on(jobs), question.paths.method, question.model
    parameters = simulation_parameters(predictor.network, jobs, call, method, model) | question.paths.tables_as_data()
    if question.applied is not None:
        parameters["applied"] = [options.digest_of(record) for record in records_in(question.applied)]
    saved = options.open_partial(source, parameters, resume)
    with progress("jobs", len(jobs)) as advance:
        simulation = simulate_by(predictor, jobs, call, saved, advance)
    if is_first_process():
        saved.remove()
    return simulation


def simulate_together(
    network: Network, asked: JobsAsked, each: JobOptions, question: Question
) -> tuple[Simulation, PerhapsTogether, Cut | None]:
    """The jobs that are asked for, each alone, and all together, of which Ctrl-C leaves the first rounds. Plans bring
    the LMC that they were made for."""
    jobs, planned_lmc = asked.read(network, each)
    call = question.call_on([one.job for one in jobs if one.name != BACKGROUND])
    routes = question.paths.tables_on(network)
    if routes is None and planned_lmc is not None:
        routes = make_routes(network, planned_lmc)
    rounds = asked.rounds_or(ROUNDS)
    simulation = ConcurrentSimulation(
        network, jobs, call, question.paths.method, question.model, routes, rounds, each.seed
    )
    concurrent, cut = searched("simulations", None, simulation.run)
    if asked.svg is not None and concurrent.links_of is None:
        raise Error("--svg draws links of paths by tables, not by dimension order", hint="--method base-lids")
    asked.draw(network, jobs, concurrent.shared)
    together: SimulatedTogether = {
        **concurrent_as_data(concurrent),
        "background": asked.background,
        "cut": cut_as_data(cut),
    }
    alone = concurrent.alone()
    if all(one.made is not None for one in jobs if one.name != BACKGROUND):
        alone.method = " and ".join(sorted({one.method for one in concurrent.jobs}))
    return alone, {"together": together}, cut


def as_data(simulation: Simulation, question: Question, plans: list[str]) -> SimulatedCall:
    """What was simulated, and what came out; `plans` are those of --jobs."""
    call = simulation.call
    return {
        "method": question.paths.name_of(simulation.method),
        "plans": [*question.paths.plans, *plans],
        "collective": call.collective,
        "algorithm": call.algorithm,
        "bytes": call.bytes,
        "root": call.root,
        "chunk_bytes": call.chunk_bytes,
        "radix": call.radix,
        "sizes": str(question.sizes) if question.sizes else None,
        "model": asdict(simulation.model),
        **simulation_as_data(simulation),
    }


def write_schedule(network: Network, jobs: list[Job], question: Question, file: Path | None) -> None:
    if file is None:
        return
    if len(jobs) > 1:
        raise UsageError("--schedule-out takes the schedule of one job", hint="--job HOSTFILE --schedule-out FILE")
    if not is_first_process():
        return
    call = question.call_on(jobs)
    written = write_schedules([make_schedule(call, placement_of_job(network, jobs[0]))], file, call.algorithm)[0]
    first, last, multiple = written.sizes
    sizes = "all sizes" if multiple == 1 else f"multiples of {multiple} bytes"
    note(f"wrote {file}, for {sizes if first != last else format_bytes(first)}")


def read_sizes(file: Path, jobs: list[Job]) -> list[list[int]]:
    ranks = {job.rank_count for job in jobs}
    if len(ranks) > 1:
        raise Error(f"{file} has the sizes of one number of ranks, jobs have from {min(ranks)} to {max(ranks)}")
    return read_pair_sizes(file, *ranks)


def describe(data: SimulateData, model: Model) -> None:
    """The call and its paths, each job alone, and all together if they ran at the same time."""
    size = f" of {data['sizes'] or format_bytes(data['bytes'])}" if data["collective"] != "barrier" else ""
    jobs = f"{data['jobs']} jobs" if data["jobs"] > 1 else counted(data["per_job"][0]["ranks"], "rank")
    say(f"{data['source']}: {data['collective']}{size} by {data['algorithm']}, {jobs}")
    describe_paths(data)
    describe_packets(data["method"], model.packets)
    describe_costs(model)
    if data["background"]:
        say(f"  background    {options.background_in_words(data['background'])}")
    alone = ", each job alone" if "together" in data else ""
    say(f"  time          {spread(data['times_s'], data['jobs'], format_seconds)}{alone}")
    if data["bandwidth_MBps"]["mean"] is not None:
        say(f"  bandwidth     {spread(data['bandwidth_MBps'], data['jobs'], lambda rate: f'{rate:.1f} MB/s')}")
    say(f"  messages      {data['messages']}, {format_bytes(data['network_bytes'])} over the network")
    if "together" in data:
        return describe_together(data["together"], data["seed"])
    hottest = [link for link in data["hot_links"] if link["saturated"] > 0][:HOT_LINKS_PRINTED]
    if hottest:
        rows = [
            [f"  {link['link']}", f"{link['saturated']:.1%}", f"{link['busy']:.1%}", str(link["jobs"])]
            for link in hottest
        ]
        who = "flows" if model.packets is None else "packets"
        print_table("", [f"  links that {who} waited for", "of the time", "busy", "jobs"], rows)


def describe_packets(method: str, packets: Packets | None) -> None:
    """A line: how they queue, or what flows over several paths leave out."""
    if packets is not None:
        say(f"  packets       {PacketOptions.mtu} B, {packets.buffer} in a buffer, seed {packets.seed}")
    elif method == MULTIPATH:
        say("  left out      head-of-line blocking between packets (paper 1, section 6): --packets simulates it")


def describe_together(together: SimulatedTogether, seed: int) -> None:
    """Jobs that run at the same time: what a call of each takes, and which links they share."""
    jobs = together["jobs"]
    say(f"  together      {len(jobs)} jobs, {together['rounds']} rounds at random phases (seed {seed})")
    describe_cut(together["cut"], "simulations")
    say(f"  time          {spread(together['time_s'], len(jobs), format_seconds)}, while all run")
    rows = [
        [f"  {job['name']}", str(job["machines"]), job["method"], format_seconds(job["alone_s"]),
         format_seconds(job["time_s"]), f"{job['delayed']:.0%}", job["worst_neighbour"] or "-",
         format_seconds(job["with_worst_neighbour_s"])]
        for job in jobs
    ]  # fmt: skip
    print_table("", ["  job", "hosts", "paths", "alone", "together", "delayed", "worst neighbour", "with it"], rows)
    describe_shared_links(together)


def spread(values: Spread | PerhapsSpread, jobs: int, text: Callable[[float], str]) -> str:
    """ "mean A, min B, max C", or one value of one job."""
    named = [(name, text(value)) for name, value in values.items() if isinstance(value, float | int)]
    return named[0][1] if jobs == 1 else ", ".join(f"{name} {value}" for name, value in named)
