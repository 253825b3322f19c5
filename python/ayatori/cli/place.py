"""ayatori place: hosts for a new job."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.option_groups import NetworkOptions
from ayatori.cli.output import print_json, say
from ayatori.cli.paths import note_traffic
from ayatori.cli.running_jobs import AmongRunning, RunningOptions, describe_placed, jobs_in_words, tables_in_words
from ayatori.cli.searching import ROUNDS, SearchOptions, cut_as_data, describe_cut, leave_if_interrupted, searched
from ayatori.model.jobs import read_job
from ayatori.planning.concurrent import PlacedData, placed_as_data
from ayatori.planning.placement import Wanted, propose
from ayatori.planning.plans import Messages
from ayatori.planning.routes import make_routes, read_routes
from ayatori.planning.traffics import purpose_of


@dataclass(frozen=True)
class NewJobOptions:
    """The options that say how large the new job is, which hosts it may have, and what it sends, among which jobs."""

    PANEL: ClassVar[str] = options.JOBS_PANEL
    USUAL: ClassVar[tuple[str, ...]] = ("nodes", "free")
    nodes: Annotated[int, typer.Option(metavar="N", help="Number of hosts of the job.")]
    free: Annotated[Path, typer.Option(metavar="HOSTFILE", help="Free hosts.")]
    others: RunningOptions
    proposals: Annotated[int, typer.Option(metavar="N", help="Limit of proposals to print.")] = 3
    ppn: options.PPN = 0
    pattern: options.PATTERN = "shift"

    def check(self) -> None:
        """Raises UsageError."""
        if self.nodes < 1:
            raise UsageError(f"a job of {self.nodes} hosts is none", hint="--nodes N, from 1 on")
        if self.proposals < 1:
            raise UsageError(f"{self.proposals} proposals are none")
        if self.others.state is not None and self.others.running is None:
            raise UsageError("--state needs --running")


class ProposalData(PlacedData):
    how: str
    hosts: list[str]
    """How hosts were chosen, and which."""


class PlaceData(AmongRunning):
    proposals: list[ProposalData]
    """The best first."""


@grouped
def place(
    *,
    new: NewJobOptions,
    search: SearchOptions,
    rails: options.RAILS = "auto",
    lmc: options.LMC = "auto",
    lfts: Annotated[Path | None, typer.Option(metavar="FILE", help="Tables in use.")] = None,
    on: NetworkOptions,
    json: options.JSON = False,
) -> None:
    """Propose hosts for a new job, apart from the running jobs.

    Each proposal is planned with the jobs of --running, and shows the expected bandwidth. The proposal with the most
    bandwidth comes first.
    """
    new.check()
    limit = search.limit
    note_traffic(new.pattern)
    network = on.open(purpose_of(new.pattern))
    candidates = read_job(network, new.free, order="network")
    routes = read_routes(network, lfts) if lfts else make_routes(network, options.parse_lmc(lmc))
    made_for = routes.lmc(candidates.endpoints(network)[0])
    others = new.others.read(network, routes)
    messages = Messages(new.pattern, search.seed, options.parse_rails(network, rails))
    asked = (candidates, Wanted(new.nodes, new.ppn, messages), others, new.proposals)
    found, cut = searched(ROUNDS, limit, lambda control: propose(network, routes, *asked, control))
    uses = [other.use for other in others]
    data: PlaceData = {
        "source": on.source,
        "pattern": new.pattern,
        "seed": search.seed,
        "running": len(others),
        "tables": tables_in_words(lfts, made_for),
        "proposals": [
            {
                "how": each.how,
                "hosts": each.hosts,
                **placed_as_data(network, f"proposal {number}", each.placed, uses),
            }
            for number, each in enumerate(found, 1)
        ],
        "cut": cut_as_data(cut),
    }
    if json:
        print_json("place", data)
    else:
        describe(data)
    leave_if_interrupted(cut)


def describe(data: PlaceData) -> None:
    say(f"{data['source']}: among {jobs_in_words(data['running'])}")
    say(f"  tables        {data['tables']}")
    describe_cut(data["cut"], ROUNDS)
    for proposal in data["proposals"]:
        say(f"{proposal['name']}: {proposal['how']}")
        describe_placed(proposal)
        say(f"  hosts         {','.join(proposal['hosts'])}")
