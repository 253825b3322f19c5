"""What `plan --roce` and `check --method ecmp` share: how the switches hash, and what planned source ports bring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ayatori._core import Job, Network
from ayatori.cli.execution import UsageError
from ayatori.cli.option_groups import JobOptions
from ayatori.cli.output import note, print_json, progress, say
from ayatori.cli.status import Status
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

HASH = Annotated[
    str | None, typer.Option(metavar="H", help="Hash of the Ethernet switches: xor, crc16, crc32, library:FILE.so.")
]
SWITCH_SEEDS = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Seeds of the hash: lines 'SWITCH SEED'; else 1, 2, … are assumed.")
]
ADDRESSES = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Lines 'HOST ADDRESS', one per NIC; else addresses are assumed.")
]


@dataclass(frozen=True)
class HashOptions:
    """The options that say what the hashes of switches are computed from."""

    hash: HASH = None
    switch_seeds: SWITCH_SEEDS = None
    addresses: ADDRESSES = None

    def refuse_without(self, other: str) -> None:
        """Raises UsageError if any is given: they go with another option, which is not."""
        if any(option is not None for option in (self.hash, self.switch_seeds, self.addresses)):
            raise UsageError(f"--hash, --switch-seeds and --addresses are for {other}")

    def switches(self) -> Switches:
        seeds = read_seeds(self.switch_seeds) if self.switch_seeds else {}
        addresses = read_addresses(self.addresses) if self.addresses else {}
        return Switches(self.hash or "crc32", seeds, addresses)


@dataclass(frozen=True)
class RoceOptions(HashOptions):
    """The same for `plan`, which has them with --roce alone."""

    roce: Annotated[bool, typer.Option("--roce", help="Plan UDP source ports for the switches' --hash.")] = False


def plan_for_roce(
    source: str,
    network: Network,
    each: JobOptions,
    roce: RoceOptions,
    pattern: str,
    out: Path | None,
    json: bool,
    others: Sequence[object],
) -> bool:
    """`plan --roce`; False if it is not asked for. `others` are options that do not go with it."""
    if not roce.roce:
        roce.refuse_without("--roce")
        return False
    if any(others):
        raise UsageError("--roce plans jobs one by one, for switches without tables", hint="--job HOSTFILE --roce")
    jobs, hashes, seed = each.jobs_or_whole_network(network), roce, each.seed
    if out is not None and len(jobs) > 1:
        raise UsageError("--out takes one job", hint="--job HOSTFILE --out FILE")
    if out is not None and hashes.addresses is None:
        raise UsageError("a plan of source ports is for addresses", hint="--addresses FILE, with lines 'HOST ADDRESS'")
    data, planned = ports_of(source, network, jobs, hashes, pattern, seed)
    if out is not None:
        write_roce_plan(planned[0], hashes.switches().hash, out)
        note(f"wrote {out}")
    print_json("plan-roce", data) if json else describe(data)
    return True


def check_ecmp(
    source: str, network: Network, jobs: list[Job], hashes: HashOptions, pattern: str, seed: int, json: bool
) -> int:
    """`check --method ecmp`: what hashing costs, and what a plan would bring."""
    if not jobs:
        raise UsageError("--method ecmp is of a job", hint="--job HOSTFILE")
    data, _ = ports_of(source, network, jobs, hashes, pattern, seed)
    print_json("check-ecmp", data) if json else describe(data)
    return Status.DONE


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
