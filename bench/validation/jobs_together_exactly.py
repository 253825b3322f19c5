"""Plans of pairs and triples of small jobs compared with what an integer program finds for them (exact_plans.py).

    .venv/bin/python -m bench.validation.jobs_together_exactly [--cases 1000] [--minimise 10] [--out FILE]

Draws the same jobs as jobs_together.py, and for each case compares, over all phases of the jobs:

jointly    plans of jobs that start together, with what the integer program finds for all of them
in_order   the plan of the last job among the earlier ones, which are fixed, with the best that it could have

Where isolation is proven impossible, the first `--minimise` cases also ask the integer program for the least mean time,
beginning with our plans. Each case becomes a line of `--out`; a run with the same file goes on after
its last line.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

from ayatori._core import Job
from bench.validation import exact_plans
from bench.validation.exact_plans import IMPOSSIBLE, IntegerProgram, Traffic
from bench.validation.jobs_together import Fabric, drawn_jobs, planned_jointly, planned_one_by_one
from bench.validation.never_worse import PacketWalk

FABRICS = {72: "fattree:K=6,levels=2", 36: "fattree:K=6,levels=2,nodes=36"}
SIZES = (8, 16)


def compare(traffic: Traffic, ours: list[Any], fixed: int, seconds: float, minimise: float) -> dict[str, Any]:
    """Our plans compared with the integer program's, with the first `fixed` jobs as we have them."""
    plans = [each.plan for each in ours]
    loads = traffic.loads_of_plans(plans)
    standing = {job: loads[job] for job in range(fixed)}
    found: dict[str, Any] = {"isolated": exact_plans.is_isolated(loads), "together": exact_plans.together(loads)}
    exact = IntegerProgram(traffic, standing).isolate(seconds)
    found["isolation"] = exact.outcome
    if exact.outcome == IMPOSSIBLE and minimise > 0:
        best = IntegerProgram(traffic, standing).minimise(minimise, plans)
        found["minimised"] = best.outcome
        if best.loads:
            found |= {"reached": exact_plans.together(best.loads), "least_time": best.least_time}
    return found


def compared_case(fabric: Fabric, jobs: list[Job], seconds: float, minimise: float) -> dict[str, Any]:
    traffic = Traffic(PacketWalk(fabric.network, fabric.routes), jobs)
    began = time.monotonic()
    jointly = planned_jointly(fabric, jobs)
    line: dict[str, Any] = {"planned_in": round(time.monotonic() - began, 2)}
    line["jointly"] = compare(traffic, jointly, 0, seconds, minimise)
    in_order = planned_one_by_one(fabric, jobs)
    line["in_order"] = compare(traffic, in_order, len(jobs) - 1, seconds, minimise)
    return line


def lines_of(file: Path) -> Iterator[dict[str, Any]]:
    if file.exists():
        yield from (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.endswith("}"))


def run(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """The lines of one class of jobs, those of earlier runs, too."""
    wanted = {"hosts": arguments.hosts, "jobs": arguments.jobs, "seed": arguments.seed}
    lines = [line for line in lines_of(arguments.out) if wanted.items() <= line.items()]
    done = {line["case"] for line in lines}
    fabric = Fabric(FABRICS[arguments.hosts])
    until = time.monotonic() + 60 * arguments.minutes
    minimised = sum("reached" in line["jointly"] for line in lines)
    for case, jobs in enumerate(drawn_jobs(fabric, arguments.jobs, SIZES, arguments.cases, arguments.seed)):
        if case in done:
            continue
        if time.monotonic() > until:
            break
        minimise = arguments.seconds_to_minimise if minimised < arguments.minimise else 0
        line = wanted | {"case": case} | compared_case(fabric, jobs, arguments.seconds_to_isolate, minimise)
        minimised += "reached" in line["jointly"]
        lines.append(line)
        with arguments.out.open("a", encoding="utf-8") as out:
            out.write(json.dumps(line) + "\n")
    return lines


def summary(lines: list[dict[str, Any]], way: str) -> str:
    each = [line[way] for line in lines]
    possible = [one for one in each if one["isolation"] in (exact_plans.OPTIMAL, exact_plans.FOUND)]
    impossible = sum(one["isolation"] == IMPOSSIBLE for one in each)
    text = (
        f"  {way:8} mean together {fmean(one['together'] for one in each):.4f}; isolated "
        f"{sum(one['isolated'] for one in possible)} of the {len(possible)} that can be, {impossible} can't"
    )
    reached = [(one["together"], one["reached"], one["least_time"]) for one in each if "reached" in one]
    if not reached:
        return text
    ours, theirs, bound = fmean(r[0] for r in reached), fmean(r[1] for r in reached), fmean(1 / r[2] for r in reached)
    worst = min(a / b for a, b, _ in reached)
    proven = sum(one.get("minimised") == exact_plans.OPTIMAL for one in each)
    return text + (
        f"\n           of {len(reached)} that can't: ours {ours:.4f}, the integer program's {theirs:.4f} "
        f"({ours / theirs:.4f}, worst {worst:.4f}; {proven} proven optimal, least mean time proven {1 / bound:.4f})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, choices=sorted(FABRICS), default=36)
    parser.add_argument("--jobs", type=int, choices=(2, 3), default=2)
    parser.add_argument("--cases", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=10, help="no case begins after so many")
    parser.add_argument("--minimise", type=int, default=10, metavar="CASES")
    parser.add_argument("--seconds-to-isolate", type=float, default=60)
    parser.add_argument("--seconds-to-minimise", type=float, default=30)
    parser.add_argument("--out", type=Path, default=Path("jobs_together_exactly.jsonl"))
    arguments = parser.parse_args()
    lines = run(arguments)
    print(f"{FABRICS[arguments.hosts]}, {arguments.jobs} jobs, seed {arguments.seed}, {len(lines)} cases:")
    for order in ("jointly", "in_order"):
        print(summary(lines, order), flush=True)


if __name__ == "__main__":
    main()
