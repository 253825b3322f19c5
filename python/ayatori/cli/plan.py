"""ayatori plan: the paths of a job; hot spots before and after."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori._core import Network, Routes, write_pattern
from ayatori.cli import options
from ayatori.cli.check import describe_jobs
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, progress, say
from ayatori.formats.plan_file import write_plan
from ayatori.model.network import open_source
from ayatori.planning.improvement import Improvement, TablesInUse, improve_jobs, improvements_as_data
from ayatori.planning.plans import DESTINATION_MOD_K, PLAN_METHODS, assessments_as_data
from ayatori.planning.routes import make_routes, read_routes


def plan(
    source: options.SOURCE,
    job: options.JOB = None,
    method: Annotated[str, typer.Option(help="rule (paper 1), colour (one LID a node) or pair (one a pair).")] = "pair",
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
    lfts: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The tables in use; without --lmc the plan is made on them, too."),
    ] = None,
    own_steps: Annotated[
        bool, typer.Option("--own-steps", help="Also order the messages of the all-to-all for the paths.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the job's plan there (with --job).")] = None,
    steps_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the job's own steps there, as a pattern file.")
    ] = None,
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Picks the paths of a job's messages, and compares hot spots without and with the plan.

    "Without" are the tables in use: those of --lfts, or else destination-mod-K of ours with one LID a port, as OpenSM's
    ftree routes. A job whose plan would be worse than that keeps them.
    """
    if method not in PLAN_METHODS:
        raise UsageError(f"no method '{method}'", hint=f"methods: {', '.join(PLAN_METHODS)}")
    network = open_source(source, host_pattern)
    jobs = options.collect_jobs(network, job, random_jobs, job_size, seed, contiguous, ppn, order, unnamed_hcas)
    jobs = options.jobs_or_whole_network(network, jobs, ppn, unnamed_hcas)
    if (out is not None or steps_out is not None) and len(jobs) > 1:
        raise UsageError("--out and --steps-out take one job", hint="--job HOSTFILE --out FILE")
    own_steps = own_steps or steps_out is not None
    in_use = TablesInUse(read_routes(network, lfts), str(lfts)) if lfts else TablesInUse(make_routes(network, 0))
    routes = in_use.routes if lfts and lmc is None else make_routes(network, options.parse_lmc(lmc or "auto"))
    with progress("jobs", (4 if own_steps else 2) * len(jobs)) as advance:
        improvements = improve_jobs(network, in_use, routes, jobs, method, pattern, seed, own_steps, advance)
    data: dict[str, Any] = {"source": source, "pattern": pattern, "seed": seed}
    data |= assessments_as_data(network, method, [improvement.better for improvement in improvements])
    data |= improvements_as_data(in_use, improvements)
    without = [improvement.without for improvement in improvements]
    data["before"] = assessments_as_data(network, DESTINATION_MOD_K, without) | {"pattern": pattern}
    if out is not None:
        write_better_plan(network, in_use.routes, routes, improvements[0], out)
    if steps_out is not None:
        write_steps(improvements[0], steps_out)
    if json:
        print_json("plan", data)
    else:
        describe(data)


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
