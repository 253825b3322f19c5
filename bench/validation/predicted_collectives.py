"""Predicted against measured collectives, in which the ranks of this machine execute our schedules by a real MPI.

    python -m bench.validation.predicted_collectives [MPIRUN] [RANKS] [SECONDS] [--hosts N] [--rate RATE]
                                                [--collectives C,…] [--bytes B,…] [--rounds N]

By default mpirun.openmpi and 2 ranks; the machine is calibrated by the same MPI, for SECONDS (30) in all: for a part of
them before each collective, since what a message takes on a virtual machine changes from one minute to the next, as its
cores share a cache or do not. Only executes at the pace that was calibrated count. No size below was fitted, and no
collective.

A row is a cell: predicted and measured seconds of the algorithm that `choose` would take, and how much slower than the
best measured it is. The algorithms of a cell are measured in rounds (9), each of which has some executions of each
algorithm, whose data are checked; a time is the median over the rounds. A cell whose interval (rounds.py: 95%, of what
the chosen algorithm takes more than the best) is wider than 5% is measured for as many rounds again, twice at most.

With --hosts the ranks are on N hosts in network namespaces (a lab), in blocks, whose links carry RATE (200Mbit/s)
each way, packet by packet. It needs root, and leaves nothing behind, however it ends. Calibrated are two
ranks of this machine, and one on each of the first two hosts, once for all collectives.

    bars    15% median error over all cells; the chosen algorithm at most 5% slower than the best in 90% of the cells

The share of cells that are chosen well is said twice: of all algorithms as they are, where the best of several that
send the same messages (same_messages.hpp) is a matter of chance, and with such algorithms as one.

With more ranks than cores the model counts their scheduling delays: a rough guide (docs/prediction-model.md). How
well the measured times repeat themselves is printed next to the error and the choice: every other round predicts the
rounds between, and chooses for them: so well chooses who has just measured here. And how well a model would choose
whose errors are random, of the bar's size and smaller: where many algorithms take about the same time, the first bar
does not imply the second."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from ayatori import _core
from ayatori.base.errors import Error
from ayatori.base.units import format_bytes, format_seconds, parse_bytes
from ayatori.calibration.calibrating import SECONDS_OVERSUBSCRIBED, calibration_of
from ayatori.calibration.measuring import (
    ALL_SIZES,
    FITTED_SIZES,
    Mpi,
    compile_program,
    find_mpi,
    hosts_in,
    measure_oversubscribed,
    placement,
)
from ayatori.calibration.measuring import measure as measure_pair
from ayatori.formats.calibration import costs_of
from ayatori.lab.cluster import Settings, why_impossible
from ayatori.model.jobs import contiguous_jobs
from ayatori.model.network import open_source
from ayatori.prediction.assumed import assumed_costs
from ayatori.prediction.calls import Call, algorithms_of
from ayatori.prediction.choice import Candidate, Piece, best_chunk, in_order_of_choice, variants_of
from ayatori.prediction.choice import LeftOut as Refused
from ayatori.prediction.costs import seconds_of
from ayatori.prediction.predictor import Model, Prediction, Predictor
from ayatori.processes import last_line, open_mpi_as_root, run_program
from bench.validation.hosts import command_among_hosts
from bench.validation.rounds import Judged, Timed, judged, judged_between, merged, share_of, share_with_errors

EXECUTORS = Path(__file__).parents[2] / "build/release/mpi"
COLLECTIVES = ("broadcast", "reduce", "allreduce", "allgather", "alltoall", "reduce_scatter")
SIZES = (2, 48, 768, 3072, 12288, 49152, 196608, 786432, 3145728)
"""Held out by the fit."""
REPEATS, REPEATS_OF_LARGE, LARGE = 5, 2, 65536
"""Executions in a round, in addition to those in which a process was interrupted."""
MORE_IF_OVERSUBSCRIBED = 5
"""So many times as often where ranks share cores: some executions are interrupted, and all count."""
MAX_PARTS = 3
"""So often a cell is measured for all rounds."""
PACKET_BY_PACKET = 3 << 10
"""So many bytes, two packets, pass a cable of hosts at once: messages of all sizes take their bytes at the rate."""
INSIDE = "HOSTS_FOLDER"
"""Where the hostfile is, if this runs among hosts."""
ERROR_BAR = 0.15
SLOWER_BAR = 0.05
CELLS_BAR = 0.9
RANDOM_ERRORS = (ERROR_BAR, 0.1, 0.05, 0.02, 0.01)


def calibrated(mpi: Mpi, seconds: float, hostfile: Path | None, largest: int) -> tuple[Predictor, float]:
    """One machine with what calibrate measures there, or as many as the hostfile names, of sizes up to twice the
    `largest`; and the pace of messages inside the machine while it was measured, 0 among hosts."""
    sizes = [size for size in ALL_SIZES if size <= 2 * largest]
    with TemporaryDirectory() as name:
        program = compile_program(mpi, Path(name))
        inside = measure_pair(mpi, [program], Path(name), seconds, None, sizes=sizes)
        between = measure_pair(mpi, [program], Path(name), seconds, hostfile, sizes=sizes) if hostfile else None
        fitted = [size for size in FITTED_SIZES if size in sizes]
        oversubscribed = measure_oversubscribed(mpi, program, Path(name), SECONDS_OVERSUBSCRIBED, inside, fitted)
    calibration = calibration_of(inside, between, links_between=2, oversubscribed=oversubscribed)
    for error in calibration.errors:
        print(f"{error.what:<20}{'fitted' if error.fitted else 'checked':<9}{error.median:8.1%} median")
    more = [
        f"{format_seconds(seconds_of(calibration.oversubscription, size))} ({format_bytes(size)})" for size in fitted
    ]
    print(
        f"where two ranks share a core, messages wait {format_seconds(seconds_of(calibration.scheduling_delay, 1))}, "
        f"the first step "
        f"{format_seconds(calibration.start_skew)}, and to receive one takes more: {', '.join(more)}"
    )
    for remark in calibration.remarks:
        print(f"warning: {remark}")
    hosts = len(hosts_in(hostfile)) if hostfile else 2
    network = open_source(f"fattree:K={max(2, hosts)},levels=1")
    costs = costs_of(calibration, assumed_costs(network), 0)
    if hostfile:
        costs = replace(costs, cores=1)
    model = Model(costs=costs)
    return Predictor(network, model=model), 0 if hostfile else inside.pace


def calls_for(predictor: Predictor, job: _core.Job, collective: str, sizes: list[int]) -> list[Call]:
    """Size by size what `choose` compares, each pipeline with several chunk sizes, and the MPIs' own algorithms."""
    placements = [predictor.placement(job)]
    pieces = [Piece(collective, size, algorithm) for size in sizes for algorithm in algorithms_of(collective)]
    found = [variants_of(predictor, piece, placements) for piece in pieces]
    return [call for calls in found if not isinstance(calls, Refused) for call in calls]


def name_of(call: Call) -> str:
    return f"{call.algorithm}:chunk={format_bytes(call.chunk_bytes)}" if call.chunk_bytes else call.algorithm


class Ranks:
    """Those that execute it, and how."""

    def __init__(self, mpi: Mpi, count: int, hostfile: Path | None, pace: float) -> None:
        self.more = MORE_IF_OVERSUBSCRIBED if hostfile is None and count > len(os.sched_getaffinity(0)) else 1
        self.program = EXECUTORS / ("execute_openmpi" if mpi.is_open_mpi else "execute_mpich")
        per_host = -(-count // len(hosts_in(hostfile))) if hostfile else count
        self.words = f"ppn={per_host} check=1 pace={pace * 1e9:.0f}"
        where = on_hosts(mpi, hostfile, per_host, count) if hostfile else placement(mpi, None, count)
        self.launch: list[str | Path] = [mpi.mpirun, *where, self.program, "@calls"]

    def measure(self, cells: list[list[Call]], rounds: int) -> list[list[list[float]]]:
        """Cell by cell, and in it call by call: its median seconds, round by round. Only rounds at the calibrated pace
        count: of a cell there may be none. Where ranks share cores each round is a start of its own, since with which
        ranks one shares a core changes from one to the next."""
        found: list[list[list[float]]] = [[[] for _ in cell] for cell in cells]
        of_a_start = 1 if self.more > 1 else rounds
        for _ in range(rounds // of_a_start):
            for mine, its_rounds in zip(found, self._one_start(cells, of_a_start), strict=True):
                for times in its_rounds:
                    counted = [time for time in times if time is not None]
                    if len(counted) < len(times):
                        continue
                    for of_call, time in zip(mine, counted, strict=True):
                        of_call.append(time)
        return found

    def _one_start(self, cells: list[list[Call]], rounds: int) -> Iterator[list[list[float | None]]]:
        """Cell by cell so many rounds, each of the seconds of all calls. Before several rounds, all calls are executed
        once: an MPI's shared memory is slow when it is first touched (3 KiB by MPICH: 16 instead of 3 us)."""
        before = [call for cell in cells for call in cell] if rounds > 1 else []
        times = iter(self._seconds([*before, *(call for cell in cells for _ in range(rounds) for call in cell)]))
        for _ in before:
            next(times)
        for cell in cells:
            yield [[next(times) for _ in cell] for _ in range(rounds)]

    def _seconds(self, calls: list[Call]) -> list[float | None]:
        """None of a call that was executed at another pace."""
        lines = [
            f"{call.collective} {call.algorithm} {call.bytes} {self.words} chunk={call.chunk_bytes} "
            f"repeats={self.more * (REPEATS if call.bytes < LARGE else REPEATS_OF_LARGE)}\n"
            for call in calls
        ]
        with TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "calls").write_text("".join(lines))
            status = run_program(
                self.launch,
                folder=folder,
                environment=os.environ | open_mpi_as_root(),
                output=folder / "output",
                errors=folder / "errors",
                timeout=1800,
            )
            if status != 0:
                raise Error(f"{self.program.name} failed", cause=last_line(folder / "errors"), internal=True)
            lines = (folder / "output").read_text().splitlines()
            return [None if "at another pace" in line else float(line) for line in lines]


class Measured:
    """A cell: all algorithms of one collective and size."""

    def __init__(self, calls: list[Call], predicted: list[Prediction], schedules: list[_core.Schedule]) -> None:
        self.calls = calls
        self.predicted = predicted
        self.chosen = chosen_of(calls, predicted)
        self.schedules = dict(zip(map(name_of, calls), schedules, strict=True))
        self.rounds: list[list[float]] = [[] for _ in calls]

    def add(self, times: list[list[float]]) -> None:
        for mine, more in zip(self.rounds, times, strict=True):
            mine += more

    @property
    def rows(self) -> list[Timed]:
        found = zip(self.calls, self.predicted, self.rounds, strict=True)
        return [
            Timed(name_of(call), prediction.seconds, times, name_of(call) == self.chosen)
            for call, prediction, times in found
            if min(times) > 0
        ]

    @property
    def rows_with_equals_as_one(self) -> list[Timed]:
        return merged(self.rows, lambda a, b: self.schedules[a.name].sends_the_same_as(self.schedules[b.name]))

    @property
    def is_clear(self) -> bool:
        return all(judged(rows).width <= SLOWER_BAR for rows in (self.rows, self.rows_with_equals_as_one))


def measure(ranks: Ranks, cells: list[Measured], rounds: int) -> None:
    for _ in range(MAX_PARTS):
        unclear = [cell for cell in cells if not cell.rounds[0] or not cell.is_clear]
        if not unclear:
            return
        for cell, times in zip(unclear, ranks.measure([cell.calls for cell in unclear], rounds), strict=True):
            cell.add(times)


def chosen_of(calls: list[Call], predicted: list[Prediction]) -> str:
    """As `choose` chooses, the chunk size of each pipeline first."""
    candidates = [
        Candidate(call.algorithm, call.chunk_bytes, prediction.seconds, prediction.messages)
        for call, prediction in zip(calls, predicted, strict=True)
    ]
    of_algorithms = groupby(candidates, lambda candidate: candidate.algorithm)
    best = in_order_of_choice([best_chunk(list(variants)) for _, variants in of_algorithms])[0]
    return name_of(calls[candidates.index(best)])


def cells_of(predictor: Predictor, job: _core.Job, collective: str, sizes: list[int]) -> Iterator[Measured]:
    for _, of_size in groupby(calls_for(predictor, job, collective, sizes), lambda call: call.bytes):
        calls = list(of_size)
        runs = [predictor.prepare(job, call) for call in calls]
        yield Measured(calls, predictor.predict_prepared(runs), [run.schedule for run in runs])


def on_hosts(mpi: Mpi, hostfile: Path, per_host: int, ranks: int) -> list[str]:
    """Options of mpirun for blocks of ranks; each host has one core, which its ranks share."""
    if mpi.is_open_mpi:
        where = ["--hostfile", str(hostfile), "--map-by", f"ppr:{per_host}:node", "--bind-to", "none"]
        return ["--oversubscribe", *where, "-np", str(ranks)]
    return ["-f", str(hostfile), "-ppn", str(per_host), "-np", str(ranks)]


def describe(cell: Measured) -> None:
    one = judged(cell.rows)
    low, high = one.interval
    call = cell.calls[0]
    print(
        f"{call.collective:<16}{format_bytes(call.bytes):>10}{median(row.error for row in cell.rows):8.1%} error  "
        f"{one.chosen.name:<20}{format_seconds(one.chosen.predicted):>10} predicted "
        f"{format_seconds(one.chosen.measured):>10} measured, {one.slower:+.1%} ({low:+.1%} to {high:+.1%}) against "
        f"{one.best.name}; equals as one {judged(cell.rows_with_equals_as_one).slower:+.1%}",
        flush=True,
    )


def compare(cells: list[Measured]) -> None:
    rows = [row for cell in cells for row in cell.rows]
    for size in dict.fromkeys(cell.calls[0].bytes for cell in cells):
        errors = [row.error for cell in cells if cell.calls[0].bytes == size for row in cell.rows]
        print(f"{format_bytes(size):>10}: {median(errors):6.1%} median error of {len(errors)}")
    itself = median(row.error_of_itself for row in rows)
    print(
        f"median error {median(row.error for row in rows):.1%} of {len(rows)} (bar {ERROR_BAR:.0%}); of every other "
        f"round, which predicts the rounds between, {itself:.1%}"
    )
    as_they_are = [cell.rows for cell in cells]
    equals_as_one = [cell.rows_with_equals_as_one for cell in cells]
    for which, found in (("", as_they_are), (", algorithms that send the same messages as one", equals_as_one)):
        of_model, of_rounds = zip(*map(judged_between, found), strict=True)
        print(
            f"chosen at most {SLOWER_BAR:.0%} slower than the best (bar {CELLS_BAR:.0%}){which}: "
            f"{share_of(map(judged, found), SLOWER_BAR)}; in the rounds between {good_of(of_model)}, and of every "
            f"other round, which chooses for them, {good_of(of_rounds)}"
        )
        of_random = [f"{share_with_errors(found, error, SLOWER_BAR):.0%} with {error:.0%}" for error in RANDOM_ERRORS]
        print(f"  models with random errors: {', '.join(of_random)} (median error)")


def good_of(cells: Sequence[Judged]) -> str:
    return f"{share_of(cells, SLOWER_BAR).good / len(cells):.0%}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpirun", nargs="?", default="mpirun.openmpi")
    parser.add_argument("ranks", nargs="?", type=int, default=2)
    parser.add_argument("seconds", nargs="?", type=float, default=30)
    parser.add_argument("--hosts", type=int, default=1)
    parser.add_argument("--rate", default="200Mbit/s")
    parser.add_argument("--collectives", default=",".join(COLLECTIVES))
    parser.add_argument("--bytes", help="else those of all bars")
    parser.add_argument("--rounds", type=int, default=9)
    asked = parser.parse_args()
    folder = os.environ.get(INSIDE)
    if asked.hosts > 1 and folder is None:
        if why := why_impossible(Settings()):
            raise Error(f"there can't be {asked.hosts} hosts here", cause=why)
        sys.exit(run_among_hosts(asked.hosts, asked.rate))
    hostfile = Path(folder) / "hostfile" if folder else None
    mpi = find_mpi(asked.mpirun)
    cores = len(os.sched_getaffinity(0))
    if asked.ranks > cores:
        print(f"{asked.ranks} ranks share {cores} cores, where the model is a rough guide")
    cells: list[Measured] = []
    collectives = asked.collectives.split(",")
    sizes = [parse_bytes(word) for word in asked.bytes.split(",")] if asked.bytes else list(SIZES)
    calibrations = 1 if hostfile else len(collectives)
    for number, collective in enumerate(collectives):
        if number < calibrations:
            predictor, pace = calibrated(mpi, asked.seconds / calibrations, hostfile, max(sizes))
        [job] = contiguous_jobs(predictor.network, [asked.hosts], -(-asked.ranks // asked.hosts))
        found = list(cells_of(predictor, job, collective, sizes))
        measure(Ranks(mpi, asked.ranks, hostfile, pace), found, asked.rounds)
        for cell in found:
            if not cell.rounds[0]:
                print(f"{collective:<16}{format_bytes(cell.calls[0].bytes):>10} never at the pace that was calibrated")
                continue
            describe(cell)
            cells.append(cell)
    compare(cells)


def run_among_hosts(count: int, rate: str) -> int:
    """This program again, in namespaces that end with it."""
    with TemporaryDirectory(prefix="ayatori-") as folder:
        again = [sys.executable, "-m", "bench.validation.predicted_collectives", *sys.argv[1:]]
        command = command_among_hosts(count, rate, Path(folder), again, PACKET_BY_PACKET)
        return subprocess.run(command, env=os.environ | {INSIDE: folder}, check=False).returncode


if __name__ == "__main__":
    try:
        main()
    except Error as error:
        sys.exit(f"error: {error.message}\n{error.cause}")
