"""`ayatori run --plan auto`: the plan of the ranks that really start, made before the program does."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path

from ayatori import _core
from ayatori._core import Job, Network
from ayatori.base.errors import Error
from ayatori.base.files import make_folder
from ayatori.cli.output import counted
from ayatori.cli.searching import Limit, leave_if_interrupted
from ayatori.cli.sources import check_source
from ayatori.formats.plan_file import write_plan
from ayatori.model.network import open_source
from ayatori.planning.improvement import Effort, TablesInUse, improve_jobs
from ayatori.planning.plans import Messages, rails_on
from ayatori.planning.routes import make_routes
from ayatori.planning.traffics import purpose_of
from ayatori.processes.rank_probe import find_hosts_of_ranks

AUTO = "auto"
PATTERN = "shift"


def source_in(plan: str | None) -> str | None:
    """The SOURCE of --plan auto:SOURCE, empty for `auto` alone; None if --plan names a file, or is not given."""
    word, _, source = (plan or "").partition(":")
    if word != AUTO:
        return None
    if source:
        check_source(source)
    return source


def network_of(planned_on: str, network: str | None, aliases: Path | None = None) -> Network:
    """The job's network: that of `auto:SOURCE`, else of --network or the lab, else what the environment says."""
    named = planned_on or network or os.environ.get("NWTOPO_SOURCE")
    source = named or _core.automatic_source()
    if not source:
        raise Error("no network to plan on", hint="--plan auto:SOURCE, or set NWTOPO_SOURCE")
    return open_source(source, purpose=purpose_of(PATTERN), aliases=aliases)


def check_launcher(command: Sequence[str]) -> None:
    """Raises Error for srun outside an allocation, of which each call gets nodes of its own."""
    if not os.environ.get("SLURM_JOB_ID") and any(Path(word).name == "srun" for word in command):
        raise Error(
            "srun would get other nodes for the program than for its plan", hint="salloc or sbatch, and srun within it"
        )


@contextmanager
def folder_of_plan(kept: Path | None) -> Iterator[Path]:
    """A folder that the job's hosts see, if they share the working directory as programs do, or that of `kept`; without
    `kept` it is gone at the end."""
    if kept is not None:
        make_folder(kept / "plan")
        yield kept / "plan"
        return
    try:
        folder = tempfile.TemporaryDirectory(prefix=".ayatori-", dir=Path.cwd())
    except OSError as error:
        raise Error("can't write the plan here", error.strerror or str(error), "start it in another folder") from error
    with folder as name:
        yield Path(name)


def job_of(network: Network, command: Sequence[str], environment: Mapping[str, str], probe: Mapping[str, str]) -> Job:
    """The ranks that `command` starts (find_hosts_of_ranks)."""
    hosts = find_hosts_of_ranks(command, environment, probe)
    runs = [(host, len(list(ranks))) for host, ranks in groupby(hosts)]
    return _core.job_of_hosts(network, runs, "the ranks that started")


def plan_for(network: Network, job: Job, file: Path, seconds: float) -> bool:
    """Plans as `ayatori plan` does, for so many seconds at most, and says in one line what that brings. Returns whether
    it brings anything: then the plan is in `file`."""
    limit = Limit(seconds)
    in_use = TablesInUse(limit.tables(lambda control: make_routes(network, 0, control=control)))
    routes = limit.tables(lambda control: make_routes(network, "auto", control=control))
    messages = Messages(PATTERN, rails=rails_on(network, "auto"), named=())
    (improvement,), cut = limit.searched(
        "jobs", lambda control: improve_jobs(network, in_use, routes, [job], Effort(), messages, control)
    )
    leave_if_interrupted(cut)
    without, planned = improvement.without.judged[0], improvement.planned.judged[0]
    job_in_words = f"{counted(job.rank_count, 'rank')} on {counted(len(job.machines), 'host')}"
    if improvement.keeps_tables:
        _tell(f"no plan helps {job_in_words}: {without:.4f} without")
        return False
    assert improvement.planned.planned is not None
    nics, _ = messages.of(network, job)
    write_plan(network, routes, nics, improvement.planned.planned, file, of_nics=messages.rails != "own")
    _tell(f"plan for {job_in_words}: {planned:.4f} instead of {without:.4f}, in the mean over the usual traffics")
    return True


def _tell(line: str) -> None:
    print(f"ayatori: {line}", file=sys.stderr, flush=True)
