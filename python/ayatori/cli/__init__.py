"""The command line: one module a verb, `main` around them."""

from __future__ import annotations

import os
import sys

import click
import typer

from ayatori.cli import bench, check, choose, convert, demo, lab, plan, report, route, run, show, simulate
from ayatori.cli.output import print_error
from ayatori.errors import Error
from ayatori.report import ReportError
from ayatori.runs import Interrupted

INTERRUPTED = 130

app = typer.Typer(
    name="ayatori",
    help="See the network that HPC software runs on, and use it.",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("show")(show.show)
app.command("convert")(convert.convert)
app.command("route")(route.route)
app.command("check")(check.check)
app.command("plan")(plan.plan)
app.command("choose")(choose.choose)
app.command("simulate")(simulate.simulate)
app.command("run")(run.run)
app.add_typer(lab.app, name="lab")
app.add_typer(bench.app, name="bench")
app.command("report")(report.report)
app.command("demo")(demo.demo)


def main() -> None:
    """Runs the command line. Exit status: 0 done, 1 the user's input, 2 our fault, 130 interrupted."""
    status = execute(sys.argv[1:])
    if status == INTERRUPTED:
        # A thread may still be in a call of the core: nothing that Python tears down is needed any more.
        sys.stdout.flush()
        os._exit(status)
    sys.exit(status)


def execute(arguments: list[str]) -> int:
    try:
        status = app(arguments, prog_name="ayatori", standalone_mode=False)
        if status == INTERRUPTED:
            print_error("interrupted")
        return status if isinstance(status, int) else 0
    except click.exceptions.NoArgsIsHelpError as error:
        print(error.format_message())
        return 0
    except click.ClickException as error:
        print_error(error.format_message(), hint=_usage_hint(error))
        return 1
    except (Error, ReportError) as error:
        print_error(error.message, error.cause, error.hint)
        return 2 if getattr(error, "internal", False) else 1
    except BrokenPipeError:
        # The reader of our output has gone: nothing to tell it, and nothing more to flush.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Interrupted as interrupt:
        print_error("interrupted", cause=str(interrupt), hint="the same command with --resume goes on there")
        return INTERRUPTED
    except click.Abort:
        print_error("interrupted")
        return INTERRUPTED
    except Exception as error:
        print_error(
            "this is a defect in ayatori", f"{type(error).__name__}: {error}", "please report it with the command line"
        )
        if os.environ.get("AYATORI_TRACEBACK"):
            raise
        return 2


def _usage_hint(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path} --help" if context else ""
