"""ayatori demo: the main job, end to end, on real OpenSM."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ayatori._core import Network
from ayatori.cli import options
from ayatori.cli.lab import check_in_words
from ayatori.cli.output import note, print_json, print_table, progress, say
from ayatori.errors import Error
from ayatori.files import make_folder, write_json
from ayatori.jobs import contiguous_jobs, random_jobs
from ayatori.lab.fabric import Fabric as LabFabric
from ayatori.network import open_source, rates_by_port
from ayatori.planning import METHODS, count_free, relative_bandwidths
from ayatori.report import write_report
from ayatori.routes import MadeRoutes, check, make_routes, make_routes_explained
from ayatori.study import Fabric, Study, study_as_data
from ayatori.trial import (
    OPENSM_ENGINES,
    Check,
    EngineTrial,
    compare_networks,
    discover_live,
    load_our_tables,
    net_text,
    try_engine,
)

PAPER_SOURCE = "fattree:K=6,levels=2,nodes=30,rate=4xDDR"
PEAK_MBPS = 1716
GOOD_MBPS = 1500
CONTIGUOUS_SIZES = 30  # at most, on large fabrics
# Paper 1, sections 5.2 and 5.3: what was measured on the real cluster.
PAPER_RANDOM = {
    "modk": {"mean": 1198, "min": 888, "max": 1690, "over_1500": 20},
    "rule": {"mean": 1607, "min": 1265, "max": 1716, "over_1500": 732},
}
PAPER_CONTIGUOUS = {"modk": {"16": 1310}, "rule": {"16": 1310}}


def demo(
    source: Annotated[str, typer.Argument(metavar="[SOURCE]", help="A fabric; the paper's by default.")] = PAPER_SOURCE,
    jobs: Annotated[int, typer.Option(help="Random jobs.")] = 1000,
    job_size: options.JOB_SIZE = None,
    seed: options.SEED = 1,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Where results and report go.")] = Path("ayatori-demo"),
    host_pattern: options.HOST_PATTERN = "",
    json: options.JSON = False,
) -> None:
    """Paths without hot spots: discovers a fabric, routes it, proves the tables on real OpenSM, plans jobs.

    Without SOURCE this is the main job on paper 1's cluster, its figures beside ours.
    """
    known = open_source(source, host_pattern)
    size = job_size or min(16, len(known.machines))
    if jobs < 1:
        raise Error(f"{jobs} random jobs are none to look at")
    make_folder(out)
    note(f"{source}: {known.shape().summary}")
    with LabFabric(net_text(known)) as lab:
        note("ibsim holds the fabric; discovering it over MADs")
        network = discover_live(lab, host_pattern)
        checks = [compare_networks(known, network)]
        trials = []
        for engine in OPENSM_ENGINES:
            note(f"OpenSM routes it by {engine}")
            trials.append(try_engine(lab, network, engine))
        made = make_routes_explained(network)
        note(f"our tables ({made.explanation}) go into OpenSM's file engine, and are read back")
        checks += load_our_tables(lab, network, made, source)

    study = run_study(network, trials[0], made, jobs, size, seed)
    data = study_as_data(study, title_of(source), source, seed)
    restore_rates(data["fabric"]["links"], known)
    data["checks"] = [check.as_data() for check in checks]
    data["engines"] = engines_as_data(network, trials, study)
    if source == PAPER_SOURCE:
        data["peak_MBps"] = PEAK_MBPS
        data["random"]["paper_MBps"] = PAPER_RANDOM
        data["contiguous"]["paper_MBps"] = PAPER_CONTIGUOUS
    write_json(out / "study-1.json", data)
    report = write_report(out)
    if json:
        print_json(data | {"report": str(report)})
    else:
        describe(data, checks)
        say(f"report: {report.resolve()}")
    if not all(check.passed for check in checks):
        raise Error("OpenSM does not hold our tables as made", internal=True)


def title_of(source: str) -> str:
    return "Paper 1: 30 nodes on a 6-ary-2-tree" if source == PAPER_SOURCE else source


def run_study(network: Network, ftree: EngineTrial, made: MadeRoutes, jobs: int, size: int, seed: int) -> Study:
    """All methods on the same jobs; the baseline are OpenSM ftree's own tables, or ours at LMC 0 if it refused."""
    one_lid = ftree.routes or make_routes(network, 0)
    study = Study(Fabric(network, one_lid, made.routes))
    random = random_jobs(network, jobs, size, seed=seed)
    machines = len(network.machines)
    step = max(1, machines // CONTIGUOUS_SIZES)
    contiguous = contiguous_jobs(network, range(min(3, machines), machines + 1, step))
    with progress("planning", len(METHODS) * (len(random) + len(contiguous))) as advance:
        study.run(random, contiguous, advance)
    return study


def restore_rates(links: list[dict[str, Any]], known: Network) -> None:
    """ibsim does not know NDR and newer speeds: the picture takes the rates from the source."""
    rates = rates_by_port(known)
    for link in links:
        link["rate"] = rates.get((link["a"], link["a_port"]), link["rate"])


def engines_as_data(network: Network, trials: list[EngineTrial], study: Study) -> list[dict[str, Any]]:
    """OpenSM's own engines on the same random jobs, beside ours."""
    jobs = [assessment.job for assessment in study.random["modk"]]
    rows = []
    for trial in trials:
        row: dict[str, Any] = {"name": f"OpenSM {trial.engine}", "lmc": 0, "accepted": trial.routes is not None}
        if trial.routes is None:
            row["note"] = f"refused: {trial.refusal}"
        else:
            checked = check(network, trial.routes)
            assessed = Fabric(network, trial.routes, trial.routes).assess(jobs, "modk")
            bandwidths = relative_bandwidths(assessed)
            row |= {
                "seconds": trial.run.seconds,
                "free": count_free(assessed),
                "mean_relative_bandwidth": sum(bandwidths) / len(bandwidths),
                "note": "deadlock-free" if checked.deadlock_free else "credit loops are possible",
            }
        rows.append(row)
    for method in ("rule", "colour", "pair"):
        bandwidths = relative_bandwidths(study.random[method])
        rows.append(
            {
                "name": f"ayatori, {method}",
                "lmc": study.fabric.many_lids.lmc(network.endpoints[0]),
                "accepted": True,
                "free": count_free(study.random[method]),
                "mean_relative_bandwidth": sum(bandwidths) / len(bandwidths),
                "note": METHODS[method],
            }
        )
    return rows


def describe(data: dict[str, Any], checks: list[Check]) -> None:
    say(data["title"])
    for check_ in checks:
        say(check_in_words(check_.as_data()))
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


def random_rows(data: dict[str, Any]) -> list[list[str]]:
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
            over = sum(value >= GOOD_MBPS for value in megabytes)
            figures = [
                f"{sum(megabytes) / len(megabytes):.0f}",
                f"{min(megabytes):.0f}",
                f"{max(megabytes):.0f}",
                f"{over}",
            ]
        else:
            figures = [f"{sum(values) / len(values):.4f}", f"{min(values):.4f}", f"{max(values):.4f}"]
        rows.append([f"{method}: {METHODS[method]}", f"{random['free'][method]}", *figures])
    return rows


def paper_contiguous_lines(data: dict[str, Any]) -> list[str]:
    contiguous, peak = data["contiguous"], data.get("peak_MBps")
    if not peak:
        return []
    at_16 = contiguous["sizes"].index(16)
    ours = ", ".join(f"{method} {contiguous['relative_bandwidth'][method][at_16] * peak:.0f}" for method in METHODS)
    return [f"  16 contiguous machines, MB/s: {ours} (paper measured 1310 for both of its methods)"]


def engine_row(engine: dict[str, Any]) -> list[str]:
    if not engine["accepted"]:
        return [f"{engine['name']}: {engine['note']}", str(engine["lmc"]), "-", "-"]
    mean = f"{engine['mean_relative_bandwidth']:.4f}"
    return [f"{engine['name']}: {engine['note']}", str(engine["lmc"]), str(engine["free"]), mean]
