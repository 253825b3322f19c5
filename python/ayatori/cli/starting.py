"""What starts a job with its ranks where a plan, a choice or an order has them."""

from __future__ import annotations

from pathlib import Path
from shlex import join

from ayatori._core import Job, Network
from ayatori.cli.output import note, say, say_unbroken
from ayatori.ordering.files import write_start_file


def write_start_files(network: Network, job: Job, result: Path, run: str = "") -> dict[str, str]:
    """Writes RESULT.hosts next to a result that holds for this order of ranks alone; returns, by launcher, the line
    that starts the job in it. `run`: what starts launchers."""
    file = result.with_name(f"{result.name}.hosts")
    lines = write_start_file(network, job, file, run)
    note(f"wrote {file}")
    return lines


def line_that_plans(source: str, hosts: Path, method: str, lfts: Path | None) -> str:
    """What makes the plan that predicted times by this method count on, of a job in the order of the file; empty for
    methods without a plan."""
    from ayatori.planning.plans import PLAN_METHODS

    if method not in PLAN_METHODS:
        return ""
    words = ["ayatori", "plan", source, "--job", str(hosts), "--method", method, "--out", f"{hosts}.plan"]
    return join(words if lfts is None else [*words, "--lfts", str(lfts)])


def describe_planning(line: str) -> None:
    say("the times are with a plan, which this line makes; it also prints how to start the job")
    say_unbroken(f"  {line}")


def describe_start(lines: dict[str, str]) -> None:
    if not lines:
        return
    say("start the job in this order: append the program to one of these lines")
    for launcher, line in lines.items():
        say_unbroken(f"  {launcher:<13} {line}")
    if "torchrun" in lines:
        say(f"  {'':<13} on each host; I counts the hosts in the order of the file, from 0")
