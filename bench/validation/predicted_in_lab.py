"""Does the model predict collectives over several networks, in the lab?

    python -m bench.validation.predicted_in_lab [--mpi mpich] [--slower 20]

Three chassis of four blades (examples/cluster/three-chassis.toml) as a cluster lab, which needs root and a machine that
does nothing else. `ayatori bench pingpong` measures the networks there; then the plug-in executes some algorithms of
all-to-all and allreduce over them, and the same are simulated over the links and with the costs that were measured.
Fails where the median of the errors is above 15 %.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from ayatori.base.units import format_bytes
from ayatori.formats.calibration import costs_on_planes
from ayatori.measurement.collectives import FAMILIES, Cell, Setting, Stack, measure_collectives, plugin_of
from ayatori.model.jobs import whole_network_job
from ayatori.model.network import open_source
from ayatori.prediction.calls import Call
from ayatori.prediction.costs import FREE
from ayatori.prediction.predictor import Model, Predictor
from bench.harness.programs import ROOT
from bench.harness.sharing_cores import OPEN_MPI_YIELDS, to_preload
from bench.validation.several_networks import GATEWAYS

AYATORI = [sys.executable, "-m", "ayatori.cli"]
RANKS = 12
MAX_ERROR = 0.15
CALLS = [
    Call(collective, algorithm, bytes, chunk_bytes=chunk)
    for bytes in (65536, 262144)
    for collective, algorithm, chunk in (
        ("alltoall", "gateways-mixed", 0),
        ("alltoall", "gateways", 0),
        ("alltoall", "shift", 0),
        ("allreduce", "gateways", 8192),
        ("allreduce", "ring", 0),
        ("allreduce", "recursive-doubling", 0),
    )
]


def inside(arguments: argparse.Namespace) -> None:
    """In the lab: prints the seconds of each call."""
    sharing = to_preload(arguments.mpi)
    seconds = []
    for call in CALLS:
        chunk = f":chunk={call.chunk_bytes}B" if call.chunk_bytes else ""
        variables = {
            "NWTOPO_SOURCE": f"cluster:{GATEWAYS}",
            "AYATORI_SOCKETS": "1",
            f"AYATORI_{call.collective.upper()}": call.algorithm + chunk,
        }
        stack = Stack(call.algorithm, OPEN_MPI_YIELDS | variables, (plugin_of(arguments.mpi), *sharing))
        setting = Setting(arguments.mpi, RANKS, f"mpirun.{arguments.mpi} -np {RANKS}")
        [[measured]] = measure_collectives(setting, [stack], [Cell(call.collective, call.bytes)], 1).values()
        seconds.append(measured.median * 1e-6)
    print(json.dumps(seconds))


def in_lab(arguments: argparse.Namespace, *words: str) -> Any:
    lab = [*AYATORI, "lab", "cluster", str(GATEWAYS), "--slower", str(arguments.slower), "--burst", arguments.burst]
    return json.loads(subprocess.run([*lab, "--", *words], stdout=subprocess.PIPE, check=True, cwd=ROOT).stdout)


def ping_pong(arguments: argparse.Namespace, folder: Path) -> None:
    bench = [
        *AYATORI,
        "bench",
        "pingpong",
        "--mpirun",
        f"mpirun.{arguments.mpi}",
        "--seconds",
        "1s",
        "--max-bytes",
        "256KiB",
        "--json",
    ]
    own = f'exec "$@" --hosts "$AYATORI_LAB_HOSTFILE" --network cluster:{GATEWAYS} --out-dir {folder}'
    in_lab(arguments, "sh", "-c", own, "sh", *bench)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=FAMILIES, default="mpich")
    parser.add_argument("--slower", type=float, default=20)
    parser.add_argument("--burst", default="32KiB", help="what passes a cable at once")
    parser.add_argument("--inside", default="", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        inside(arguments)
        return 0
    found = []
    with TemporaryDirectory() as name:
        folder = Path(name) / "measured"
        ping_pong(arguments, folder)
        network = open_source(f"json:{folder / 'network.json'}")
        model = Model(costs=FREE, link_latency=0, on_planes=costs_on_planes(network, folder, ()))
        predictor = Predictor(network, None, model)
        words = [sys.executable, "-m", "bench.validation.predicted_in_lab", "--inside", name, "--mpi", arguments.mpi]
        for call, seconds in zip(CALLS, in_lab(arguments, *words), strict=True):
            predicted = predictor.predict([whole_network_job(network)], call)[0].seconds
            found.append(predicted / seconds - 1)
            what = f"{call.collective} {format_bytes(call.bytes)}, {call.algorithm}"
            print(f"{what:44} measured {seconds * 1e3:7.1f} ms, predicted {predicted * 1e3:7.1f} ms: {found[-1]:+.0%}")
    error = median(abs(one) for one in found)
    print(f"median error {error:.1%}")
    return 1 if error > MAX_ERROR else 0


if __name__ == "__main__":
    sys.exit(main())
