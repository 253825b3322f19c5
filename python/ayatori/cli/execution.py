"""Runs a command line, and turns whatever happens into an exit status and lines for people."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

from ayatori.base.errors import Error, Interrupted, SourceTaken, SourceWarning, UnknownWord
from ayatori.cli.output import note, print_error, print_warning
from ayatori.cli.status import Status
from ayatori.cli.stdout import OutputLost, printed_to_the_end


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Prints a warning as people expect it of a program, without the place in our code that it comes from."""
    if isinstance(message, SourceTaken):
        note(str(message))
    else:
        print_warning(str(message))


class UsageError(Error):
    """Options that contradict each other, need each other, or have a value that no input could make right."""


def execute(app: Callable[..., Any], arguments: list[str], name: str) -> int:
    """Runs `app`, called `name`, with these arguments. Returns the exit status; prints what went wrong."""
    return printed_to_the_end(lambda: _status_of(app, arguments, name))


def _status_of(app: Callable[..., Any], arguments: list[str], name: str) -> int:
    """As execute(), but for what is still to be written to stdout. Raises OutputLost."""
    import click

    try:
        with warnings.catch_warnings():
            warnings.showwarning = show_warning
            warnings.simplefilter("always", SourceWarning)
            status = app(arguments, prog_name=name, standalone_mode=False)
        if status == Status.INTERRUPTED:
            print_error("interrupted")
        return status if isinstance(status, int) else Status.DONE
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return Status.DONE
    except click.UsageError as error:
        print_error(error.format_message(), hint=f"{error.ctx.command_path} --help" if error.ctx else "")
        return Status.USAGE
    except click.ClickException as error:
        print_error(error.format_message())
        return Status.INPUT
    except (UsageError, UnknownWord) as error:
        print_error(error.message, error.cause, error.hint)
        return Status.USAGE
    except Error as error:
        print_error(error.message, error.cause, error.hint)
        return Status.INTERNAL if error.internal else Status.INPUT
    except OutputLost:
        raise
    except Interrupted as interrupt:
        print_error("interrupted", cause=str(interrupt), hint="the same command with --resume goes on there")
        return Status.INTERRUPTED
    except SystemExit as end:  # of ayatori.resumable.terminate
        return end.code if isinstance(end.code, int) else Status.INPUT
    except (click.Abort, KeyboardInterrupt):
        print_error("interrupted")
        return Status.INTERRUPTED
    except Exception as error:
        print_error(
            "this is a defect in ayatori", f"{type(error).__name__}: {error}", "please report it with the command line"
        )
        if os.environ.get("AYATORI_TRACEBACK"):
            raise
        return Status.INTERNAL


def leave(status: int) -> None:
    """Ends this process with an exit status."""
    if status in (Status.INTERRUPTED, Status.TERMINATED):
        # A thread may still be in a call of the core: nothing that Python tears down is needed any more.
        os._exit(status)
    sys.exit(status)
