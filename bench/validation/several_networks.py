"""Do collectives gain from the plug-in where machines are on several networks?

    python -m bench.validation.several_networks [--mpi openmpi] [--bytes 64KiB,256KiB] [--repeats 2]

Three chassis of four blades, two of them with InfiniBand (examples/cluster/three-chassis.toml), as a cluster lab, which
needs root: all-to-all and allreduce of 12 ranks by an MPI where the blades have Ethernet only, by the MPI with the
networks that it chooses itself, and by the plug-in. Then the plug-in's all-to-all between two hosts on one network, and
on two equal ones. The ranks share the cores of this machine: on two cores it takes minutes. It reports progress on
standard error.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from dataclasses import replace
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ayatori.base.units import format_bytes, parse_bytes
from ayatori.measurement.collectives import FAMILIES, Cell, Setting, Stack, measure_collectives, plugin_of
from bench.harness.programs import ROOT
from bench.harness.sharing_cores import OPEN_MPI_YIELDS, to_preload

GATEWAYS = ROOT / "examples/cluster/three-chassis.toml"
CORE = """
[planes.gbe]
rate = "1Gbit/s"

[[switches]]
name = "gbe-core"
plane = "gbe"
"""
ETHERNET_ONLY = (
    CORE
    + """
[[chassis]]
name = "chassis[1-3]"
bus = { plane = "gbe" }
links = [{ to = "gbe-core" }]

[[chassis.blades]]
name = "blade[1-4]"
"""
)
ONE_OF_TWINS = (
    CORE
    + """
[[hosts]]
name = "a[1-2]"
links = [{ to = "gbe-core" }]
"""
)
TWINS = (
    CORE
    + """
[planes.twin]
rate = "1Gbit/s"

[[switches]]
name = "twin"
plane = "twin"

[[hosts]]
name = "a[1-2]"
links = [{ to = "gbe-core" }, { to = "twin" }]
"""
)


def plug_in(family: str, file: Path, sharing: tuple[Path, ...]) -> Stack:
    """By a table of `ayatori choose` for the cluster."""
    own = {"NWTOPO_SOURCE": f"cluster:{file}", "AYATORI_SOCKETS": "1", "AYATORI_CHOICE": str(table_of(file))}
    return Stack("plug-in", OPEN_MPI_YIELDS | own, (plugin_of(family), *sharing))


def table_of(file: Path) -> Path:
    table = file.with_suffix(".choice")
    words = ["--collective", "alltoall,allreduce", "--bytes", "64B..16MiB", "--out", str(table)]
    command = [sys.executable, "-m", "ayatori.cli", "choose", f"cluster:{file}", *words]
    if not table.exists():
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    return table


def inside(arguments: argparse.Namespace) -> None:
    """In the lab: prints by collective and bytes the seconds of the MPI and of the plug-in, as JSON."""
    launch = f"mpirun.{arguments.mpi} -np {arguments.ranks}"
    sharing = to_preload(arguments.mpi)
    mpi = Stack("MPI", OPEN_MPI_YIELDS, sharing)
    stacks = [mpi]
    if not arguments.alone:
        stacks += [plug_in(arguments.mpi, Path(arguments.inside), sharing), replace(mpi, name="again")]
    numbers = count(1)

    def advance() -> None:
        runs = len(stacks) * arguments.repeats
        print(f"{arguments.ranks} ranks: {next(numbers)} of {runs} runs measured", file=sys.stderr, flush=True)

    cells = [Cell(name, size) for name in arguments.collectives.split(",") for size in arguments.bytes]
    setting = Setting(arguments.mpi, arguments.ranks, launch)
    found = measure_collectives(setting, stacks, cells, arguments.repeats, advance)
    print(json.dumps([[cell.collective, cell.bytes, *(one.median * 1e-6 for one in found[cell])] for cell in cells]))


def measured_in_lab(text: str, arguments: argparse.Namespace, *words: str) -> list[list[Any]]:
    """Rows of inside() in the lab of this cluster."""
    with TemporaryDirectory() as name:
        file = Path(name) / "cluster.toml"
        file.write_text(text)
        own = [sys.executable, "-m", "bench.validation.several_networks", "--inside", str(file), "--mpi", arguments.mpi]
        lab = [sys.executable, "-m", "ayatori.cli", "lab", "cluster", str(file), "--slower", str(arguments.slower)]
        command = [*lab, "--", *own, "--repeats", str(arguments.repeats), *words]
        done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=ROOT)
        return list(json.loads(done.stdout))


def compare_with_gateways(arguments: argparse.Namespace) -> None:
    sizes = ",".join(str(size) for size in arguments.bytes)
    words = ["--ranks", "12", "--collectives", arguments.collectives, "--bytes", sizes]
    alone = measured_in_lab(ETHERNET_ONLY, arguments, *words, "--alone")
    both = measured_in_lab(GATEWAYS.read_text(), arguments, *words)
    for (collective, size, ethernet), (_, _, chosen, ours, again) in zip(alone, both, strict=True):
        print(
            f"3 x 4 blades, {collective} {format_bytes(size)}: Ethernet only {ethernet * 1e3:.2f} ms, "
            f"the MPI's choice {chosen * 1e3:.2f} ms and again {again * 1e3:.2f} ms, plug-in {ours * 1e3:.2f} ms: "
            f"{ethernet / ours:.2f} and {(chosen + again) / 2 / ours:.2f} times as fast",
            flush=True,
        )


def compare_twins(arguments: argparse.Namespace) -> None:
    words = ["--ranks", "2", "--collectives", "alltoall", "--bytes", "4194304"]
    [[_, _, _, one, _]] = measured_in_lab(ONE_OF_TWINS, arguments, *words)
    [[_, _, _, two, _]] = measured_in_lab(TWINS, arguments, *words)
    print(f"all-to-all of 2 hosts, 4 MiB: one network {one * 1e3:.1f} ms, two {two * 1e3:.1f} ms: {one / two:.2f}")


def sizes_in(text: str) -> list[int]:
    return [parse_bytes(word) for word in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=FAMILIES, default="openmpi")
    parser.add_argument("--bytes", type=sizes_in, default="8B,4KiB,64KiB,256KiB")
    parser.add_argument("--collectives", default="alltoall,allreduce")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--slower", type=float, default=10)
    parser.add_argument("--ranks", type=int, default=12, help=argparse.SUPPRESS)
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        inside(arguments)
        return
    compare_with_gateways(arguments)
    compare_twins(arguments)


if __name__ == "__main__":
    main()
