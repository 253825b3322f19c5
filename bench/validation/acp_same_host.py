"""libacp against UCX between two processes of a host: gets of 8 bytes, fetch-adds and puts of 1 MiB, run alternately.

    .venv/bin/python -m bench.validation.acp_same_host [--runs N]

UCX's own ucx_perftest measures UCX: by posix shared memory for memory that the library allocates, and by cma
(process_vm_readv) for the program's memory. Prints a JSON line for each measurement: medians of the runs, and their
ratio. The program of libacp is acp_same_host.c.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from bench.harness.programs import BUILT, alternating, output_of, running

OURS = BUILT / "validation" / "acp_same_host"
MAX_SECONDS = 60.0
FIRST_PORT = 13_400
MEBIBYTE = 1 << 20

CMA = ["-x", "cma", "-d", "memory", "-D", "zcopy"]
UCX: dict[str, list[str]] = {
    "get 8 B, registered": ["-t", "get", *CMA, "-s", "8", "-n", "100000"],
    "get 8 B, library": ["-t", "ucp_get", "-s", "8", "-n", "1000000"],
    "fetch-add, library": ["-t", "ucp_fadd", "-s", "8", "-n", "1000000"],
    "put 1 MiB, library": ["-t", "ucp_put_bw", "-s", str(MEBIBYTE), "-n", "2000"],
    "put 1 MiB, registered": ["-t", "put_bw", *CMA, "-s", str(MEBIBYTE), "-n", "2000"],
}
"""The arguments of ucx_perftest for each measurement."""


def ours(_number: int) -> dict[str, float]:
    output = output_of([sys.executable, "-m", "ayatori.processes", "2", OURS], timeout=MAX_SECONDS)
    lines = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    return {line["measure"]: line["mean_us"] for line in lines}


def ucx(number: int) -> dict[str, float]:
    return {what: of_ucx(arguments, FIRST_PORT + number) for what, arguments in UCX.items()}


def of_ucx(arguments: list[str], port: int) -> float:
    """The mean time of an operation, in microseconds: the fifth last number of the only line that `-f` leaves."""
    command: list[str | Path] = ["ucx_perftest", "-f", "-p", str(port), *arguments]
    environment = {"UCX_TLS": "posix,self"}
    with running(command, environment=environment):
        time.sleep(0.5)  # it listens now
        output = output_of([*command, "127.0.0.1"], environment=environment, timeout=MAX_SECONDS)
    *_, last = (line.split() for line in output.splitlines() if line.split()[:1] and line.split()[0].isdigit())
    return float(last[3])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    runs = alternating({"ours": ours, "ucx": ucx}, parser.parse_args().runs)
    for what in UCX:
        line: dict[str, object] = {"measure": what}
        medians = {stack: statistics.median(run[what] for run in found) for stack, found in runs.items()}
        line |= {f"{stack}_us": round(median, 4) for stack, median in medians.items()}
        if "MiB" in what:
            line |= {f"{stack}_gb_per_s": round(MEBIBYTE / median / 1e3, 2) for stack, median in medians.items()}
        line |= {"times_ucx": round(medians["ours"] / medians["ucx"], 2)}
        line |= {f"{stack}_runs_us": [run[what] for run in found] for stack, found in runs.items()}
        print(json.dumps(line))


if __name__ == "__main__":
    main()
