"""ayatori simulate: how long does a collective take on a job, and which links hold it up?"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

import typer

from ayatori._core import Job, current_name
from ayatori.cli import options
from ayatori.cli.output import print_json, print_table, progress, say
from ayatori.errors import Error
from ayatori.jobs import placement_as_data
from ayatori.network import fingerprint, open_source
from ayatori.prediction import Call, Prediction, Predictor, algorithms_of, hottest_links, read_pair_sizes
from ayatori.runs import PartialResults, is_first_process, run
from ayatori.units import format_bytes, format_seconds, parse_bytes

HOT_LINKS_PRINTED = 10
JOBS_AT_ONCE = 16


def simulate(
    source: options.SOURCE,
    collective: Annotated[str, typer.Option(help="alltoall, broadcast, reduce, allreduce, allgather, …")],
    algorithm: Annotated[str, typer.Option(help="How it is done: two-level-ring, binomial, trinaryx3, …")],
    bytes: Annotated[str, typer.Option(metavar="SIZE", help="As MPI counts: a pair's message, or the vector.")] = "0",
    job: options.JOB = None,
    random_jobs: options.RANDOM_JOBS = None,
    job_size: options.JOB_SIZE = None,
    seed: options.SEED = 1,
    contiguous: options.CONTIGUOUS = None,
    ppn: options.PPN = 0,
    order: options.ORDER = "network",
    root: Annotated[int, typer.Option(help="The root's rank.")] = 0,
    sizes: Annotated[Path | None, typer.Option(metavar="FILE", help="Of alltoallv: lines 'FROM TO BYTES'.")] = None,
    chunk: Annotated[
        str, typer.Option("--chunk", "--segment", metavar="SIZE", help="Of pipelines; 0: the algorithm's own choice.")
    ] = "0",
    method: options.METHOD = None,
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
    algorithms_of(collective)
    if collective == "alltoallv" and sizes is None:
        raise Error("alltoallv needs a size for each pair of ranks", hint="--sizes FILE, with lines 'FROM TO BYTES'")
    call = Call(collective, current_name(algorithm), parse_bytes(bytes), root, parse_bytes(chunk))
    model = options.parse_model(steps, link_bandwidth, link_latency, overhead, eager, injection, bus, head_of_line)
    network = open_source(source, host_pattern)
    jobs = options.collect_jobs(network, job, random_jobs, job_size, seed, contiguous, ppn, order)
    if not jobs:
        raise Error("no job to simulate", hint="--job HOSTFILE, --random-jobs N --job-size n, or --contiguous A..B")
    predictor = Predictor(network, method, model)
    settings = settings_as_data(source, predictor, call) | {"sizes": str(sizes) if sizes else None}
    call = replace(call, sizes=read_sizes(sizes, jobs)) if sizes else call
    partial = PartialResults(
        settings
        | {"network": fingerprint(network), "pairs": call.sizes, "jobs": [placement_as_data(job) for job in jobs]}
    )
    options.load_partial(partial, resume)
    with progress("jobs", len(jobs)) as advance:
        per_job = run(
            len(jobs),
            JOBS_AT_ONCE,
            lambda chunk: [
                job_as_data(jobs[i], prediction)
                for i, prediction in zip(chunk, predictor.predict([jobs[i] for i in chunk], call), strict=True)
            ],
            partial,
            advance,
        )
    if not is_first_process():
        return
    data = settings | {"seed": seed} | results_as_data(predictor, per_job) | {"wall_s": time.monotonic() - started}
    if json:
        print_json(data)
    else:
        describe(data)


def read_sizes(file: Path, jobs: list[Job]) -> list[list[int]]:
    ranks = {job.rank_count for job in jobs}
    if len(ranks) > 1:
        raise Error(f"{file} has the sizes of one number of ranks, jobs have from {min(ranks)} to {max(ranks)}")
    return read_pair_sizes(file, *ranks)


def settings_as_data(source: str, predictor: Predictor, call: Call) -> dict[str, Any]:
    return {"source": source, "method": predictor.method} | asdict(call) | {"model": asdict(predictor.model)}


def job_as_data(job: Job, prediction: Prediction) -> dict[str, Any]:
    return {
        "machines": len(job.machines),
        "ranks": job.rank_count,
        "time_s": prediction.seconds,
        "bandwidth_MBps": None if prediction.bandwidth is None else prediction.bandwidth / 1e6,
        "messages": prediction.messages,
        "network_bytes": prediction.network_bytes,
        "hot_links": prediction.hot_links,
    }


def results_as_data(predictor: Predictor, per_job: list[dict[str, Any]]) -> dict[str, Any]:
    """Times are means over jobs, messages and bytes sums."""
    bandwidths = [job["bandwidth_MBps"] for job in per_job if job["bandwidth_MBps"] is not None]
    times = [job["time_s"] for job in per_job]
    hot_links = [job["hot_links"] for job in per_job]
    return {
        "jobs": len(per_job),
        "time_s": fmean(times),
        "times_s": {"mean": fmean(times), "min": min(times), "max": max(times)},
        "bandwidth_MBps": {
            "mean": fmean(bandwidths) if bandwidths else None,
            "min": min(bandwidths, default=None),
            "max": max(bandwidths, default=None),
        },
        "messages": sum(job["messages"] for job in per_job),
        "network_bytes": sum(job["network_bytes"] for job in per_job),
        "hot_links": hottest_links(hot_links, predictor.network if predictor.routes else None),
        "per_job": [{key: job[key] for key in job if key != "hot_links"} for job in per_job],
    }


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
