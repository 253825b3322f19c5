"""ayatori explain: why is a program as fast as it is, and what would change that?"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypedDict

import typer

from ayatori.base.compiled import PLUGINS
from ayatori.base.files import make_folder, write_bytes, write_json
from ayatori.base.units import format_bytes, format_seconds
from ayatori.cli import options
from ayatori.cli.execution import UsageError
from ayatori.cli.output import note, print_json, print_table, say, saying_what_is_done
from ayatori.overlap.explanation import WORTH_A_CHANGE
from ayatori.overlap.explanation import explain as explanation_of
from ayatori.overlap.kinds import Kind
from ayatori.overlap.perfetto import perfetto_of
from ayatori.overlap.timeline import timeline_of
from ayatori.overlap.tracing import Measured, Program, measure_change, program_of
from ayatori.report.overlap_page import overlap_page


class MeasuredData(TypedDict):
    before: float
    after: float
    hidden: float
    verdict: str
    """Medians of the alternating runs in seconds, their difference, and the comparison in words."""
    noise: float
    too_noisy: bool
    """By how many seconds medians of the earlier and the later half of runs differ, and whether that is too much: more
    than 15 % of what is hidden, or others had more than 5 % of the cores."""
    others: float
    stolen: float
    """The largest share of the cores that other processes had in a run, and that the host of a virtual machine had."""
    off: float
    """The share of the runs with the plug-in's thread in which its own trial turned it off."""


class ExplainData(TypedDict):
    """[The page](overlap.md#explain-a-program) says how it is found out."""

    command: str
    mpi: str
    """What was run, and its MPI."""
    unseen: list[str]
    """Sentences: which operations of the program the trace does not know; empty: it knows all."""
    given: list[str]
    moved_by: str
    advice: list[str]
    """Sentences: thread level, cores, eager limits, where the time went; what moved the bytes; what to change."""
    kinds: list[Annotated[dict[str, Any], Kind]]
    """One entry for the nonblocking operations of one name and size."""
    seconds: float
    with_progress: float
    hidden: float
    """The program's time, the time predicted with the plug-in's thread, and their difference."""
    measured: MeasuredData | None
    """The change, measured; null where there was nothing to measure."""


MAX_REPEATS = 100


def explain(
    command: Annotated[list[str], typer.Argument(metavar="COMMAND...", help="MPI program with its launcher.")],
    lab: Annotated[
        Path | None, typer.Option("--lab", metavar="FILE", help="Run in a cluster of namespaces, as lab cluster.")
    ] = None,
    repeats: Annotated[
        int, typer.Option(metavar="N", help="Runs with the change, alternating with plain runs; 0: predict only.")
    ] = 1,
    out_dir: Annotated[
        Path | None,
        typer.Option(
            "--out-dir", metavar="DIR", help="Write a page with a timeline, Perfetto's JSON and the traces to DIR."
        ),
    ] = None,
    json: options.JSON = False,
) -> None:
    """Explain whether an MPI program hides its communication.

    The command traces the program's MPI calls and the bytes on the network. It reports the settings, the protocols, who
    moved the data and when, what to change, and the predicted gain. Then it runs the program with the change and
    compares.
    """
    if not 0 <= repeats <= MAX_REPEATS:
        raise UsageError(f"--repeats {repeats} is out of range", hint=f"0 to {MAX_REPEATS}")
    program = program_of(command, PLUGINS, lab)
    if out_dir is not None:
        make_folder(out_dir)
        explained(program, out_dir, repeats, True, json)
        return
    with tempfile.TemporaryDirectory(prefix="ayatori-") as name:
        explained(program, Path(name), repeats, False, json)


def explained(program: Program, folder: Path, repeats: int, is_kept: bool, as_json: bool) -> None:
    with saying_what_is_done() as doing:
        doing("running the program as it is")
        traces = program.run(folder / "as-it-is", False)
        has_plugin = (program.plugins / program.family / "libayatori_mpi.so").exists()
        explanation = explanation_of(traces, has_plugin)
        measured: Measured | None = None
        if repeats and has_plugin and explanation.hidden >= WORTH_A_CHANGE * explanation.seconds:
            doing("running it with the plug-in's thread, and as it is")
            measured = measure_change(program, folder, explanation.seconds, repeats)
    data: ExplainData = {
        "command": " ".join(program.command),
        "mpi": program.family,
        "unseen": explanation.unseen,
        "given": explanation.given,
        "kinds": [asdict(kind) for kind in explanation.kinds],
        "moved_by": explanation.moved_by,
        "advice": explanation.advice,
        "seconds": explanation.seconds,
        "with_progress": explanation.with_progress,
        "hidden": explanation.hidden,
        "measured": None if measured is None else measured_as_data(measured, explanation.hidden),
    }
    if is_kept:
        with_timeline = {**data, "timeline": timeline_of(traces)}
        write_json(folder / "explanation.json", with_timeline)
        write_json(folder / "perfetto.json", perfetto_of(traces))
        write_bytes(folder / "index.html", overlap_page(with_timeline).encode("utf-8"))
        note(f"wrote {folder / 'index.html'}, explanation.json and perfetto.json (for ui.perfetto.dev) next to it")
    print_json("explain", data) if as_json else describe(data)


def measured_as_data(measured: Measured, predicted: float) -> MeasuredData:
    return {
        "before": measured.before,
        "after": measured.after,
        "noise": measured.noise,
        "others": measured.others,
        "stolen": measured.stolen,
        "off": measured.off,
        "hidden": measured.hidden,
        "too_noisy": measured.is_too_noisy(predicted),
        "verdict": measured.verdict(predicted),
    }


def describe(data: ExplainData) -> None:
    for sentence in data["unseen"]:
        say(sentence)
    say(f"{data['command']} ({data['mpi']}): {format_seconds(data['seconds'])} from MPI_Init to MPI_Finalize")
    for sentence in data["given"]:
        say(f"  {sentence}")
    columns = ["  nonblocking", "times", "protocol", "computed", "in other calls", "waited", "late", "moved early"]
    if data["kinds"]:
        print_table("", columns, [row_of(kind) for kind in data["kinds"]])
    say(f"  {data['moved_by']}")
    for number, sentence in enumerate(data["advice"]):
        say(f"  {'change   ' if number == 0 else '         '}{sentence}")
    if data["measured"]:
        say(f"  measured {data['measured']['verdict']}")


def row_of(kind: dict[str, Any]) -> list[str]:
    moved = "not known" if kind["moved_early"] is None else f"{kind['moved_early']:.0%}"
    late = "not known" if kind["late"] is None else format_seconds(kind["late"])
    times = [format_seconds(kind[key]) for key in ("computing", "in_calls", "waiting")]
    return [
        f"  {kind['name']}, {format_bytes(kind['bytes'])}",
        str(kind["count"]),
        kind["protocol"],
        *times,
        late,
        moved,
    ]
