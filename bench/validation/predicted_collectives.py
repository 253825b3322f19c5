"""Predicted against measured collectives, in which the ranks of this machine play our schedules by a real MPI.

    python -m bench.validation.predicted_collectives [MPIRUN] [RANKS] [SECONDS] [--hosts N] [--rate RATE]
                                                [--collectives C,…]

By default mpirun.openmpi and 2 ranks; the machine is calibrated by the same MPI, for SECONDS (30) in all: for a part of
them before each collective, since what a message takes on a virtual machine changes from one second to the next, as its
cores share a cache or do not; plays count at the pace that was calibrated. No size below was fitted, and no collective.
A row is a cell: predicted and measured seconds of each algorithm (the median of many plays, whose data are checked),
and what `choose` would take beside the best measured.

With --hosts the ranks are on N hosts in network namespaces (hosts.sh), in blocks, whose links carry RATE (200mbit, as
tc has it) each way, packet by packet. It needs root, and leaves nothing behind, however it ends. Calibrated are two
ranks of this machine, and one on each of the first two hosts, once for all collectives.

    bars    15% median error over all cells; the chosen algorithm at most 5% slower than the best in 90% of the cells

More ranks than cores are not modelled: ranks wait for their turn then. Such cells are marked, and no bar is asked of
them: the rows only say how far off the model is.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.base.units import format_bytes, format_seconds
from ayatori.calibration.calibrating import calibration_of
from ayatori.calibration.measuring import Mpi, compile_program, find_mpi, hosts_in, placement
from ayatori.calibration.measuring import measure as measure_pair
from ayatori.formats.calibration import costs_of
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.assumed import assumed_costs
from ayatori.prediction.choice import LeftOut as Refused
from ayatori.prediction.choice import Piece, variants_of
from ayatori.prediction.predictor import Call, Model, Predictor, algorithms_of
from ayatori.processes import last_line, run_program
from bench.validation.hosts import command_among_hosts, why_no_hosts

PLAYS = Path(__file__).parents[2] / "build/release/mpi"
COLLECTIVES = ("broadcast", "reduce", "allreduce", "allgather", "alltoall", "reduce_scatter")
SIZES = (2, 48, 768, 3072, 12288, 49152, 196608, 786432, 3145728)
"""Held out by the fit."""
REPEATS, REPEATS_OF_LARGE, REPEATS_OVER_LINKS, LARGE = 31, 9, 3, 65536
INSIDE = "AYATORI_HOSTS_FOLDER"
"""Where hosts.sh has put its files, if this runs among its hosts."""
ERROR_BAR = 0.15
SLOWER_BAR = 0.05
CELLS_BAR = 0.9


@dataclass(frozen=True)
class Timed:
    call: Call
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        return abs(self.predicted - self.measured) / self.measured


def calibrated(mpi: Mpi, seconds: float, hostfile: Path | None) -> tuple[Predictor, float]:
    """One machine with what calibrate measures there, or as many as the hostfile names; and the pace of messages inside
    the machine while it was measured, 0 among hosts."""
    with TemporaryDirectory() as name:
        program = compile_program(mpi, Path(name))
        inside = measure_pair(mpi, program, Path(name), seconds, None)
        between = measure_pair(mpi, program, Path(name), seconds, hostfile) if hostfile else None
    calibration = calibration_of(inside, between, links_between=2)
    for error in calibration.errors:
        print(f"{error.what:<20}{'fitted' if error.fitted else 'checked':<9}{error.median:8.1%} median")
    for remark in calibration.remarks:
        print(f"warning: {remark}")
    hosts = len(hosts_in(hostfile)) if hostfile else 2
    network = open_source(f"fattree:K={max(2, hosts)},levels=1")
    model = Model(costs=costs_of(calibration, assumed_costs(network), 0))
    return Predictor(network, model=model), 0 if hostfile else inside.pace


def calls_for(predictor: Predictor, job: _core.Job, collective: str) -> list[Call]:
    places = [predictor.places(job)]
    pieces = [Piece(collective, size, algorithm) for size in SIZES for algorithm in algorithms_of(collective)]
    found = [(piece, variants_of(predictor, piece, places)) for piece in pieces]
    return [calls[0] for _, calls in found if not isinstance(calls, Refused)]


def measure(mpi: Mpi, ranks: int, calls: list[Call], hostfile: Path | None, pace: float) -> list[float]:
    play = PLAYS / ("play_openmpi" if mpi.is_open_mpi else "play_mpich")
    large = REPEATS_OF_LARGE if hostfile is None else REPEATS_OVER_LINKS
    repeats = [REPEATS if call.bytes < LARGE else large for call in calls]
    per_host = -(-ranks // len(hosts_in(hostfile))) if hostfile else ranks
    places = f"ppn={per_host} check=1 pace={pace * 1e9:.0f}"
    lines = [
        f"{call.collective} {call.algorithm} {call.bytes} {places} repeats={count}"
        for call, count in zip(calls, repeats, strict=True)
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "calls").write_text("".join(f"{line}\n" for line in lines))
        options = (
            [*placement(mpi, None)[:-1], str(ranks)] if hostfile is None else on_hosts(mpi, hostfile, per_host, ranks)
        )
        status = run_program(
            [mpi.mpirun, *options, play, "@calls"],
            folder=folder,
            environment=os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
            output=folder / "output",
            errors=folder / "errors",
            timeout=1800,
        )
        if status != 0:
            raise Error(f"{play.name} failed", cause=last_line(folder / "errors"), internal=True)
        return [float(line) for line in (folder / "output").read_text().split()]


def on_hosts(mpi: Mpi, hostfile: Path, per_host: int, ranks: int) -> list[str]:
    """Options of mpirun for blocks of ranks; each host has one core, which its ranks share."""
    if mpi.is_open_mpi:
        where = ["--hostfile", str(hostfile), "--map-by", f"ppr:{per_host}:node", "--bind-to", "none"]
        return ["--oversubscribe", *where, "-np", str(ranks)]
    return ["-f", str(hostfile), "-ppn", str(per_host), "-np", str(ranks)]


def compare(timed: list[Timed]) -> None:
    cells: dict[tuple[str, int], list[Timed]] = {}
    for each in timed:
        cells.setdefault((each.call.collective, each.call.bytes), []).append(each)
    good = 0
    for (collective, size), rows in cells.items():
        best = min(rows, key=lambda row: row.measured)
        chosen = min(rows, key=lambda row: row.predicted)
        slower = chosen.measured / best.measured - 1
        good += slower <= SLOWER_BAR
        print(
            f"{collective:<16}{format_bytes(size):>10}{median(row.error for row in rows):8.1%} error  "
            f"{chosen.call.algorithm:<20}{format_seconds(chosen.predicted):>10} predicted "
            f"{format_seconds(chosen.measured):>10} measured, {slower:+.1%} against {best.call.algorithm}"
        )
    for size in SIZES:
        errors = [row.error for row in timed if row.call.bytes == size]
        print(f"{format_bytes(size):>10}: {median(errors):6.1%} median error of {len(errors)}")
    print(f"median error {median(row.error for row in timed):.1%} of {len(timed)} (bar {ERROR_BAR:.0%})")
    share = good / len(cells)
    print(
        f"chosen at most {SLOWER_BAR:.0%} slower than the best: {share:.0%} of {len(cells)} cells (bar {CELLS_BAR:.0%})"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpirun", nargs="?", default="mpirun.openmpi")
    parser.add_argument("ranks", nargs="?", type=int, default=2)
    parser.add_argument("seconds", nargs="?", type=float, default=30)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--rate", default="200mbit")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    asked = parser.parse_args()
    folder = os.environ.get(INSIDE)
    if asked.hosts > 1 and folder is None:
        if why := why_no_hosts():
            raise Error(f"there can't be {asked.hosts} hosts here", cause=why)
        sys.exit(run_among_hosts(asked.hosts, asked.rate))
    hostfile = Path(folder) / "hostfile" if folder else None
    mpi = find_mpi(asked.mpirun)
    cores = len(os.sched_getaffinity(0))
    if asked.ranks > cores:
        print(f"no bar is asked of these cells: {asked.ranks} ranks take turns on {cores} cores, which is not modelled")
    timed: list[Timed] = []
    collectives = asked.collectives.split(",")
    calibrations = 1 if hostfile else len(collectives)
    for number, collective in enumerate(collectives):
        if number < calibrations:
            predictor, pace = calibrated(mpi, asked.seconds / calibrations, hostfile)
        [job] = contiguous_jobs(predictor.network, [asked.hosts], -(-asked.ranks // asked.hosts))
        calls = calls_for(predictor, job, collective)
        predicted = [prediction.seconds for prediction in predictor.predict_each((job, call) for call in calls)]
        measured = measure(mpi, asked.ranks, calls, hostfile, pace if asked.ranks <= cores else 0)
        timed += [Timed(*row) for row in zip(calls, predicted, measured, strict=True) if row[2] > 0]
    compare(timed)


def run_among_hosts(count: int, rate: str) -> int:
    """This program again, in namespaces that end with it."""
    with TemporaryDirectory(prefix="ayatori-") as folder:
        again = [sys.executable, "-m", "bench.validation.predicted_collectives", *sys.argv[1:]]
        command = command_among_hosts(count, rate, Path(folder), again)
        return subprocess.run(command, env=os.environ | {INSIDE: folder, "HOSTS_BURST": "1600"}, check=False).returncode


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(f"error: {error.message}\n{error.cause}")
