"""Copies of 8 bytes by the ACP interface: our library over shared memory and UDP, and, given --acp-prefix, another
library of the same interface over its UDP device (the ACP library's), alternately. Prints JSON lines: medians of the
runs.

    .venv/bin/python -m bench.validation.acp_copies [--acp-prefix DIR] [--runs N]

DIR is where `make install` of that library put it. The program is acp_copies.c.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from ayatori.processes import ProgramError
from bench.harness.programs import BUILT, alternating, output_of, running

OURS = BUILT / "validation" / "acp_copies"
MAX_SECONDS = 25.0
FIRST_PORT = 45_000

Run = Callable[[int], str]
Key = tuple[str, str, str, str]  # stack, measure, memory, target


def ours(wires: str) -> Run:
    def run(_number: int) -> str:
        command: list[str | Path] = [sys.executable, "-m", "ayatori.processes", "2", OURS]
        return output_of(command, environment={"ACP_WIRES": wires}, timeout=MAX_SECONDS)

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
        with running(commands[1], environment=environment):
            return output_of(commands[0], environment=environment, timeout=MAX_SECONDS)

    return run


def compiled(prefix: Path, folder: Path) -> Path:
    program = folder / "acp_theirs"
    source = Path(__file__).with_suffix(".c").resolve()
    libraries = ["-Wl,--no-as-needed", "-lacpbl_udp", "-lacpml", "-lpthread", "-lrt", "-lm"]
    output_of(["cc", "-O2", source, f"-I{prefix}/include", f"-L{prefix}/lib", *libraries, "-o", program])
    return program


def unless_it_hangs(name: str, run: Run) -> Run:
    """The ACP library waits for ever at its start when its threads start in an unlucky order; that run is left out."""

    def guarded(number: int) -> str:
        try:
            return run(number)
        except ProgramError as error:
            print(f"{name}, run {number}: {error.message}, left out", file=sys.stderr)
            return ""

    return guarded


def measure(stacks: dict[str, Run], runs: int) -> dict[Key, list[float]]:
    found: dict[Key, list[float]] = defaultdict(list)
    for name, outputs in alternating(stacks, runs).items():
        for line in "".join(outputs).splitlines():
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
            program = compiled(arguments.acp_prefix, Path(folder))
            stacks["acp-udp"] = unless_it_hangs("acp-udp", theirs(program, arguments.acp_prefix))
        report(measure(stacks, arguments.runs))


if __name__ == "__main__":
    main()
