"""ayatori plan: the paths of a job; hot spots before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori._core import Network, Routes, write_pattern
from ayatori.cli import options
from ayatori.cli.beside import NAME, RUNNING, STATE, add_to_running, describe_placed
from ayatori.cli.check import describe_jobs
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, progress, say
from ayatori.formats.plan_file import write_plan
from ayatori.model.jobs import read_job
from ayatori.model.network import open_source
from ayatori.planning.beside import Placed, placed_as_data
from ayatori.planning.improvement import Improvement, TablesInUse, improve_jobs, improvements_as_data
from ayatori.planning.plans import DESTINATION_MOD_K, PLAN_METHODS, assessments_as_data
from ayatori.planning.routes import make_routes, read_routes

OWN_STEPS = Annotated[
    bool, typer.Option("--own-steps", help="Also order the messages of the all-to-all for the paths.")
]
STEPS_OUT = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the job's own steps there, as a pattern file.")
]
IN_USE = Annotated[
    Path | None, typer.Option(metavar="FILE", help="The tables in use; without --lmc the plan is made on them, too.")
]


def plan(
    source: options.SOURCE,
    job: options.JOB = None,
    method: Annotated[str, typer.Option(help="rule (paper 1), colour (one LID a rank) or pair (one a pair).")] = "pair",
    random_jobs: options.RANDOM_JOBS = None,
    job_size: options.JOB_SIZE = None,
    seed: options.SEED = 1,
    contiguous: options.CONTIGUOUS = None,
    ppn: options.PPN = 0,
    order: options.ORDER = "network",
    unnamed_hcas: options.UNNAMED_HCAS = False,
    pattern: options.PATTERN = "shift",
    lmc: Annotated[
        str | None, typer.Option(help="Plan on tables of ours with 2^LMC LIDs a port; auto (default): one LID a path.")
    ] = None,
    lfts: IN_USE = None,
    own_steps: OWN_STEPS = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the job's plan there (with --job).")] = None,
    steps_out: STEPS_OUT = None,
    running: RUNNING = None,
    state: STATE = None,
    name: NAME = None,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Picks the paths of a job's messages, and compares hot spots without and with the plan.

    "Without" are the tables in use: those of --lfts, or else destination-mod-K of ours with one LID a port, as OpenSM's
    ftree routes. A job whose plan would be worse than that keeps them.

    --running plans the job beside those that run, on links that they don't use; their plans stand.
    """
    if method not in PLAN_METHODS:
        raise UsageError(f"no method '{method}'", hint=f"methods: {', '.join(PLAN_METHODS)}")
    network = open_source(source, host_pattern)
    if running is not None:
        if any((random_jobs, contiguous, own_steps, steps_out)):
            raise UsageError("--running plans one job's paths", hint="--job HOSTFILE --running FOLDER --out FILE")
        beside(source, network, job, method, running, state, name, pattern, seed, ppn, order, lmc, lfts, out, json)
        return
    jobs = options.collect_jobs(network, job, random_jobs, job_size, seed, contiguous, ppn, order, unnamed_hcas)
    jobs = options.jobs_or_whole_network(network, jobs, ppn, unnamed_hcas)
    if (out is not None or steps_out is not None) and len(jobs) > 1:
        raise UsageError("--out and --steps-out take one job", hint="--job HOSTFILE --out FILE")
    own_steps = own_steps or steps_out is not None
    in_use = TablesInUse(read_routes(network, lfts), str(lfts)) if lfts else TablesInUse(make_routes(network, 0))
    routes = in_use.routes if lfts and lmc is None else make_routes(network, options.parse_lmc(lmc or "auto"))
    with progress("jobs", (4 if own_steps else 2) * len(jobs)) as advance:
        improvements = improve_jobs(network, in_use, routes, jobs, method, pattern, seed, own_steps, advance)
    data = {"source": source, "pattern": pattern, "seed": seed}
    data |= comparison_as_data(network, in_use, improvements, method, pattern)
    if out is not None:
        write_better_plan(network, in_use.routes, routes, improvements[0], out)
    if steps_out is not None:
        write_steps(improvements[0], steps_out)
    if json:
        print_json("plan", data)
    else:
        describe(data)


def comparison_as_data(
    network: Network, in_use: TablesInUse, improvements: list[Improvement], method: str, pattern: str
) -> dict[str, Any]:
    """The jobs with their plans, and without."""
    data = assessments_as_data(network, method, [improvement.better for improvement in improvements])
    data |= improvements_as_data(in_use, improvements)
    without = [improvement.without for improvement in improvements]
    before = assessments_as_data(network, DESTINATION_MOD_K, without)
    return data | {"before": before | {"pattern": pattern}}


def beside(
    source: str,
    network: Network,
    hostfile: Path | None,
    method: str,
    running: str,
    state: Path | None,
    name: str | None,
    pattern: str,
    seed: int,
    ppn: int,
    order: str,
    lmc: str | None,
    lfts: Path | None,
    out: Path | None,
    json: bool,
) -> None:
    """The plan of one job beside those that run."""
    if hostfile is None:
        raise UsageError("--running needs --job", hint="--job HOSTFILE --running FOLDER, or --running slurm")
    if method != "pair":
        raise UsageError(f"--running has no method '{method}'", hint="pair: one path a pair of nodes")
    job = read_job(network, hostfile, ppn, order)
    routes = read_routes(network, lfts) if lfts else make_routes(network, options.parse_lmc(lmc or "auto"))
    made_for = routes.lmc(job.endpoints(network)[0])
    name = name or hostfile.name

    def save(placed: Placed) -> None:
        if out is not None:
            write_plan(network, routes, job, placed.planned(), out)
            note(f"wrote {out}")

    placed, others = add_to_running(network, routes, made_for, running, state, name, job, pattern, seed, save)
    data: dict[str, Any] = {"source": source, "pattern": pattern, "seed": seed, "running": len(others)}
    data |= placed_as_data(network, name, placed, others)
    if json:
        print_json("plan-beside", data)
        return
    say(f"{source}: beside {len(others)} jobs that run")
    describe_placed(data)


def describe(data: dict[str, Any]) -> None:
    say(f"{data['source']}: without a plan")
    say(f"  baseline      {data['baseline']}")
    describe_jobs(data["before"])
    say(f"with the plan '{data['method']}', where it is better than no plan")
    describe_jobs(data)
    say(f"  take          {choice_in_words(data)}")
    if data["jobs"] == 1:
        say(f"  proof         {data['per_job'][0]['reason']}")
        if "steps" in data["per_job"][0]:
            say(f"  steps         {data['per_job'][0]['steps']['reason']}")


def choice_in_words(data: dict[str, Any]) -> str:
    """Which of the two is better."""
    if data["jobs"] == 1:
        choice = data["choices"][0]
        word = choice["take"] if data["kept"] else f"the {choice['take']}"
        text = f"{word}: {choice['with_plan']:.4f} with it, {choice['without']:.4f} without"
        if "with_plan_own_steps" not in choice:
            return text
        return f"{text}; with own steps {choice['with_plan_own_steps']:.4f} and {choice['without_own_steps']:.4f}"
    return f"the plan in {data['jobs'] - data['kept']} of {data['jobs']} jobs, no plan in {data['kept']}"


def write_better_plan(network: Network, in_use: Routes, routes: Routes, improvement: Improvement, file: Path) -> None:
    """The plan, or where it is worse the base LIDs of the tables in use."""
    tables = in_use if improvement.keeps_tables else routes
    write_plan(network, tables, improvement.without.job, improvement.better.planned, file)
    note(f"wrote {file}")


def write_steps(improvement: Improvement, file: Path) -> None:
    """The better of the two tables of steps, or none if the shift is as good."""
    made = improvement.better.made
    if made is None:
        note(f"the shift is as good as any steps of its own: {file} is not written")
        return
    write_pattern(made.steps, str(file))
    note(f"wrote {file}")
