"""ayatori acprun: the processes of a program that uses libacp, on this host."""

from __future__ import annotations

import shutil
from typing import Annotated

import typer

from ayatori.base.errors import Error
from ayatori.processes import run_job


def acprun(
    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND...", help="Program that uses libacp, with its own options.")
    ],
    count: Annotated[int, typer.Option("-n", metavar="N", min=1, help="Number of processes.")] = 1,
) -> int:
    """Start the processes of a program with libacp on this host.

    The exit status is that of the first process that failed. On several hosts, mpirun, mpiexec.hydra or srun starts
    such a program.
    """
    if shutil.which(command[0]) is None:
        raise Error(f"can't run {command[0]}", "command not found", "ayatori acprun -n 4 PROGRAM")
    try:
        return run_job(command, count)
    except OSError as error:
        raise Error(f"can't run {command[0]}", error.strerror or str(error)) from error
