"""ayatori roce: what the hashes of Ethernet switches cost a job, and what planned source ports bring."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ayatori._core import Job, Network, SearchControl
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import JobOptions, NetworkOptions
from ayatori.cli.output import note, print_json, say
from ayatori.cli.paths import note_traffic
from ayatori.cli.searching import (
    SECONDS,
    CutData,
    Limit,
    cut_as_data,
    describe_cut,
    leave_if_interrupted,
    parse_limit,
)
from ayatori.cli.traffic_rows import JudgedByTraffics, describe_traffics, rows_of_traffics
from ayatori.planning.plans import Messages
from ayatori.planning.source_ports import (
    PlannedPorts,
    PortsData,
    Switches,
    plan_ports,
    ports_as_data,
    read_addresses,
    read_seeds,
    write_roce_plan,
)
from ayatori.planning.traffics import purpose_of

HASH = Annotated[
    str, typer.Option(metavar="H", help="Hash of the Ethernet switches: xor, crc16, crc32, library:FILE.so.")
]
SWITCH_SEEDS = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Seeds of the hash: lines 'SWITCH SEED'; else 1, 2 and so on.")
]
ADDRESSES = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Addresses of hosts: lines 'HOST ADDRESS', one per NIC; else assumed ones."),
]


@dataclass(frozen=True)
class HashOptions:
    """The options that say what the hashes of switches are computed from."""

    hash: HASH = "crc32"
    switch_seeds: SWITCH_SEEDS = None
    addresses: ADDRESSES = None

    def switches(self) -> Switches:
        seeds = read_seeds(self.switch_seeds) if self.switch_seeds else {}
        addresses = read_addresses(self.addresses) if self.addresses else {}
        return Switches(self.hash, seeds, addresses)


class RoceData(PortsData, JudgedByTraffics):
    source: str
    pattern: str
    seed: int
    """As given; ports at random are drawn from the seed."""
    cut: CutData | None
    """How the search was cut short."""


@grouped
def roce(
    *,
    each: JobOptions,
    traffic: options.TRAFFIC = None,
    seconds: SECONDS = "",
    hashes: HashOptions,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the plan of one job to FILE.")] = None,
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Choose the UDP source ports of a RoCE job.

    Ethernet switches choose among links by a hash of the ports. The report compares the job's bandwidth without and
    with the plan.
    """
    limit = Limit(parse_limit(seconds) if seconds else None)
    for pattern in traffic or ():
        note_traffic(pattern)
    named = tuple(dict.fromkeys(traffic or ()))
    messages = Messages(named[0] if named else "shift", each.seed, named=named)
    network = on.open(purpose_of(messages.pattern))
    jobs = each.jobs_or_whole_network(network)
    if out is not None and len(jobs) > 1:
        raise UsageError("--out takes one job", hint="--job HOSTFILE --out FILE")
    if out is not None and hashes.addresses is None:
        raise UsageError("a plan of source ports is for addresses", hint="--addresses FILE, with lines 'HOST ADDRESS'")
    switches = hashes.switches()
    planned, cut = limit.searched("jobs", lambda control: plan_all(network, jobs, switches, messages, control))
    if out is not None:
        write_roce_plan(planned[0], hashes.hash, out)
        note(f"wrote {out}")
    data: RoceData = {
        "source": on.source,
        "pattern": messages.pattern,
        "seed": each.seed,
        **ports_as_data(planned, switches),
        "named": list(named),
        "traffics": rows_of_traffics([each.shares for each in planned]),
        "cut": cut_as_data(cut),
    }
    print_json("roce", data) if json else describe(data)
    leave_if_interrupted(cut)


def plan_all(
    network: Network, jobs: list[Job], switches: Switches, messages: Messages, control: SearchControl
) -> list[PlannedPorts]:
    """Stopped, the jobs whose search went to its end; of the first job in any case what was found so far."""
    control.expect(len(jobs))
    planned: list[PlannedPorts] = []
    for job in jobs:
        found = plan_ports(network, job, switches, messages, control)
        if control.stopped and planned:
            break
        planned.append(found)
        if control.stopped:
            break
        control.did()
    return planned


def describe(data: RoceData) -> None:
    say(f"{data['source']}: {data['jobs']} jobs on switches that hash by {data['hash']} ({data['pattern']})")
    given = {"seeds": data["seeds_given"], "addresses": data["addresses_given"]}
    assumed = [word for word, is_given in given.items() if not is_given]
    if assumed:
        say(f"  assumed       {' and '.join(assumed)}")
    now, plan = data["without_plan"], data["relative_bandwidth"]
    say(f"  now           mean {now['mean']:.4f}, min {now['min']:.4f} of what the NICs could, with ports as they come")
    describe_cut(data["cut"], "jobs")
    say(f"  with the plan mean {plan['mean']:.4f}, min {plan['min']:.4f}")
    say(
        f"  jobs          {data['free']} of {data['jobs']} without a shared link, {data['proven']} as good as any ports"
    )
    describe_traffics(data, data["seed"], data["jobs"], made_for_all=False)
    if data["jobs"] == 1:
        say(f"  proof         {data['per_job'][0]['reason']}")
