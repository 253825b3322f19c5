"""The verbs of the command line."""

from __future__ import annotations

import typer

from ayatori.cli import bench, check, choose, convert, demo, lab, plan, report, route, run, show, simulate

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
