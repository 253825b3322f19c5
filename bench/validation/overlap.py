"""How much of a communication does a computation hide, on two hosts with a slow cable: by the MPI alone, and with the
plug-in's progress thread (AYATORI_PROGRESS)? And what does the thread cost where there is nothing to hide?

    python -m bench.validation.overlap --rate 400mbit --repeats 40

The times are medians over the repeats of one run, with their quartiles; runs take turns. The overlap is
(communication + computation - both) / min(communication, computation), of each repeat.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ayatori.base.errors import Error
from bench.harness.programs import BUILT, ROOT, in_turns, output_of
from bench.harness.two_hosts import TwoHosts

FAMILIES = ("openmpi", "mpich")
CALLS = ("isend", "iallreduce")
KERNELS = ("arithmetic", "memory")
WARM_UP_SECONDS = 3  # until the plug-in has tried whether its thread pays


def plugin_of(family: str) -> Path:
    return ROOT / "build/release/mpi" / family / "libayatori_mpi.so"


def variables_of(family: str, way: str) -> dict[str, str]:
    """`way`: mpi (nothing is preloaded), or a value of AYATORI_PROGRESS."""
    if way == "mpi":
        return {}
    return {"LD_PRELOAD": str(plugin_of(family)), "AYATORI_PROGRESS": way, "AYATORI_GUARD": "off"}


def measure(hosts: TwoHosts, family: str, way: str, words: Sequence[str]) -> dict[str, Any]:
    program = BUILT / "tasks" / f"overlap_mpi_{family}"
    command = hosts.command(family, [program, *words], variables_of(family, way))
    lines = [line for line in output_of(command).splitlines() if line.startswith("{")]
    if not lines:
        raise Error(f"overlap_mpi_{family} printed no result")
    return dict(json.loads(lines[-1]))


def milliseconds(part: dict[str, Any]) -> str:
    low, high = part["quartiles"]
    return f"{part['median'] * 1e3:7.2f} ({low * 1e3:.2f}-{high * 1e3:.2f})"


def print_row(family: str, way: str, result: dict[str, Any]) -> None:
    low, high = result["overlap"]["quartiles"]
    times = "  ".join(f"{name} {milliseconds(result[name])}" for name in ("communication", "computation", "both"))
    print(
        f"{family:8} {result['call']:10} {result['kernel']:10} {way:7} "
        f"overlap {result['overlap']['median']:6.1%} ({low:.1%} to {high:.1%})  ms: {times}",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="400mbit")
    parser.add_argument("--bytes", default="1048576")
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--ways", nargs="+", default=["mpi", "thread"], choices=["mpi", "off", "calls", "thread"])
    parser.add_argument("--families", nargs="+", default=FAMILIES, choices=FAMILIES)
    parser.add_argument("--calls", nargs="+", default=CALLS, choices=CALLS)
    parser.add_argument("--kernels", nargs="+", default=KERNELS, choices=KERNELS)
    parser.add_argument("--json", type=Path, help="write all results to this file, too")
    chosen = parser.parse_args(arguments)
    results: list[dict[str, Any]] = []
    with TwoHosts(chosen.rate) as hosts:
        for family in chosen.families:
            for way in (way for way in chosen.ways if way == "thread"):
                idle = measure(hosts, family, way, ["idle", "5"])
                print(f"{family}: the thread sleeps with {idle['share_of_a_core']:.4%} of a core", flush=True)
            for call in chosen.calls:
                for kernel in chosen.kernels:
                    words = [call, kernel, chosen.bytes, str(chosen.repeats), str(WARM_UP_SECONDS)]

                    def run(way: str, family: str = family, words: Sequence[str] = words) -> dict[str, Any]:
                        result = measure(hosts, family, way, words)
                        print_row(family, way, result)
                        return {"family": family, "way": way, **result}

                    stacks = {way: lambda _, way=way, run=run: run(way) for way in chosen.ways}
                    results += [one for list_of in in_turns(stacks, chosen.turns).values() for one in list_of]
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Error as error:
        sys.exit(f"error: {error}")
