"""Open MPI over our transport and over others, alternately, in the same program: small messages, and an incast.

    .venv/bin/python -m bench.tasks.mpi_transports.compare [--rounds 9] [--ranks 32] [pingpong|incast]

All go over UDP or TCP of the loopback. Prints one JSON object: microseconds a message by transport and round, medians,
and for each other transport in how many rounds ours was faster, with the probability of that by chance (sign test).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ayatori.base.errors import Error
from bench.harness.installed_mpi import InstalledMpi
from bench.harness.programs import alternating, output_of
from bench.validation.transports import PEERS, transports_of

HERE = Path(__file__).resolve().parent
OURS = "ayatori-udp"
WHAT = {"pingpong": ("64", "5000"), "incast": ("1024", "500")}
LAUNCH = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]


def stacks() -> dict[str, Mapping[str, str]]:
    """Of Debian's Open MPI."""
    over = transports_of(InstalledMpi("openmpi"))
    return {
        OURS: over[OURS],
        "ayatori-udp without tags": {**over[OURS], "ACP_TAGS": "off"},
        **{name: over[name] for name in PEERS},
    }


def microseconds(program: Path, what: str, ranks: int, variables: Mapping[str, str]) -> float:
    """Ranks that wait yield: there are more of them than cores, or other programs. Infinite if a run fails or takes a
    minute."""
    environment = {**os.environ, "OMPI_MCA_mpi_yield_when_idle": "1", **variables}
    exports = [f"{name}={value}" for name, value in environment.items() if os.environ.get(name) != value]
    command: list[str | Path] = ["env", *exports, *LAUNCH, "-n", str(ranks), program, what, *WHAT[what]]
    try:
        return float(output_of(command, timeout=60).split()[-1])
    except Error as error:
        print(f"{what}: {error}", file=sys.stderr)
        return math.inf


def finite(times: Sequence[float]) -> list[float | None]:
    return [None if math.isinf(time) else time for time in times]


def chance_of(faster: int, rounds: int) -> float:
    """That so many or more of so many fair coins fall on one side; two-sided."""
    more = max(faster, rounds - faster)
    return min(1.0, 2 * sum(math.comb(rounds, k) for k in range(more, rounds + 1)) / 2**rounds)


def compare(program: Path, what: str, ranks: int, rounds: int) -> dict[str, object]:
    def over(variables: Mapping[str, str]) -> Callable[[int], float]:
        return lambda _: microseconds(program, what, ranks, variables)

    runs = alternating({name: over(variables) for name, variables in stacks().items()}, rounds)

    def against(times: Sequence[float]) -> str:
        """Only of rounds in which both ended."""
        both = [(ours, theirs) for ours, theirs in zip(runs[OURS], times, strict=True) if math.isfinite(ours + theirs)]
        faster = sum(ours < theirs for ours, theirs in both)
        return f"{faster} of {len(both)}, p = {chance_of(faster, len(both)):.3f}"

    return {
        "what": what,
        "ranks": ranks,
        "us_a_message": {name: finite([statistics.median(times)])[0] for name, times in runs.items()},
        "ours_faster": {name: against(times) for name, times in runs.items() if name != OURS},
        "runs_us": {name: finite(times) for name, times in runs.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", choices=[*WHAT, []], default=[])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ranks", type=int, default=32, help="of the incast")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ayatori-bench-") as folder:
        program = Path(folder) / "mpi"
        output_of(["mpicc.openmpi", "-O2", "-o", program, HERE / "mpi.c"])
        for what in options.what or WHAT:
            ranks = options.ranks if what == "incast" else 2
            print(json.dumps(compare(program, what, ranks, options.rounds)), flush=True)


if __name__ == "__main__":
    main()
