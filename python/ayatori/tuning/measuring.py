"""The MPI's own collectives and ours, compared in one job of the user's launcher."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from itertools import groupby
from statistics import median
from typing import Any

from ayatori.base.compiled import PLUGINS, built_program
from ayatori.base.errors import Error
from ayatori.base.spreads import is_smaller
from ayatori.calibration.calibrating import machine_in_words
from ayatori.formats.choice_table import Measured, Table, sizes_of
from ayatori.measurement.collectives import COLLECTIVES, FAMILIES, cells_of
from ayatori.prediction.predictor import Model
from ayatori.processes import family_of, library_of, mpi_job, open_mpi_as_root, plugin_for, run_to_end
from ayatori.tuning.candidates import candidates, placement_of_hosts

MPIS_OWN = "mpi"
"""The name of whatever the MPI takes."""
_START_SECONDS = 300.0
"""For all ranks to start: launchers of thousands of nodes take minutes."""
_VARIABLES = {"broadcast": "AYATORI_BCAST", "reduce_scatter": "AYATORI_REDUCE_SCATTER_BLOCK"}
"""Those whose name is not the collective's."""


@dataclass(frozen=True)
class Tuned:
    """The fastest algorithm of ours for one collective and size, and the MPI's own."""

    collective: str
    bytes: int
    """As MPI counts: for one other rank, or the whole vector."""
    algorithm: str
    chunk: int
    """Bytes per piece of a pipeline; 0: the algorithm's own choice, or no pipeline."""
    seconds: float
    mpi_seconds: float
    """Medians over the pairs of measurements."""
    ratio: float
    """Median over the pairs of our time, relative to the MPI's own in the same pair."""
    is_faster: bool
    """By a sign test over these pairs, at one error in a hundred; otherwise the MPI's own executes."""


def variable_of(collective: str) -> str:
    """That forces its algorithm."""
    return _VARIABLES.get(collective, f"AYATORI_{collective.upper()}")


def launcher_family(command: Sequence[str], named: str = "") -> str:
    """The MPI that the launcher is of. Raises Error for a launcher that starts any: `named` must say it."""
    family = named or family_of(command)
    if family is None:
        raise Error(f"can't tell the MPI of '{command[0]}'", hint=f"--mpi {' or '.join(FAMILIES)}")
    return family


def tune(
    command: Sequence[str],
    family: str,
    collectives: Sequence[str],
    sizes: Sequence[int],
    seconds: float,
    seed: int,
    note: Callable[[str], None],
) -> tuple[Table, list[Tuned]]:
    """Measures for about `seconds` in a job of `command`, which are a launcher's words without a program. The order of
    the measurements is random by `seed`. Sizes that were not reached in time are the MPI's own."""
    note("starting the ranks")
    place, *others = _run(command, family, [], _START_SECONDS)
    if others:
        raise Error(f"the ranks of '{' '.join(command)}' don't find each other", hint=f"another --mpi than {family}")
    hosts: list[str] = place["hosts"]
    if len(hosts) < 2:
        raise Error(f"{' '.join(command)} starts 1 rank", hint="collectives are measured among 2 or more")
    placement = placement_of_hosts(hosts)
    cells = []
    # Large sizes last: if time runs out, each collective lacks some of these, and none lacks all.
    for cell in sorted(cells_of(collectives or COLLECTIVES, sizes), key=lambda cell: cell.bytes):
        found = candidates(cell.collective, cell.bytes, placement)
        variable = variable_of(cell.collective)
        values = [f"{name}:chunk={chunk}" if chunk else name for name, chunk in found]
        cells.append(",".join([cell.collective, str(cell.bytes), variable, *values]))
    note(f"measuring {len(cells)} collectives and sizes among {len(hosts)} ranks, for about {seconds:g} s")
    lines = _run(command, family, [str(seconds), str(seed), ";".join(cells)], _START_SECONDS + 3 * seconds)
    tuned = [tuned_of(line) for line in lines]
    mpi = " ".join(place["mpi"].split())  # MPICH writes its version after several blanks
    measured = Measured(machine_in_words(), mpi, datetime.now(timezone.utc).date().isoformat(), seed)
    return _table(hosts, collectives or COLLECTIVES, sizes, tuned, measured), tuned


def _run(command: Sequence[str], family: str, words: Sequence[str], seconds: float) -> list[dict[str, Any]]:
    """What the program printed. AYATORI_BARRIER makes the plug-in start, and changes nothing. The program is linked to
    no MPI, and gets the launcher's."""
    program = built_program(f"collectives_tuned_{family}", f"lib{family}-dev")
    variables = {**open_mpi_as_root(), "AYATORI_BARRIER": MPIS_OWN, "AYATORI_CHOICE": "", "AYATORI_MPI": "on"}
    preloaded = [str(plugin_for(family, PLUGINS)), os.environ.get("LD_PRELOAD", ""), library_of(command[0], family)]
    with_mpi = ["env", f"LD_PRELOAD={':'.join(filter(None, preloaded))}"]
    job = mpi_job([*command, *with_mpi, str(program), *words], PLUGINS, variables, family=family)
    ended = run_to_end(job.words(), environment=job.environment(), timeout=seconds)
    found = ended.objects()
    if ended.status == 0 and not (found or words):  # without words it prints where the ranks are
        raise Error(
            f"'{' '.join(command)}' starts a program of its own", hint="COMMAND is the launcher with its options"
        )
    if ended.status != 0 or not found:
        sys.stderr.write(ended.errors)  # a launcher may take twenty lines to say why
        raise Error(f"'{' '.join(command)}' did not measure", cause=ended.reason)
    return found


def tuned_of(line: dict[str, Any]) -> Tuned:
    """What a line of the program says."""
    algorithm, _, chunk = line["algorithm"].partition(":chunk=")
    ours, mpi = ([micro * 1e-6 for micro in line[key]] for key in ("us", "mpi_us"))
    return Tuned(
        collective=line["collective"],
        bytes=line["bytes"],
        algorithm=algorithm,
        chunk=int(chunk or 0),
        seconds=median(ours),
        mpi_seconds=median(mpi),
        ratio=median(a / b for a, b in zip(ours, mpi, strict=True)),
        is_faster=is_smaller(ours, mpi),
    )


def _table(
    hosts: Sequence[str], collectives: Sequence[str], sizes: Sequence[int], tuned: Sequence[Tuned], measured: Measured
) -> Table:
    machines = [(host, len(list(ranks))) for host, ranks in groupby(hosts)]
    chosen = {(one.collective, one.bytes): (one.algorithm, one.chunk) for one in tuned if one.is_faster}
    by_collective: dict[str, dict[int, tuple[str, int]]] = {}
    for cell in cells_of(collectives, sizes):
        how = chosen.get((cell.collective, cell.bytes), (MPIS_OWN, 0))
        by_collective.setdefault(cell.collective, {})[cell.bytes] = how
    return Table("", machines, "", Model(), {name: sizes_of(each) for name, each in by_collective.items()}, measured)
