"""ayatori choose --to: tables for the selectors that MPI libraries have themselves."""

from __future__ import annotations

import shlex
from dataclasses import asdict

from ayatori._core import Job
from ayatori.base.units import format_bytes
from ayatori.cli.choose import TableOptions
from ayatori.cli.costs import describe_costs, describe_paths
from ayatori.cli.execution import UsageError
from ayatori.cli.options import value_of
from ayatori.cli.output import note, print_json, print_table, progress, say, say_unbroken
from ayatori.mpi_tables import rules
from ayatori.mpi_tables.tables import IN_A_FILE, MpiTableData, RulesData, as_here, mpi_named, rules_as_data, write
from ayatori.prediction.predictor import Model, Predictor
from ayatori.resumable import SavedResults, is_first_process


def choose(
    source: str,
    predictor: Predictor,
    jobs: list[Job],
    calls: list[tuple[str, int]],
    table: TableOptions,
    saved: SavedResults,
    json: bool,
    plans: list[str],
) -> None:
    """Rank the library's algorithms, write its table and say how to use it.

    Under mpirun or srun the processes share the sizes; finished sizes are kept in `saved`. `plans` are the files of
    plans whose paths messages take.
    """
    mpi = value_of(mpi_named, table.to)
    if len(jobs) != 1:
        raise UsageError("--to takes the table of one job", hint=f"--job HOSTFILE --to {mpi.word}")
    if table.out is None and mpi.word in IN_A_FILE:
        raise UsageError(f"the rules of {mpi.title} stand in a file", hint=f"--to {mpi.word} --out FILE")
    if table.out is not None and mpi.word not in IN_A_FILE:
        raise UsageError(f"{mpi.title} reads no file, but variables, which are printed", hint="without --out")
    mpi = as_here(mpi, table.mpi_library)
    with progress("sizes", len(rules.calls_to_rank(mpi, calls))) as advance:
        ranked = rules.rank(mpi, predictor, jobs[0], calls, advance, saved)
    if not is_first_process():
        return
    saved.remove()
    chosen = rules.rules_from(mpi, jobs[0].rank_count, ranked)
    written = write(chosen, table.out, table.mpi_library)
    data: MpiTableData = {
        "source": source,
        "method": predictor.method,
        "plans": plans,
        "model": asdict(predictor.model),
        **rules_as_data(chosen, ranked, written),
    }
    for file in written.files:
        note(f"wrote {file}")
    if json:
        print_json("mpi-table", data)
    else:
        describe(data, mpi.title, predictor.model)


def describe(data: MpiTableData, title: str, model: Model) -> None:
    say(f"{data['source']}: rules of {title} for {data['ranks']} ranks")
    describe_paths(data)
    describe_costs(model)
    rows = [row for entry in data["collectives"] for row in rows_of(entry)]
    print_table("", ["  collective", "bytes", "algorithm", "segment"], rows)
    if not data["proven"]:
        say(f"  What {title} sends is taken from its documentation; it was not seen in its traffic.")
    left_out = [entry for entry in data["left_out"] if _is_about(entry["algorithm"], data)]
    for entry in left_out:
        say(f"  without {entry['algorithm']}: {entry['reason']}")
    say("to use it:")
    if data["mca"]:
        words = " ".join(f"--mca {name} {shlex.quote(value)}" for name, value in data["mca"].items())
        say_unbroken(f"  mpirun {words}")
        say("or")
    for name, value in data["environment"].items():
        say_unbroken(f"  export {name}={shlex.quote(value)}")


def _is_about(algorithm: str, data: MpiTableData) -> bool:
    """Whether an algorithm that is left out belongs to a collective that was asked for, or to all."""
    words = set(algorithm.replace(",", " ").split())
    collectives = {entry["collective"] for entry in data["collectives"]}
    return bool(words & collectives) or algorithm.startswith("the algorithms")


def rows_of(entry: RulesData) -> list[list[str]]:
    rows = []
    for number, rule in enumerate(entry["rules"]):
        name = f"{rule['algorithm']} ({rule['key']})" if isinstance(rule["key"], int) else rule["algorithm"]
        name += f", {rule['fan_out']} chains" if rule["fan_out"] else ""
        sizes = "all" if rule["to"] is None and rule["from"] == 0 else f"{rule['from']}…{rule['to'] or ''}"
        segment = format_bytes(rule["segment"]) if rule["segment"] else ""
        rows.append([f"  {entry['collective']}" if number == 0 else "", sizes, name, segment])
    return rows
