"""Examples of all commands: at the end of each help page, where a terminal shows them."""

from __future__ import annotations

import click

TREE = "fattree:K=6,levels=2,nodes=30"
EXAMPLES = {
    "show": [f"show {TREE}", "show ib:fabric.txt --svg fabric.svg"],
    "convert": ["convert ib:fabric.txt --to graphml --out fabric.graphml"],
    "sources": ["sources", "show dragonfly:g=9,a=4,p=2,h=2"],
    "doctor": ["doctor --hosts hostfile"],
    "run": ["run mpirun -np 4 ./program", "run --plan auto:ib:fabric.txt mpirun -np 64 ./program"],
    "tune": [
        "tune --out choice.json mpirun -np 4",
        "tune --collective allreduce --bytes 8B,64KiB mpirun -np 4",
    ],
    "explain": ["explain mpirun -np 4 ./program"],
    "plan": [
        "plan ib:fabric.txt --job hostfile --out plan.json",
        "plan ib:fabric.txt --job hostfile --running jobs",
        f"plan {TREE} --random-jobs 100 --job-size 16",
    ],
    "roce": [
        f"roce {TREE} --random-jobs 20 --job-size 16",
        "roce lldp:switches --job hostfile --hash crc16",
    ],
    "build-plugin": ["build-plugin --mpicc /opt/mpi/bin/mpicc"],
    "order": ["order ib:fabric.txt --job hostfile --pattern ring --out ordered"],
    "route": ["route ib:fabric.txt --out-dir tables"],
    "check": ["check ib:fabric.txt --lfts tables/lfts", "check ib:fabric.txt --jobs jobs"],
    "compare": ["compare ib:fabric.txt --lfts tables/lfts --engines minhop,ftree"],
    "place": ["place ib:fabric.txt --nodes 6 --free hostfile --running jobs"],
    "acprun": ["acprun -n 4 ./program"],
    "choose": [
        "choose ib:fabric.txt --job hostfile --collective allreduce",
        "choose torus:4x4 --collective allreduce,alltoall --bytes 1KiB..64KiB",
        "choose ib:fabric.txt --plan plan.json --collective alltoall",
    ],
    "algorithms": ["algorithms", "algorithms allreduce"],
    "lab fabric": ["lab fabric fattree:K=2,levels=2 --engine ftree"],
    "lab rdma": ["lab rdma ibv_devinfo"],
    "lab cluster": ["lab cluster cluster.toml mpirun ./program"],
    "bench collectives": ["bench collectives --collective allreduce --bytes 8B,1MiB --ranks 4"],
    "bench pingpong": ["bench pingpong --hosts hostfile --out-dir pingpong"],
    "bench alltoall": ["bench alltoall --bytes 1KiB..1MiB --ranks 4"],
    "bench hpl": ["bench hpl --matrix-order 1000 --nb 64,128 --grids 1x2,2x1"],
    "bench overlap": ["bench overlap --here --calls iallreduce --mechanisms none,thread"],
    "bench incast": ["bench incast --senders 8 --bytes 64B"],
    "bench simulated-incast": ["bench simulated-incast --senders 100 --buffers 4"],
    "bench peers": ["bench peers --count 100000"],
    "calibrate": ["calibrate --hostfile hostfile --out costs.json"],
    "simulate": [
        "simulate torus:4x4x4 --collective allreduce --algorithm ring",
        "simulate torus:4x4 --collective alltoall --algorithm shift --json",
    ],
    "estimate hpl": ["estimate hpl --matrix-order 1000 --nb 64 --grids 1x2"],
    "estimate in-network": ["estimate in-network ib:fabric.txt --collective allreduce"],
    "estimate memory": ["estimate memory --processes 1Ki,1Mi --ppn 64"],
    "demo": ["demo --out-dir demo"],
    "report": ["report demo"],
}
"""By command, what stands behind `ayatori`. tests/cli/test_help_examples.py runs or parses them."""


def with_examples(command: click.Command, path: str) -> click.Command:
    """The command, and those under it, with their examples as the last lines of their help."""
    if isinstance(command, click.Group):
        for name, each in command.commands.items():
            with_examples(each, f"{path} {name}")
        return command
    lines = [f"$ ayatori {line}" for line in EXAMPLES.get(path, [])]
    command.epilog = "\n\n".join(["Example:" if len(lines) == 1 else "Examples:", *lines])
    return command
