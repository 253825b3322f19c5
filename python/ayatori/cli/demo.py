"""ayatori demo: the main job, end to end, on real OpenSM."""

from __future__ import annotations

import shlex
import sys
from datetime import datetime, timezone
from pathlib import Path
from typing import Annotated, TypedDict

import typer

from ayatori.base.errors import Error
from ayatori.base.files import make_folder, write_json
from ayatori.cli import options
from ayatori.cli.lab import check_in_words
from ayatori.cli.output import print_json, print_table, say, saying_what_is_done
from ayatori.cli.searching import (
    SECONDS,
    CutData,
    cut_as_data,
    describe_cut,
    leave_if_interrupted,
    parse_limit,
    searched,
)
from ayatori.model.jobs import count_hosts
from ayatori.model.network import open_source
from ayatori.planning.plans import METHODS
from ayatori.report import write_report
from ayatori.study import paper1
from ayatori.study.main_job import EngineData, MainJobData, main_job_as_data, run_lab, run_study


class OriginData(TypedDict):
    date: str
    version: str
    seed: int
    command: str
    """When and how the study was made."""


class DemoStudy(MainJobData):
    made: OriginData
    """Where the study comes from."""
    cut: CutData | None
    """How the search was cut short."""


class DemoData(DemoStudy):
    """The study that the report draws."""

    report: str
    """The page."""


def demo(
    source: Annotated[
        str, typer.Argument(metavar="[SOURCE]", help="Fabric; that of paper 1 by default.")
    ] = paper1.SOURCE,
    random_jobs: options.RANDOM_JOBS = 1000,
    job_size: options.JOB_SIZE = None,
    seconds: SECONDS = "300s",
    seed: options.SEED = 1,
    out_dir: Annotated[Path, typer.Option(metavar="DIR", help="Folder of the results and the report.")] = Path(
        "ayatori-demo"
    ),
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Show paths without hot spots on a whole fabric, with a report.

    The demo discovers the fabric, routes it, proves the tables on real OpenSM, and plans jobs. Without SOURCE it takes
    the cluster of paper 1, with its figures next to ours.
    """
    limit = parse_limit(seconds)
    known = open_source(source, host_pattern)
    size = job_size or min(16, count_hosts(known))
    jobs = options.random_job_count(random_jobs or 0)
    make_folder(out_dir)
    with saying_what_is_done() as doing:
        doing(f"{source}: {known.shape().summary}")
        lab = run_lab(known, source, host_pattern, doing)
        doing(f"planning {jobs} random jobs of {size} machines, and contiguous ones, by every method")
        study, cut = searched("jobs planned", limit, lambda control: run_study(lab, jobs, size, seed, control))
        doing("measuring each engine's tables, and drawing the report")
        data: DemoStudy = {
            **main_job_as_data(known, lab, study, source, seed),
            "made": origin_as_data(seed),
            "cut": cut_as_data(cut),
        }
        write_json(out_dir / "study-1.json", data)
        report = write_report(out_dir)
    if json:
        printed: DemoData = {**data, "report": str(report)}
        print_json("demo", printed)
    else:
        describe(data)
        describe_cut(data["cut"], "jobs planned")
        say(f"report: {report.resolve()}")
    if not all(check.passed for check in lab.checks):
        raise Error("OpenSM does not hold our tables as made", internal=True)
    leave_if_interrupted(cut)


def origin_as_data(seed: int) -> OriginData:
    """When and how the study was made, for its report."""
    from importlib.metadata import version

    return {
        "date": datetime.now(timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "version": version("ayatori"),
        "seed": seed,
        "command": shlex.join(["ayatori", *sys.argv[1:]]),
    }


def describe(data: DemoStudy) -> None:
    say(data["title"])
    for check in data["checks"]:
        say(check_in_words(check))
    say("")
    random = data["random"]
    unit = "MB/s" if "peak_MBps" in data else "of the NICs' bandwidth"
    print_table(
        f"{random['jobs']} random jobs of {random['size']} machines, shift all-to-all, {unit} (seed {random['seed']})",
        ["", "free of hot spots", "mean", "min", "max", *(["over 1500"] if "peak_MBps" in data else [])],
        random_rows(data),
    )
    say("")
    contiguous = data["contiguous"]
    free = ", ".join(f"{method} {contiguous['free'][method]}" for method in METHODS)
    say(f"contiguous jobs of {contiguous['sizes'][0]} to {contiguous['sizes'][-1]} machines,")
    say(f"  of {len(contiguous['sizes'])} free of hot spots: {free}")
    for line in paper_contiguous_lines(data):
        say(line)
    say("")
    engine_rows = [engine_row(engine) for engine in data["engines"]]
    print_table("the same random jobs on each engine's tables", ["", "LMC", "free", "mean"], engine_rows)


def random_rows(data: DemoStudy) -> list[list[str]]:
    random, peak = data["random"], data.get("peak_MBps")
    rows = []
    for method in METHODS:
        values = random["relative_bandwidth"][method]
        if peak:
            megabytes = [value * peak for value in values]
            if paper := random["paper_MBps"].get(method):
                rows.append(
                    [
                        f"paper, measured: {method}",
                        "",
                        *(f"{paper[key]}" for key in ("mean", "min", "max", "over_1500")),
                    ]
                )
            over = sum(value >= paper1.GOOD_MBPS for value in megabytes)
            figures = [
                f"{sum(megabytes) / len(megabytes):.0f}",
                f"{min(megabytes):.0f}",
                f"{max(megabytes):.0f}",
                f"{over}",
            ]
        else:
            figures = [f"{sum(values) / len(values):.4f}", f"{min(values):.4f}", f"{max(values):.4f}"]
        rows.append([f"{method}: {data['methods'][method]}", f"{random['free'][method]}", *figures])
    return rows


def paper_contiguous_lines(data: DemoStudy) -> list[str]:
    contiguous, peak = data["contiguous"], data.get("peak_MBps")
    if not peak or paper1.CONTIGUOUS_NODES not in contiguous["sizes"]:
        return []
    at_16 = contiguous["sizes"].index(paper1.CONTIGUOUS_NODES)
    ours = ", ".join(f"{method} {contiguous['relative_bandwidth'][method][at_16] * peak:.0f}" for method in METHODS)
    return [f"  16 contiguous machines, MB/s: {ours} (paper measured 1310 for both of its methods)"]


def engine_row(engine: EngineData) -> list[str]:
    if not engine["accepted"]:
        return [f"{engine['name']}: {engine['note']}", str(engine["lmc"]), "-", "-"]
    mean = f"{engine['mean_relative_bandwidth']:.4f}"
    return [f"{engine['name']}: {engine['note']}", str(engine["lmc"]), str(engine["free"]), mean]
