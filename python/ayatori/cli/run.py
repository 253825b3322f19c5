"""ayatori run: an MPI program with the plug-in, or any program on the paths of a plan."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, ClassVar

import typer
from typer.models import TyperPath

from ayatori import _core
from ayatori._core import Network
from ayatori.base.compiled import PLUGINS, PROVIDERS
from ayatori.base.errors import Error
from ayatori.base.sources import with_kind
from ayatori.cli import options, plan_at_start
from ayatori.cli.execution import UsageError
from ayatori.cli.grouped import grouped
from ayatori.cli.lab import check_lab
from ayatori.cli.options import OneOf
from ayatori.cli.output import print_warning
from ayatori.cli.planned import check_plan_on
from ayatori.cli.searching import SECONDS, USUAL_SECONDS, parse_limit
from ayatori.diagnosis.remedies import variables_for
from ayatori.formats.plan_file import is_roce_plan
from ayatori.lab.cluster import Settings, words_in_lab
from ayatori.lab.cluster import run_command as run_in_cluster
from ayatori.model.network import open_source
from ayatori.processes import MpiJob, family_of, mpi_job, other_launcher
from ayatori.processes.foreground import run_in_foreground
from ayatori.processes.mpi_job import LAUNCHERS
from ayatori.processes.rank_probe import probe_library, probe_variables
from ayatori.processes.transport import transport_variables

PATHS = Path(_core.__file__).parent / "paths/libayatori_paths.so"


PLAN = Annotated[
    str | None,
    typer.Option(
        "--plan",
        metavar="FILE|auto[:SOURCE]",
        click_type=TyperPath(path_type=str),  # ./auto is a file
        help="Plan whose paths the program's verbs connections take. auto: plan at the start, for the ranks and hosts "
        "that the command starts, on SOURCE, --network, NWTOPO_SOURCE or the detected network.",
    ),
]


@dataclass(frozen=True)
class PluginOptions:
    """The options that say what the plug-in knows and does."""

    PANEL: ClassVar[str] = "Plug-in"
    USUAL: ClassVar[tuple[str, ...]] = ("plan", "verbose")
    plan: PLAN = None
    applied_out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Record the paths of connections in DIR, for check --applied.")
    ] = None
    progress: Annotated[
        str | None,
        typer.Option(
            "--progress",
            click_type=OneOf("progress mechanism", ("thread", "calls", "off")),
            help="Progress of nonblocking operations during computation: by a thread, in the program's calls, or off.",
        ),
    ] = None
    transport: Annotated[
        bool, typer.Option("--transport", help="Run the MPI over our transport, a provider of libfabric.")
    ] = False
    verbose: Annotated[bool, typer.Option("--verbose", help="Print what the plug-in executes, and why.")] = False


@dataclass(frozen=True)
class SiteOptions:
    """The options that say where the job runs, and on which network."""

    PANEL: ClassVar[str] = "Where and on which network"
    USUAL: ClassVar[tuple[str, ...]] = ("network",)
    lab: Annotated[
        Path | None,
        typer.Option("--lab", metavar="FILE", help="Run in a cluster of namespaces, as lab cluster."),
    ] = None
    network: Annotated[
        str | None,
        typer.Option(
            "--network",
            metavar="SOURCE",
            help="Network of the job: messages between hosts take the fastest plane of both; with --lab the lab's.",
        ),
    ] = None
    lfts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tables in use: --plan must have been made on them.")
    ] = None
    aliases: options.ALIASES = None
    slower: Annotated[float, typer.Option("--slower", metavar="N", help="Divisor of all rates of --lab.")] = 1.0

    def source(self) -> str | None:
        """The job's network, which in a lab is the lab's own unless another is named."""
        if self.network is None:
            return None if self.lab is None else f"cluster:{self.lab}"
        return with_kind(self.network)


@grouped
def run(
    *,
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="Launcher of an MPI program, or a program.")
    ],
    plugin: PluginOptions,
    where: SiteOptions,
    seconds: SECONDS = "",
    count: Annotated[int | None, typer.Option("-n", metavar="N", min=1, hidden=True)] = None,
) -> int:
    """Run an MPI program; the plug-in executes its collectives.

    COMMAND begins with mpirun, mpiexec or srun. With --plan, it may be any program: its verbs connections take the
    plan's paths. The exit status is the command's.
    """
    _check(command, count, where)
    network = where.source()
    planned_on = plan_at_start.source_in(plugin.plan)
    limit = parse_limit(seconds or USUAL_SECONDS)
    if seconds and planned_on is None:
        raise UsageError("--seconds limits the search for a plan", hint=f"--plan {plan_at_start.AUTO}")
    plan = None if plugin.plan is None or planned_on is not None else Path(plugin.plan)
    variables = _variables(command, plugin, network) | _log_of_paths(plugin.applied_out, plugin.plan)
    variables |= _variables_of_aliases(where.aliases, network is not None or planned_on is not None)
    if where.lfts is not None and (plan is None or where.network is None):
        raise UsageError("--lfts are the tables that a plan must fit", hint="--plan FILE --network SOURCE --lfts FILE")
    if plan is not None:
        variables |= _variables_of_plan(plan)
        if where.network is not None:  # a lab has no LIDs: its plans are of other networks
            check_plan_on(where.network, plan, where.lfts, where.aliases)
    try:
        site = _Site(where.lab, Settings(where.slower))
        if planned_on is not None:
            network_of = partial(plan_at_start.network_of, planned_on, network, where.aliases)
            return _run_with_new_plan(command, variables, network_of, plugin.applied_out, site, limit)
        return site.start(site.job(command, variables, plan))
    except OSError as error:
        raise Error(f"can't run {command[0]}", error.strerror or str(error)) from error


def _check(command: list[str], count: int | None, where: SiteOptions) -> None:
    lab, slower = where.lab, where.slower
    if slower <= 0:
        raise UsageError("--slower takes a number above 0")
    if slower != 1 and lab is None:
        raise UsageError("only a lab has rates to divide", hint="--slower goes with --lab FILE")
    if count is not None:  # hidden: mpirun's, and so a usual guess
        mpi = _started_by_mpi(command, count)
        raise UsageError(
            "run has no -n, its COMMAND has", hint=f"ayatori run {mpi} (libacp: ayatori acprun -n {count})"
        )
    if shutil.which(command[0]) is None:
        raise Error(f"can't run {command[0]}", "command not found", "ayatori run mpirun -np 4 PROGRAM")
    if lab is not None:
        check_lab(lab, Settings(slower))


def _started_by_mpi(command: list[str], count: int) -> str:
    """The command as `count` ranks of MPI; a launcher in it has its own number of ranks, or gets this one."""
    if not Path(command[0]).name.startswith((*LAUNCHERS, "srun")):
        command = ["mpirun", *command]
    if not {"-n", "-np", "--np", "--ntasks"} & set(command):
        command = [command[0], "-n", str(count), *command[1:]]
    return shlex.join(command)


@dataclass(frozen=True)
class _Site:
    """Where commands run: on this machine, or on the first host of a lab."""

    lab: Path | None
    settings: Settings

    def job(self, command: list[str], variables: Mapping[str, str], plan: Path | None) -> MpiJob:
        has_paths = plan is not None and (is_roce_plan(plan) or _core.read_plan_file(str(plan)).lmc > 0)
        paths = PATHS if has_paths else None
        return mpi_job(command, PLUGINS, variables, paths, ranks_share_cores=self.lab is not None)

    def start(self, job: MpiJob, comes_back: bool = False) -> int:
        """The exit status. `comes_back`: we have something to do after the command."""
        _say_what_runs(job)
        if self.lab is not None:
            return run_in_cluster(self.lab, self.settings, job.as_one_command())
        if comes_back:
            return run_in_foreground(job.words(), job.environment())
        job.replace_this_process()
        return 0

    def words_and_environment(self, job: MpiJob) -> tuple[list[str], Mapping[str, str]]:
        """For who starts the job as a child."""
        if self.lab is None:
            return job.words(), job.environment()
        return words_in_lab(self.lab, self.settings, job.as_one_command()), os.environ


def _run_with_new_plan(
    command: list[str],
    variables: dict[str, str],
    network_of: Callable[[], Network],
    kept: Path | None,
    site: _Site,
    limit: float,
) -> int:
    """Starts the command twice: to see which ranks it starts, and with the plan for these."""
    plan_at_start.check_launcher(command)
    planned_on = network_of()
    family = family_of(command)
    with plan_at_start.folder_of_plan(kept) as folder:
        seen_by_all, file = folder / "seen-by-all", folder / "plan.json"
        seen_by_all.touch()
        first = MpiJob(command, family, [probe_library(PLUGINS)], probe_variables(seen_by_all))
        job = plan_at_start.job_of(planned_on, *site.words_and_environment(first), first.variables)
        seen_by_all.unlink()
        if plan_at_start.plan_for(planned_on, job, file, limit):
            planned = site.job(command, variables | _variables_of_plan(file), file)
            return site.start(planned, comes_back=True)
    if "AYATORI_PLAN" in os.environ:
        variables = {**variables, "AYATORI_PLAN": ""}
    return site.start(MpiJob(command, None, [], variables) if family is None else site.job(command, variables, None))


def _say_what_runs(job: MpiJob) -> None:
    if other := other_launcher(job.command, job.family):
        print_warning(
            f"{job.command[0]} is of {other}, and the program is linked to {job.family}: its processes may not find "
            "each other"
        )
    print(f"ayatori: {job.in_words()}", file=sys.stderr, flush=True)


def _log_of_paths(folder: Path | None, plan: str | None) -> dict[str, str]:
    if folder is None:
        return {}
    if plan is None:
        raise UsageError("--applied-out writes which paths of a plan were taken", hint="--plan FILE")
    folder.mkdir(parents=True, exist_ok=True)
    return {"AYATORI_PATHS_LOG": str(folder.resolve())}


def _absolute(source: str) -> str:
    """A file or folder is named by its whole path, since the job's first process may be somewhere else."""
    kind, colon, rest = source.partition(":")
    return f"{kind}{colon}{Path(rest).resolve()}" if rest and Path(rest).exists() else source


def _network_of_neighbours(source: str, command: list[str]) -> dict[str, str]:
    """What makes the command's MPI send its own messages over the planes for neighbours, where the network tells them
    from others that an MPI could take. What the user has set stays."""
    kind = source.partition(":")[0]
    if kind not in dict(_core.source_kinds()):
        open_source(source)  # says which there are
    if kind not in ("cluster", "json", "cache"):
        return {}  # Others don't tell, and may be open to the job's hosts alone.
    neighbours = _core.Purpose.neighbours
    if all(use.fibre_channel or neighbours in use.purposes for use in open_source(source).plane_uses):
        return {}
    network = open_source(source, purpose=neighbours)
    interfaces = {
        machine.name: [network.name(network.port(end).device) for end in machine.endpoints]
        for machine in network.machines
        if machine.endpoints
    }
    # Open MPI refuses options for both which to use and which not.
    set_by_user = any(f"OMPI_MCA_btl_tcp_if_{word}" in os.environ for word in ("include", "exclude"))
    variables = variables_for(interfaces, openmpi=family_of(command) == "openmpi" and not set_by_user)
    return {name: os.environ.get(name, value) for name, value in variables.items()}


def _variables_of_aliases(aliases: Path | None, names_network: bool) -> dict[str, str]:
    if aliases is None:
        return {}
    if not names_network and "NWTOPO_SOURCE" not in os.environ:
        raise UsageError("--aliases is of the hosts of a network", hint="--network SOURCE, or --plan auto:SOURCE")
    return {"AYATORI_ALIASES": str(aliases.resolve())}


def _variables_of_plan(plan: Path) -> dict[str, str]:
    """The plan's file, which must be that of the job that starts: its ranks compare."""
    if is_roce_plan(plan):
        _core.read_roce_plan_file(str(plan))
        return {"AYATORI_ROCE_PLAN": str(plan.resolve())}
    _core.read_plan_file(str(plan))
    return {"AYATORI_PLAN": str(plan.resolve()), "AYATORI_PLAN_MUST_FIT": "1"}


def _variables(command: list[str], plugin: PluginOptions, network: str | None) -> dict[str, str]:
    """What the plug-in reads. Files are read here first: what is wrong in them is said before a job starts."""
    variables = {}
    if plugin.progress is not None:
        variables["AYATORI_PROGRESS"] = plugin.progress
    if network is not None:
        variables |= {"NWTOPO_SOURCE": _absolute(network), "AYATORI_SOCKETS": "1"}
        variables |= _network_of_neighbours(network, command)
    if plugin.transport:
        variables |= transport_variables(command, family_of(command), PROVIDERS)
    if plugin.verbose:
        variables["AYATORI_VERBOSE"] = "1"
    return variables
