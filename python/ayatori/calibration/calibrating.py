"""Measures this machine, or two of a hostfile, and makes the calibration of what was measured."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from ayatori.base.units import format_bytes
from ayatori.calibration.fitting import Fit, fit
from ayatori.calibration.fitting_oversubscription import fit_sharing
from ayatori.calibration.measuring import (
    MORE_SECONDS,
    MORE_SECONDS_OVERSUBSCRIBED,
    Measurement,
    Mpi,
    OversubscribedTimes,
    compile_program,
    executor_seconds,
    hosts_in,
    measure,
    measure_oversubscribed,
)
from ayatori.formats.calibration import Calibration, FitError

SECONDS_OVERSUBSCRIBED = 2.0
"""Where ranks of an MPI spin, a round of all sizes takes longer."""
TOO_NOISY = 0.2
"""Share of the times whose rounds differ too much."""
ENOUGH_ROUNDS = 9


def calibrate(
    mpi: Mpi,
    seconds: float,
    hostfile: Path | None = None,
    links_between: int = 2,
    note: Callable[[str], None] = lambda _text: None,
) -> Calibration:
    """Messages inside this machine, and, if the hostfile names two hosts, between these; `seconds` each, and
    MORE_SECONDS at most. What was not reached by then stands in the remarks.

    Raises Error if the MPI can't be compiled for or started.
    """
    hosts = hosts_in(hostfile)[:2] if hostfile is not None else []
    sharing = min(seconds, SECONDS_OVERSUBSCRIBED)
    longest = (seconds + MORE_SECONDS) * (2 if len(hosts) > 1 else 1) + sharing + MORE_SECONDS_OVERSUBSCRIBED
    note(f"measuring takes at most {longest:g} s")
    with TemporaryDirectory(prefix="ayatori-") as name:
        folder = Path(name)
        program = compile_program(mpi, folder)
        note(f"inside this machine: two ranks for {seconds:g} s")
        inside = measure(mpi, [program], folder, seconds, None)
        note(f"inside this machine: two ranks for each core, {sharing:g} s")
        oversubscribed = measure_oversubscribed(mpi, program, folder, sharing, inside)
        between = None
        if len(hosts) > 1:
            note(f"between {' and '.join(hosts)}: one rank each for {seconds:g} s")
            between = measure(mpi, [program], folder, seconds, hostfile)
    return calibration_of(inside, between, links_between, oversubscribed)


def calibration_of(
    inside: Measurement, between: Measurement | None, links_between: int, oversubscribed: OversubscribedTimes
) -> Calibration:
    own = fit(inside, "inside")
    other = fit(between, "between") if between else None
    remarks = [*_remarks("inside", inside), *(_remarks("between", between) if between else [])]
    cores = len(os.sched_getaffinity(0))
    sharing = fit_sharing(oversubscribed, own.messages, cores)
    if cores < 2:
        remarks.append(f"{cores} core for 2 ranks: times inside the machine are those of ranks that share it")
    if oversubscribed.unreached:
        remarks.append(f"ranks that share a core: not reached in the time: {_sizes(oversubscribed.unreached)}")
    if oversubscribed.at_another_pace:
        remarks.append("how long ranks that share a core wait was measured at another pace of the cores than the rest")
    if between and between.same_node:
        remarks.append("the MPI says that the two hosts are one machine, and may not have used their network")
    return Calibration(
        machine=machine_in_words(),
        mpi=inside.mpi,
        inside=own.messages,
        between=other.messages if other else None,
        links_between=links_between if other else 0,
        copy=own.copy,
        reduce=own.reduce,
        cache_refill=own.cache_refill,
        start=own.start,
        engine=executor_seconds(),
        cores=cores,
        scheduling_delay=sharing.scheduling_delay,
        start_skew=sharing.start_skew,
        oversubscription=sharing.oversubscription,
        remarks=tuple(remarks),
        errors=(*own.errors, *_errors_of_messages(other)),
    )


def _errors_of_messages(between: Fit | None) -> list[FitError]:
    """Copies and reductions are those of inside."""
    own = ("copy ", "add ", "combine ")
    return [error for error in between.errors if not error.what.startswith(own)] if between else []


def _remarks(where: str, measured: Measurement) -> list[str]:
    share = measured.noisy_share()
    remarks = []
    if measured.unreached:
        remarks.append(f"{where}: not reached in the time, and guessed from smaller ones: {_sizes(measured.unreached)}")
    if measured.rounds < ENOUGH_ROUNDS:
        remarks.append(f"{where}: {measured.rounds} of {ENOUGH_ROUNDS} rounds were begun; more with --seconds")
    if measured.other_pace > 0:
        remarks.append(
            f"{where}: while {measured.other_pace:.0%} of the times were measured, messages had another pace, as they "
            "do where a hypervisor moves the cores; these times do not count"
        )
    if share <= TOO_NOISY:
        return remarks
    return [
        *remarks,
        f"{where}: too noisy, {share:.0%} of the times differ by more than half between rounds; measure again",
    ]


def machine_in_words() -> str:
    """This host, its processor, and how many cores it has for us."""
    return f"{platform.node()}: {_processor()}, {len(os.sched_getaffinity(0))} cores"


def _sizes(sizes: Sequence[int]) -> str:
    return ", ".join(format_bytes(size) for size in sorted(sizes))


def _processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(filter(None, names), platform.machine())
