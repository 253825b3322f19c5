"""The command line: one module per command, `app` around them, `main` around that."""

from __future__ import annotations

import os
import signal
import sys

_INTERRUPTED = 130
ASKING_FOR_COMMANDS: list[list[str]] = [[], ["-h"], ["--help"]]


def main() -> None:
    """Runs the command line and ends the process; see ayatori.cli.execution.Status for the exit statuses."""
    with_handler = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if with_handler:
        # Whoever presses Ctrl-C while the modules are loaded gets a line, and not where Python happened to be.
        signal.signal(signal.SIGINT, _leave_at_once)
    from ayatori.cli.at_once import answer_at_once, print_answer
    from ayatori.cli.stdout import printed_to_the_end, tell_failures_of_stdout

    tell_failures_of_stdout()
    if (answer := answer_at_once(sys.argv[1:], os.environ)) is not None:
        sys.exit(printed_to_the_end(lambda: print_answer(*answer)))
    from ayatori.cli.app import app
    from ayatori.cli.execution import execute, leave

    if sys.argv[1:] not in ASKING_FOR_COMMANDS:
        _handle_signals(with_handler)
    leave(execute(app, sys.argv[1:], "ayatori"))


def _handle_signals(with_handler: bool) -> None:
    """Has Ctrl-C and SIGTERM end calls of the core, which the list of commands does not load."""
    from ayatori.resumable import end_calls_of_the_core, interrupt, terminate

    if with_handler:
        signal.signal(signal.SIGINT, interrupt)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, terminate)
    end_calls_of_the_core()


def _leave_at_once(_number: int, _frame: object) -> None:
    os.write(2, b"error: interrupted\n")
    os._exit(_INTERRUPTED)
