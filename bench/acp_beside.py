"""Runs acp_bench.c with our library, over shared memory and UDP, and, given --acp-prefix, with another library of the
same API over its UDP device (the ACP library's), one after the other and again; prints JSON lines: medians of the runs.

    bench/acp_beside.py [--acp-prefix DIR] [--runs N]        DIR: where `make install` of that library put it
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]
OURS = ROOT / "build" / "release" / "bench" / "acp_copies"
SECONDS = 25
FIRST_PORT = 45_000

Run = Callable[[int], str]
Key = tuple[str, str, str, str]  # stack, measure, memory, target


def ours(wires: str) -> Run:
    launcher = ROOT / "python" / "ayatori" / "launching.py"

    def run(_number: int) -> str:
        return output_of([sys.executable, str(launcher), "2", str(OURS)], {"ACP_WIRES": wires})

    return run


def theirs(program: Path, prefix: Path) -> Run:
    """Two processes as that library's own acprun would start them on this machine."""

    def run(number: int) -> str:
        port = FIRST_PORT + 2 * number
        common = ["--acp-nprocs", "2", "--acp-taskid", str(number + 1), "--acp-host-remote", "127.0.0.1"]
        sizes = ["--acp-size-smem", "4096", "--acp-size-smem-cl", "10240", "--acp-size-smem-dl", "10240"]
        environment = {"LD_LIBRARY_PATH": str(prefix / "lib")}
        commands = [
            [str(program), *common, *sizes, "--acp-myrank", str(rank), "--acp-port-local", str(port + rank)]
            + ["--acp-port-remote", str(port)]
            for rank in range(2)
        ]
        second = subprocess.Popen(commands[1], env=os.environ | environment)
        try:
            return output_of(commands[0], environment)
        finally:
            second.kill()
            second.wait()

    return run


def output_of(command: list[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=os.environ | environment, stdout=subprocess.PIPE, text=True, timeout=SECONDS, check=True
    )
    return done.stdout


def compiled(prefix: Path, folder: Path) -> Path:
    program = folder / "acp_theirs"
    source = ROOT / "bench" / "acp_bench.c"
    libraries = ["-Wl,--no-as-needed", "-lacpbl_udp", "-lacpml", "-lpthread", "-lrt", "-lm"]
    subprocess.run(
        ["cc", "-O2", str(source), f"-I{prefix}/include", f"-L{prefix}/lib", *libraries, "-o", str(program)], check=True
    )
    return program


def measure(stacks: dict[str, Run], runs: int) -> dict[Key, list[float]]:
    found: dict[Key, list[float]] = defaultdict(list)
    for number in range(runs):
        for name, run in stacks.items():
            try:
                output = run(number)
            except subprocess.TimeoutExpired:
                # The ACP library's start waits for ever when its threads start in an unlucky order.
                print(f"{name}: no end within {SECONDS} s, left out", file=sys.stderr)
                continue
            for line in output.splitlines():
                if line.startswith("{"):
                    result = json.loads(line)
                    found[name, result["measure"], result["memory"], result["target"]].append(result["median_us"])
    return found


def report(found: dict[Key, list[float]]) -> None:
    for (stack, what, memory, target), values in found.items():
        line: dict[str, object] = {"stack": stack, "measure": what, "memory": memory, "bytes": 8, "target": target}
        line |= {"median_us": round(statistics.median(values), 3), "runs_us": values}
        other = found.get(("acp-udp", what, memory, target))
        if other and stack != "acp-udp":
            line["times_faster"] = round(statistics.median(other) / statistics.median(values), 2)
        print(json.dumps(line))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--acp-prefix", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        stacks = {"ours-shm": ours("shm"), "ours-udp": ours("udp")}
        if arguments.acp_prefix:
            stacks["acp-udp"] = theirs(compiled(arguments.acp_prefix, Path(folder)), arguments.acp_prefix)
        report(measure(stacks, arguments.runs))


if __name__ == "__main__":
    main()
