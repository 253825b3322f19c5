"""How much of a communication does a computation hide, on two hosts with a slow cable: by the MPI alone, and with the
plug-in's progress thread (AYATORI_PROGRESS)? And what does the thread cost where there is nothing to hide?

    python -m bench.validation.overlap --rate 200Mbit/s --repeats 40

The hosts are network namespaces, each with a core of its own (a lab). It needs root, and leaves nothing behind.
The times are medians over the repeats of one run, with their quartiles; runs take turns. The overlap is
(communication + computation - both) / min(communication, computation), of each repeat.

The call `sockets` is an exchange by TCP alone: what it does not hide is processor time that the kernel needs of the
computation's core, so that no MPI over TCP can hide it. With --longer N the computation takes N times as long as the
communication, and `both` with the thread is compared with that of the MPI alone: nothing much is to be gained there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from ayatori.base.errors import Error
from bench.harness.programs import BUILT, ROOT, in_turns, output_of
from bench.validation.hosts import command_among_hosts

FAMILIES = ("openmpi", "mpich")
CALLS = ("isend", "iallreduce", "sockets")
KERNELS = ("arithmetic", "memory")
PARTS = ("communication", "computation", "both", "computing", "waiting")
WARM_UP_SECONDS = 4  # until the plug-in has tried whether its thread pays
INSIDE = "AYATORI_HOSTS_FOLDER"
"""Where the hostfile is, if this runs among hosts."""


def plugin_of(family: str) -> Path:
    return ROOT / "build/release/mpi" / family / "libayatori_mpi.so"


def variables_of(family: str, way: str) -> dict[str, str]:
    """`way`: mpi (nothing is preloaded), or a value of AYATORI_PROGRESS."""
    if way == "mpi":
        return {}
    return {"LD_PRELOAD": str(plugin_of(family)), "AYATORI_PROGRESS": way, "AYATORI_GUARD": "off"}


def launcher(family: str, folder: Path) -> list[str]:
    """What starts a process on each host, by TCP over the cable. The lab has told the launchers how to get there."""
    hosts = (folder / "hostfile").read_text(encoding="utf-8").split()
    if family == "mpich":
        return ["mpiexec.mpich", "-hosts", ",".join(hosts), "-np", str(len(hosts))]
    by_tcp = ["--mca", "pml", "ob1", "--mca", "btl", "tcp,self", "--bind-to", "none"]
    return ["mpirun.openmpi", "--allow-run-as-root", "--host", ",".join(hosts), "-np", str(len(hosts)), *by_tcp]


def measure(folder: Path, family: str, way: str, words: Sequence[str]) -> dict[str, Any]:
    program = BUILT / "tasks" / f"overlap_mpi_{family}"
    variables = {"UCX_TLS": "tcp,self", **variables_of(family, way)}
    settings = ["env", *(f"{name}={value}" for name, value in variables.items())]
    output = output_of([*launcher(family, folder), *settings, program, *words])
    lines = [line for line in output.splitlines() if line.startswith("{")]
    if not lines:
        raise Error(f"overlap_mpi_{family} printed no result")
    return dict(json.loads(lines[-1]))


def milliseconds(part: dict[str, Any]) -> str:
    low, high = part["quartiles"]
    return f"{part['median'] * 1e3:7.2f} ({low * 1e3:.2f}-{high * 1e3:.2f})"


def print_row(family: str, way: str, result: dict[str, Any]) -> None:
    low, high = result["overlap"]["quartiles"]
    times = "  ".join(f"{name} {milliseconds(result[name])}" for name in PARTS)
    print(
        f"{family:8} {result['call']:10} {result['kernel']:10} {way:7} "
        f"overlap {result['overlap']['median']:6.1%} ({low:.1%} to {high:.1%})  ms: {times}",
        flush=True,
    )


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="200Mbit/s", help="of the cable, each way")
    parser.add_argument("--bytes", default="1048576")
    parser.add_argument("--repeats", type=int, default=40)
    parser.add_argument("--turns", type=int, default=1)
    parser.add_argument("--ways", nargs="+", default=["mpi", "thread"], choices=["mpi", "off", "calls", "thread"])
    parser.add_argument("--families", nargs="+", default=FAMILIES, choices=FAMILIES)
    parser.add_argument("--calls", nargs="+", default=CALLS, choices=CALLS)
    parser.add_argument("--kernels", nargs="+", default=KERNELS, choices=KERNELS)
    parser.add_argument("--longer", type=int, default=1, metavar="N", help="computation, times the communication")
    parser.add_argument("--json", type=Path, help="write all results to this file, too")
    return parser.parse_args()


def measure_in_turns(
    folder: Path, family: str, words: Sequence[str], chosen: argparse.Namespace
) -> list[dict[str, Any]]:
    def run(way: str) -> dict[str, Any]:
        result = measure(folder, family, way, words)
        print_row(family, way, result)
        return {"family": family, "way": way, **result}

    stacks = {way: lambda _, way=way: run(way) for way in chosen.ways}
    measured = in_turns(stacks, chosen.turns)
    if "mpi" in measured:
        print_totals(measured)
    return [one for results in measured.values() for one in results]


def print_totals(measured: Mapping[str, Sequence[dict[str, Any]]]) -> None:
    """Both at once by each way, as a multiple of what it takes by the MPI alone: in the middle of the turns."""
    for way, results in measured.items():
        if way == "mpi":
            continue
        pairs = zip(results, measured["mpi"], strict=True)
        shares = sorted(one["both"]["median"] / plain["both"]["median"] for one, plain in pairs)
        print(f"{'':8} both with {way}: {median(shares):.3f} of the MPI alone ({shares[0]:.3f} to {shares[-1]:.3f})")


def words_of(folder: Path, family: str, call: str, kernel: str, chosen: argparse.Namespace) -> list[str]:
    """Arguments of the program; a longer computation has units that are counted from one run of the MPI alone."""
    common = [call, kernel, chosen.bytes]
    words = [*common, str(chosen.repeats), str(WARM_UP_SECONDS)]
    if chosen.longer == 1:
        return words
    units = int(measure(folder, family, "mpi", [*common, "1"])["units"]) * chosen.longer
    return [*words, "0", "0", str(units)]


def main(chosen: argparse.Namespace, folder: Path) -> None:
    results: list[dict[str, Any]] = []
    for family in chosen.families:
        if "thread" in chosen.ways:
            idle = measure(folder, family, "thread", ["idle", "5"])
            print(f"{family:8} the thread sleeps with {idle['share_of_a_core']:.4%} of a core", flush=True)
        for call in chosen.calls:
            for kernel in chosen.kernels:
                words = words_of(folder, family, call, kernel, chosen)
                results += measure_in_turns(folder, family, words, chosen)
    if chosen.json is not None:
        chosen.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def run_between_hosts(chosen: argparse.Namespace) -> int:
    """This program again, in namespaces that end with it."""
    with TemporaryDirectory(prefix="ayatori-") as folder:
        again = [sys.executable, "-m", "bench.validation.overlap", *sys.argv[1:]]
        command = command_among_hosts(2, chosen.rate, Path(folder), again)
        return subprocess.run(command, env=os.environ | {INSIDE: folder}, check=False).returncode


if __name__ == "__main__":
    try:
        if INSIDE in os.environ:
            main(arguments(), Path(os.environ[INSIDE]))
        else:
            sys.exit(run_between_hosts(arguments()))
    except Error as error:
        sys.exit(f"error: {error}")
