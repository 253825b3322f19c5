"""ayatori run: processes of a job on this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from ayatori.base.errors import Error
from ayatori.cli.execution import UsageError
from ayatori.processes import run_job


def run(
    command: Annotated[list[str], typer.Argument(metavar="-- COMMAND...", help="What each process is.")],
    acp: Annotated[bool, typer.Option("--acp", help="They use libacp.")] = False,
    count: Annotated[int, typer.Option("-n", metavar="N", min=1, help="How many processes.")] = 1,
) -> int:
    """Runs N processes of a program. Exit status: that of the first that failed, after which the others are ended."""
    if not acp:
        raise UsageError("which kind of job?", hint="ayatori run --acp -n 4 -- PROGRAM")
    try:
        return run_job(command, count)
    except OSError as error:
        raise Error(f"can't run {command[0]}", error.strerror or str(error)) from error
