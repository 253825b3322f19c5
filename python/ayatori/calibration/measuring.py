"""Measurements between two ranks, by the program bench/tasks/calibrate/mpi.c under any MPI's mpirun."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter, time
from typing import Any

from ayatori.base.compiled import PROGRAMS, of_mpi
from ayatori.base.errors import Error
from ayatori.base.files import read_text
from ayatori.processes import family_of, last_words, open_mpi_as_root, other_launcher, run_to_end

SOURCE = PROGRAMS / "calibrate.c"
FITTED_SIZES = tuple(4**power for power in range(12))
"""1 B … 4 MiB; the program adds the eager limit and one byte more."""
CHECKED_SIZES = tuple(size for size in (factor * 4**power for power in range(11) for factor in (2, 3)) if size > 2)
MORE_SECONDS = 10.0
"""At most, for everything but the measuring itself: starting, the eager limit, and until there are nine rounds."""
MORE_SECONDS_OVERSUBSCRIBED = 20.0
"""The same of all starts with more ranks than cores."""
_LEAVING_SECONDS = 2.0
"""Of these, for the end of the program."""
_HANGS = 60.0
"""An MPI that takes so much longer than it may hangs."""
MAX_SPREAD = 1.5
"""Three quarters of the rounds should be below this many times their median."""


@dataclass
class Samples:
    """Of one pattern: medians over many rounds, in seconds, by size in bytes."""

    median: dict[int, float] = field(default_factory=dict)
    tenth: dict[int, float] = field(default_factory=dict)
    three_quarters: dict[int, float] = field(default_factory=dict)


@dataclass
class Measurement:
    mpi: str
    hosts: Sequence[str]
    same_node: bool
    rounds: int
    eager_limit: int
    patterns: dict[str, Samples]
    pace: float = 0
    """While the times were measured that count: seconds of a cache line from one core to the other; between machines,
    of a message of one byte."""
    other_pace: float = 0
    """Share of the times that do not count, as they have another pace."""
    unreached: Sequence[int] = ()
    """Sizes before which the time was over."""

    def medians(self, pattern: str) -> dict[int, float]:
        """None of a pattern that was not measured."""
        return self.patterns.get(pattern, Samples()).median

    def noisy_share(self) -> float:
        """Of the times of messages, the share whose rounds differ too much."""
        spreads = [
            samples.three_quarters[size] > MAX_SPREAD * samples.median[size]
            for pattern in ("one_way", "exchange")
            for samples in [self.patterns[pattern]]
            for size in samples.median
        ]
        return sum(spreads) / len(spreads)


@dataclass(frozen=True)
class Mpi:
    """An MPI's programs."""

    mpirun: str
    mpicc: str
    is_open_mpi: bool


def find_mpi(mpirun: str, mpicc: str | None = None) -> Mpi:
    """The compiler is by default the one next to mpirun: mpicc.openmpi of mpirun.openmpi. Raises Error for none."""
    found = shutil.which(mpirun)
    if found is None:
        raise Error(f"{mpirun} is not installed", hint="--mpirun PROGRAM; apt-get install openmpi-bin, or mpich")
    done = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
    path = Path(found)
    name = path.name.replace("mpirun", "mpicc").replace("mpiexec", "mpicc")
    compiler = mpicc or shutil.which(str(path.with_name(name))) or shutil.which(name) or shutil.which("mpicc")
    if compiler is None or shutil.which(compiler) is None:
        hint = "--mpicc PROGRAM; apt-get install libopenmpi-dev, or libmpich-dev"
        raise Error(f"there is no compiler for the MPI of {mpirun}", hint=hint)
    return Mpi(found, compiler, "Open MPI" in done.stdout or "OpenRTE" in done.stdout)


def compile_program(mpi: Mpi, folder: Path) -> Path:
    program = folder / "calibrate"
    done = subprocess.run([mpi.mpicc, "-O2", "-o", program, SOURCE], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines()
        raise Error(f"{mpi.mpicc} can't compile the program that measures", cause=lines[-1] if lines else "")
    family = family_of([str(program)])
    if of_launcher := other_launcher([mpi.mpirun], family):
        raise Error(f"{mpi.mpicc} compiles for {family}, and {mpi.mpirun} starts {of_launcher}", hint="--mpicc PROGRAM")
    return program


_END = '{"end": true}'
"""What the program prints last: MPICH before 4.2 may fail to end after that (bench/harness/leave_mpi.h)."""
ALL_SIZES = tuple(sorted({*FITTED_SIZES, *CHECKED_SIZES}))


def measure(
    mpi: Mpi,
    program: Sequence[str | Path],
    folder: Path,
    seconds: float,
    hostfile: Path | None,
    *,
    settings: Sequence[str] = (),
    sizes: Sequence[int] = ALL_SIZES,
    more_seconds: float | None = None,
) -> Measurement:
    """Two ranks on this machine; with a hostfile on its first two hosts, for so many seconds, and `more_seconds` at
    most (MORE_SECONDS unless given). Raises Error if the time was over before a message was measured.

    `settings` are words for mpirun, `program` the one that measures, with its first words.
    """
    longest = seconds + (MORE_SECONDS if more_seconds is None else more_seconds)
    ended = run_to_end(
        [
            *(mpi.mpirun, *placement(mpi, hostfile), *settings, *program),
            *(f"{seconds:g}", _until(longest), *map(str, sizes)),
        ],
        folder=folder,
        environment=os.environ | open_mpi_as_root(),
        timeout=longest + _HANGS,
    )
    if ended.status != 0 and _END not in ended.output.splitlines():
        cause = last_words(ended.errors) or last_words(ended.output) or ended.reason
        raise Error(f"{mpi.mpirun} failed", cause=cause)
    measured = parse_measurement(ended.output)
    if not measured.patterns:
        raise Error(f"the time was over before a message was measured: {longest:g} s", hint="more --seconds")
    return measured


def _until(seconds: float) -> str:
    """In seconds of the epoch, which other hosts know, too: after which the program that measures ends."""
    return f"{time() + seconds - _LEAVING_SECONDS:.3f}"


@dataclass(frozen=True)
class OversubscribedTimes:
    """What messages take where two ranks share each core, in seconds."""

    ranks: int
    steps: Mapping[int, float]
    """By bytes of a message: a step in which each rank sends to another one and waits for a third one."""
    first: float
    """That the first step takes longer than the later ones, where all ranks should begin at one time."""
    hop: float
    """A message of the fewest bytes from a rank to the next one, while all others wait."""
    at_another_pace: bool = False
    """Whether the pace that was wanted did not come back for long, so that these are times of another one."""
    unreached: Sequence[int] = ()
    """Sizes before which the time was over in some start."""


STARTS = 3
"""With which ranks the kernel lets share a core, and so what they wait, changes from one start to the next."""


def measure_oversubscribed(
    mpi: Mpi, program: Path, folder: Path, seconds: float, inside: Measurement, sizes: Sequence[int] = FITTED_SIZES
) -> OversubscribedTimes:
    """With two ranks for each core of this machine, measured for `seconds` at the pace at which two ranks were measured
    `inside` it, and for MORE_SECONDS_OVERSUBSCRIBED at most: messages of `sizes`, and of the two sizes at the eager
    limit, where waits jump. The medians of several starts of the program."""
    eager_limit = inside.eager_limit
    if min(sizes) < eager_limit < max(sizes):
        sizes = sorted({*sizes, eager_limit, eager_limit + 1})
    ranks = 2 * _cores()
    command: list[str | Path] = [
        mpi.mpirun,
        *placement(mpi, None, ranks),
        program,
        "--oversubscribed",
        f"{inside.pace:g}",
    ]
    starts = []
    begin, longest = time(), seconds + MORE_SECONDS_OVERSUBSCRIBED
    for number in range(1, STARTS + 1):
        left = begin + longest * number / STARTS - time()
        ended = run_to_end(
            [*command, f"{seconds / STARTS:g}", _until(left), *map(str, sizes)],
            folder=folder,
            environment=os.environ | open_mpi_as_root(),
            timeout=longest + _HANGS,
        )
        if ended.status != 0:
            raise Error(f"{command[0]} failed", cause=ended.reason)
        starts.append(oversubscribed_times_of(ended.objects()))
    known = [size for size in sizes if any(size in start.steps for start in starts)]
    return OversubscribedTimes(
        ranks,
        {size: median(start.steps[size] for start in starts if size in start.steps) for size in known},
        median(start.first for start in starts),
        median(start.hop for start in starts),
        any(start.at_another_pace for start in starts),
        [size for size in sizes if any(size not in start.steps for start in starts)],
    )


def oversubscribed_times_of(lines: Sequence[Mapping[str, float]]) -> OversubscribedTimes:
    """From what the program prints: what it says of the fewest bytes, and by bytes the seconds of several steps.

    Another program may take a core while one step or one lap is measured, so that several seem to take less. Nothing is
    known then of what the first one takes beyond the others: all count as equal, and none as free.
    """
    head, several = lines[0], {int(line["bytes"]): line["seconds"] for line in lines[1:]}
    one_step, steps = head["one_step"], head["steps"]
    first = max(0.0, one_step - (several[min(several)] - one_step) / (steps - 1))
    if several[min(several)] <= one_step:
        first = 0.0
    per_step = {size: max(0.0, seconds - first) / steps for size, seconds in several.items()}
    lap = head["two_laps"] - head["one_lap"] if head["two_laps"] > head["one_lap"] else head["two_laps"] / 2
    return OversubscribedTimes(int(head["ranks"]), per_step, first, lap / head["ranks"], bool(head["at_another_pace"]))


def executor_seconds(steps: int = 100_000, repeats: int = 9) -> float:
    """What our executor takes for each end of a message, whatever carries it: the median of some repeats."""
    times: list[float] = []
    for _ in range(repeats):
        begin = perf_counter()
        ends = of_mpi().execute_without_carrying(steps // repeats)
        times.append((perf_counter() - begin) / ends)
    return median(times)


def placement(mpi: Mpi, hostfile: Path | None, ranks: int = 2) -> list[str]:
    """Options for ranks on one machine, each bound to a core, if there are enough, or with one on each of the first
    hosts. These are not bound: hosts that are namespaces of one machine would all have its first core."""
    bind = "core" if _cores() >= ranks and hostfile is None else "none"
    if mpi.is_open_mpi:
        where = ["--map-by", "core"] if bind == "core" else []
        if hostfile:
            where = ["--hostfile", str(hostfile), "--map-by", "node"]
        return ["--oversubscribe", "--bind-to", bind, *where, "-np", str(ranks)]
    where = ["-f", str(hostfile), "-ppn", "1"] if hostfile else []
    return [*where, "-bind-to", bind, "-np", str(ranks)]


def parse_measurement(text: str) -> Measurement:
    """Lines of JSON, as the program prints them."""
    lines: list[dict[str, Any]] = [
        json.loads(line) for line in text.splitlines() if line.startswith("{") and line != _END
    ]
    if not lines or "eager_limit" not in lines[0]:
        hint = "does what --mpirun names start programs of MPI?"
        raise Error("the program that measures printed nothing that can be read", hint=hint)
    patterns: dict[str, Samples] = {}
    for line in lines[1:]:
        samples = patterns.setdefault(line["pattern"], Samples())
        samples.median[line["bytes"]] = line["median"]
        samples.tenth[line["bytes"]] = line["tenth"]
        samples.three_quarters[line["bytes"]] = line["three_quarters"]
    return Measurement(patterns=patterns, **lines[0])


def hosts_in(hostfile: Path) -> list[str]:
    """The host that each line begins with, each once."""
    lines = (line.split("#")[0].split() for line in read_text(hostfile).splitlines())
    return list(dict.fromkeys(words[0].split(":")[0] for words in lines if words))


def _cores() -> int:
    return len(os.sched_getaffinity(0))
