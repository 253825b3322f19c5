"""ayatori simulate: how long does a collective take on a job, and which links hold it up?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori._core import Job, current_name
from ayatori.base.errors import Error
from ayatori.base.units import format_bytes, format_seconds, parse_bytes
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import print_json, print_table, progress, say
from ayatori.model.network import open_source
from ayatori.planning.routes import read_routes
from ayatori.prediction.predictor import Call, algorithms_of, read_pair_sizes
from ayatori.prediction.simulation import Simulation, simulation_as_data, simulation_parameters
from ayatori.prediction.simulation import simulate as compute_simulation
from ayatori.resumable import is_first_process

WITHOUT_SIZE = ("alltoallv", "barrier")
"""--bytes does not count for them: an alltoallv has --sizes."""
HOT_LINKS_PRINTED = 10


def simulate(
    source: options.SOURCE,
    collective: Annotated[str, typer.Option(metavar="C", help="alltoall, broadcast, reduce, allreduce, allgather, …")],
    algorithm: Annotated[str, typer.Option(metavar="A", help="How it is done: two-level-ring, binomial, trinaryx3, …")],
    bytes: Annotated[
        str, typer.Option(metavar="SIZE", help="As MPI counts: a pair's message, or the vector; a barrier has none.")
    ] = "1MiB",
    job: options.JOB = None,
    random_jobs: options.RANDOM_JOBS = None,
    job_size: options.JOB_SIZE = None,
    seed: options.SEED = 1,
    contiguous: options.CONTIGUOUS = None,
    ppn: options.PPN = 0,
    order: options.ORDER = "network",
    unnamed_hcas: options.UNNAMED_HCAS = False,
    root: Annotated[int, typer.Option(help="The root's rank.")] = 0,
    sizes: Annotated[Path | None, typer.Option(metavar="FILE", help="Of alltoallv: lines 'FROM TO BYTES'.")] = None,
    chunk: Annotated[
        str, typer.Option(metavar="SIZE", help="Of a pipeline's pieces; 0: the algorithm's own choice.")
    ] = "0",
    method: options.METHOD = None,
    lfts: options.LFTS = None,
    steps: options.STEPS = "drift",
    link_bandwidth: options.LINK_BANDWIDTH = None,
    link_latency: options.LINK_LATENCY = "0s",
    overhead: options.OVERHEAD = "0s",
    eager: options.EAGER = "0",
    injection: options.INJECTION = None,
    bus: options.BUS = None,
    head_of_line: options.HEAD_OF_LINE = False,
    resume: options.RESUME = False,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Times a collective's messages as flows that share links fairly.

    Under mpirun or srun the processes share the jobs.
    """
    started = time.monotonic()
    call = parse_call(collective, algorithm, bytes, root, chunk, sizes)
    model = options.parse_model(steps, link_bandwidth, link_latency, overhead, eager, injection, bus, head_of_line)
    network = open_source(source, host_pattern)
    jobs = options.collect_jobs(network, job, random_jobs, job_size, seed, contiguous, ppn, order, unnamed_hcas)
    jobs = options.jobs_or_whole_network(network, jobs, ppn, unnamed_hcas)
    if sizes is not None:
        call = replace(call, sizes=read_sizes(sizes, jobs))
    routes = read_routes(network, lfts) if lfts else None
    parameters = simulation_parameters(network, jobs, call, method, model) | options.tables_as_data(lfts)
    saved = options.open_partial(source, parameters, resume)
    with progress("jobs", len(jobs)) as advance:
        simulation = compute_simulation(network, jobs, call, method, model, routes=routes, saved=saved, advance=advance)
    if not is_first_process():
        return
    saved.remove()
    data = {"source": source} | as_data(simulation, options.name_of_paths(simulation.method, method, lfts), sizes)
    data |= {"seed": seed, "wall_s": time.monotonic() - started}
    if json:
        print_json("simulate", data)
    else:
        describe(data)


def as_data(simulation: Simulation, paths: str, sizes: Path | None) -> dict[str, Any]:
    """What was simulated, on paths of this name, and what came out."""
    data = {"method": paths} | asdict(replace(simulation.call, sizes=None)) | {"model": asdict(simulation.model)}
    return data | {"sizes": str(sizes) if sizes else None} | simulation_as_data(simulation)


def parse_call(collective: str, algorithm: str, bytes: str, root: int, chunk: str, sizes: Path | None) -> Call:
    """The call without what the file `sizes` says, which read_sizes() adds when the jobs are known."""
    algorithms_of(collective)
    if collective == "alltoallv" and sizes is None:
        hint = "--sizes FILE, with lines 'FROM TO BYTES'"
        raise UsageError("alltoallv needs a size for each pair of ranks", hint=hint)
    size = 0 if collective in WITHOUT_SIZE else options.value_of(parse_bytes, bytes)
    return Call(collective, current_name(algorithm), size, root, options.value_of(parse_bytes, chunk))


def read_sizes(file: Path, jobs: list[Job]) -> list[list[int]]:
    ranks = {job.rank_count for job in jobs}
    if len(ranks) > 1:
        raise Error(f"{file} has the sizes of one number of ranks, jobs have from {min(ranks)} to {max(ranks)}")
    return read_pair_sizes(file, *ranks)


def describe(data: dict[str, Any]) -> None:
    size = f" of {data['sizes'] or format_bytes(data['bytes'])}" if data["collective"] != "barrier" else ""
    jobs = f"{data['jobs']} jobs" if data["jobs"] > 1 else f"{data['per_job'][0]['ranks']} ranks"
    say(f"{data['source']}: {data['collective']}{size} by {data['algorithm']}, {jobs}")
    say(f"  paths         {data['method']}, steps {data['model']['steps']}")
    say(f"  time          {spread(data['times_s'], data['jobs'], format_seconds)}")
    if data["bandwidth_MBps"]["mean"] is not None:
        say(f"  bandwidth     {spread(data['bandwidth_MBps'], data['jobs'], lambda rate: f'{rate:.1f} MB/s')}")
    say(f"  messages      {data['messages']}, {format_bytes(data['network_bytes'])} over the network")
    hottest = [link for link in data["hot_links"] if link["saturated"] > 0][:HOT_LINKS_PRINTED]
    if hottest:
        rows = [
            [f"  {link['link']}", f"{link['saturated']:.1%}", f"{link['busy']:.1%}", str(link["jobs"])]
            for link in hottest
        ]
        print_table("", ["  links that flows waited for", "of the time", "busy", "jobs"], rows)


def spread(values: dict[str, float], jobs: int, text: Callable[[float], str]) -> str:
    """ "mean A, min B, max C", or one value of one job."""
    if jobs == 1:
        return text(values["mean"])
    return ", ".join(f"{name} {text(value)}" for name, value in values.items())
