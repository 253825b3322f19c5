"""ayatori roce: what the hashes of Ethernet switches cost a job, and what planned source ports bring."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ayatori._core import Job, Network
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import JobOptions, NetworkOptions
from ayatori.cli.output import note, print_json, progress, say
from ayatori.cli.paths import note_sizes
from ayatori.planning.source_ports import (
    PlannedPorts,
    RoceData,
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


@grouped
def roce(
    *,
    each: JobOptions,
    pattern: options.PATTERN = "shift",
    hashes: HashOptions,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the plan of one job to FILE.")] = None,
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Choose the UDP source ports of a RoCE job.

    Ethernet switches choose among links by a hash of the ports. The report compares the job's bandwidth without and
    with the plan.
    """
    note_sizes(pattern)
    network = on.open(purpose_of(pattern))
    jobs = each.jobs_or_whole_network(network)
    if out is not None and len(jobs) > 1:
        raise UsageError("--out takes one job", hint="--job HOSTFILE --out FILE")
    if out is not None and hashes.addresses is None:
        raise UsageError("a plan of source ports is for addresses", hint="--addresses FILE, with lines 'HOST ADDRESS'")
    data, planned = ports_of(on.source, network, jobs, hashes, pattern, each.seed)
    if out is not None:
        write_roce_plan(planned[0], hashes.hash, out)
        note(f"wrote {out}")
    print_json("roce", data) if json else describe(data)


def ports_of(
    source: str, network: Network, jobs: list[Job], hashes: HashOptions, pattern: str, seed: int
) -> tuple[RoceData, list[PlannedPorts]]:
    switches = hashes.switches()
    planned = []
    with progress("jobs", len(jobs)) as advance:
        for job in jobs:
            planned.append(plan_ports(network, job, switches, pattern, seed))
            advance(1)
    data: RoceData = {"source": source, "pattern": pattern, "seed": seed, **ports_as_data(planned, switches)}
    return data, planned


def describe(data: RoceData) -> None:
    say(f"{data['source']}: {data['jobs']} jobs on switches that hash by {data['hash']} ({data['pattern']})")
    given = {"seeds": data["seeds_given"], "addresses": data["addresses_given"]}
    assumed = [word for word, is_given in given.items() if not is_given]
    if assumed:
        say(f"  assumed       {' and '.join(assumed)}")
    now, plan = data["without_plan"], data["relative_bandwidth"]
    say(f"  now           mean {now['mean']:.4f}, min {now['min']:.4f} of what the NICs could, with ports as they come")
    say(f"  with the plan mean {plan['mean']:.4f}, min {plan['min']:.4f}")
    say(
        f"  jobs          {data['free']} of {data['jobs']} without a shared link, {data['proven']} as good as any ports"
    )
    if data["jobs"] == 1:
        say(f"  proof         {data['per_job'][0]['reason']}")
