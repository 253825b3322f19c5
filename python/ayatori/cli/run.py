"""ayatori run: processes of a job on this machine, or an MPI program with the plug-in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.cli.execution import UsageError
from ayatori.processes import mpi_job, run_job

PLUGINS = Path(_core.__file__).parent / "mpi"


def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="A program, or with MPI its launcher.")],
    acp: Annotated[bool, typer.Option("--acp", help="Its processes use libacp.")] = False,
    count: Annotated[int | None, typer.Option("-n", metavar="N", min=1, help="How many processes, with --acp.")] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="The plug-in says what it plays, and why.")] = False,
) -> int:
    """Runs an MPI program (mpirun, mpiexec or srun) so that its collectives are played by the plug-in; with --acp, N
    processes of a program that uses libacp. Exit status: the command's; with --acp that of the first that failed."""
    try:
        if acp:
            return run_job(command, count or 1)
        if count is not None:
            raise UsageError("-n is for --acp", hint=f"ayatori run -- mpirun -np {count} {' '.join(command)}")
        job = mpi_job(command, PLUGINS, {"AYATORI_VERBOSE": "1"} if verbose else {})
        print(f"ayatori: {job.family}, LD_PRELOAD={job.plugin}", file=sys.stderr, flush=True)
        job.replace_this_process()
    except OSError as error:
        raise Error(f"can't run {command[0]}", error.strerror or str(error)) from error
    return 0
